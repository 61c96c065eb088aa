import {
  type ColumnType,
  DECIMAL,
  type JsonRules,
  type MapType,
  NotAccepted,
  type ScalarType,
  type UdtType,
  type UserTypeField,
  type ValueCodec,
  type ValueRules,
  type VectorType,
  type Wire,
  canonicalDecimal,
  compareDecimal,
  compareText,
  fingerprint,
  isFrozen,
  list,
  no,
  uuidCodec,
  valueCodec,
} from '@isotherm/core/engine'
import type { PreciseDate } from '@google-cloud/precise-date'
import { isIP } from 'node:net'
import { durationText } from './duration.js'
import {
  compareInet,
  compareItems,
  compareNumbers,
  compareParts,
  comparePlain,
  compareTimeUuid,
  compareUuid,
  canonicalInet,
} from './order.js'

// Values of one part each. A cell is as the driver reads it: bigint for 64 bits or more, number for fewer, text for
// decimals, days, times, durations, addresses and UUIDs, Buffer, Date, boolean.

/** A document is stored as text, so its numbers are limited only by what can be read back without loss. */
const JSON_RULES: JsonRules = { numbers: 'binary', nul: true, levels: 80, compareNames: compareText }

/** The rules that the types share with those of SQL. Decimals of `numeric` are as wide as GoogleSQL's. */
export const scalarRules: ValueRules = {
  dialect: 'cql',
  nan: 'highest',
  numeric: 'fixed',
  json: JSON_RULES,
  hash64: fingerprint,
}

function wholeNumber(bits: 8 | 16 | 32): ValueCodec {
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

/**
 * To Cassandra, −0 is a value of its own, less than 0 and another key. JSON does not have it, so it is text on the wire.
 */
function float(kind: 'float32' | 'float64'): ValueCodec {
  const base = valueCodec({ kind }, scalarRules)
  return {
    ...base,
    encode: (value) => (Object.is(value, -0) ? '-0' : base.encode(value)),
    parse: (wire) => (wire === '-0' ? -0 : base.parse(wire)),
    compare: (a: number, b: number) =>
      a === 0 && b === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : base.compare(a, b),
  }
}

const SCIENTIFIC = /^([+-]?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,10})$/
/** Others may have written 1E1000000000, which has more digits than there is memory. */
const MAX_ZEROS = 10_000

/** One value has one text here, whatever the scale that it was written with: 1.0 and 1.00 are one key to Cassandra too. */
function readDecimal(cell: unknown): string {
  const text = String(cell)
  if (DECIMAL.test(text)) return canonicalDecimal(text)
  const [, sign = '', digits = '', fraction = '', power = ''] = SCIENTIFIC.exec(text) ?? []
  const exponent = Number(power)
  if (digits === '' || Math.abs(exponent) > MAX_ZEROS)
    throw no(`a decimal with up to ${MAX_ZEROS} leading or trailing zeros`, text)
  const all = digits + fraction
  const point = digits.length + exponent
  if (point <= 0) return canonicalDecimal(`${sign}0.${'0'.repeat(-point)}${all}`)
  if (point >= all.length) return canonicalDecimal(sign + all + '0'.repeat(point - all.length))
  return canonicalDecimal(`${sign}${all.slice(0, point)}.${all.slice(point)}`)
}

const decimal: ValueCodec = {
  accept(value) {
    const text = typeof value === 'bigint' ? String(value) : value
    if (typeof text !== 'string' || !DECIMAL.test(text)) throw no('a decimal as a string', value)
    return canonicalDecimal(text)
  },
  encode: (value) => value as string,
  parse: (wire) => decimal.accept(wire),
  decode: readDecimal,
  compare: compareDecimal,
}

const numeric: ValueCodec = { ...valueCodec({ kind: 'numeric' }, scalarRules), decode: readDecimal }

const anyTimestamp = valueCodec({ kind: 'timestamp' }, scalarRules)

/** Digits below a millisecond are refused: Cassandra would drop them silently. */
function milliseconds(time: unknown): unknown {
  const precise = time as PreciseDate
  const below = precise.getMicroseconds() * 1000 + precise.getNanoseconds()
  if (below === 0) return time
  throw new NotAccepted(
    `stores milliseconds, but the value has ${below} ns more: they would be lost. Round it, or use an int64 column.`,
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
  // A month has no fixed number of days, so durations cannot be compared.
  compare: () => 0,
}

const inet: ValueCodec = {
  accept(value) {
    // A zone is of one machine, and not part of the address.
    if (typeof value !== 'string' || isIP(value) === 0 || value.includes('%'))
      throw no('an IPv4 or IPv6 address', value)
    return canonicalInet(value)
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
  int32: wholeNumber(32),
  int16: wholeNumber(16),
  int8: wholeNumber(8),
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

function scalarCodec(type: ScalarType): ValueCodec {
  return type.kind in OWN ? OWN[type.kind as keyof typeof OWN] : valueCodec(type, scalarRules)
}

// Values of several parts. Wires are arrays: of items (a set's in order, each once), of pairs of a map in the order of its
// keys, of a tuple's values, of a user type's values in the order of its fields. Cells are as the driver reads them: arrays
// (or a Set) of cells, a Map of cells, an object of a user type's cells by the fields' names.

/** How values are checked and ordered in CQL. */
export const cqlValues: ValueRules = Object.freeze({ ...scalarRules, own: cqlCodec })

/** A value of a type as a layout has it: with the fields of its user types. */
export function cqlCodec(type: ColumnType): ValueCodec {
  switch (type.kind) {
    case 'array':
      return whole(type, array(cqlCodec(type.of)))
    case 'set':
      return whole(type, set(cqlCodec(type.of)))
    case 'map':
      return whole(type, map(type))
    case 'tuple':
      return tuple(type.of.map(cqlCodec))
    case 'udt':
      return whole(type, userType(type))
    case 'vector':
      return vector(type)
    default:
      return scalarCodec(type)
  }
}

type Compare = (a: unknown, b: unknown) => number

function order(codec: ValueCodec): Compare {
  return codec.compare
}

/**
 * To Cassandra, an empty collection that is stored item by item is NULL: the accepted value is NULL, as it will be read.
 * The same is true of a user type without a value.
 */
function whole(type: ColumnType, codec: ValueCodec): ValueCodec {
  if (isFrozen(type)) return codec
  return {
    ...codec,
    accept(value) {
      const accepted = codec.accept(value)
      return isEmpty(accepted) ? null : accepted
    },
    encode: (value) => (value === null ? null : codec.encode(value)),
    parse: (wire) => (wire === null ? null : codec.parse(wire)),
  }
}

function isEmpty(value: unknown): boolean {
  if (value instanceof Set || value instanceof Map) return value.size === 0
  return Object.values(value as object).every((part) => part === null)
}

function item(codec: ValueCodec, value: unknown, of: string): unknown {
  if (value === null || value === undefined) throw new NotAccepted(`does not accept NULL in ${of}.`)
  return codec.accept(value)
}

function decoder({ decode }: ValueCodec): (cell: unknown) => unknown {
  return decode ?? ((cell) => cell)
}

function array(of: ValueCodec): ValueCodec {
  return {
    accept: (value) => Array.from(list(value), (each) => item(of, each, 'a list')),
    encode: (value) => (value as unknown[]).map(of.encode),
    parse: (wire) => list(wire).map((each) => of.parse(each as Wire)),
    decode: (cell) => Array.from(cell as Iterable<unknown>, decoder(of)),
    compare: compareItems(order(of)) as Compare,
  }
}

/** In the engine's order, each once. */
function sorted<T>(values: T[], compare: (a: T, b: T) => number): T[] {
  values.sort(compare)
  return values.filter((value, at) => {
    const before = values[at - 1]
    return before === undefined || compare(before, value) !== 0
  })
}

function set(of: ValueCodec): ValueCodec {
  const ordered = (values: unknown[]): ReadonlySet<unknown> => new Set(sorted(values, order(of)))
  return {
    accept(value) {
      if (!(value instanceof Set)) throw no('a Set', value)
      return ordered(Array.from(value, (each) => item(of, each, 'a set')))
    },
    encode: (value) => Array.from(value as ReadonlySet<unknown>, of.encode),
    parse: (wire) => ordered(list(wire).map((each) => of.parse(each as Wire))),
    decode: (cell) => ordered(Array.from(cell as Iterable<unknown>, decoder(of))),
    compare: compareItems(order(of)) as Compare,
  }
}

type Pair = readonly [unknown, unknown]

function map(type: MapType): ValueCodec {
  const [key, of] = [cqlCodec(type.key), cqlCodec(type.of)]
  const byKey = (a: Pair, b: Pair): number => order(key)(a[0], b[0])
  const ordered = (pairs: Pair[]): ReadonlyMap<unknown, unknown> => {
    const once = sorted(pairs, byKey)
    if (once.length === pairs.length) return new Map(once)
    // Two dates of one time, or 1.0 and 1.00: one of the values would be lost.
    const [twice] = pairs.find((pair, at) => once[at] !== pair) as Pair
    throw new NotAccepted(`has two values in a map for the key ${JSON.stringify(key.encode(twice))}.`)
  }
  const [decodeKey, decodeValue] = [decoder(key), decoder(of)]
  return {
    accept(value) {
      if (!(value instanceof Map)) throw no('a Map', value)
      return ordered(
        Array.from(value as ReadonlyMap<unknown, unknown>, ([name, each]) => [
          item(key, name, 'a map'),
          item(of, each, 'a map'),
        ]),
      )
    },
    encode: (value) =>
      Array.from(value as ReadonlyMap<unknown, unknown>, ([name, each]) => [
        key.encode(name),
        of.encode(each),
      ]),
    parse: (wire) =>
      ordered(
        list(wire).map((pair) => {
          const [name = null, each = null] = list(pair) as Wire[]
          return [key.parse(name), of.parse(each)]
        }),
      ),
    decode: (cell) =>
      ordered(Array.from(cell as Iterable<Pair>, ([name, each]) => [decodeKey(name), decodeValue(each)])),
    compare: compareItems<Pair>((a, b) => byKey(a, b) || order(of)(a[1], b[1])) as Compare,
  }
}

function orNull(convert: (value: unknown) => unknown, value: unknown): unknown {
  return value === null || value === undefined ? null : convert(value)
}

function tuple(of: readonly ValueCodec[]): ValueCodec {
  const parts = (value: unknown): readonly unknown[] => {
    const items = Array.isArray(value) ? (value as unknown[]) : undefined
    if (items?.length !== of.length) throw no(`an array of ${of.length} values`, value)
    return items
  }
  return {
    accept(value) {
      const items = parts(value)
      return of.map(({ accept }, at) => orNull(accept, items[at]))
    },
    encode: (value) => of.map(({ encode }, at) => orNull(encode, (value as unknown[])[at]) as Wire),
    parse(wire) {
      const items = parts(wire)
      return of.map(({ parse }, at) => orNull((each) => parse(each as Wire), items[at]))
    },
    // A value that was written before its type grew is shorter than it.
    decode: (cell) => of.map((codec, at) => orNull(decoder(codec), (cell as unknown[])[at])),
    compare: compareParts(of.map(order)) as Compare,
  }
}

function userType(type: UdtType): ValueCodec {
  const fields = type.fields
  if (!fields) throw new Error(`The user type ${type.name} was laid out without its fields.`)
  const coded = fields.map((field) => ({ field, codec: cqlCodec(field.type) }))
  const names = new Map(fields.map(({ name }, at) => [name, at]))
  const values = (value: unknown): unknown[] =>
    fields.map(({ name }) => (value as Record<string, unknown>)[name])
  const parts = tuple(coded.map(({ codec }) => codec))
  const object = (items: unknown): object =>
    Object.fromEntries(fields.map(({ name }, at) => [name, (items as unknown[])[at]]))
  return {
    accept(value) {
      if (!isPlain(value)) throw no(`an object of the user type ${type.name}`, value)
      const foreign = Object.keys(value).find((name) => !names.has(name))
      if (foreign !== undefined)
        throw new NotAccepted(`has no field ${JSON.stringify(foreign)} in its type ${type.name}.`)
      const fieldValues = values(value)
      return object(coded.map(({ field, codec }, at) => acceptField(type, field, codec, fieldValues[at])))
    },
    encode: (value) => parts.encode(values(value)),
    parse: (wire) => object(parts.parse(wire)),
    decode: (cell) => object(decoder(parts)(values(cell))),
    compare: (a, b) => order(parts)(values(a), values(b)),
  }
}

function acceptField(type: UdtType, field: UserTypeField, codec: ValueCodec, value: unknown): unknown {
  if (value === null || value === undefined) {
    if (field.nullable) return null
    throw new NotAccepted(`lacks the field ${field.name} of its type ${type.name}.`)
  }
  try {
    return codec.accept(value)
  } catch (error) {
    if (!(error instanceof NotAccepted)) throw error
    throw new NotAccepted(`has a field ${field.name} that ${error.message}`)
  }
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  return Object.prototype.toString.call(value) === '[object Object]' && !(Symbol.iterator in value)
}

function vector({ of, dimensions }: VectorType): ValueCodec {
  const number = scalarCodec({ kind: of })
  const codec: ValueCodec = {
    accept(value) {
      const numbers = value instanceof Float32Array ? [...value] : value
      if (!Array.isArray(numbers) || numbers.length !== dimensions)
        throw no(`an array of ${dimensions} numbers`, value)
      return Array.from(numbers as unknown[], (each) => number.accept(each))
    },
    encode: (value) => (value as unknown[]).map(number.encode),
    parse(wire) {
      const numbers = list(wire)
      if (numbers.length !== dimensions) throw no(`an array of ${dimensions} numbers`, wire)
      return numbers.map((each) => number.parse(each as Wire))
    },
    decode: (cell) => Array.from(cell as Iterable<number>),
    compare: compareItems(order(number)) as Compare,
  }
  return codec
}
