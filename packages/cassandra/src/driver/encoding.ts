import { Buffer } from 'node:buffer'
import { types } from 'cassandra-driver'
import { parseDuration } from '../cql/duration.js'
import { inetBytes } from '../cql/order.js'
import type { Parameter, Wire, WireType } from '@isotherm/core/engine'

// Texts of dates and times, and the numbers that the protocol has for them. Years may have any number of digits: a date
// reaches from -5877641-06-23 to 5881580-07-11, which is more than `Date` does.

const MILLIS_PER_DAY = 86_400_000
const NANOS_PER_SECOND = 1_000_000_000

/** Days since 1970-01-01. */
export function daysOf(date: string): number {
  // Most dates are plain ones, which the engine reads fastest.
  if (date.length === 10) return Math.floor(Date.parse(date) / MILLIS_PER_DAY)
  const [, year, month, day] = /^([+-]?\d+)-(\d\d)-(\d\d)$/.exec(date)!
  return daysOfCivil(Number(year), Number(month), Number(day))
}

/** `2026-11-22`; years before 0 and after 9999 with their sign, as ISO 8601 has it. */
export function dateOf(days: number): string {
  const { year, month, day } = civilOf(days)
  const plain = year >= 0 && year <= 9999
  const digits = String(Math.abs(year)).padStart(plain ? 4 : 6, '0')
  return `${plain ? '' : year < 0 ? '-' : '+'}${digits}-${two(month)}-${two(day)}`
}

// The Gregorian calendar in eras of 400 years, which all have the same days; years begin in March, so that the day that comes
// and goes is their last.

const DAYS_PER_ERA = 146_097
/** From 0000-03-01 to 1970-01-01. */
const EPOCH = 719_468

function daysOfCivil(year: number, month: number, day: number): number {
  const from = month > 2 ? year : year - 1
  const era = Math.floor(from / 400)
  const yearOfEra = from - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * DAYS_PER_ERA + dayOfEra - EPOCH
}

function civilOf(days: number): { year: number; month: number; day: number } {
  const shifted = days + EPOCH
  const era = Math.floor(shifted / DAYS_PER_ERA)
  const dayOfEra = shifted - era * DAYS_PER_ERA
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  }
}

/** Milliseconds since 1970 of RFC 3339 text in UTC. Cassandra has no finer digits, so they are ignored. */
export function millisOf(timestamp: string): number {
  const point = timestamp.indexOf('.')
  return point < 0 || timestamp.length - point <= 5
    ? Date.parse(timestamp)
    : Date.parse(`${timestamp.slice(0, point + 4)}Z`)
}

/** Nanoseconds since midnight. */
export function nanosOf(time: string): number {
  const fraction = time.length > 9 ? Number(time.slice(9).padEnd(9, '0')) : 0
  const seconds = Number(time.slice(0, 2)) * 3600 + Number(time.slice(3, 5)) * 60 + Number(time.slice(6, 8))
  return seconds * NANOS_PER_SECOND + fraction
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

// Wires as the bytes of the native protocol
// (https://github.com/apache/cassandra/blob/cassandra-5.0/doc/native_protocol_v4.spec, section 6). The client's own codec
// depends on the user's options, sends an empty list as NULL, and would encode the parts of a partition key twice: it
// passes bytes on unchanged.

/** A parameter for the client: bytes, NULL, or unset. */
export type Bound = Buffer | null | object

/** The parameters of a statement in order. */
export function boundParameters(parameters: readonly Parameter[]): Bound[] {
  const bound = new Array<Bound>(parameters.length)
  for (let at = 0; at < parameters.length; at++) {
    const { type, value } = parameters[at]!
    bound[at] = value === null ? null : bytesOf(type, value)
  }
  return bound
}

/** As {@link boundParameters}, for new rows: NULL is not sent, since it would be written as a deletion. */
export function boundWithoutNulls(parameters: readonly Parameter[]): Bound[] {
  const bound = boundParameters(parameters)
  for (let at = 0; at < bound.length; at++) bound[at] ??= types.unset
  return bound
}

/** A wire that is not NULL as the database has it. */
export function bytesOf(type: WireType, wire: Wire): Buffer {
  switch (type.kind) {
    case 'bool':
      return wire === true ? TRUE : FALSE
    case 'int64':
    case 'counter':
      return int64(BigInt(wire as string))
    case 'int32':
      return integer(Number(wire), 4)
    case 'int16':
      return integer(Number(wire), 2)
    case 'int8':
      return integer(Number(wire), 1)
    case 'varint':
      return varint(BigInt(wire as string))
    case 'numeric':
    case 'decimal':
      return decimal(wire as string)
    case 'float32': {
      const bytes = Buffer.allocUnsafe(4)
      bytes.writeFloatBE(Number(wire))
      return bytes
    }
    case 'float64': {
      const bytes = Buffer.allocUnsafe(8)
      bytes.writeDoubleBE(Number(wire))
      return bytes
    }
    case 'string':
    case 'ascii':
    case 'json':
      return Buffer.from(wire as string, 'utf8')
    case 'bytes':
      return Buffer.from(wire as string, 'base64')
    case 'uuid':
    case 'timeuuid':
      return Buffer.from((wire as string).replaceAll('-', ''), 'hex')
    case 'timestamp':
      return wide(millisOf(wire as string))
    case 'date': {
      const bytes = Buffer.allocUnsafe(4)
      bytes.writeUInt32BE(daysOf(wire as string) + EPOCH_DAY)
      return bytes
    }
    case 'time':
      return wide(nanosOf(wire as string))
    case 'duration': {
      const { months, days, nanoseconds } = parseDuration(wire as string)!
      return Buffer.concat([vint(months), vint(days), vint(nanoseconds)])
    }
    case 'inet':
      return Buffer.from(inetBytes(wire as string))
    case 'array':
    case 'set': {
      const items = wire as readonly Wire[]
      return counted(
        items.length,
        items.map((item) => bytesOf(type.of, item)),
      )
    }
    case 'map': {
      const entries = wire as readonly (readonly [Wire, Wire])[]
      const parts = entries.flatMap(([key, value]) => [bytesOf(type.key, key), bytesOf(type.of, value)])
      return counted(entries.length, parts)
    }
    case 'tuple':
      return fields(type.of, wire as readonly Wire[])
    case 'udt':
      return fields(
        type.fields!.map((field) => field.type),
        wire as readonly Wire[],
      )
    case 'vector': {
      const numbers = wire as readonly Wire[]
      const bytes = Buffer.allocUnsafe(4 * numbers.length)
      for (let at = 0; at < numbers.length; at++) bytes.writeFloatBE(Number(numbers[at]), 4 * at)
      return bytes
    }
  }
}

const TRUE = Buffer.of(1)
const FALSE = Buffer.of(0)
const NULL_LENGTH = Buffer.of(0xff, 0xff, 0xff, 0xff)

/** Days are counted from the middle of what 32 bits hold. */
const EPOCH_DAY = 2 ** 31

function int64(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigInt64BE(value)
  return bytes
}

/** 64 bits of a number that needs no more than 53 of them. */
function wide(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  const high = Math.floor(value / 2 ** 32)
  bytes.writeInt32BE(high)
  bytes.writeUInt32BE(value - high * 2 ** 32, 4)
  return bytes
}

function integer(value: number, width: 1 | 2 | 4): Buffer {
  const bytes = Buffer.allocUnsafe(width)
  bytes.writeIntBE(value, 0, width)
  return bytes
}

/** Two's complement in as few bytes as it takes. */
function varint(value: bigint): Buffer {
  let width = 1
  while (BigInt.asIntN(8 * width, value) !== value) width++
  return Buffer.from(
    BigInt.asUintN(8 * width, value)
      .toString(16)
      .padStart(2 * width, '0'),
    'hex',
  )
}

function decimal(text: string): Buffer {
  const point = text.indexOf('.')
  const scale = point < 0 ? 0 : text.length - point - 1
  return Buffer.concat([integer(scale, 4), varint(BigInt(point < 0 ? text : text.replace('.', '')))])
}

/** Zig-zag, and the number of further bytes in the leading ones of the first. */
function vint(value: bigint): Buffer {
  const coded = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))
  let further = 0
  while (further < 8 && coded >> BigInt(7 * (further + 1)) !== 0n) further++
  const bytes = Buffer.allocUnsafe(further + 1)
  let rest = coded
  for (let at = further; at >= 0; at--) {
    bytes[at] = Number(rest & 0xffn)
    rest >>= 8n
  }
  bytes[0]! |= (0xff00 >> further) & 0xff
  return bytes
}

function length(of: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeInt32BE(of)
  return bytes
}

function counted(count: number, parts: readonly Buffer[]): Buffer {
  return Buffer.concat([length(count), ...parts.flatMap((part) => [length(part.length), part])])
}

function fields(kinds: readonly WireType[], wires: readonly Wire[]): Buffer {
  const parts = wires.flatMap((wire, at) => {
    if (wire === null) return [NULL_LENGTH]
    const bytes = bytesOf(kinds[at]!, wire)
    return [length(bytes.length), bytes]
  })
  return Buffer.concat(parts)
}
