import { defineTable, type ColumnBuilder, type TableBuilder } from '@isotherm/core'

type Hashed = (t: TableBuilder) => ColumnBuilder<unknown>

/** Every type that can be hashed. */
const hashed = (nullable: boolean): Readonly<Record<string, Hashed>> => ({
  int64: (t) => t.int64({ nullable }).key(),
  text: (t) => t.string({ nullable, length: 100 }).key(),
  bytes: (t) => t.bytes({ nullable, length: 100 }).key(),
  bool: (t) => t.bool({ nullable }).key(),
  date: (t) => t.date({ nullable }).key(),
  timestamp: (t) => t.timestamp({ nullable }).key(),
  uuid: (t) => t.uuid({ nullable }).key(),
})

const oneTableEach = (prefix: string, nullable: boolean) =>
  Object.entries(hashed(nullable)).map(([type, column]) =>
    defineTable(`${prefix}_${type}`, (t) => ({
      shardId: t.shardKey({ shards: 64, of: ['value'] }),
      value: column(t),
    })),
  )

const together = (name: string, nullable: boolean, types: readonly string[]) =>
  defineTable(name, (t) => ({
    shardId: t.shardKey({ shards: 10_000, of: types }),
    ...Object.fromEntries(types.map((type) => [type, hashed(nullable)[type]!(t)])),
  }))

const texts = ['int64', 'text', 'bool', 'date', 'timestamp', 'uuid']
const all = [...texts, 'bytes']

export const databaseShardModels = [
  ...oneTableEach('Hash', false),
  ...oneTableEach('HashNullable', true),
  together('HashTexts', false, texts),
  together('HashNullableTexts', true, texts),
  together('HashAll', false, all),
  together('HashNullableAll', true, all),
  defineTable('HashOneShard', (t) => ({
    shardId: t.shardKey({ shards: 1, of: ['id'], computedBy: 'database' }),
    id: t.uuidV4(),
  })),
  defineTable('HashNow', (t) => ({
    shardId: t.shardKey({ shards: 64, of: ['at', 'userId'] }),
    at: t.descTimestamp({ default: 'now' }),
    userId: t.int64().key(),
  })),
  // One immutable column outside the key is what the database's rules allow.
  defineTable('HashOutsideKey', (t) => ({
    shardId: t.shardKey({ shards: 64, of: ['region', 'id'] }),
    id: t.uuidV4(),
    region: t.string({ length: 20, immutable: true, nullable: true }),
  })),
]

export const clientShardModels = [
  defineTable('ClientHash', (t) => ({
    shardId: t.shardKey({ shards: 64, of: ['userId'], computedBy: 'client' }),
    userId: t.int64().key(),
  })),
  // Two columns outside the key, and a default outside the key, are more than a generated key column may read.
  defineTable('ClientHashOutsideKey', (t) => ({
    shardId: t.shardKey({ shards: 7, of: ['region', 'city'] }),
    id: t.uuidV4(),
    region: t.string({ length: 20, immutable: true }),
    city: t.string({ length: 20, immutable: true }),
  })),
  defineTable('ClientHashOfDefault', (t) => ({
    shardId: t.shardKey({ shards: 7, of: ['createdAt'] }),
    id: t.uuidV4(),
    createdAt: t.timestamp({ default: 'now', immutable: true }),
  })),
  defineTable('RandomShard', (t) => ({
    shardId: t.shardKey({ shards: 200, strategy: 'random' }),
    id: t.uuidV4(),
  })),
  defineTable('RoundRobinShard', (t) => ({
    shardId: t.shardKey({ shards: 16, strategy: 'round-robin', name: 'shard' }),
    id: t.uuidV4(),
  })),
]
