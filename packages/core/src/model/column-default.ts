import { isInteger, isLosslessNumber, isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json'
import { shown } from '../errors.js'
import { isUuid } from '../keys/uuid.js'
import { preciseDate, toMoment } from '../keys/precise-date.js'
import { describeType, type ColumnType } from './column-type.js'
import { jsonNull } from './json-null.js'
import { isSql, type SqlExpression } from './sql-expression.js'

// The default of a column: a value of the column's type, which the dialect quotes, or marked SQL.

/**
 * A default as a schema keeps it. `value` survives JSON for every type: an int64 and a decimal are text in decimal, bytes are in
 * base64, a timestamp is RFC 3339 text, a float that JSON does not have is `NaN`, `Infinity`, `-Infinity` or `-0`, a document is its
 * JSON text.
 */
export type ColumnDefault = { readonly sql: SqlExpression } | { readonly value: DefaultValue }

export type DefaultValue = string | number | boolean | readonly (string | number | boolean | null)[]

/** The problem with a default, and what to do. */
interface DefaultRefusal {
  readonly message: string
  readonly fix: string
}

const SQL_FIX = 'Mark an SQL expression as one: sql`CURRENT_DATE()`.'

/** A default as the schema keeps it, or why it cannot be one of a column of this type. */
export function columnDefault(
  type: ColumnType,
  defaultValue: unknown,
): { readonly kept: ColumnDefault } | { readonly refused: DefaultRefusal } {
  if (isSql(defaultValue)) return { kept: { sql: defaultValue.sql } }
  if (defaultValue === null) {
    return refuse('has the default null.', 'Leave the default out: a nullable column is NULL without one.')
  }
  if (type.kind === 'array') {
    if (!Array.isArray(defaultValue))
      return refuse(`has the default ${shown(defaultValue)}, but is an array.`, `Give an array. ${SQL_FIX}`)
    const { of } = type
    const items = Array.from(defaultValue as unknown[], (item) =>
      item === null ? null : keptScalar(of, item),
    )
    const wrong = items.indexOf(undefined)
    if (wrong >= 0)
      return refuse(
        `has ${shown(defaultValue[wrong])} in its default, but is an ${describeType(type)}.`,
        takes(of),
      )
    return { kept: { value: items as (string | number | boolean | null)[] } }
  }
  const value = keptScalar(type, defaultValue)
  if (value !== undefined) return { kept: { value } }
  const words =
    type.kind === 'timestamp' && typeof defaultValue === 'string'
      ? " Or one of 'now', 'commit' and 'required'."
      : ''
  return refuse(
    `has the default ${shown(defaultValue)}, but is of type ${describeType(type)}.`,
    `${takes(type)}${words}`,
  )
}

function refuse(message: string, fix: string): { readonly refused: DefaultRefusal } {
  return { refused: { message, fix } }
}

function takes(type: ColumnType): string {
  const what = TAKES[type.kind]
  if (what === undefined) return 'Leave it out: such a column has no default.'
  const length = 'length' in type && type.length !== 'max' ? `, of up to ${type.length}` : ''
  return `Give ${what}${length}. ${SQL_FIX}`
}

const TAKES: Readonly<Partial<Record<ColumnType['kind'], string>>> = {
  bool: 'true or false',
  int64: 'a whole number of 64 bits: 7n',
  float32: 'a number of 32 bits',
  float64: 'a number',
  numeric: "a decimal as text: '12.50'",
  string: 'a text',
  bytes: "bytes: Buffer.from('00ff', 'hex')",
  date: "a day: '2026-08-01'",
  timestamp: "a Date, or text with an offset: '2026-08-01T00:00:00Z'",
  json: 'a value that JSON can hold',
  uuid: 'a UUID',
}

type Kept = string | number | boolean

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
const DECIMAL = /^-?\d+(?:\.\d+)?$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Undefined if the value is not of the type. */
function keptScalar(type: ColumnType, scalar: unknown): Kept | undefined {
  switch (type.kind) {
    case 'bool':
      return typeof scalar === 'boolean' ? scalar : undefined
    case 'int64': {
      const isWhole =
        typeof scalar === 'bigint' || (typeof scalar === 'number' && Number.isSafeInteger(scalar))
      if (!isWhole) return undefined
      const value = BigInt(scalar)
      const fits =
        type.as === 'number' ? Number.isSafeInteger(Number(value)) : value >= INT64_MIN && value <= INT64_MAX
      return fits ? String(value) : undefined
    }
    case 'float32':
    case 'float64': {
      if (typeof scalar !== 'number') return undefined
      const value = type.kind === 'float32' ? Math.fround(scalar) : scalar
      if (Number.isFinite(scalar) && !Number.isFinite(value)) return undefined
      return Object.is(value, -0) ? '-0' : Number.isFinite(value) ? value : String(value)
    }
    case 'numeric':
      if (scalar === 'NaN') return scalar
      return typeof scalar === 'string' && DECIMAL.test(scalar) ? decimal(scalar) : undefined
    case 'string': {
      if (typeof scalar !== 'string' || !scalar.isWellFormed()) return undefined
      return type.length === 'max' || Array.from(scalar).length <= type.length ? scalar : undefined
    }
    case 'bytes': {
      if (!(scalar instanceof Uint8Array)) return undefined
      return type.length === 'max' || scalar.length <= type.length
        ? Buffer.from(scalar).toString('base64')
        : undefined
    }
    case 'date': {
      const isDay = typeof scalar === 'string' && DAY.test(scalar) && scalar >= '0001'
      const day = isDay ? new Date(`${scalar}T00:00:00Z`) : undefined
      return day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(scalar as string)
        ? (scalar as string)
        : undefined
    }
    case 'timestamp': {
      const text = toMoment(scalar)?.toISOString()
      // Without needless zeros, however many digits the class writes.
      return text?.replace(/(\.\d*?)0+Z$/, '$1Z').replace('.Z', 'Z')
    }
    case 'json':
      return jsonText(scalar)
    case 'uuid':
      return typeof scalar === 'string' && isUuid(scalar) ? scalar.toLowerCase() : undefined
    default:
      return undefined
  }
}

/** Without needless zeros: one value has one text. */
function decimal(text: string): string {
  const isNegative = text.startsWith('-')
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const left = whole.replace(/^0+(?=\d)/, '')
  const right = fraction.replace(/0+$/, '')
  const digits = right === '' ? left : `${left}.${right}`
  return isNegative && digits !== '0' ? `-${digits}` : digits
}

/** Undefined for what JSON does not have anywhere in it. */
function jsonText(value: unknown): string | undefined {
  return value === jsonNull || isJson(value, 0) ? stringify(value) : undefined
}

const JSON_LEVELS = 80

function isJson(value: unknown, level: number): boolean {
  if (level > JSON_LEVELS) return false
  switch (typeof value) {
    case 'string':
      return value.isWellFormed()
    case 'number':
      return Number.isFinite(value)
    case 'boolean':
    case 'bigint':
      return true
    case 'object': {
      if (value === null) return true
      if (Array.isArray(value)) return Array.from(value as unknown[]).every((item) => isJson(item, level + 1))
      if (isLosslessNumber(value)) return true
      const prototype: unknown = Object.getPrototypeOf(value)
      if (prototype !== null && prototype !== Object.prototype) return false
      return Object.entries(value).every(([name, item]) => name.isWellFormed() && isJson(item, level + 1))
    }
    default:
      return false
  }
}

/** Whether a default of a schema from a file is valid. */
export function isKept(type: ColumnType, { value }: { readonly value: DefaultValue }): boolean {
  try {
    const again = columnDefault(type, valueOf(type, value))
    return 'kept' in again && JSON.stringify(again.kept) === JSON.stringify({ value })
  } catch {
    return false
  }
}

/** The value itself, as an insert takes it. */
export function valueOf(type: ColumnType, kept: DefaultValue): unknown {
  if (type.kind !== 'array') return scalarOf(type, kept as Kept)
  return (kept as readonly (Kept | null)[]).map((item) => (item === null ? null : scalarOf(type.of, item)))
}

function scalarOf(type: ColumnType, kept: Kept): unknown {
  switch (type.kind) {
    case 'int64':
      return type.as === 'number' ? Number(kept) : BigInt(kept)
    case 'float32':
    case 'float64':
      return Number(kept)
    case 'bytes':
      return Buffer.from(kept as string, 'base64')
    case 'timestamp':
      return preciseDate(kept as string)
    case 'json':
      return parse(kept as string, undefined, number) ?? jsonNull
    default:
      return kept
  }
}

/** No digit of a document is lost. */
function number(text: string): unknown {
  if (isSafeNumber(text)) return Number(text)
  return isInteger(text) ? BigInt(text) : new LosslessNumber(text)
}
