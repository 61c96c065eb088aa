import { type BucketSize, defineTable } from '@isotherm/core'
import * as fc from 'fast-check'

export const sizes: readonly BucketSize[] = ['hour', 'day', 'week', 'month', 'year']

export const logs = sizes.map((by) =>
  defineTable(`log_by_${by}`, (t) => ({
    shard: t.shardKey({ shards: 4, of: ['userId'] }),
    bucket: t.timeBucket({ by, of: 'at', since: '1960-01-01' }),
    at: t.descTimestamp(),
    userId: t.int64({ name: 'user_id' }).key(),
    note: t.string({ nullable: true }),
  })),
)

export type Log = (typeof logs)[number]

// Around midnights, new years, a leap day, Mondays and 1970.
export const edges = [
  '1960-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00Z',
  '2024-02-29T23:59:59Z',
  '2024-03-01T00:00:00Z',
  '2024-12-29T23:59:59.999Z',
  '2024-12-30T00:00:00Z',
  '2025-01-01T00:00:00Z',
]

const scattered = fc.sample(
  fc.date({ min: new Date(edges[0]!), max: new Date('2026-01-01T00:00:00Z'), noInvalidDate: true }),
  { numRuns: 60, seed: 11 },
)

const times = [...new Set([...edges.map((text) => Date.parse(text)), ...scattered.map(Number)])]

/** One for each of many times, around the edges and anywhere. */
export const rows = times.map((time, at) => ({ at: new Date(time), userId: BigInt(at % 7) }))
