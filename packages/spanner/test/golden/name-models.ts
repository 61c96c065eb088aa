import { defineTable } from '@isotherm/core'

// Keywords, reserved words, and names in the database that are not the properties'.
const Order = defineTable(
  'Order',
  (t) => ({
    hash: t.shardKey({ shards: 4, of: ['select', 'at'], name: 'group' }),
    select: t.string({ length: 10, name: 'from' }).key(),
    at: t.timestamp({ name: 'Hash' }).key('desc'),
    by: t.bitReversedId({ from: 'sequence', name: 'all' }),
    where: t.bytes({ name: 'Partition', nullable: true }),
    limit: t.bool({ name: 'NULL' }),
  }),
  {
    indexes: [
      { on: [{ property: 'limit', order: 'desc' }], storing: ['where'] },
      { name: 'Create', on: ['limit'], shard: { shards: 2, of: ['where', 'limit'] } },
    ],
  },
)

const Select = defineTable(
  'Select',
  (t) => ({
    hash: t.parentKey<bigint>(),
    select: t.parentKey<string>(),
    at: t.parentKey<Date>(),
    by: t.parentKey<bigint>(),
    table: t.uuidV4({ name: 'Primary' }),
  }),
  { interleaveIn: () => Order },
)

const longest = (length: number) =>
  defineTable(
    `t${'x'.repeat(length - 1)}`,
    (t) => ({ id: t.uuidV4({ name: `c${'y'.repeat(length - 1)}` }) }),
    {
      indexes: [{ on: ['id'] }],
    },
  )

export const nameModels = [Order, Select, longest(63)]

export const longNameModels = [longest(128)]
