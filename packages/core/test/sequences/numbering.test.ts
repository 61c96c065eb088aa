import type { NumberingOptions } from '@isotherm/core/sequences'
import { bitReverse } from '@isotherm/core/keys'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_AT_ONCE, Numbering, refuseOtherCount } from '../../src/sequences/numbering.js'
import { refusal } from '../support/refusal.js'

// How one sequence counts, up to the end of a 64-bit integer.

const HIGHEST = 2n ** 63n - 1n

function numbers(numbering: Numbering, first: bigint, wanted: number): bigint[] {
  const count = numbering.countFrom(first, wanted)
  return Array.from({ length: count }, (_, position) => numbering.numberAt(first, position))
}

describe('Numbering', () => {
  it('counts from 1 in steps of 1 by default', () => {
    const numbering = new Numbering('n', {})
    expect(numbering.start).toBe(1n)
    expect(numbers(numbering, 1n, 3)).toEqual([1n, 2n, 3n])
    expect(numbering.after(1n, 3)).toBe(4n)
  })

  it('counts in steps of the increment, and ends at the maximum', () => {
    const numbering = new Numbering('n', { start: 10n, increment: 5n, maximum: 24n })
    expect(numbers(numbering, 10n, 2)).toEqual([10n, 15n])
    expect(numbers(numbering, 20n, 5)).toEqual([20n])
    expect(numbers(numbering, 24n, 1)).toEqual([24n])
    expect(numbers(numbering, 25n, 1)).toEqual([])
  })

  it('reverses the bits of its numbers with the option bitReversed', () => {
    const numbering = new Numbering('n', { bitReversed: true, increment: 2n })
    expect(numbers(numbering, 1n, 2)).toEqual([bitReverse(1n), bitReverse(3n)])
  })

  it('keeps its numbers and the next stored number within 64 bits', () => {
    const edge = fc.bigInt({ min: 0n, max: 50n })
    fc.assert(
      fc.property(
        fc.oneof(
          edge.map((x) => x + 1n),
          edge.map((x) => HIGHEST - 1n - x),
        ),
        fc.oneof(
          edge,
          edge.map((x) => HIGHEST - x),
        ),
        fc.integer({ min: 0, max: 100 }),
        (increment, first, wanted) => {
          const numbering = new Numbering('n', { increment, start: 0n })
          const taken = numbers(numbering, first, wanted)
          expect(taken).toHaveLength(numbering.countFrom(first, wanted))
          for (const [position, number] of taken.entries())
            expect(number).toBe(first + BigInt(position) * increment)
          const stored = taken.length > 0 ? numbering.after(first, taken.length) : 0n
          expect(stored <= HIGHEST).toBe(true)
          // One more would have been too many.
          const isWhole = taken.length === wanted || numbering.after(first, taken.length + 1) > HIGHEST
          expect(isWhole).toBe(true)
        },
      ),
    )
  })

  it.each<[NumberingOptions]>([
    [{ start: -1n }],
    [{ start: HIGHEST }],
    [{ start: 1 as never }],
    [{ increment: 0n }],
    [{ increment: -1n }],
    [{ increment: HIGHEST }],
    [{ increment: '1' as never }],
    [{ start: 5n, maximum: 4n }],
    [{ maximum: HIGHEST }],
    [{ increment: 10n, maximum: HIGHEST - 9n }],
  ])('rejects the options %o with INVALID_VALUE', (options) => {
    const error = refusal(() => new Numbering('orders', options))
    expect(error).toMatchObject({ code: 'INVALID_VALUE' })
    expect(error.message).toContain('"orders"')
  })

  it('accepts a maximum that leaves room for exactly one stored number behind it', () => {
    const numbering = new Numbering('n', { increment: 10n, maximum: HIGHEST - 10n })
    expect(numbering.countFrom(HIGHEST - 10n, 2)).toBe(1)
    expect(numbering.after(HIGHEST - 10n, 1)).toBe(HIGHEST)
  })
})

it.each([-1, 1.5, Number.NaN, '1', 1n, undefined, MAX_AT_ONCE + 1])(
  'refuseOtherCount() rejects the count %s with INVALID_VALUE',
  (count) => {
    expect(refusal(() => refuseOtherCount('n', count))).toMatchObject({ code: 'INVALID_VALUE' })
  },
)
