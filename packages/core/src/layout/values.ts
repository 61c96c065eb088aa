import { isErrorOf, markError } from '../copies.js'
import type { Hash64 } from '../keys/fingerprint.js'
import { IsothermError } from '../errors.js'
import { type ColumnType, describeType } from '../model/column-type.js'
import { type PreciseDate, momentOf, preciseDate, preciseOf, whyNoMoment } from '../keys/precise-date.js'
import { compareBytes, compareDecimal, compareText } from '../keys/order.js'
import { isUuid } from '../keys/uuid.js'
import { jsonNull } from '../model/json-null.js'
import { HALF_A_CHARACTER, type JsonRules, jsonDocument, jsonText, readJson } from './json-value.js'
import type { Wire } from './layout.js'

/** The error for a type that a dialect does not have. */
export function foreignKind(type: ColumnType, dialect: string): IsothermError {
  return new IsothermError('UNSUPPORTED_MODEL', `${dialect} has no type for ${describeType(type)}.`, {
    fix: 'Use a type that it has.',
  })
}

/** Thrown by `accept`; the caller adds the table and the column. */
export class NotAccepted extends Error {
  constructor(message: string) {
    super(message)
    markError(this, 'NotAccepted')
  }

  /** The codecs of engines throw it, which may have a copy of this package of their own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(value, 'NotAccepted')
  }
}

/** How values of one type are checked, stored and ordered. None of the functions ever sees NULL. */
export interface ValueCodec {
  /** Checks a value that a user gave and brings it into the form in which a row shows it. @throws {NotAccepted} */
  accept(value: unknown): unknown
  /** An accepted value as it is stored. */
  encode(value: unknown): Wire
  /** The inverse of `encode`. @throws {NotAccepted} */
  parse(wire: Wire): unknown
  /** A cell as the driver reads it, in the form in which a row shows it; absent where that is the same. @throws {NotAccepted} */
  readonly decode?: (cell: unknown) => unknown
  /** The engine's order. */
  compare(a: unknown, b: unknown): number
}

/** Where the values of one dialect differ from those of another. */
export interface ValueRules {
  /** The dialect's name, for messages. */
  readonly dialect: string
  readonly nan: NanOrder
  /**
   * `fixed`: 29 digits before the point and 9 after it. `wide`: 131,072 before it and 16,383 after it, and NaN.
   */
  readonly numeric: 'fixed' | 'wide'
  readonly json: JsonRules
  /** Types that the dialect checks, orders or writes in a different form. Undefined: as other dialects do. */
  readonly own?: (type: ColumnType) => ValueCodec | undefined
  /** The hash by which shards are computed: where the database computes them, the one that it has. */
  readonly hash64: Hash64
}

/** How a float's NaN sorts against numbers. */
type NanOrder = 'lowest' | 'highest'

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

/** The error for a value that a codec does not accept. */
export function no(expected: string, value: unknown, hint = ''): NotAccepted {
  return new NotAccepted(`takes ${expected}, not ${show(value)}.${hint && ` ${hint}`}`)
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  return typeof value === 'symbol' || typeof value === 'function' ? `a ${typeof value}` : String(value)
}

function text(expected: string, value: unknown): string {
  if (typeof value !== 'string') throw no(expected, value)
  if (!value.isWellFormed()) throw no(expected, value, HALF_A_CHARACTER)
  return value
}

const bool: ValueCodec = {
  accept(value) {
    if (typeof value !== 'boolean') throw no('a boolean', value)
    return value
  },
  encode: (value) => value as boolean,
  parse: (wire) => bool.accept(wire),
  compare: (a: boolean, b: boolean) => Number(a) - Number(b),
}

const int64: ValueCodec = {
  accept(value) {
    if (typeof value === 'bigint') {
      if (value < INT64_MIN || value > INT64_MAX) throw no('a 64-bit integer', value)
      return value
    }
    if (typeof value === 'number' && Number.isInteger(value)) {
      if (Number.isSafeInteger(value)) return BigInt(value)
      throw no('a 64-bit integer', value, 'A number above 2^53 has lost digits already: pass a bigint.')
    }
    throw no('a 64-bit integer', value, 'Pass a bigint.')
  },
  encode: String,
  parse(wire) {
    if (typeof wire !== 'string' || !/^-?\d{1,19}$/.test(wire)) throw no('a 64-bit integer', wire)
    return int64.accept(BigInt(wire))
  },
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
}

/** For columns whose rows show numbers: what a number cannot hold is an error, in either direction. */
const int53: ValueCodec = {
  accept(value) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? 0 : value
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value)) && BigInt(Number(value)) === value)
      return Number(value)
    throw no(
      'a whole number of up to 53 bits',
      value,
      'Use an int64 column for larger integers, and a float64 column for fractions.',
    )
  },
  encode: String,
  parse: (wire) => int53.accept(int64.parse(wire)),
  decode: (cell) => int53.accept(cell),
  compare: (a: number, b: number) => a - b,
}

function float(width: 32 | 64, nan: NanOrder): ValueCodec {
  const nanSign = nan === 'lowest' ? -1 : 1
  return {
    accept(value) {
      if (typeof value !== 'number') throw no('a number', value)
      const rounded = width === 32 ? Math.fround(value) : value
      if (Number.isFinite(value) && !Number.isFinite(rounded)) throw no('a number of 32 bits', value)
      return rounded
    },
    encode: (value) => (Number.isFinite(value) ? (value as number) : String(value)),
    parse(wire) {
      if (typeof wire === 'number') return wire
      if (wire === 'NaN' || wire === 'Infinity' || wire === '-Infinity') return Number(wire)
      throw no('a number', wire)
    },
    compare(a: number, b: number) {
      if (a < b) return -1
      if (a > b) return 1
      const left = Number.isNaN(a)
      const right = Number.isNaN(b)
      return left === right ? 0 : left ? nanSign : -nanSign
    },
  }
}

export const DECIMAL = /^[+-]?(\d+(\.\d+)?|\.\d+)$/

/** Digits before and after the point, at most. */
const DIGITS = { fixed: [29, 9], wide: [131_072, 16_383] } as const

function numeric(rules: ValueRules): ValueCodec {
  const [whole, fraction] = DIGITS[rules.numeric]
  const codec: ValueCodec = {
    accept(value) {
      const decimal = typeof value === 'bigint' ? String(value) : value
      if (decimal === 'NaN' && rules.numeric === 'wide') return decimal
      const canonical =
        typeof decimal === 'string' && DECIMAL.test(decimal) ? canonicalDecimal(decimal) : undefined
      const [left = '', right = ''] = canonical?.replace('-', '').split('.') ?? []
      if (canonical === undefined || left.length > whole || right.length > fraction) {
        throw no(
          `a decimal as a string, up to ${whole} digits before the point and ${fraction} after it`,
          value,
        )
      }
      return canonical
    },
    encode: (value) => value as string,
    parse: (wire) => codec.accept(wire),
    compare(a: string, b: string) {
      if (a === 'NaN' || b === 'NaN') return Number(a === 'NaN') - Number(b === 'NaN')
      return compareDecimal(a, b)
    },
    // PostgreSQL keeps the trailing zeros of a number; in Isotherm, one value has one text.
    ...(rules.numeric === 'wide' && { decode: (cell: unknown) => codec.accept(cell) }),
  }
  return codec
}

/** A decimal as the database writes it: without a plus sign, superfluous zeros, and negative zero. */
export function canonicalDecimal(decimal: string): string {
  const negative = decimal.startsWith('-')
  const [whole = '', fraction = ''] = decimal.replace(/^[+-]/, '').split('.')
  const left = whole.replace(/^0+(?=\d)/, '') || '0'
  const right = fraction.replace(/0+$/, '')
  const digits = right === '' ? left : `${left}.${right}`
  return negative && digits !== '0' ? `-${digits}` : digits
}

function string(length: number | 'max'): ValueCodec {
  const codec: ValueCodec = {
    accept(value) {
      const accepted = text('a string', value)
      // Lengths are in characters: code units are an upper bound, so most strings need no counting.
      if (length !== 'max' && accepted.length > length && Array.from(accepted).length > length) {
        throw no(`a string of up to ${length} characters`, value)
      }
      return accepted
    },
    encode: (value) => value as string,
    parse: (wire) => codec.accept(wire),
    compare: compareText,
  }
  return codec
}

function bytes(length: number | 'max'): ValueCodec {
  return {
    accept(value) {
      if (!(value instanceof Uint8Array)) throw no('bytes (a Buffer or Uint8Array)', value)
      if (length !== 'max' && value.length > length)
        throw no(`up to ${length} bytes`, `${value.length} bytes`)
      return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    },
    encode: (value) => (value as Buffer).toString('base64'),
    parse(wire) {
      const read = typeof wire === 'string' ? Buffer.from(wire, 'base64') : undefined
      if (read?.toString('base64') !== wire) throw no('bytes', wire)
      return read
    },
    compare: compareBytes,
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

const date: ValueCodec = {
  accept(value) {
    // A day that does not exist (2026-02-30) would come back from Date as another one.
    const day = typeof value === 'string' && DAY.test(value) ? new Date(`${value}T00:00:00Z`) : undefined
    if (!day || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value || value < '0001') {
      throw no('a day as YYYY-MM-DD', value)
    }
    return value
  },
  encode: (value) => value as string,
  parse: (wire) => date.accept(wire),
  compare: (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0),
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

/** Nanoseconds within the millisecond: 0 for a plain `Date`. */
function belowMillisecond(time: Date): number {
  return isPrecise(time) ? time.getMicroseconds() * 1000 + time.getNanoseconds() : 0
}

let lastMillisecond = Number.NaN
let lastText = ''

/** RFC 3339 text. Rows that are made in one go mostly share their millisecond, and so its text. */
function isoText(time: Date): string {
  const below = belowMillisecond(time)
  const millisecond = time.getTime()
  if (below === 0 && millisecond === lastMillisecond) return lastText
  // The method of the class replaces the end of this text by a pattern.
  const text = `${Date.prototype.toISOString.call(time).slice(0, -1)}${String(below).padStart(6, '0')}Z`
  if (below === 0) {
    lastText = text
    lastMillisecond = millisecond
  }
  return text
}

const timestamp: ValueCodec = {
  accept(value) {
    if (typeof value === 'string') {
      const moment = momentOf(value)
      if (!moment) throw no('a Date', value, whyNoMoment(value))
      return timestamp.accept(moment)
    }
    if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw no('a Date', value)
    const year = value.getUTCFullYear()
    if (year < 1 || year > 9999) throw no('a Date from the year 1 to 9999', value)
    if (!isPrecise(value)) return preciseOf(value.getTime())
    if (hasPicoseconds(value)) throw no('a timestamp of whole nanoseconds', value)
    return value
  },
  encode: (value) => isoText(value as Date),
  parse(wire) {
    if (typeof wire !== 'string' || !TIMESTAMP.test(wire)) throw no('a timestamp', wire)
    const time = preciseDate(wire)
    // A day that does not exist (2026-02-30) would be another one.
    if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(wire.slice(0, 19)))
      throw no('a timestamp', wire)
    return timestamp.accept(time)
  },
  compare: (a: Date, b: Date) => a.getTime() - b.getTime() || belowMillisecond(a) - belowMillisecond(b),
}

/** By shape, since two versions of the class may be installed. */
function isPrecise(time: Date): time is PreciseDate {
  return typeof (time as { getNanoseconds?: unknown }).getNanoseconds === 'function'
}

/** Absent in versions of the class before 5. */
function hasPicoseconds(time: { getPicoseconds?(): number }): boolean {
  return (time.getPicoseconds?.() ?? 0) > 0
}

/** Documents are compared nowhere. Their digits are all kept: see `json-value.ts`. A `null` would be taken for NULL. */
function json(rules: JsonRules): ValueCodec {
  const codec: ValueCodec = {
    accept(value) {
      let document: unknown
      try {
        document = jsonDocument(value, rules)
      } catch (error) {
        // A `toJSON` of the user's may throw anything.
        throw no('a JSON document', value, error instanceof Error ? error.message : String(error))
      }
      if (document === undefined) throw no('a JSON document', value)
      return document ?? jsonNull
    },
    encode: jsonText,
    parse(wire) {
      try {
        return readJson(String(wire), rules) ?? jsonNull
      } catch {
        throw no('a JSON document', wire)
      }
    },
    decode: (cell) => codec.parse(cell as Wire),
    compare: () => 0,
  }
  return codec
}

export const uuidCodec: ValueCodec = {
  accept(value) {
    if (typeof value !== 'string' || !isUuid(value)) throw no('a UUID', value)
    return value.toLowerCase()
  },
  encode: (value) => value as string,
  parse: (wire) => uuidCodec.accept(wire),
  compare: (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0),
}

export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw no('an array', value)
  return value as unknown[]
}

function array(of: ValueCodec): ValueCodec {
  const { decode } = of
  return {
    ...(decode && {
      decode: (cell: unknown) => (cell as unknown[]).map((item) => (item === null ? null : decode(item))),
    }),
    accept: (value) => Array.from(list(value), (item) => (item === null ? null : of.accept(item))),
    encode: (value) => (value as unknown[]).map((item) => (item === null ? null : of.encode(item))),
    parse: (wire) => list(wire).map((item) => (item === null ? null : of.parse(item as Wire))),
    compare: () => 0,
  }
}

function scalarCodec(type: ColumnType, rules: ValueRules): ValueCodec {
  switch (type.kind) {
    case 'bool':
      return bool
    case 'int64':
      return type.as === 'number' ? int53 : int64
    case 'float32':
      return float(32, rules.nan)
    case 'float64':
      return float(64, rules.nan)
    case 'numeric':
      return numeric(rules)
    case 'string':
      return string(type.length)
    case 'bytes':
      return bytes(type.length)
    case 'date':
      return date
    case 'timestamp':
      return timestamp
    case 'json':
      return json(rules.json)
    case 'uuid':
      return uuidCodec
    default:
      throw foreignKind(type, rules.dialect)
  }
}

export function valueCodec(type: ColumnType, rules: ValueRules): ValueCodec {
  const own = rules.own?.(type)
  if (own) return own
  return type.kind === 'array' ? array(valueCodec(type.of, rules)) : scalarCodec(type, rules)
}
