import type { ColumnType, ScalarType } from '@isotherm/core/engine'

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

/**
 * The type of a text of `format_type`, such as `character varying(36)[]`; undefined for a type that no schema has. A limit of digits
 * is one: `numeric(10,2)` rounds what is written.
 *
 * Source: https://www.postgresql.org/docs/current/datatype.html
 */
export function columnTypeOf(text: string): ColumnType | undefined {
  if (!text.endsWith('[]')) return scalarOf(text)
  const of = scalarOf(text.slice(0, -2))
  return of && { kind: 'array', of }
}

function scalarOf(text: string): ScalarType | undefined {
  const [, length] = /^character varying\((\d+)\)$/.exec(text) ?? []
  if (length !== undefined) return { kind: 'string', length: Number(length) }
  return Object.hasOwn(PLAIN, text) ? PLAIN[text] : undefined
}
