import { inspect } from 'node:util'
import * as fc from 'fast-check'
import type { ColumnType } from '@isotherm/core'
import type { UdtType } from '@isotherm/core/engine'
import { bytes, day, int53, int64, numeric, text, uuid } from '../../../core/test/support/arbitraries.js'

const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

const milliseconds = fc
  .oneof(
    fc.integer({ min: FIRST, max: LAST }),
    fc.integer({ min: -2000, max: 2000 }),
    fc.constantFrom(FIRST, LAST, 0, -1),
  )
  .map((time) => new Date(time))

const varint = fc.oneof(
  fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
  fc.bigInt({ min: -300n, max: 300n }),
  fc.constantFrom(-129n, -128n, 127n, 128n, 255n, 256n, 0n),
)

/** Decimals of any scale; some have the same value with different scales. */
const decimal = fc
  .tuple(
    fc.oneof(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.bigInt({ min: -20n, max: 20n })),
    fc.integer({ min: 0, max: 45 }),
  )
  .map(([units, scale]) => {
    const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
    const point = digits.length - scale
    const sign = units < 0n ? '-' : ''
    return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
  })

const time = fc
  .tuple(
    fc.integer({ min: 0, max: 86_399 }),
    fc.oneof(fc.integer({ min: 0, max: 999_999_999 }), fc.constantFrom(0, 1, 100_000_000, 120_000_000)),
  )
  .map(([seconds, nanoseconds]) => {
    const two = (number: number): string => String(number).padStart(2, '0')
    const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => two(Math.floor(part)))
    return nanoseconds === 0 ? clock.join(':') : `${clock.join(':')}.${String(nanoseconds).padStart(9, '0')}`
  })

const duration = fc
  .tuple(
    fc.integer({ min: 0 }),
    fc.integer({ min: 0 }),
    fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    fc.boolean(),
  )
  .map(([months, days, nanoseconds, negative]) => `${negative ? '-' : ''}${months}mo${days}d${nanoseconds}ns`)

const inet = fc.oneof(
  fc.ipV4(),
  // An address with a dotted end equals an address without one, so these are left out.
  fc.ipV6().filter((address) => !address.includes('.')),
  fc.constantFrom('::', '::1', '0.0.0.0', '255.255.255.255', '::ffff:10.0.0.1', 'FE80::A'),
)

/** UUIDs of version 1 with any bytes as clock and node, and often the same time, so that clock and node decide the order. */
const timeuuid = fc
  .tuple(
    fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 60n - 1n }), fc.constantFrom(0n, 1n, 2n ** 32n, 2n ** 48n)),
    fc.uint8Array({ minLength: 8, maxLength: 8 }),
  )
  .map(([ticks, rest]) => {
    const stamp = ticks.toString(16).padStart(15, '0')
    const end = Buffer.from(rest).toString('hex')
    return `${stamp.slice(7)}-${stamp.slice(3, 7)}-1${stamp.slice(0, 3)}-${end.slice(0, 4)}-${end.slice(4)}`
  })

const anyUuid = fc.oneof(
  uuid,
  timeuuid,
  fc.constantFrom('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
)

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 12 })

const float64 = fc.oneof(fc.double(), fc.constantFrom(-0, 0, Number.NaN, Infinity, -Infinity))
const float32 = fc.oneof(fc.float(), fc.constantFrom(-0, 0, Number.NaN, Infinity, -Infinity))

const int = (bits: number) =>
  fc.oneof(
    fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 }),
    fc.constantFrom(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 0, -1),
  )

const small = fc.integer({ min: -3, max: 3 })
const few = <T>(of: fc.Arbitrary<T>) => fc.array(of, { maxLength: 4 })
const set = <T>(of: fc.Arbitrary<T>) => few(of).map((items) => new Set(items))
const map = <K, V>(key: fc.Arbitrary<K>, of: fc.Arbitrary<V>) =>
  few(fc.tuple(key, of))
    // Two buffers of the same bytes are two keys of a Map, but one key of a map in the database.
    .filter((pairs) => new Set(pairs.map(([each]) => inspect(each))).size === pairs.length)
    .map((pairs) => new Map(pairs))

/** A type, and values of it as a user gives them. */
export type TypedValues = readonly [name: string, type: ColumnType, values: fc.Arbitrary<unknown>]

export const scalarKeys: readonly TypedValues[] = [
  ['bool', { kind: 'bool' }, fc.boolean()],
  ['int64', { kind: 'int64' }, int64],
  ['int64 as number', { kind: 'int64', as: 'number' }, int53],
  ['int32', { kind: 'int32' }, int(32)],
  ['int16', { kind: 'int16' }, int(16)],
  ['int8', { kind: 'int8' }, int(8)],
  ['varint', { kind: 'varint' }, varint],
  ['float32', { kind: 'float32' }, float32],
  ['float64', { kind: 'float64' }, float64],
  ['numeric', { kind: 'numeric' }, numeric],
  ['decimal', { kind: 'decimal' }, decimal],
  ['string', { kind: 'string', length: 'max' }, text],
  ['ascii', { kind: 'ascii' }, ascii],
  ['bytes', { kind: 'bytes', length: 'max' }, bytes],
  ['date', { kind: 'date' }, day],
  ['time', { kind: 'time' }, time],
  ['timestamp', { kind: 'timestamp' }, milliseconds],
  ['uuid', { kind: 'uuid' }, anyUuid],
  ['timeuuid', { kind: 'timeuuid' }, timeuuid],
  ['inet', { kind: 'inet' }, inet],
]

/** A user type as a layout has it. */
export const placeType: Required<UdtType> = {
  kind: 'udt',
  name: 'place',
  frozen: true,
  fields: [
    { name: 'x', type: { kind: 'int32' } },
    { name: 'name', type: { kind: 'string', length: 'max' }, nullable: true },
  ],
}

const placeValues = fc
  .tuple(small, fc.option(fc.constantFrom('', 'a', 'b', 'ab')))
  .map(([x, name]) => ({ x, name }))

export const compositeKeys: readonly TypedValues[] = [
  ['frozen list', { kind: 'array', of: { kind: 'int32' }, frozen: true }, few(small)],
  ['frozen list of texts', { kind: 'array', of: { kind: 'string', length: 'max' }, frozen: true }, few(text)],
  [
    'frozen list of lists',
    { kind: 'array', of: { kind: 'array', of: { kind: 'int8' }, frozen: true }, frozen: true },
    few(few(small)),
  ],
  ['frozen set', { kind: 'set', of: { kind: 'int32' }, frozen: true }, set(small)],
  ['frozen set of UUIDs', { kind: 'set', of: { kind: 'uuid' }, frozen: true }, set(anyUuid)],
  [
    'frozen map',
    { kind: 'map', key: { kind: 'int32' }, of: { kind: 'ascii' }, frozen: true },
    map(small, fc.constantFrom('', 'a', 'b')),
  ],
  [
    'tuple',
    { kind: 'tuple', of: [{ kind: 'int32' }, { kind: 'timestamp' }, { kind: 'ascii' }] },
    fc.tuple(fc.option(small), fc.option(milliseconds), fc.option(fc.constantFrom('', 'a', 'b'))),
  ],
  ['user type', placeType, placeValues],
  [
    'tuple with a vector',
    { kind: 'tuple', of: [{ kind: 'vector', of: 'float32', dimensions: 2 }] },
    fc.tuple(fc.tuple(float32, float32)),
  ],
]

/** Types that cannot be in a key. */
export const otherTypes: readonly TypedValues[] = [
  ['duration', { kind: 'duration' }, duration],
  ['json', { kind: 'json' }, fc.jsonValue()],
  ['counter', { kind: 'counter' }, int64],
  ['list', { kind: 'array', of: { kind: 'timestamp' } }, few(milliseconds)],
  ['set', { kind: 'set', of: { kind: 'decimal' } }, set(decimal)],
  [
    'set of documents',
    { kind: 'set', of: { kind: 'json' } },
    set(fc.jsonValue().filter((document) => document !== null)),
  ],
  ['map', { kind: 'map', key: { kind: 'bytes', length: 'max' }, of: { kind: 'int64' } }, map(bytes, int64)],
  [
    'map of sets',
    { kind: 'map', key: { kind: 'ascii' }, of: { kind: 'set', of: placeType, frozen: true } },
    map(ascii, set(placeValues)),
  ],
  ['user type by fields', { ...placeType, frozen: undefined } as never, placeValues],
  ['vector', { kind: 'vector', of: 'float32', dimensions: 3 }, fc.tuple(float32, float32, float32)],
]
