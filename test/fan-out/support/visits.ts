import { defineSchema, defineTable } from '@isotherm/core'

// Shared with the script that reads query partitions in another process, which defines its own schema with this table.

export const SHARDS = 7

export const Visit = defineTable('Visit', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['userId'] }),
  at: t.descTimestamp(),
  userId: t.int64().key(),
  id: t.uuid({ storage: 'int64-pair' }),
  page: t.string({ nullable: true }),
  seconds: t.float64({ nullable: true }),
}))

export const Other = defineTable('Other', (t) => ({
  id: t.int64().key(),
  page: t.string({ nullable: true }),
}))

export const visits = defineSchema([Visit, Other])

const noon = Date.parse('2026-11-21T12:00:00Z')

export function visitsOf(count: number, first = 0) {
  return Array.from({ length: count }, (_, at) => {
    const n = first + at
    return {
      at: new Date(noon + n * 1000),
      userId: BigInt(n % 400),
      id: `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
      page: n % 5 === 0 ? null : `/docs/${n % 7}`,
      seconds: n % 11 === 0 ? Number.NaN : n / 4,
    }
  })
}
