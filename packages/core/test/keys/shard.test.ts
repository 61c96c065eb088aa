import { unixMicros } from '@isotherm/core/engine'
import { createHash } from 'node:crypto'
import { PreciseDate } from '@google-cloud/precise-date'
import { fingerprint, hashOf, shardOf, type Hashable } from '@isotherm/core/keys'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashText } from '../../src/keys/shard.js'
import { int53 } from '../support/arbitraries.js'
import { refusal } from '../support/refusal.js'

const hashable: fc.Arbitrary<Hashable> = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array(),
  fc.maxSafeInteger(),
  fc.constant(null),
)

describe('shardOf()', () => {
  it('returns an integer from 0 to shards - 1 for every value and shard count', () => {
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

  it('returns the magnitude of FARM_FINGERPRINT(text) modulo the shard count', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 10_000 }), (text, shards) => {
        const hash = fingerprint(text)
        const magnitude = hash < 0n ? -hash : hash
        expect(BigInt(shardOf(text, shards))).toBe(magnitude % BigInt(shards))
      }),
    )
  })

  it('returns the same shard for a value and for a list with only this value', () => {
    fc.assert(
      fc.property(hashable, fc.integer({ min: 1, max: 10_000 }), (value, shards) => {
        expect(shardOf(value, shards)).toBe(shardOf([value], shards))
      }),
    )
  })

  // The magnitudes of FARM_FINGERPRINT's examples in Google's reference, modulo the count. Stored rows have these shards.
  it.each([
    ['1footrue', [1, 55, 711, 8711]],
    ['2applefalse', [1, 59, 259, 3259]],
    ['3true', [0, 48, 312, 1312]],
    ['', [1, 49, 353, 4353]],
  ])('returns the fixed shards under which rows of %j are stored', (text, expected) => {
    expect([2, 64, 1000, 10_000].map((shards) => shardOf(text, shards))).toStrictEqual(expected)
  })

  it.each<number>([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '4' as never])(
    'rejects %j as the shard count',
    (shards) => {
      expect(refusal(() => shardOf(7n, shards))).toMatchObject({
        code: 'INVALID_VALUE',
        message: `${typeof shards === 'string' ? `'${shards}'` : String(shards)} is not a shard count. Use a whole number from 1.`,
      })
    },
  )

  it.each([
    ['a number with a fraction', 1.5],
    ['a number that has lost digits', 2 ** 53],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['undefined', undefined],
    ['an object', {}],
    ['an invalid Date', new Date(Number.NaN)],
    ['a symbol', Symbol('s')],
  ])('rejects %s as a value to hash', (_, value) => {
    for (const input of [value, [value], [7n, value]]) {
      expect(refusal(() => shardOf(input as never, 4))).toMatchObject({ code: 'INVALID_VALUE' })
    }
  })

  it('returns the same shard for a whole number and for the equal bigint', () => {
    fc.assert(
      fc.property(int53, (number) => {
        expect(shardOf(number, 10_000)).toBe(shardOf(BigInt(number), 10_000))
        expect(shardOf([number, 'a'], 10_000)).toBe(shardOf([BigInt(number), 'a'], 10_000))
      }),
    )
    expect(shardOf(-0, 10_000)).toBe(shardOf(0n, 10_000))
  })

  it('adds the option first to the shard', () => {
    fc.assert(
      fc.property(hashable, fc.integer({ min: 1, max: 10_000 }), fc.maxSafeInteger(), (value, shards, by) => {
        const first = Math.trunc(by / 2)
        expect(shardOf(value, shards, { first })).toBe(first + shardOf(value, shards))
      }),
    )
  })

  it('returns the sign of the hash if signed is true, and never negative zero', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 10_000 }), (text, shards) => {
        const shard = shardOf(text, shards, { signed: true })
        expect(BigInt(shard)).toBe(fingerprint(text) % BigInt(shards))
        expect(Object.is(shard, -0)).toBe(false)
        expect(Math.abs(shard)).toBe(shardOf(text, shards))
      }),
      { numRuns: 1000 },
    )
  })

  // Of FARM_FINGERPRINT's examples in Google's reference, two are negative.
  it.each([
    ['1footrue', [-1, -55, -711]],
    ['2applefalse', [1, 59, 259]],
    ['3true', [0, -48, -312]],
  ])('returns the fixed signed shards under which rows of %j are stored', (text, expected) => {
    expect([2, 64, 1000].map((shards) => shardOf(text, shards, { signed: true }))).toStrictEqual(expected)
  })
})

describe('hashOf()', () => {
  const values: Hashable[] = ['eu', 7n, null]
  const joined = 'eu|7|\\N'

  it('returns the fingerprint from which shardOf() computes the shard', () => {
    expect(hashOf(values, 'farm-fingerprint')).toBe(fingerprint(joined))
    fc.assert(
      fc.property(fc.array(hashable, { minLength: 1, maxLength: 4 }), (some) => {
        const hash = hashOf(some, 'farm-fingerprint') as bigint
        expect(shardOf(some, 1000, { signed: true })).toBe(Number(hash % 1000n))
      }),
    )
  })

  it.each([
    ['sha256', 32],
    ['sha512', 64],
  ] as const)('returns the %s digest of the joined values as %d bytes', (algorithm, length) => {
    const digest = hashOf(values, algorithm)
    expect(digest).toStrictEqual(createHash(algorithm).update(joined).digest())
    expect(digest).toHaveLength(length)
    expect(hashOf([Buffer.from('eu'), 7n, null], algorithm)).toStrictEqual(digest)
  })

  it('returns the well-known SHA-256 digest of the single text "abc"', () => {
    expect((hashOf(['abc'], 'sha256') as Buffer).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  it('rejects a value that cannot be hashed', () => {
    expect(refusal(() => hashOf([1.5], 'sha256'))).toMatchObject({
      code: 'INVALID_VALUE',
      message:
        "1.5 cannot feed a shard's hash. Hash a bigint, a whole number, string, boolean, Date, bytes or null.",
    })
  })
})

describe('the distribution of keys over shards', () => {
  const KEYS = 100_000
  const spreads = [
    ['neighbouring integers', (at: number): Hashable => BigInt(at)],
    ['integers a page apart', (at: number): Hashable => BigInt(at) * 4096n],
    ['texts with a number', (at: number): Hashable => `user-${at}`],
  ] as const

  describe.each([2, 7, 64, 200])('with %d shards', (shards) => {
    it.each(spreads)(`shardOf() distributes ${KEYS} %s evenly`, (_, key) => {
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

describe('hashText()', () => {
  const time = new PreciseDate('2026-02-03T04:05:06.789123456Z')

  it.each<[string, Hashable[], string]>([
    ['a bigint as decimal text', [-9223372036854775808n], '-9223372036854775808'],
    ['a text unchanged', ['Grüße, 😀|'], 'Grüße, 😀|'],
    ['a whole number as decimal text', [-9007199254740991], '-9007199254740991'],
    ['a large whole number without an exponent', [1e15], '1000000000000000'],
    ['negative zero as zero', [-0], '0'],
    ['booleans as true and false', [true, false], 'true|false'],
    ['NULL as \\N', [null], '\\N'],
    ['several values with | between them', ['eu', 7n, null], 'eu|7|\\N'],
    ['a timestamp as microseconds without nanoseconds', [time], '1770091506789123'],
    ['a timestamp before 1970 as negative microseconds', [new Date(-1)], '-1000'],
  ])('writes %s', (_, values, text) => {
    expect(hashText(values)).toBe(text)
  })

  it('joins bytes without a conversion to text if other values are text or numbers', () => {
    const joined = hashText(['ü', Buffer.from([0xff, 0x00]), null, 7n])
    expect(joined).toBeInstanceOf(Uint8Array)
    expect(Buffer.from(joined as Uint8Array).toString('hex')).toBe(
      Buffer.concat([Buffer.from('ü|'), Buffer.from([0xff, 0x00]), Buffer.from('|\\N|7')]).toString('hex'),
    )
  })

  it('hashes UTF-8 bytes and the same text to the same shard', () => {
    expect(shardOf(Buffer.from('abc'), 1000)).toBe(shardOf('abc', 1000))
    expect(shardOf([Buffer.from('abc'), 7n], 1000)).toBe(shardOf(['abc', 7n], 1000))
  })
})

describe('unixMicros()', () => {
  it.each([
    ['1970-01-01T00:00:00.000000000Z', 0n],
    ['1970-01-01T00:00:00.000001999Z', 1n],
    ['1969-12-31T23:59:59.999999999Z', -1n],
    ['0001-01-01T00:00:00.000000000Z', -62135596800000000n],
    ['9999-12-31T23:59:59.999999999Z', 253402300799999999n],
  ])('converts %s to %d microseconds, rounded down also before 1970', (text, micros) => {
    const time = new PreciseDate(Date.parse(`${text.slice(0, 23)}Z`))
    time.setMicroseconds(Number(text.slice(23, 26)))
    time.setNanoseconds(Number(text.slice(26, 29)))
    expect(time.toISOString()).toBe(text)
    expect(unixMicros(time)).toBe(micros)
  })
})
