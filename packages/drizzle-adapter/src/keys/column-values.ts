import { spannerPostgresqlRuntime } from '@isotherm/spanner'
import { IsothermError } from '@isotherm/core'
import {
  columnCodec,
  EXPRESSION,
  shown,
  type ColumnCodec,
  type Wire,
  type WireType,
} from '@isotherm/core/adapter'
import { Column, getTableName, is, Param, Placeholder, SQL } from 'drizzle-orm'
import { PgColumn } from 'drizzle-orm/pg-core'
import type { Encoded, ValueForm as SpannerForm } from '../googlesql/columns/common.js'
import { codecOf } from '../postgresql/columns/codec.js'

/** A column of `spannerTable`, whose users may see its values in a form of their own. */
interface CodedColumn extends Column {
  readonly codec?: ColumnCodec
  readonly form?: SpannerForm
}

/** How users see a column's values; undefined where that is as Isotherm has them. */
interface ValueForm {
  encode(value: unknown): Encoded
  parse(wire: Wire): unknown
  decode(value: unknown): unknown
}

/** A user's value for a column in Isotherm's form; `EXPRESSION` for a value that only the database will know. */
export function toCore(column: Column, input: unknown): unknown {
  const value = is(input, Param) ? input.value : input
  if (value === null || value === undefined) return value
  if (isSql(value)) return EXPRESSION
  const form = formOf(column)
  if (!form) return value
  const wire = form.encode(value)
  // A custom type may make an expression of a value, or of an item.
  return isWire(wire) ? form.parse(wire) : EXPRESSION
}

function isWire(encoded: Encoded): encoded is Wire {
  return Array.isArray(encoded) ? encoded.every(isWire) : !is(encoded, SQL)
}

/** Whether a value is text that only the database can read, so that it becomes an expression. */
export function needsDatabase(column: Column, value: unknown): value is string {
  if (typeof value !== 'string' || (column as CodedColumn).form?.castForm === undefined) return false
  return is(column.mapToDriverValue(value), SQL)
}

/** @param why what cannot wait for the database */
export function refusedText(column: Column, value: string, why: string): IsothermError {
  const table = getTableName(column.table)
  return new IsothermError(
    'INVALID_VALUE',
    `${table}.${column.name} is ${shown(value)}, whose time only the database can compute, but ${why}.`,
    { fix: 'Add the offset from UTC: 2026-11-22T10:00:00Z, or +01:00.', table, column: column.name },
  )
}

/** A value of Isotherm's as the column's users see it. */
export function fromCore(column: Column, value: unknown): unknown {
  if (value === null) return null
  const form = formOf(column)
  return form ? form.decode(value) : value
}

const forms = new WeakMap<Column, { readonly form: ValueForm | undefined }>()

function formOf(column: Column): ValueForm | undefined {
  const known = forms.get(column)
  if (known) return known.form
  const form = is(column, PgColumn) ? pgForm(column) : ownForm(column)
  forms.set(column, { form })
  return form
}

function ownForm({ codec, form }: CodedColumn): ValueForm | undefined {
  return codec && form && { ...codec, encode: (value) => form.encode(value, codec) }
}

/** Drizzle's own columns show their values by functions that take a driver's cells. */
function pgForm(column: Column): ValueForm | undefined {
  const { type, encode, parse, decode } = codecOf(column)
  // Isotherm has numbers for a column that shows numbers.
  if (type.kind === 'int64' && column.dataType === 'number') return undefined
  return { encode, parse, decode: holdsJson(type) ? (value) => decode(cellOf(value, type)) : decode }
}

function holdsJson(type: WireType): boolean {
  return type.kind === 'json' || (type.kind === 'array' && type.of.kind === 'json')
}

/** A document is text in its cell. */
function cellOf(value: unknown, type: WireType): unknown {
  return columnCodec(type, spannerPostgresqlRuntime).encode(value)
}

/** Whether the value is a placeholder, whose value comes with the execution. */
export function isPlaceholder(value: unknown): boolean {
  return is(is(value, Param) ? value.value : value, Placeholder)
}

function isSql(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return is(value, SQL) || is(value, Column) || 'getSQL' in value
}

/** The type of a column's values; undefined for a column of another database than Spanner. */
export function valueType(column: Column): WireType | undefined {
  return is(column, PgColumn) ? codecOf(column).type : (column as CodedColumn).codec?.type
}
