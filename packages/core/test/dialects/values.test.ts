import type { ColumnType } from '@isotherm/core'
import { valueCodec, type Wire } from '@isotherm/core/engine'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bytes,
  day,
  int53,
  int64,
  moment,
  numeric,
  text,
  timestamp,
  uuid,
  wideNumeric,
} from '../support/arbitraries.js'
import { dialects } from '../support/layout.js'
import { HOLDS, totalOrder } from './support/total-order.js'

// How each type converts values that it accepts. Values that it rejects are in refused-values.test.ts.

const fixed = googlesql.values
const wide = spannerPostgresql.values

type Values = readonly (readonly [string, ColumnType, fc.Arbitrary<unknown>])[]

const common: Values = [
  ['bool', { kind: 'bool' }, fc.boolean()],
  ['int64', { kind: 'int64' }, int64],
  ['int64 as number', { kind: 'int64', as: 'number' }, int53],
  ['float64', { kind: 'float64' }, fc.double()],
  ['float32', { kind: 'float32' }, fc.float()],
  ['string', { kind: 'string', length: 'max' }, text],
  ['bytes', { kind: 'bytes', length: 'max' }, bytes],
  ['date', { kind: 'date' }, day],
  ['timestamp', { kind: 'timestamp' }, timestamp],
  ['uuid', { kind: 'uuid' }, uuid],
  ['json', { kind: 'json' }, fc.jsonValue()],
  ['array of int64', { kind: 'array', of: { kind: 'int64' } }, fc.array(fc.option(int64))],
  ['array of timestamp', { kind: 'array', of: { kind: 'timestamp' } }, fc.array(fc.option(timestamp))],
  ['array of bytes', { kind: 'array', of: { kind: 'bytes', length: 'max' } }, fc.array(fc.option(bytes))],
  [
    'array of int64 as number',
    { kind: 'array', of: { kind: 'int64', as: 'number' } },
    fc.array(fc.option(int53)),
  ],
]

const valuesIn = {
  googlesql: [...common, ['numeric', { kind: 'numeric' }, numeric]],
  'spanner-postgresql': [...common, ['numeric', { kind: 'numeric' }, wideNumeric]],
} as const satisfies Record<string, Values>

/** A stored value after a transfer to another process: wires are JSON. */
function sent(wire: Wire): Wire {
  return JSON.parse(JSON.stringify(wire)) as Wire
}

describe.each(
  dialects.flatMap((dialect) =>
    valuesIn[dialect.name].map((each) => [dialect.name, ...each, dialect.values] as const),
  ),
)('valueCodec() in %s for %s', (_dialect, _type, type, arbitrary, rules) => {
  const codec = valueCodec(type, rules)

  it('parse() of an encoded value returns the value that was accepted', () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        const accepted = codec.accept(value)
        const wire = codec.encode(accepted)
        const parsed = codec.parse(sent(wire))
        // -0 and 0 are one number to every engine, and JSON has no -0.
        expect(sent(codec.encode(parsed))).toStrictEqual(sent(wire))
        expect(normal(parsed)).toStrictEqual(normal(accepted))
      }),
      { numRuns: 500 },
    )
  })

  it('accept() returns an accepted value unchanged', () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        const accepted = codec.accept(value)
        expect(codec.accept(accepted)).toStrictEqual(accepted)
        expect(codec.encode(codec.accept(accepted))).toStrictEqual(codec.encode(accepted))
      }),
    )
  })
})

function normal(value: unknown): unknown {
  if (value === 0) return 0
  if (typeof value !== 'object' || value === null || value instanceof Date || Buffer.isBuffer(value))
    return value
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each)),
  )
}

describe('compare() of valueCodec()', () => {
  const ordered = dialects.flatMap((dialect) =>
    valuesIn[dialect.name]
      .filter(([, { kind }]) => kind !== 'json' && kind !== 'array')
      .map(([name, ...each]) => [`${name} in ${dialect.name}`, ...each, dialect.values] as const),
  )

  it.each(ordered)(
    'is a total order for %s: antisymmetric, transitive, and 0 only for equal values',
    (_, type, arbitrary, rules) => {
      expect(fc.check(totalOrder(valueCodec(type, rules), arbitrary), { numRuns: 300 })).toMatchObject(HOLDS)
    },
  )

  it('orders timestamps to the nanosecond', () => {
    const { compare } = valueCodec({ kind: 'timestamp' }, fixed)
    const times = [
      moment(-1, 999_999),
      moment(0, 0),
      moment(0, 1),
      moment(0, 999),
      moment(0, 1000),
      moment(1, 0),
    ]
    const shuffled = [3, 5, 0, 4, 1, 2].map((at) => times[at]!)
    expect(shuffled.toSorted(compare as (a: Date, b: Date) => number)).toStrictEqual(times)
    expect(compare(new Date(0) as never, moment(0, 1) as never)).toBeLessThan(0)
  })

  it.each([
    ['lowest', [Number.NaN, Number.NEGATIVE_INFINITY, -1, 0, 1, Number.POSITIVE_INFINITY]],
    ['highest', [Number.NEGATIVE_INFINITY, -1, 0, 1, Number.POSITIVE_INFINITY, Number.NaN]],
  ] as const)('orders NaN as the %s float64 value', (nan, expected) => {
    const { compare } = valueCodec({ kind: 'float64' }, { ...fixed, nan })
    const sorted = [1, Number.NaN, 0, Number.POSITIVE_INFINITY, -1, Number.NEGATIVE_INFINITY].toSorted(
      compare as (a: number, b: number) => number,
    )
    expect(sorted).toStrictEqual(expected)
  })

  it('orders NaN above all other decimals in the PostgreSQL dialect', () => {
    const { compare } = valueCodec({ kind: 'numeric' }, wide)
    const expected = ['-5', '0', '0.5', '9'.repeat(100), 'NaN', 'NaN']
    const shuffled = [4, 1, 5, 3, 0, 2].map((at) => expected[at]!)
    expect(shuffled.toSorted(compare as (a: string, b: string) => number)).toStrictEqual(expected)
  })

  it('orders false before true', () => {
    const { compare } = valueCodec({ kind: 'bool' }, fixed)
    expect(compare(false as never, true as never)).toBeLessThan(0)
  })
})

describe('valueCodec() for int64', () => {
  const codec = valueCodec({ kind: 'int64' }, fixed)

  it('converts safe numbers to bigints', () => {
    expect(codec.accept(7)).toBe(7n)
    expect(codec.accept(-0)).toBe(0n)
    expect(codec.accept(Number.MAX_SAFE_INTEGER)).toBe(9007199254740991n)
    expect(codec.accept(Number.MIN_SAFE_INTEGER)).toBe(-9007199254740991n)
  })

  it('encodes int64 values as decimal text', () => {
    expect(codec.encode(-9223372036854775808n)).toBe('-9223372036854775808')
    expect(codec.encode(9223372036854775807n)).toBe('9223372036854775807')
  })
})

describe('valueCodec() for numeric', () => {
  const codec = valueCodec({ kind: 'numeric' }, fixed)

  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.000', '0'],
    ['007', '7'],
    ['+7', '7'],
    ['.5', '0.5'],
    ['-.5', '-0.5'],
    ['+.50', '0.5'],
    ['1.500', '1.5'],
    ['10.000000000', '10'],
    ['100', '100'],
    ['0.000000001', '0.000000001'],
    ['99999999999999999999999999999.999999999', '99999999999999999999999999999.999999999'],
    ['-99999999999999999999999999999.999999999', '-99999999999999999999999999999.999999999'],
  ])('converts the decimal %s to %s, as the database returns it', (input, shown) => {
    expect(codec.accept(input)).toBe(shown)
  })

  it('converts a bigint to decimal text', () => {
    expect(codec.accept(-12n)).toBe('-12')
    expect(codec.accept(10n ** 29n - 1n)).toBe('9'.repeat(29))
  })

  describe('in the PostgreSQL dialect', () => {
    const codec = valueCodec({ kind: 'numeric' }, wide)

    it('accepts 131072 digits before and 16383 digits after the point, and NaN', () => {
      const widest = `-${'9'.repeat(131_072)}.${'9'.repeat(16_383)}`
      for (const decimal of [widest, `0.${'0'.repeat(16_382)}1`, 'NaN']) {
        expect(codec.accept(decimal)).toBe(decimal)
        expect(codec.parse(codec.encode(decimal))).toBe(decimal)
      }
      expect(codec.accept(10n ** 29n)).toBe(`1${'0'.repeat(29)}`)
    })

    it('removes trailing zeros from decimals that were read', () => {
      expect(codec.decode?.('1.50')).toBe('1.5')
      expect(codec.decode?.('0.000')).toBe('0')
      expect(codec.decode?.('NaN')).toBe('NaN')
      expect(codec.accept('+01.50')).toBe('1.5')
      // The other dialect stores no trailing zeros.
      expect(valueCodec({ kind: 'numeric' }, fixed).decode).toBeUndefined()
    })
  })
})

describe.each(dialects)('valueCodec() for int64 as number in $name', (dialect) => {
  const codec = valueCodec({ kind: 'int64', as: 'number' }, dialect.values)

  it.each([0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'accepts %d as a number and as a bigint, and reads and writes the same integer',
    (number) => {
      expect(codec.accept(number)).toBe(number)
      expect(codec.accept(BigInt(number))).toBe(number)
      expect(codec.encode(number)).toBe(String(number))
      expect(codec.parse(String(number))).toBe(number)
      expect(codec.decode?.(BigInt(number))).toBe(number)
    },
  )

  it('converts negative zero to zero', () => {
    expect(Object.is(codec.accept(-0), 0)).toBe(true)
    expect(codec.encode(codec.accept(-0))).toBe('0')
  })

  it('accepts and decodes arrays of int64 as arrays of numbers', () => {
    const list = valueCodec({ kind: 'array', of: { kind: 'int64', as: 'number' } }, dialect.values)
    expect(list.decode?.([1n, null, -(2n ** 53n) + 1n])).toStrictEqual([1, null, Number.MIN_SAFE_INTEGER])
    expect(list.accept([1n, null, 2])).toStrictEqual([1, null, 2])
    expect(list.encode([1, null])).toStrictEqual(['1', null])
  })
})

describe('valueCodec() for timestamp', () => {
  const codec = valueCodec({ kind: 'timestamp' }, fixed)

  it.each([
    ['1970-01-01T00:00:00.000000001Z'],
    ['1969-12-31T23:59:59.123456789Z'],
    ['1969-12-31T23:59:59.000000001Z'],
    ['1969-12-31T23:59:58.000000001Z'],
    ['1960-02-29T23:59:59.999999999Z'],
    ['0001-01-01T00:00:00.000000000Z'],
    ['0001-01-01T00:00:00.000000001Z'],
    ['0099-03-04T05:06:07.008009010Z'],
    ['9999-12-31T23:59:59.999999999Z'],
  ])('keeps every nanosecond of %s', (stored) => {
    expect(codec.encode(codec.parse(stored))).toBe(stored)
  })

  it('encodes timestamps with nine digits of a second', () => {
    expect(codec.encode(codec.accept(new Date(5)))).toBe('1970-01-01T00:00:00.005000000Z')
    expect(codec.encode(codec.parse('2026-02-03T04:05:06Z'))).toBe('2026-02-03T04:05:06.000000000Z')
    expect(codec.encode(codec.parse('2026-02-03T04:05:06.7Z'))).toBe('2026-02-03T04:05:06.700000000Z')
    expect(codec.encode(codec.parse('2026-02-03T04:05:06.7891Z'))).toBe('2026-02-03T04:05:06.789100000Z')
  })

  it.each([
    ['2026-11-22T10:00:00.123456789+01:00', '2026-11-22T09:00:00.123456789Z'],
    ['2026-11-22T10:00:00Z', '2026-11-22T10:00:00.000000000Z'],
    ['2026-11-22T10:00:00.5-00:30', '2026-11-22T10:30:00.500000000Z'],
    ['2026-01-01T00:30:00.000000001+01:00', '2025-12-31T23:30:00.000000001Z'],
    ['2024-02-29T23:59:59.999999999-14:00', '2024-03-01T13:59:59.999999999Z'],
    ['1969-12-31T23:59:59.000000001-00:00', '1969-12-31T23:59:59.000000001Z'],
    ['0001-01-01T01:00:00+01:00', '0001-01-01T00:00:00.000000000Z'],
    ['9999-12-31T22:59:59.999999999-01:00', '9999-12-31T23:59:59.999999999Z'],
  ])('accepts text with an offset and keeps nanoseconds: %s', (input, stored) => {
    const accepted = codec.accept(input)
    expect(accepted).toBeInstanceOf(Date)
    expect(codec.encode(accepted)).toBe(stored)
  })

  it.each([
    ['2026-11-22T10:00:00', 'Text without an offset'],
    ['2026-11-22 10:00:00.5', 'Text without an offset'],
    ['2026-11-22', 'Text without an offset could be of any time zone: end it with Z or +01:00.'],
    ['2026-02-30T00:00:00Z', 'There is no such day'],
    ['2025-02-29T00:00:00+01:00', 'There is no such day'],
    ['2026-02-01T24:00:00Z', 'There is no such day'],
    ['2026-02-01T23:60:00Z', 'There is no such day'],
    ['2026-02-01T23:59:60Z', 'There is no such day'],
    ['2026-02-01T00:00:00+24:00', 'an offset or Z'],
    ['2026-02-01T00:00:00+01:60', 'an offset or Z'],
    ['2026-02-01T00:00:00.1234567891Z', 'up to nine digits of a second'],
    ['2026-02-01T00:00Z', 'an offset or Z'],
    ['+02026-02-01T00:00:00Z', 'an offset or Z'],
    ['now', 'an offset or Z'],
    ['', 'an offset or Z'],
    ['0001-01-01T00:00:00+00:01', 'from the year 1 to 9999'],
    ['9999-12-31T23:59:59-00:01', 'from the year 1 to 9999'],
  ])('rejects text that is not an exact point in time: %j', (input, said) => {
    expect(() => codec.accept(input)).toThrow(said)
  })

  it('converts a Date to a Date with nanoseconds', () => {
    const shown = codec.accept(new Date(5)) as Date & { getNanoseconds(): number }
    expect(shown).toBeInstanceOf(Date)
    expect(shown.getNanoseconds()).toBe(0)
  })
})

describe('valueCodec() for string', () => {
  it('counts the length in characters, not in UTF-16 units', () => {
    const codec = valueCodec({ kind: 'string', length: 3 }, fixed)
    expect(codec.accept('abc')).toBe('abc')
    expect(codec.accept('😀😀😀')).toBe('😀😀😀')
    expect(codec.accept('')).toBe('')
  })
})

describe('valueCodec() for bytes', () => {
  it('converts a Uint8Array to a Buffer of the same bytes, without the surrounding ArrayBuffer', () => {
    const codec = valueCodec({ kind: 'bytes', length: 2 }, fixed)
    const accepted = codec.accept(Uint8Array.of(9, 1, 2, 9).subarray(1, 3)) as Buffer
    expect(Buffer.isBuffer(accepted)).toBe(true)
    expect([...accepted]).toStrictEqual([1, 2])
    expect(codec.encode(accepted)).toBe('AQI=')
  })
})

describe('valueCodec() for uuid', () => {
  it('converts a UUID to lower case', () => {
    const codec = valueCodec({ kind: 'uuid' }, fixed)
    expect(codec.accept('F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6')).toBe('f81d4fae-7dec-41d0-a765-00a0c91e6bf6')
  })
})

describe('valueCodec() for float32', () => {
  it('rounds a number to 32 bits, as the database does', () => {
    const codec = valueCodec({ kind: 'float32' }, fixed)
    expect(codec.accept(0.1)).toBe(Math.fround(0.1))
    expect(codec.accept(Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY)
    expect(codec.accept(Number.NaN)).toBeNaN()
  })
})

describe('valueCodec() for json', () => {
  it('converts a document as JSON.stringify() does: dates to text, undefined left out or null', () => {
    const codec = valueCodec({ kind: 'json' }, fixed)
    expect(codec.accept({ at: new Date(0), gone: undefined, list: [undefined] })).toStrictEqual({
      at: '1970-01-01T00:00:00.000Z',
      list: [null],
    })
  })
})
