import { bitReverse } from '@isotherm/core/keys'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n

const int64 = fc.oneof(fc.bigInt({ min: MIN, max: MAX }), fc.bigInt({ min: -300n, max: 300n }))

/** The definition, slowly: the lowest `width` bits as text, backwards. */
function reversedText(value: bigint, width: number): bigint {
  const bits = BigInt.asUintN(width, value).toString(2).padStart(width, '0')
  return BigInt(`0b${[...bits].toReversed().join('')}`)
}

describe('bitReverse()', () => {
  // BIT_REVERSE(value, TRUE), by the definition in Spanner's reference: the sign stays, 63 bits are reversed.
  it.each([
    [0n, 0n],
    [1n, 4611686018427387904n],
    [2n, 2305843009213693952n],
    [3n, 6917529027641081856n],
    [100n, 1369094286720630784n],
    [4611686018427387904n, 1n],
    [MAX, MAX],
    [-1n, -1n],
    [-2n, -4611686018427387905n],
    [MIN, MIN],
    [MIN + 1n, MIN + 4611686018427387904n],
  ])('reverses the bits of %d to %d and keeps the sign', (value, reversed) => {
    expect(bitReverse(value)).toBe(reversed)
  })

  it.each([
    [0n, 0n],
    [1n, MIN],
    [2n, 4611686018427387904n],
    [100n, 2738188573441261568n],
    [MIN, 1n],
    [-1n, -1n],
    [MAX, -2n],
  ])('reverses all 64 bits of %d to %d without preserveSign', (value, reversed) => {
    expect(bitReverse(value, { preserveSign: false })).toBe(reversed)
    expect(bitReverse(reversed, { preserveSign: false })).toBe(value)
  })

  it('equals a reversal of the bits as text, and returns the original value when applied twice', () => {
    fc.assert(
      fc.property(int64, (value) => {
        const sign = value < 0n ? MIN : 0n
        expect(bitReverse(value)).toBe(sign + reversedText(value, 63))
        expect(bitReverse(bitReverse(value))).toBe(value)
        expect(bitReverse(value, { preserveSign: true })).toBe(bitReverse(value))
        expect(bitReverse(value, { preserveSign: false })).toBe(BigInt.asIntN(64, reversedText(value, 64)))
      }),
      { numRuns: 500 },
    )
  })

  it('spreads consecutive numbers over the whole range, and keeps positive numbers positive', () => {
    const reversed = Array.from({ length: 64 }, (_, at) => bitReverse(BigInt(at + 1)))
    expect(new Set(reversed.map((value) => value >> 57n)).size).toBe(64)
    expect(reversed.every((value) => value > 0n)).toBe(true)
  })

  it.each([2n ** 63n, MIN - 1n, 2n ** 64n, -(2n ** 70n)])(
    'rejects %d, which has more than 64 bits',
    (value) => {
      expect(refusal(() => bitReverse(value))).toMatchObject({
        code: 'INVALID_VALUE',
        message: `${value} is not a 64-bit integer. Pass a bigint from -2^63 to 2^63 - 1.`,
      })
    },
  )

  it.each([1, 0, Number.NaN, '1', null, undefined, true, {}])(
    'rejects %j, which is not a bigint',
    (value) => {
      expect(refusal(() => bitReverse(value as never))).toMatchObject({ code: 'INVALID_VALUE' })
    },
  )
})
