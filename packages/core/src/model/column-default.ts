import { isInteger, isLosslessNumber, isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json'
import { shown } from '../errors.js'
import { isUuid } from '../keys/uuid.js'
import { givenMoment, preciseDate } from '../keys/precise-date.js'
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
  given: unknown,
): { readonly kept: ColumnDefault } | { readonly refused: DefaultRefusal } {
  if (isSql(given)) return { kept: { sql: given.sql } }
  if (given === null) {
    return refuse('has the default null.', 'Leave the default out: a nullable column is NULL without one.')
  }
  if (type.kind === 'array') {
    if (!Array.isArray(given))
      return refuse(`has the default ${shown(given)}, but is an array.`, `Give an array. ${SQL_FIX}`)
    const { of } = type
    const items = Array.from(given as unknown[], (item) => (item === null ? null : keptScalar(of, item)))
    const wrong = items.indexOf(undefined)
    if (wrong >= 0)
      return refuse(`has ${shown(given[wrong])} in its default, but is an ${describeType(type)}.`, takes(of))
    return { kept: { value: items as (string | number | boolean | null)[] } }
  }
  const value = keptScalar(type, given)
  if (value !== undefined) return { kept: { value } }
  const words =
    type.kind === 'timestamp' && typeof given === 'string' ? " Or one of 'now', 'commit' and 'required'." : ''
  return refuse(
    `has the default ${shown(given)}, but is of type ${describeType(type)}.`,
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
function keptScalar(type: ColumnType, given: unknown): Kept | undefined {
  switch (type.kind) {
    case 'bool':
      return typeof given === 'boolean' ? given : undefined
    case 'int64': {
      const isWhole = typeof given === 'bigint' || (typeof given === 'number' && Number.isSafeInteger(given))
      if (!isWhole) return undefined
      const value = BigInt(given)
      const fits =
        type.as === 'number' ? Number.isSafeInteger(Number(value)) : value >= INT64_MIN && value <= INT64_MAX
      return fits ? String(value) : undefined
    }
    case 'float32':
    case 'float64': {
      if (typeof given !== 'number') return undefined
      const value = type.kind === 'float32' ? Math.fround(given) : given
      if (Number.isFinite(given) && !Number.isFinite(value)) return undefined
      return Object.is(value, -0) ? '-0' : Number.isFinite(value) ? value : String(value)
    }
    case 'numeric':
      if (given === 'NaN') return given
      return typeof given === 'string' && DECIMAL.test(given) ? decimal(given) : undefined
    case 'string': {
      if (typeof given !== 'string' || !given.isWellFormed()) return undefined
      return type.length === 'max' || Array.from(given).length <= type.length ? given : undefined
    }
    case 'bytes': {
      if (!(given instanceof Uint8Array)) return undefined
      return type.length === 'max' || given.length <= type.length
        ? Buffer.from(given).toString('base64')
        : undefined
    }
    case 'date': {
      const isDay = typeof given === 'string' && DAY.test(given) && given >= '0001'
      const day = isDay ? new Date(`${given}T00:00:00Z`) : undefined
      return day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(given as string)
        ? (given as string)
        : undefined
    }
    case 'timestamp': {
      const text = givenMoment(given)?.toISOString()
      // Without needless zeros, however many digits the class writes.
      return text?.replace(/(\.\d*?)0+Z$/, '$1Z').replace('.Z', 'Z')
    }
    case 'json':
      return jsonText(given)
    case 'uuid':
      return typeof given === 'string' && isUuid(given) ? given.toLowerCase() : undefined
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
function jsonText(given: unknown): string | undefined {
  return given === jsonNull || isJson(given, 0) ? stringify(given) : undefined
}

const JSON_LEVELS = 80

function isJson(given: unknown, level: number): boolean {
  if (level > JSON_LEVELS) return false
  switch (typeof given) {
    case 'string':
      return given.isWellFormed()
    case 'number':
      return Number.isFinite(given)
    case 'boolean':
    case 'bigint':
      return true
    case 'object': {
      if (given === null) return true
      if (Array.isArray(given)) return Array.from(given as unknown[]).every((item) => isJson(item, level + 1))
      if (isLosslessNumber(given)) return true
      const prototype: unknown = Object.getPrototypeOf(given)
      if (prototype !== null && prototype !== Object.prototype) return false
      return Object.entries(given).every(([name, item]) => name.isWellFormed() && isJson(item, level + 1))
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
