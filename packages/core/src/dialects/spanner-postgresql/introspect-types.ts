import type { ScalarType } from '../../model/column-type.js'
import type { RecognisedType } from '../introspection/dialect.js'

const PLAIN: Readonly<Record<string, ScalarType>> = {
  boolean: { kind: 'bool' },
  bigint: { kind: 'int64' },
  real: { kind: 'float32' },
  'double precision': { kind: 'float64' },
  numeric: { kind: 'numeric' },
  'character varying': { kind: 'string', length: 'max' },
  text: { kind: 'string', length: 'max' },
  bytea: { kind: 'bytes', length: 'max' },
  date: { kind: 'date' },
  'timestamp with time zone': { kind: 'timestamp' },
  jsonb: { kind: 'json' },
  uuid: { kind: 'uuid', storage: 'native' },
}

/** A vector's length is dropped: it says how many items an array has, and no `Schema` knows of that. */
const ARRAY = /^(.+)\[\](?: vector length \d+)?$/

/**
 * The type that a spelling such as `character varying(36)[]` means; undefined for one that no `Schema` has.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/data-types
 */
export function spannerPostgreSqlTypeOf(spelling: string): RecognisedType | undefined {
  if (spelling === 'spanner.commit_timestamp') return { type: { kind: 'timestamp' }, commitTimestamp: true }
  const item = ARRAY.exec(spelling)
  const type = scalarOf(item ? item[1]! : spelling)
  return type && { type: item ? { kind: 'array', of: type } : type }
}

function scalarOf(spelling: string): ScalarType | undefined {
  const limited = /^character varying\((\d+)\)$/.exec(spelling)
  return limited ? { kind: 'string', length: Number(limited[1]) } : PLAIN[spelling]
}
