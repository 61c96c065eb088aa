import type { Ranges, AdaptiveBounds } from '@isotherm/core/sequences'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { prefetchPolicyOf } from '../../src/sequences/table-sequence.js'
import { AdaptivePrefetch } from '../../src/sequences/prefetch-policy.js'
import { refusal } from '../support/refusal.js'
import { Load } from './support/load.js'
import { stopTime } from './support/virtual-time.js'

// Ranges that fit the rate of calls and the time of a fetch, so that next() waits for nothing.

beforeEach(stopTime)
afterEach(() => void vi.useRealTimers())

/** Latencies that lie between 0.7 and 1.5 times the usual, always the same ones. */
function around(usual: number): () => number {
  let state = 7
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return usual * (0.7 + 0.8 * (state / 2_147_483_647))
  }
}

function loadOf(latency: number, bounds: AdaptiveBounds = {}): Load {
  return new Load(new AdaptivePrefetch('orders', bounds), around(latency))
}

describe.each([2, 10, 50])('the adaptive prefetch policy when a fetch takes about %i ms', (latency) => {
  it.each([1, 10, 100, 1_000, 5_000, 50_000])(
    'lets fewer than 1 of 1,000 callers wait at %i calls a second',
    async (rate) => {
      const load = loadOf(latency)
      await load.run(rate, Math.max(5, 50 / rate))
      const { taken, waits } = await load.run(rate, Math.max(3, 2_000 / rate))
      expect(taken).toBeGreaterThanOrEqual(2_000)
      expect(waits).toBeLessThan(taken / 1_000)
    },
  )

  it.each([50, 250, 1_000])(
    'lets fewer than 1 of 1,000 callers wait at %i calls a second in bursts of 50',
    async (rate) => {
      const load = loadOf(latency)
      await load.run(rate, 10, 50)
      const { taken, waits } = await load.run(rate, 3_000 / rate, 50)
      expect(taken).toBeGreaterThanOrEqual(2_950)
      expect(waits).toBeLessThan(taken / 1_000)
    },
  )

  it.each([1, 10, 500])(
    'lets no caller wait 5 s after the rate grew from %i calls a second to 100 times as many',
    async (rate) => {
      const load = loadOf(latency)
      await load.run(rate, 30)
      await load.run(rate * 100, 5)
      const { taken, waits } = await load.run(rate * 100, 2)
      expect(taken).toBe(rate * 200)
      expect(waits).toBe(0)
    },
  )
})

it('the adaptive prefetch policy reserves smaller ranges when the rate of calls falls', async () => {
  const load = loadOf(10)
  await load.run(1_000, 10)
  expect(load.pool.statistics.lowWater).toBeGreaterThanOrEqual(250)
  await load.run(10, 400)
  expect(load.pool.statistics.lowWater).toBeLessThan(30)
  // Few calls at once are not high rate.
  const calls = loadOf(2)
  await calls.run(50, 2, 50)
  expect(calls.pool.statistics.left).toBeLessThan(1_000)
})

it('the adaptive prefetch policy keeps no more numbers than its largest range at any rate of calls', async () => {
  const load = loadOf(50, { min: 5, max: 100 })
  for (const rate of [1, 5_000, 10, 1_000]) {
    await load.run(rate, 2)
    const { left, lowWater } = load.pool.statistics
    expect(left).toBeLessThanOrEqual(100)
    expect(lowWater).toBeLessThanOrEqual(50)
  }
  const prefetch = new AdaptivePrefetch('orders', { min: 5, max: 100 })
  expect([
    prefetch.size(1, 0),
    prefetch.size(1, 2),
    prefetch.size(4, 0),
    prefetch.size(70, 0),
    prefetch.size(700, 30),
  ]).toEqual([5, 3, 8, 100, 700])
})

it('the adaptive prefetch policy reserves one number at a time with the bounds 1 and 1', async () => {
  const load = loadOf(2, { min: 1, max: 1 })
  const { taken } = await load.run(10, 1)
  expect(taken).toBe(10)
  expect(load.pool.statistics.left).toBeLessThanOrEqual(1)
})

it('a fixed prefetch policy has one range size, and a quarter of it is the default low-water mark', () => {
  const fixed = prefetchPolicyOf('orders', { size: 200 })
  expect([fixed.size(1, 50), fixed.size(300, 0), fixed.lowWater]).toEqual([200, 300, 50])
  expect(prefetchPolicyOf('orders', { size: 200, lowWater: 10 }).lowWater).toBe(10)
})

it.each<[Ranges]>([
  [{ min: 0 }],
  [{ min: 1.5 }],
  [{ min: 30, max: 20 }],
  [{ max: Number.NaN }],
  [{ size: 0 }],
  [{ size: 1_000_001 }],
  [{ size: 2.5 }],
  [{ size: 10, lowWater: -1 }],
  [{ size: '10' as never }],
])('prefetchPolicyOf() rejects %o, and its error names the sequence', (ranges) => {
  const error = refusal(() => prefetchPolicyOf('orders', ranges))
  expect(error).toMatchObject({ code: 'INVALID_VALUE' })
  expect(error.message).toContain('"orders"')
})
