import type { PreciseDate } from '@google-cloud/precise-date'
import { isIP } from 'node:net'
import { compareDecimal, compareText } from '../../keys/order.js'
import type { ScalarType } from '../../model/column-type.js'
import {
  canonicalDecimal,
  DECIMAL,
  no,
  NotAccepted,
  uuidCodec,
  valueCodec,
  type ValueCodec,
  type ValueRules,
} from '../values.js'
import { durationText } from './duration.js'
import {
  compareInet,
  compareNumbers,
  comparePlain,
  compareTimeUuid,
  compareUuid,
  inetSpelling,
} from './order.js'

// Values of one part each. A cell is as the driver reads it: bigint for what has 64 bits or more, number for what has
// fewer, text for decimals, days, times, durations, addresses and UUIDs, Buffer, Date, boolean.

/** What the types have in common with those of SQL. Decimals of `numeric` are as wide as GoogleSQL's. */
export const scalarRules = { nan: 'highest', numeric: 'fixed' } as const satisfies ValueRules

function whole(bits: 8 | 16 | 32): ValueCodec {
  const limit = 2 ** (bits - 1)
  const codec: ValueCodec = {
    accept(value) {
      const number = typeof value === 'bigint' ? Number(value) : value
      if (typeof number !== 'number' || !Number.isInteger(number) || number < -limit || number >= limit)
        throw no(`a whole number of ${bits} bits`, value)
      return number + 0
    },
    encode: (value) => value as number,
    parse(wire) {
      if (typeof wire !== 'number') throw no(`a whole number of ${bits} bits`, wire)
      return codec.accept(wire)
    },
    compare: compareNumbers,
  }
  return codec
}

const varint: ValueCodec = {
  accept(value) {
    if (typeof value === 'bigint') return value
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
    throw no('a whole number', value, 'Pass a bigint.')
  },
  encode: String,
  parse(wire) {
    if (typeof wire !== 'string' || !/^-?\d+$/.test(wire)) throw no('a whole number', wire)
    return BigInt(wire)
  },
  compare: compareNumbers,
}

/** Zero has one sign here: Cassandra takes −0 for another key, and less than 0. */
function float(kind: 'float32' | 'float64'): ValueCodec {
  const base = valueCodec({ kind }, scalarRules)
  return {
    ...base,
    accept: (value) => (base.accept(value) as number) + 0,
    parse: (wire) => (base.parse(wire) as number) + 0,
  }
}

const SCIENTIFIC = /^([+-]?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,10})$/
/** Others may have written 1E1000000000, which has more digits than there is memory. */
const MOST_ZEROS = 10_000

/** One value has one text here, whatever the scale that it was written with: 1.0 and 1.00 are one key to Cassandra too. */
function readDecimal(cell: unknown): string {
  const text = String(cell)
  if (DECIMAL.test(text)) return canonicalDecimal(text)
  const [, sign = '', digits = '', fraction = '', power = ''] = SCIENTIFIC.exec(text) ?? []
  const exponent = Number(power)
  if (digits === '' || Math.abs(exponent) > MOST_ZEROS)
    throw no(`a decimal of up to ${MOST_ZEROS} zeros at either end`, text)
  const all = digits + fraction
  const point = digits.length + exponent
  if (point <= 0) return canonicalDecimal(`${sign}0.${'0'.repeat(-point)}${all}`)
  if (point >= all.length) return canonicalDecimal(sign + all + '0'.repeat(point - all.length))
  return canonicalDecimal(`${sign}${all.slice(0, point)}.${all.slice(point)}`)
}

const decimal: ValueCodec = {
  accept(value) {
    const given = typeof value === 'bigint' ? String(value) : value
    if (typeof given !== 'string' || !DECIMAL.test(given)) throw no('a decimal as a string', value)
    return canonicalDecimal(given)
  },
  encode: (value) => value as string,
  parse: (wire) => decimal.accept(wire),
  decode: readDecimal,
  compare: compareDecimal,
}

const numeric: ValueCodec = { ...valueCodec({ kind: 'numeric' }, scalarRules), decode: readDecimal }

const anyTimestamp = valueCodec({ kind: 'timestamp' }, scalarRules)

/** Digits below a millisecond are refused: Cassandra would drop them without a word. */
function milliseconds(time: unknown): unknown {
  const precise = time as PreciseDate
  const below = precise.getMicroseconds() * 1000 + precise.getNanoseconds()
  if (below === 0) return time
  throw new NotAccepted(
    `takes milliseconds, and this has ${below} ns beyond them: they would be lost. Round it, or keep it in an int64.`,
  )
}

const timestamp: ValueCodec = {
  ...anyTimestamp,
  accept: (value) => milliseconds(anyTimestamp.accept(value)),
  parse: (wire) => milliseconds(anyTimestamp.parse(wire)),
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?$/

const time: ValueCodec = {
  accept(value) {
    if (typeof value !== 'string' || !TIME.test(value)) throw no('a time of day as hh:mm:ss.nnnnnnnnn', value)
    return value.includes('.') ? value.replace(/\.?0+$/, '') : value
  },
  encode: (value) => value as string,
  parse: (wire) => time.accept(wire),
  decode: (cell) => time.accept(cell),
  compare: comparePlain,
}

const duration: ValueCodec = {
  accept(value) {
    const text = typeof value === 'string' ? durationText(value) : undefined
    if (text === undefined) throw no('a duration as text, 1y2mo3d4h5m6s7ms8us9ns', value)
    return text
  },
  encode: (value) => value as string,
  parse: (wire) => duration.accept(wire),
  decode: (cell) => duration.accept(cell === '' ? '0ns' : cell),
  // A month is no number of days: durations are compared nowhere.
  compare: () => 0,
}

const inet: ValueCodec = {
  accept(value) {
    // A zone is of one machine, and not part of the address.
    if (typeof value !== 'string' || isIP(value) === 0 || value.includes('%'))
      throw no('an IPv4 or IPv6 address', value)
    return inetSpelling(value)
  },
  encode: (value) => value as string,
  parse: (wire) => inet.accept(wire),
  decode: (cell) => inet.accept(cell),
  compare: compareInet,
}

const uuid: ValueCodec = { ...uuidCodec, compare: compareUuid }

const timeuuid: ValueCodec = {
  ...uuidCodec,
  accept(value) {
    const text = uuidCodec.accept(value) as string
    if (text[14] !== '1') throw no('a UUID of version 1', value)
    return text
  },
  parse: (wire) => timeuuid.accept(wire),
  compare: compareTimeUuid,
}

const text = valueCodec({ kind: 'string', length: 'max' }, scalarRules)

const ascii: ValueCodec = {
  ...text,
  accept(value) {
    const accepted = text.accept(value) as string
    if (!/^\p{ASCII}*$/u.test(accepted)) throw no('ASCII characters', value)
    return accepted
  },
  parse: (wire) => ascii.accept(wire),
  compare: comparePlain,
}

const jsonBase = valueCodec({ kind: 'json' }, scalarRules)

/** A document is kept as its text, and in a set it is one by its text. */
const json: ValueCodec = {
  ...jsonBase,
  compare: (a, b) => compareText(String(jsonBase.encode(a)), String(jsonBase.encode(b))),
}

const OWN = {
  int32: whole(32),
  int16: whole(16),
  int8: whole(8),
  varint,
  float32: float('float32'),
  float64: float('float64'),
  numeric,
  decimal,
  time,
  timestamp,
  duration,
  inet,
  uuid,
  timeuuid,
  ascii,
  json,
  counter: valueCodec({ kind: 'int64' }, scalarRules),
} as const satisfies { readonly [Kind in ScalarType['kind']]?: ValueCodec }

export function scalarCodec(type: ScalarType): ValueCodec {
  return type.kind in OWN ? OWN[type.kind as keyof typeof OWN] : valueCodec(type, scalarRules)
}
