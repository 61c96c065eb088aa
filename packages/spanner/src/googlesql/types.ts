import { IsothermError } from '@isotherm/core/engine'
import { foreignKind } from '@isotherm/core/engine'
import type { WireType } from '@isotherm/core/engine'

// Source: https://cloud.google.com/spanner/quotas#tables
const MAX_STRING = 2_621_440
const MAX_BYTES = 10_485_760

/**
 * The GoogleSQL text of a type.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-types
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for a length that a column cannot have, or a type of CQL.
 */
export function googleSqlType(type: WireType): string {
  switch (type.kind) {
    case 'bool':
      return 'BOOL'
    case 'int64':
      return 'INT64'
    case 'float32':
      return 'FLOAT32'
    case 'float64':
      return 'FLOAT64'
    case 'numeric':
      return 'NUMERIC'
    case 'string':
      return `STRING(${length(type.length, MAX_STRING)})`
    case 'bytes':
      return `BYTES(${length(type.length, MAX_BYTES)})`
    case 'date':
      return 'DATE'
    case 'timestamp':
      return 'TIMESTAMP'
    case 'json':
      return 'JSON'
    case 'uuid':
      return type.storage === 'native' ? 'UUID' : 'STRING(36)'
    case 'array':
      return `ARRAY<${googleSqlType(type.of)}>`
    default:
      throw foreignKind(type, 'googlesql')
  }
}

function length(length: number | 'max', limit: number): string {
  if (length === 'max') return 'MAX'
  if (length <= limit) return String(length)
  throw new IsothermError('UNSUPPORTED_MODEL', `GoogleSQL does not support the length ${length}.`, {
    fix: `Use a length of up to ${limit}, or 'max'.`,
  })
}
