import type { Length, ScalarType } from '../../model/column-type.js'
import type { RecognisedType } from '../introspection/dialect.js'

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

/** A vector's length is dropped: it says how many items an array has, and no `Schema` knows of that. */
const ARRAY = /^ARRAY<([^<>]+)>(?:\(vector_length=>\d+\))?$/i

/**
 * The type that a spelling such as `ARRAY<STRING(36)>` means; undefined for one that no `Schema` has.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-types
 */
export function googleSqlTypeOf(spelling: string): RecognisedType | undefined {
  const item = ARRAY.exec(spelling.replaceAll(' ', ''))
  const type = scalarOf(item ? item[1]! : spelling)
  return type && { type: item ? { kind: 'array', of: type } : type }
}

function scalarOf(spelling: string): ScalarType | undefined {
  const [, name, length] = /^(STRING|BYTES)\((MAX|\d+)\)$/i.exec(spelling) ?? []
  if (name === undefined) return PLAIN[spelling.toUpperCase()]
  return { kind: /^s/i.test(name) ? 'string' : 'bytes', length: lengthOf(length!) }
}

function lengthOf(length: string): Length {
  return /^max$/i.test(length) ? 'max' : Number(length)
}
