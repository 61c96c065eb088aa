import { shardOf, type Hashable } from '@isotherm/core/keys'
import { beforeAll, describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/support/runs.js'

const KEYS = scaled(1_000_000)

// What real keys are like: numbers that were counted up, and times as text, one a second. Neither is random, so that each
// run sees the same ones.
const START = Date.parse('2026-01-01T00:00:00Z')
const kinds: readonly [string, (at: number) => Hashable][] = [
  ['numbers counted up', (at) => BigInt(at)],
  ['time stamps as text, a second apart', (at) => new Date(START + at * 1000).toISOString()],
]

/** Pearson's statistic of how far counts are from even ones. */
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

describe('the critical value', () => {
  // From tables of the chi-squared distribution, p = 0.001.
  it.each([
    [1, 10.828],
    [6, 22.458],
    [63, 103.442],
    [100, 149.449],
  ])('for %d degrees of freedom is near %d', (freedom, tabulated) => {
    expect(Math.abs(criticalValue(freedom) - tabulated) / tabulated).toBeLessThan(0.031)
  })

  it('is exceeded where a shard has a little too much', () => {
    const counts = new Float64Array(64).fill(KEYS / 64)
    expect(chiSquared(counts, KEYS)).toBe(0)
    // Sixteen standard deviations more than its share, taken from another.
    const tooMuch = 16 * Math.sqrt(KEYS / 64)
    counts[0]! += tooMuch
    counts[1]! -= tooMuch
    expect(chiSquared(counts, KEYS)).toBeGreaterThan(criticalValue(63))
  })
})

describe.each(kinds)(`${KEYS} keys, %s`, (_, keyAt) => {
  let keys: readonly Hashable[] = []
  beforeAll(() => {
    keys = Array.from({ length: KEYS }, (_, at) => keyAt(at))
  })

  it.each([2, 7, 64, 200, 2048])('are spread over %d shards as evenly as chance would', (shards) => {
    const counts = new Float64Array(shards)
    for (const key of keys) counts[shardOf(key, shards)]!++
    expect(chiSquared(counts, KEYS)).toBeLessThan(criticalValue(shards - 1))
  })
})
