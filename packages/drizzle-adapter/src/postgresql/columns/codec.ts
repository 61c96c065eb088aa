import { IsothermError, type ScalarType } from '@isotherm/core'
import { type ColumnCodec, type Wire, type WireType, columnCodec, isComposite } from '@isotherm/core/adapter'
import { type Column, SQL, getTableName, is } from 'drizzle-orm'
import { PgArray, PgColumn } from 'drizzle-orm/pg-core'
import { spannerPostgresqlRuntime } from '@isotherm/spanner'
import { SpannerPgColumn } from './common.js'
import { fromDriver, isoDay, moment } from './driver-values.js'

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

/** Types in DDL syntax, for custom columns. */
const TYPE_PATTERNS: readonly (readonly [RegExp, ScalarType])[] = [
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
  [/^timestamp/, 'Declare it as timestamp({ withTimezone: true }): it is stored in UTC.'],
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
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for a type that Spanner does not have, naming what to use instead.
 */
export function wireTypeOf(column: Column): WireType {
  const type = TYPES[column.columnType] ?? typeOfSqlText(column)
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

function typeOfSqlText(column: Column): WireType | undefined {
  if (!is(column, PgColumn) || column.columnType !== 'PgCustomColumn') return undefined
  const wording = column.getSQLType().trim().toLowerCase()
  const item = wording.replace(/(?:\[\d*\])$/, '')
  const type = TYPE_PATTERNS.find(([pattern]) => pattern.test(item))?.[1]
  return type && item !== wording ? { kind: 'array', of: type } : type
}

function unsupported(column: Column, fix?: string): IsothermError {
  const table = getTableName(column.table)
  if (!is(column, PgColumn)) {
    return new IsothermError('UNSUPPORTED_MODEL', `${table}.${column.name} is not a column of a pgTable.`, {
      fix: "Declare the table with pgTable: '@isotherm/drizzle-adapter' itself is for GoogleSQL databases.",
      table,
      column: column.name,
    })
  }
  const type = column.getSQLType()
  const named = ALTERNATIVES.find(([pattern]) => pattern.test(type))?.[1]
  return new IsothermError(
    'UNSUPPORTED_MODEL',
    `${table}.${column.name} is of type ${type}, which Spanner does not support.`,
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

/** Values of one of Drizzle's columns, on their way to Spanner and back. NULL is the caller's business. */
interface PgCodec {
  readonly type: WireType
  /** A value that a user gave, as it is sent; SQL where a type of the user's own makes some of it. */
  encode(value: unknown): Wire | SQL
  /** A cell, as the column shows it. */
  decode(cell: unknown): unknown
  /** A cell as it would be sent. */
  wireOf(cell: unknown): Wire
  /** The sent value in Isotherm's form. */
  parse(wire: Wire): unknown
}

const codecs = new WeakMap<Column, PgCodec>()

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for a type that Spanner does not have. */
export function codecOf(column: Column): PgCodec {
  let codec = codecs.get(column)
  if (!codec) codecs.set(column, (codec = makeCodec(column)))
  return codec
}

function makeCodec(column: Column): PgCodec {
  if (is(column, PgArray)) return arrayCodec(column)
  const type = is(column, SpannerPgColumn) ? column.codec.type : wireTypeOf(column)
  const core = columnCodec(type, spannerPostgresqlRuntime, {
    table: getTableName(column.table),
    column: column.name,
  })
  const wireOf = (cell: unknown): Wire => core.encode(core.decode(cell))
  if (is(column, SpannerPgColumn)) return { ...column.codec, wireOf }
  return { type, wireOf, parse: (wire) => core.parse(wire), ...formOf(column, core) }
}

function arrayCodec(column: Column & { readonly baseColumn: unknown }): PgCodec {
  const item = codecOf(column.baseColumn as Column)
  if (isComposite(item.type)) throw arrayOfArrays(column)
  const type: WireType = { kind: 'array', of: item.type }
  const core = columnCodec(type, spannerPostgresqlRuntime, {
    table: getTableName(column.table),
    column: column.name,
  })
  return {
    type,
    encode: (value) =>
      Array.isArray(value) ? (each(value, (one) => item.encode(one)) as Wire) : core.encode(value),
    decode: (cell) => each(cell, (one) => item.decode(one)),
    wireOf: (cell) => core.encode(core.decode(cell)),
    parse: (wire) => core.parse(wire),
  }
}

function each<T>(items: unknown, map: (value: unknown) => T): (T | null)[] {
  return (items as unknown[]).map((value) => (value === null ? null : map(value)))
}

type Form = Pick<PgCodec, 'encode' | 'decode'>

/** A column's own functions expect the values of a PostgreSQL driver: text, mostly. */
function formOf(column: Column, core: ColumnCodec): Form {
  const isOwn = column.columnType === 'PgCustomColumn'
  const show = (value: unknown): unknown => column.mapFromDriverValue(value)
  if (isOwn) {
    return {
      encode(value) {
        const driverValue: unknown = column.mapToDriverValue(value)
        return is(driverValue, SQL) ? driverValue : core.encode(fromDriver(driverValue, core.type, column))
      },
      decode: (cell) => show(toDriver(cell, core)),
    }
  }
  switch (core.type.kind) {
    case 'int64':
      return column.dataType === 'bigint'
        ? { encode: (value) => core.encode(value), decode: show }
        : { encode: (value) => core.encode(value), decode: (cell) => wholeNumber(cell as bigint, column) }
    case 'numeric':
      return {
        encode: (value) => core.encode(typeof value === 'number' ? String(value) : value),
        // A whole number may be kept with zeros behind its point.
        decode: column.dataType === 'bigint' ? (cell) => show(core.decode(cell)) : show,
      }
    case 'date':
      return { encode: (value) => core.encode(value instanceof Date ? isoDay(value) : value), decode: show }
    case 'timestamp':
      return column.dataType === 'date'
        ? // Past the milliseconds of a Date, a row would not be found by the value that was read.
          { encode: (value) => core.encode(value), decode: (cell) => cell }
        : {
            encode: (value) => core.encode(moment(value, column)),
            decode: (cell) => momentText(cell as Date),
          }
    case 'json':
      // A column's own function would parse a document that is text once more.
      return { encode: (value) => core.encode(value), decode: (cell) => core.decode(cell) }
    default:
      return { encode: (value) => core.encode(value), decode: show }
  }
}

function wholeNumber(cell: bigint, column: Column): number {
  const number = Number(cell)
  if (Number.isSafeInteger(number)) return number
  throw new IsothermError('INVALID_VALUE', `${column.name} holds ${cell}, which no number holds.`, {
    fix: `Declare it as bigint({ mode: 'bigint' }).`,
    column: column.name,
  })
}

/** A timestamp in PostgreSQL's format, in UTC. */
function momentText(cell: Date): string {
  return cell
    .toISOString()
    .replace('T', ' ')
    .replace(/\.?0*Z$/, '+00')
}

/** A cell as a driver of PostgreSQL's gives it. */
function toDriver(cell: unknown, core: ColumnCodec): unknown {
  switch (core.type.kind) {
    case 'int64':
      return String(cell)
    case 'timestamp':
      return momentText(cell as Date)
    case 'json':
      return core.decode(cell)
    case 'array': {
      const item = columnCodec(core.type.of, spannerPostgresqlRuntime)
      return (cell as unknown[]).map((each) => (each === null ? null : toDriver(each, item)))
    }
    default:
      return cell
  }
}
