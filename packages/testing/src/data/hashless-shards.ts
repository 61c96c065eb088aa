import { defineTable } from '@isotherm/core'

export const SHARDS = 16

export const Random = defineTable('Random', (t) => ({
  shard: t.shardKey({ shards: SHARDS, strategy: 'random' }),
  at: t.timestamp().key(),
  id: t.uuidV4(),
}))

export const RoundRobin = defineTable('RoundRobin', (t) => ({
  shard: t.shardKey({ shards: SHARDS, strategy: 'round-robin', first: 100, name: 'place' }),
  id: t.uuidV4(),
  number: t.int64(),
}))
