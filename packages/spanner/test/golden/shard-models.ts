import { defineTable, type ColumnBuilder, type TableBuilder } from '@isotherm/core'

type Hashed = (t: TableBuilder) => ColumnBuilder<unknown>

/** Every type that can be hashed, in the key. */
const keys = (nullable: boolean): Readonly<Record<string, Hashed>> => ({
  int64: (t) => t.int64({ nullable }).key(),
  text: (t) => t.string({ nullable, length: 100 }).key(),
  bytes: (t) => t.bytes({ nullable, length: 100 }).key(),
  bool: (t) => t.bool({ nullable }).key(),
  date: (t) => t.date({ nullable }).key(),
  timestamp: (t) => t.timestamp({ nullable }).key(),
  uuid: (t) => t.uuid({ nullable }).key(),
})

/** Every type that can be hashed, outside the key. */
const immutable: Readonly<Record<string, Hashed>> = {
  int64: (t) => t.int64({ nullable: true, immutable: true }),
  text: (t) => t.string({ nullable: true, immutable: true, length: 100 }),
  bytes: (t) => t.bytes({ nullable: true, immutable: true, length: 100 }),
  bool: (t) => t.bool({ nullable: true, immutable: true }),
  date: (t) => t.date({ nullable: true, immutable: true }),
  timestamp: (t) => t.timestamp({ nullable: true, immutable: true }),
  uuid: (t) => t.uuid({ nullable: true, immutable: true }),
}

const oneTableEach = (prefix: string, hashed: Readonly<Record<string, Hashed>>) =>
  Object.entries(hashed).map(([type, column]) =>
    defineTable(`${prefix}_${type}`, (t) => ({
      shardId: t.shardKey({ shards: 64, of: ['value'] }),
      value: column(t),
    })),
  )

const together = (name: string, nullable: boolean, types: readonly string[]) =>
  defineTable(name, (t) => ({
    shardId: t.shardKey({ shards: 10_000, of: types }),
    ...Object.fromEntries(types.map((type) => [type, keys(nullable)[type]!(t)])),
  }))

const texts = ['int64', 'text', 'bool', 'date', 'timestamp', 'uuid']
const all = [...texts, 'bytes']

export const databaseShardModels = [
  ...oneTableEach('Hash', keys(false)),
  // One immutable column outside the key is what the database's rules allow.
  ...Object.entries(immutable).map(([type, column]) =>
    defineTable(`HashOutsideKey_${type}`, (t) => ({
      shardId: t.shardKey({ shards: 64, of: ['value', 'id'] }),
      id: t.uuidV4(),
      value: column(t),
    })),
  ),
  together('HashTexts', false, texts),
  together('HashAll', false, all),
  defineTable('HashOneShard', (t) => ({
    shardId: t.shardKey({ shards: 1, of: ['id'], computedBy: 'database' }),
    id: t.uuidV4(),
  })),
  defineTable('HashNow', (t) => ({
    shardId: t.shardKey({ shards: 64, of: ['at', 'userId'] }),
    at: t.descTimestamp({ default: 'now' }),
    userId: t.int64().key(),
  })),
]

/** Keys that may be NULL, which the PostgreSQL dialect does not support. */
export const nullableShardModels = [
  ...oneTableEach('HashNullable', keys(true)),
  together('HashNullableTexts', true, texts),
  together('HashNullableAll', true, all),
]

/** The database computes the shards of indexes, regardless of how a UUID is stored. */
export const uuidShardModels = (['int64-pair', 'bytes'] as const).map((storage) =>
  defineTable(
    `Hash_${storage.replace('-', '_')}`,
    (t) => ({
      id: t.uuidV4({ storage }),
      other: t.uuid({ storage, nullable: true }),
      blob: t.bytes({ length: 10 }),
      at: t.timestamp(),
    }),
    {
      indexes: [
        { name: `ById_${storage.replace('-', '_')}`, on: ['at'], shard: { shards: 64, of: ['id'] } },
        {
          name: `ByAll_${storage.replace('-', '_')}`,
          on: ['at'],
          shard: { shards: 64, of: ['id', 'other', 'blob'] },
        },
      ],
    },
  ),
)

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
  // The longest name that a table has in both dialects: the check's is cut.
  defineTable(`t${'x'.repeat(62)}`, (t) => ({
    shardId: t.shardKey({ shards: 16, strategy: 'random' }),
    id: t.uuidV4(),
  })),
]
