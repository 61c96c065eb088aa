import { IsothermError, type ScalarType } from '@isotherm/core'
import type { WireType } from '@isotherm/core/adapter'
import { getTableName, is, type Column } from 'drizzle-orm'
import { PgColumn } from 'drizzle-orm/pg-core'

const INT64: ScalarType = { kind: 'int64' }
const TEXT: ScalarType = { kind: 'string', length: 'max' }

/** Drizzle's columns by their kind. Those whose type Spanner has under another name are sent as that one. */
const TYPES: Readonly<Record<string, ScalarType>> = {
  PgBigInt53: INT64,
  PgBigInt64: INT64,
  PgBigSerial53: INT64,
  PgBigSerial64: INT64,
  PgInteger: INT64,
  PgSerial: INT64,
  PgSmallInt: INT64,
  PgSmallSerial: INT64,
  PgText: TEXT,
  PgVarchar: TEXT,
  PgChar: TEXT,
  PgUUID: TEXT,
  PgEnumColumn: TEXT,
  PgEnumObjectColumn: TEXT,
  PgBoolean: { kind: 'bool' },
  PgDoublePrecision: { kind: 'float64' },
  PgReal: { kind: 'float32' },
  PgNumeric: { kind: 'numeric' },
  PgNumericNumber: { kind: 'numeric' },
  PgNumericBigInt: { kind: 'numeric' },
  PgDate: { kind: 'date' },
  PgDateString: { kind: 'date' },
  PgTimestamp: { kind: 'timestamp' },
  PgTimestampString: { kind: 'timestamp' },
  PgJson: { kind: 'json' },
  PgJsonb: { kind: 'json' },
}

/** Types as DDL spells them, for columns of the user's own. */
const SPELLINGS: readonly (readonly [RegExp, ScalarType])[] = [
  [/^(?:bigint|int8|integer|int|int4|smallint|int2)$/, INT64],
  [/^(?:text|uuid|(?:varchar|character varying)(?: ?\(\d+\))?)$/, TEXT],
  [/^bool(?:ean)?$/, { kind: 'bool' }],
  [/^(?:double precision|float8)$/, { kind: 'float64' }],
  [/^(?:real|float4)$/, { kind: 'float32' }],
  [/^(?:numeric|decimal)(?: ?\(.*\))?$/, { kind: 'numeric' }],
  [/^date$/, { kind: 'date' }],
  [/^(?:timestamptz|timestamp with time zone|spanner\.commit_timestamp)$/, { kind: 'timestamp' }],
  [/^bytea$/, { kind: 'bytes', length: 'max' }],
  [/^jsonb$/, { kind: 'json' }],
]

const ALTERNATIVES: readonly (readonly [RegExp, string])[] = [
  [/^timestamp/, 'Declare it as timestamp({ withTimezone: true }): it is a moment, and kept in UTC.'],
  [/^time/, 'Keep text, or microseconds since midnight in a bigint.'],
  [/^interval/, 'Keep microseconds in a bigint, or text.'],
  [/^(?:inet|cidr|macaddr)/, 'Keep text.'],
  [/^(?:vector|halfvec|sparsevec)/, 'Declare it as doublePrecision().array().'],
  [/^bit/, 'Keep a bigint, or bytes.'],
  [/^(?:point|line|geometry)/, 'Keep coordinates in doublePrecision() columns of their own.'],
]

/**
 * The type that a column's values are sent with.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a type that Spanner does not have, naming what to use instead.
 */
export function wireTypeOf(column: Column): WireType {
  const type = TYPES[column.columnType] ?? typeSpelled(column)
  // Drizzle's own default, which Spanner has no type for.
  if (type?.kind === 'timestamp' && (column as { withTimezone?: boolean }).withTimezone === false) {
    throw unsupported(column)
  }
  if (type) return type
  throw unsupported(column)
}

export function arrayOfArrays(column: Column): IsothermError {
  return unsupported(column, 'Keep them in jsonb(), or in a table of their own.')
}

function typeSpelled(column: Column): WireType | undefined {
  if (!is(column, PgColumn) || column.columnType !== 'PgCustomColumn') return undefined
  const spelling = column.getSQLType().trim().toLowerCase()
  const item = spelling.replace(/(?:\[\d*\])$/, '')
  const type = SPELLINGS.find(([pattern]) => pattern.test(item))?.[1]
  return type && item !== spelling ? { kind: 'array', of: type } : type
}

function unsupported(column: Column, fix?: string): IsothermError {
  const table = getTableName(column.table)
  if (!is(column, PgColumn)) {
    return new IsothermError('UNSUPPORTED', `${table}.${column.name} is no column of a pgTable.`, {
      fix: "Declare the table with pgTable: '@isotherm/drizzle-adapter' itself is for GoogleSQL databases.",
      table,
      column: column.name,
    })
  }
  const type = column.getSQLType()
  const named = ALTERNATIVES.find(([pattern]) => pattern.test(type))?.[1]
  return new IsothermError(
    'UNSUPPORTED',
    `${table}.${column.name} is of type ${type}, which Spanner has not.`,
    {
      fix:
        fix ??
        named ??
        'Use a type that Spanner has: bigint, text, boolean, doublePrecision, numeric, date, jsonb …',
      table,
      column: column.name,
    },
  )
}
