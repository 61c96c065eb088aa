import { defineTable } from '@isotherm/core'

// A shard that the database computes, a descending key part and a custom name are inherited through three levels.
const Customer = defineTable('Customer', (t) => ({
  shardId: t.shardKey({ shards: 16, of: ['region', 'joinedAt'] }),
  joinedAt: t.descTimestamp({ default: 'now' }),
  region: t.string({ length: 20, nullable: true, name: 'customer_region' }).key(),
  note: t.string({ nullable: true }),
}))

const Order = defineTable(
  'Order',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    joinedAt: t.parentKey<Date>(),
    region: t.parentKey<string | null>(),
    orderId: t.bitReversedId(),
  }),
  { interleaveIn: () => Customer, onDelete: 'cascade' },
)

const Item = defineTable(
  'Item',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    joinedAt: t.parentKey<Date>(),
    region: t.parentKey<string | null>(),
    orderId: t.parentKey<bigint>(),
    line: t.int64().key('desc'),
  }),
  { interleaveIn: () => Order, onDelete: 'no action' },
)

// A shard of the client's: the parent's CHECK is enough, since a child's row needs its parent's.
const Device = defineTable('Device', (t) => ({
  shardId: t.shardKey({ shards: 8, strategy: 'random' }),
  deviceId: t.uuidV4(),
}))

const Reading = defineTable(
  'Reading',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    deviceId: t.parentKey<string>(),
    at: t.descTimestamp({ default: 'commit' }),
  }),
  { interleaveIn: () => Device },
)

// The child does not have what its inherited shard hashes, so it cannot compute it.
const Account = defineTable('Account', (t) => ({
  shardId: t.shardKey({ shards: 8, of: ['tenant'] }),
  accountId: t.int64().key(),
  tenant: t.string({ length: 20, immutable: true }),
}))

const Entry = defineTable(
  'Entry',
  (t) => ({ shardId: t.parentKey<bigint>(), accountId: t.parentKey<bigint>(), entryId: t.uuidV4() }),
  { interleaveIn: () => Account, onDelete: 'cascade' },
)

/** Children first: the schema puts their parents before them. */
export const interleavedModels = [Item, Order, Customer, Reading, Device, Entry, Account]
