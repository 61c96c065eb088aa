import { PreciseDate } from '@google-cloud/precise-date'
import { fingerprint, shardOf, type Hashable } from '@isotherm/core/keys'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashText, unixMicros } from '../../src/keys/shard.js'
import { refusal } from '../support/refusal.js'

const hashable: fc.Arbitrary<Hashable> = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array(),
  fc.constant(null),
)

describe('shardOf', () => {
  it('is a whole number in [0, shards), for every value and count', () => {
    fc.assert(
      fc.property(
        fc.array(hashable, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 10_000 }),
        (values, shards) => {
          const shard = shardOf(values, shards)
          expect(Number.isInteger(shard)).toBe(true)
          expect(Object.is(shard, -0)).toBe(false)
          expect(shard).toBeGreaterThanOrEqual(0)
          expect(shard).toBeLessThan(shards)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('is ABS(MOD(FARM_FINGERPRINT(text), shards)), MOD before ABS and with the sign of the hash', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 10_000 }), (text, shards) => {
        const hash = fingerprint(text)
        const magnitude = hash < 0n ? -hash : hash
        expect(BigInt(shardOf(text, shards))).toBe(magnitude % BigInt(shards))
      }),
    )
  })

  it('of one value is that of a list of it', () => {
    fc.assert(
      fc.property(hashable, fc.integer({ min: 1, max: 10_000 }), (value, shards) => {
        expect(shardOf(value, shards)).toBe(shardOf([value], shards))
      }),
    )
  })

  // The magnitudes of FARM_FINGERPRINT's examples in Google's reference, modulo the count. Stored rows lie there.
  it.each([
    ['1footrue', [1, 55, 711, 8711]],
    ['2applefalse', [1, 59, 259, 3259]],
    ['3true', [0, 48, 312, 1312]],
    ['', [1, 49, 353, 4353]],
  ])('of %j stays what it is', (text, expected) => {
    expect([2, 64, 1000, 10_000].map((shards) => shardOf(text, shards))).toStrictEqual(expected)
  })

  it.each<number>([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '4' as never])(
    'refuses %j shards',
    (shards) => {
      expect(refusal(() => shardOf(7n, shards))).toMatchObject({
        code: 'INVALID_VALUE',
        message: `${shards} is not a shard count. Use a whole number from 1.`,
      })
    },
  )

  it.each([
    ['a number', 7],
    ['undefined', undefined],
    ['an object', {}],
    ['an invalid Date', new Date(Number.NaN)],
    ['a symbol', Symbol('s')],
  ])('refuses %s', (_, value) => {
    for (const given of [value, [value], [7n, value]]) {
      expect(refusal(() => shardOf(given as never, 4))).toMatchObject({ code: 'INVALID_VALUE' })
    }
  })
})

describe('the spread over shards', () => {
  const KEYS = 100_000
  const spreads = [
    ['neighbouring integers', (at: number): Hashable => BigInt(at)],
    ['integers a page apart', (at: number): Hashable => BigInt(at) * 4096n],
    ['texts with a number', (at: number): Hashable => `user-${at}`],
  ] as const

  describe.each([2, 7, 64, 200])('%d of them', (shards) => {
    it.each(spreads)(`is even for ${KEYS} %s`, (_, key) => {
      const counts = new Float64Array(shards)
      for (let at = 0; at < KEYS; at++) counts[shardOf(key(at), shards)]!++
      const expected = KEYS / shards
      const chiSquared = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
      // Of even keys it has the mean `freedom` and the variance `2 * freedom`: five standard deviations above.
      const freedom = shards - 1
      expect(chiSquared).toBeLessThan(freedom + 5 * Math.sqrt(2 * freedom))
    })
  })
})

describe('hashText', () => {
  const time = new PreciseDate('2026-02-03T04:05:06.789123456Z')

  it.each<[string, Hashable[], string]>([
    ['an integer', [-9223372036854775808n], '-9223372036854775808'],
    ['a text as it is', ['Grüße, 😀|'], 'Grüße, 😀|'],
    ['booleans', [true, false], 'true|false'],
    ['NULL', [null], '\\N'],
    ['several values', ['eu', 7n, null], 'eu|7|\\N'],
    ['a timestamp as microseconds, the nanoseconds left out', [time], '1770091506789123'],
    ['a timestamp before 1970', [new Date(-1)], '-1000'],
  ])('writes %s', (_, values, text) => {
    expect(hashText(values)).toBe(text)
  })

  it('joins bytes as bytes, whatever stands beside them', () => {
    const joined = hashText(['ü', Buffer.from([0xff, 0x00]), null, 7n])
    expect(joined).toBeInstanceOf(Uint8Array)
    expect(Buffer.from(joined as Uint8Array).toString('hex')).toBe(
      Buffer.concat([Buffer.from('ü|'), Buffer.from([0xff, 0x00]), Buffer.from('|\\N|7')]).toString('hex'),
    )
  })

  it('hashes bytes that are a text as that text', () => {
    expect(shardOf(Buffer.from('abc'), 1000)).toBe(shardOf('abc', 1000))
    expect(shardOf([Buffer.from('abc'), 7n], 1000)).toBe(shardOf(['abc', 7n], 1000))
  })
})

describe('unixMicros', () => {
  it.each([
    ['1970-01-01T00:00:00.000000000Z', 0n],
    ['1970-01-01T00:00:00.000001999Z', 1n],
    ['1969-12-31T23:59:59.999999999Z', -1n],
    ['0001-01-01T00:00:00.000000000Z', -62135596800000000n],
    ['9999-12-31T23:59:59.999999999Z', 253402300799999999n],
  ])('of %s is %d, counted towards the past', (text, micros) => {
    const time = new PreciseDate(Date.parse(`${text.slice(0, 23)}Z`))
    time.setMicroseconds(Number(text.slice(23, 26)))
    time.setNanoseconds(Number(text.slice(26, 29)))
    expect(time.toISOString()).toBe(text)
    expect(unixMicros(time)).toBe(micros)
  })
})
