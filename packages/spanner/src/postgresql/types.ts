import { IsothermError } from '@isotherm/core/engine'
import { foreignKind } from '@isotherm/core/engine'
import type { WireType } from '@isotherm/core/engine'

// Source: https://cloud.google.com/spanner/quotas#tables
const MAX_STRING = 2_621_440
const MAX_BYTES = 10_485_760

/**
 * The text of a type in Spanner's PostgreSQL dialect. `bytea` has no length: the client checks the length that a model
 * declares.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/data-types
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for a length that a column cannot have, or a type of CQL.
 */
export function spannerPostgreSqlType(type: WireType): string {
  switch (type.kind) {
    case 'bool':
      return 'boolean'
    case 'int64':
      return 'bigint'
    case 'float32':
      return 'real'
    case 'float64':
      return 'double precision'
    case 'numeric':
      return 'numeric'
    case 'string':
      return type.length === 'max' ? 'varchar' : `varchar(${checked(type.length, MAX_STRING)})`
    case 'bytes':
      checked(type.length, MAX_BYTES)
      return 'bytea'
    case 'date':
      return 'date'
    case 'timestamp':
      return 'timestamptz'
    case 'json':
      return 'jsonb'
    case 'uuid':
      return type.storage === 'native' ? 'uuid' : 'varchar(36)'
    case 'array':
      return `${spannerPostgreSqlType(type.of)}[]`
    default:
      throw foreignKind(type, 'spanner-postgresql')
  }
}

function checked(length: number | 'max', limit: number): number | 'max' {
  if (length === 'max' || length <= limit) return length
  throw new IsothermError(
    'UNSUPPORTED_MODEL',
    `Spanner's PostgreSQL dialect does not support the length ${length}.`,
    {
      fix: `Use a length of up to ${limit}, or 'max'.`,
    },
  )
}
