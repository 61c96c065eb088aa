import { type SqlDialectRuntime, sqlOf } from '../engine/dialect.js'
import { uuidBytes } from '../layout/field.js'
import { NotAccepted, uuidCodec, valueCodec } from '../layout/values.js'
import type { Wire } from '../layout/layout.js'
import { IsothermError } from '../errors.js'
import type { ColumnType } from '../model/column-type.js'
import type { Table } from '../model/table.js'

/** A column's values, on their way to the database and back. NULL is the caller's business. */
export interface ColumnCodec {
  /** The type that a parameter is sent with, and a cell is read as. */
  readonly type: ColumnType
  /** As DDL has it: `STRING(36)`. */
  readonly sqlType: string
  /**
   * A value that a user gave, as it is sent.
   *
   * @throws {IsothermError} `INVALID_VALUE`, saying what the column takes.
   */
  encode(value: unknown): Wire
  /**
   * The inverse of `encode`, for values that are given as they are sent.
   *
   * @throws {IsothermError} `INVALID_VALUE`.
   */
  parse(wire: Wire): unknown
  /** A cell as a driver reads it, in the form in which a row shows it. */
  decode(cell: unknown): unknown
}

/** Whose values a codec refuses, for its messages. */
export interface ColumnLocation {
  readonly table: string
  readonly column: string
}

/**
 * How one type's values are checked, sent and read. Uuids are text, bytes or the engine's own type; a pair of integers is
 * two columns, which no codec of one can be.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for a UUID in two columns, and for an array of UUIDs that are bytes.
 */
export function columnCodec(
  type: ColumnType,
  dialect: SqlDialectRuntime,
  location?: ColumnLocation,
): ColumnCodec {
  const codec = codecOf(type, dialect, location)
  return {
    ...codec,
    // Once per value: no closure is made here.
    encode(value) {
      try {
        return codec.encode(value)
      } catch (error) {
        throw named(location, error)
      }
    },
    parse(wire) {
      try {
        return codec.parse(wire)
      } catch (error) {
        throw named(location, error)
      }
    },
    decode(cell) {
      try {
        return codec.decode(cell)
      } catch (error) {
        throw named(location, error)
      }
    },
  }
}

function named(location: ColumnLocation | undefined, error: unknown): unknown {
  if (!(error instanceof NotAccepted)) return error
  return new IsothermError('INVALID_VALUE', `${shown(location, 'A parameter')} ${error.message}`, {
    ...location,
  })
}

function shown(location: ColumnLocation | undefined, other: string): string {
  return location ? `${location.table}.${location.column}` : other
}

function codecOf(
  type: ColumnType,
  dialect: SqlDialectRuntime,
  location: ColumnLocation | undefined,
): ColumnCodec {
  const named = dialect
  const { values } = named
  const { sqlType } = sqlOf(named, 'A column of a query builder')
  const scalar = type.kind === 'array' ? type.of : type
  const storage = scalar.kind === 'uuid' ? scalar.storage : undefined
  if (storage === 'int64-pair') {
    throw new IsothermError(
      'UNSUPPORTED_MODEL',
      `${shown(location, 'A column')} would be a UUID in two integers, which are two columns.`,
      { fix: "Use storage 'text', 'bytes' or 'native'.", ...location },
    )
  }
  if (storage === 'bytes') {
    if (type.kind !== 'array') return uuidInBytes(sqlType)
    throw new IsothermError(
      'UNSUPPORTED_MODEL',
      `${shown(location, 'A column')} would be an array of UUIDs in bytes.`,
      {
        fix: "Use storage 'text' or 'native' in an array.",
        ...location,
      },
    )
  }
  const { accept, encode, parse, decode } = valueCodec(type, values)
  return {
    type,
    sqlType: sqlType(type),
    encode: (value) => encode(accept(value)),
    parse,
    decode: decode ?? ((cell) => cell),
  }
}

function uuidInBytes(sqlType: (type: ColumnType) => string): ColumnCodec {
  const type: ColumnType = { kind: 'bytes', length: 16 }
  const [{ encode }] = uuidBytes.columns('')
  return {
    type,
    sqlType: sqlType(type),
    encode: (value) => encode(uuidCodec.accept(value) as string),
    parse: (wire) => uuidCodec.accept(uuidBytes.parse([wire])),
    decode: (cell) => uuidBytes.join([cell], 0),
  }
}

/** The expressions of the columns that the database computes, by property: over the row's other columns, as in DDL. */
export function generatedExpressions(table: Table, dialect: SqlDialectRuntime): ReadonlyMap<string, string> {
  const { fields } = dialect.layout(table)
  return new Map(
    fields.flatMap(({ column, physical: [first] }) =>
      first?.made?.by === 'generated' ? [[column.property, first.made.expression] as const] : [],
    ),
  )
}
