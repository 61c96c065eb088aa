import { shardOf, type Hashable } from '@isotherm/core/keys'
import { beforeAll, describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/support/runs.js'

const KEYS = scaled(1_000_000)

// Keys as in real applications: consecutive numbers, and times as text, one a second. Neither is random, so that each run
// has the same keys.
const START = Date.parse('2026-01-01T00:00:00Z')
const kinds: readonly [string, (at: number) => Hashable][] = [
  ['consecutive numbers', (at) => BigInt(at)],
  ['timestamps as text, one per second', (at) => new Date(START + at * 1000).toISOString()],
]

/** Pearson's statistic: how far the counts are from equal counts. */
function chiSquared(counts: Float64Array, keys: number): number {
  const even = keys / counts.length
  return counts.reduce((sum, count) => sum + (count - even) ** 2 / even, 0)
}

/**
 * What the statistic of an even spread stays below in 999 of 1,000 cases. Wilson and Hilferty (1931): the cube root of
 * chi-squared over its degrees of freedom k is nearly normal, with the mean 1 - 2/(9k) and the variance 2/(9k). So the
 * quantile is k (1 - 2/(9k) + z √(2/(9k)))³, where z = 3.0902 is the normal distribution's at p = 0.001. With few degrees
 * of freedom it comes out up to 3 % too low, which is too strict. The keys are fixed: what is even once is so in every run.
 */
function criticalValue(freedom: number): number {
  const z = 3.090232306167813
  const variance = 2 / (9 * freedom)
  return freedom * (1 - variance + z * Math.sqrt(variance)) ** 3
}

describe('criticalValue() of the chi-squared distribution', () => {
  // From tables of the chi-squared distribution, p = 0.001.
  it.each([
    [1, 10.828],
    [6, 22.458],
    [63, 103.442],
    [100, 149.449],
  ])('of %d degrees of freedom is within 3.1 percent of the tabulated value %d', (freedom, tabulated) => {
    expect(Math.abs(criticalValue(freedom) - tabulated) / tabulated).toBeLessThan(0.031)
  })

  it('chiSquared() exceeds the critical value if one shard has 16 standard deviations too many keys', () => {
    const counts = new Float64Array(64).fill(KEYS / 64)
    expect(chiSquared(counts, KEYS)).toBe(0)
    // Sixteen standard deviations more than its share, taken from another.
    const tooMuch = 16 * Math.sqrt(KEYS / 64)
    counts[0]! += tooMuch
    counts[1]! -= tooMuch
    expect(chiSquared(counts, KEYS)).toBeGreaterThan(criticalValue(63))
  })
})

describe.each(kinds)(`shardOf() with ${KEYS} keys, %s`, (_, keyAt) => {
  let keys: readonly Hashable[] = []
  beforeAll(() => {
    keys = Array.from({ length: KEYS }, (_, at) => keyAt(at))
  })

  it.each([2, 7, 64, 200, 2048])(
    'distributes keys over %d shards as evenly as a random distribution',
    (shards) => {
      const counts = new Float64Array(shards)
      for (const key of keys) counts[shardOf(key, shards)]!++
      expect(chiSquared(counts, KEYS)).toBeLessThan(criticalValue(shards - 1))
    },
  )
})
