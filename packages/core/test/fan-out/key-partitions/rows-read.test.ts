import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlainRow } from '../../../src/engine/codec.js'
import { waveChunk } from '../../../src/read/plan/costs.js'
import { compiledByPartition, byPartition } from '../support/by-partition.js'

// How many rows, in how many waves, the first rows of many partitions take.

const SHARDS = 200

const posts = compiledByPartition([
  (t) => ({
    on: t.date().key(),
    shard: t.shardKey({ shards: SHARDS, strategy: 'random', first: 1 }),
    at: t.descTimestamp(),
    id: t.uuidV4(),
    page: t.int32(),
  }),
  { partitionKey: ['on', 'shard'] },
])

const START = Date.parse('2026-03-10T00:00:00Z')

/** A row each second, in the shards that a function returns. */
function rowsIn(shardOf: (n: number) => number, count: number): PlainRow[] {
  const { accept } = posts.layout.byProperty.get('at')!
  return Array.from({ length: count }, (_, n) => ({
    on: '2026-03-10',
    shard: BigInt(1 + shardOf(n)),
    at: accept(new Date(START + n * 1000)),
    id: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    page: n % 10,
  }))
}

/** The same numbers each time, in an order that looks random. */
function scattered(n: number): number {
  return Math.floor(((n * 2_654_435_761) % 2 ** 32) / (2 ** 32 / SHARDS))
}

const seconds = (rows: readonly PlainRow[]): number[] =>
  rows.map((row) => ((row['at'] as Date).getTime() - START) / 1000)
const newest = (count: number, of: number): number[] => Array.from({ length: count }, (_, n) => of - 1 - n)

describe('reading the newest 100 rows of 200 partitions', () => {
  it('reads each partition once, and at most 2,000 rows in total', async () => {
    const { query, driver } = byPartition(posts, rowsIn(scattered, 4_000))
    let inFlight = 0
    let max = 0
    const waiting: (() => void)[] = []
    const read = driver.read.bind(driver)
    Object.assign(driver, {
      async read(...args: Parameters<typeof read>) {
        max = Math.max(max, ++inFlight)
        // No read is answered before all reads have arrived.
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          if (waiting.length === SHARDS) for (const each of waiting) each()
        })
        inFlight--
        return read(...args)
      },
    })
    const { rows, next } = await query.where({ on: '2026-03-10' }).orderBy('at', 'desc').limit(100).page()
    expect(seconds(rows)).toEqual(newest(100, 4_000))
    expect(next).toBeDefined()
    expect(driver.reads.length).toBe(SHARDS)
    expect(max).toBe(SHARDS)
    expect(driver.sent.rows).toBeLessThanOrEqual(2_000)
  })

  it('a query for the newest 100 rows reads a second chunk only from a partition with more candidate rows', async () => {
    // Every third row is in the first shard.
    const { query, driver } = byPartition(
      posts,
      rowsIn((n) => (n % 3 === 0 ? 0 : scattered(n)), 3_000),
    )
    const { rows } = await query.where({ on: '2026-03-10' }).orderBy('at', 'desc').limit(100).page()
    expect(seconds(rows)).toEqual(newest(100, 3_000))
    const again = driver.reads.slice(SHARDS)
    expect(again.map(({ ranges, limit }) => [ranges![0]!.start[1], limit])).toEqual([[1, 28]])
  })

  it('a query for the newest 100 rows makes fewer than two reads per partition with a filter of one row in ten', async () => {
    const { query, driver } = byPartition(posts, rowsIn(scattered, 6_000))
    const { rows } = await query.where({ on: '2026-03-10', page: 3 }).orderBy('at', 'desc').limit(100).page()
    expect(seconds(rows)).toEqual(
      newest(6_000, 6_000)
        .filter((n) => n % 10 === 3)
        .slice(0, 100),
    )
    expect(driver.reads.length).toBeLessThan(2 * SHARDS)
  })

  it('waveChunk() makes the probability of a second wave less than 1 in 1,000 for evenly spread rows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 2_000 }),
        fc.integer({ min: 1, max: 2_000 }),
        (partitions, wanted) => {
          const limit = waveChunk({ wanted, filtered: false, point: false }, partitions)
          expect(limit).toBeLessThanOrEqual(wanted)
          // With as many as are wanted there is no second wave.
          const chance = limit === wanted ? 0 : partitions * atLeast(limit, wanted, 1 / partitions)
          expect(chance).toBeLessThan(0.001)
        },
      ),
    )
    expect(waveChunk({ wanted: 101, filtered: false, point: false }, SHARDS)).toBe(7)
  })

  it.each([
    [2, 48_000],
    [200, 480],
  ])(
    'waveChunk() limits the rows of one wave to what a stream holds, over %i partitions',
    (partitions, max) => {
      for (const filtered of [false, true])
        expect(waveChunk({ wanted: Number.MAX_SAFE_INTEGER, filtered, point: false }, partitions)).toBe(max)
    },
  )
})

describe('a list of values for a partition key', () => {
  it('explain() merges two lists of 4,000 values with fewer than 500,000 comparisons', () => {
    const people = compiledByPartition([
      (t) => ({ name: t.string().key(), at: t.descTimestamp(), id: t.uuidV4() }),
    ])
    const field = people.layout.byProperty.get('name')!
    const { compare } = field
    let compared = 0
    Object.assign(field, {
      compare(...pair: Parameters<typeof compare>) {
        compared++
        return compare(...pair)
      },
    })
    const names = Array.from({ length: 4_000 }, (_, n) => `${(n * 7919) % 2_000}`)
    const { query } = byPartition(people, [])
    const plan = query
      .where({ name: { in: names } })
      .where({ name: { in: names.toReversed() } })
      .explain()
    expect(plan.partitions).toBe(2_000)
    expect(compared).toBeLessThan(500_000)
  })
})

/** The probability of so many successes or more: the sum of the binomial terms. */
function atLeast(successes: number, trials: number, probability: number): number {
  let logarithm = 0
  for (let at = 0; at < successes; at++) logarithm += Math.log((trials - at) / (at + 1))
  logarithm += successes * Math.log(probability) + (trials - successes) * Math.log1p(-probability)
  let sum = 0
  for (let at = successes, term = Math.exp(logarithm); at <= trials; at++) {
    sum += term
    term *= ((trials - at) / (at + 1)) * (probability / (1 - probability))
  }
  return sum
}
