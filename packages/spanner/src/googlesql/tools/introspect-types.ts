import { type ColumnType, IsothermError, type ScalarType } from '@isotherm/core/engine'
import type { Length } from '@isotherm/core/tools'
import type { RecognisedType } from '../../introspection/dialect.js'

const PLAIN: Readonly<Record<string, ScalarType>> = {
  BOOL: { kind: 'bool' },
  INT64: { kind: 'int64' },
  FLOAT32: { kind: 'float32' },
  FLOAT64: { kind: 'float64' },
  NUMERIC: { kind: 'numeric' },
  DATE: { kind: 'date' },
  TIMESTAMP: { kind: 'timestamp' },
  JSON: { kind: 'json' },
  UUID: { kind: 'uuid', storage: 'native' },
}

/** A vector's length is dropped: it says how many items an array has, and no `Schema` knows of that. A note says so. */
const ARRAY = /^ARRAY<([^<>]+)>(?:\(vector_length=>\d+\))?$/i

/**
 * The type of a text such as `ARRAY<STRING(36)>`; undefined for a type that a `Schema` cannot have.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-types
 */
export function googleSqlTypeOf(syntax: string): RecognisedType | undefined {
  const [, item] = ARRAY.exec(syntax.replaceAll(' ', '')) ?? []
  const type = scalarOf(item ?? syntax)
  return type && { type: item ? { kind: 'array', of: type } : type }
}

function scalarOf(syntax: string): ScalarType | undefined {
  const [, name, length = ''] = /^(STRING|BYTES)\((MAX|\d+)\)$/i.exec(syntax) ?? []
  if (name === undefined) return PLAIN[syntax.toUpperCase()]
  return { kind: /^s/i.test(name) ? 'string' : 'bytes', length: lengthOf(length) }
}

function lengthOf(length: string): Length {
  return /^max$/i.test(length) ? 'max' : Number(length)
}

/**
 * The type of a GoogleSQL text such as `ARRAY<STRING(36)>`.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for a type that Isotherm does not know.
 */
export function googleSqlColumnType(syntax: string): ColumnType {
  const recognised = googleSqlTypeOf(syntax)
  if (recognised) return recognised.type
  throw new IsothermError(
    'UNSUPPORTED_MODEL',
    `${JSON.stringify(syntax)} is not a type of a GoogleSQL column.`,
    {
      fix: "Write it as in DDL: 'INT64', 'STRING(36)', 'BYTES(MAX)', 'ARRAY<FLOAT64>'.",
    },
  )
}
