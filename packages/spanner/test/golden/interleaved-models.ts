import { defineTable } from '@isotherm/core'

// A shard that the database computes, a descending key part and a custom name are inherited through three levels.
const Customer = defineTable('Customer', (t) => ({
  shardId: t.shardKey({ shards: 16, of: ['region', 'joinedAt'] }),
  joinedAt: t.descTimestamp({ default: 'now' }),
  region: t.string({ length: 20, name: 'customer_region' }).key(),
  note: t.string({ nullable: true }),
}))

const Order = defineTable(
  'Order',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    joinedAt: t.parentKey<Date>(),
    region: t.parentKey<string>(),
    orderId: t.bitReversedId(),
  }),
  { interleaveIn: () => Customer, onDelete: 'cascade' },
)

const Item = defineTable(
  'Item',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    joinedAt: t.parentKey<Date>(),
    region: t.parentKey<string>(),
    orderId: t.parentKey<bigint>(),
    line: t.int64().key('desc'),
  }),
  { interleaveIn: () => Order, onDelete: 'no action' },
)

// A shard that the client computes: the CHECK of the parent is enough, since a row of a child requires a row of its parent.
const Device = defineTable('Device', (t) => ({
  shardId: t.shardKey({ shards: 8, strategy: 'random' }),
  deviceId: t.uuidV4(),
}))

const Reading = defineTable(
  'Reading',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    deviceId: t.parentKey<string>(),
    at: t.timestamp({ default: 'commit' }).key(),
  }),
  { interleaveIn: () => Device },
)

// The child does not have the columns that its inherited shard hashes, so the child cannot compute the shard.
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

const Tenant = defineTable('Tenant', (t) => ({
  shardId: t.shardKey({ shards: 16, of: ['region'] }),
  region: t.string({ length: 20, nullable: true }).key(),
  at: t.timestamp({ nullable: true }).key('desc'),
}))

/** A key part that may be NULL is also inherited as nullable. */
export const nullableTreeModels = [
  Tenant,
  defineTable(
    'User',
    (t) => ({
      shardId: t.parentKey<bigint>(),
      region: t.parentKey<string | null>(),
      at: t.parentKey<Date | null>(),
      userId: t.uuidV4(),
    }),
    { interleaveIn: () => Tenant, onDelete: 'cascade' },
  ),
]

const LooseReading = defineTable(
  'LooseReading',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    deviceId: t.parentKey<string>(),
    at: t.timestamp().key(),
  }),
  { interleaveIn: () => Device, requireParent: false },
)

/** Tables with INTERLEAVE IN, which do not require a parent row: they have their own CHECK, which covers their children too. */
export const looseModels = [
  Device,
  LooseReading,
  defineTable(
    'LooseValue',
    (t) => ({
      shardId: t.parentKey<bigint>(),
      deviceId: t.parentKey<string>(),
      at: t.parentKey<Date>(),
      line: t.int64().key(),
    }),
    { interleaveIn: () => LooseReading, onDelete: 'cascade' },
  ),
]
