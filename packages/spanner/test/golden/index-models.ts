import { defineTable } from '@isotherm/core'

const Customer = defineTable('Customer', (t) => ({
  region: t.string({ length: 20 }).key(),
  customerId: t.int64({ name: 'customer_id' }).key('desc'),
}))

const Order = defineTable(
  'Order',
  (t) => ({
    region: t.parentKey<string>(),
    customerId: t.parentKey<bigint>(),
    orderId: t.uuidV4(),
    orderedAt: t.timestamp(),
    paidAt: t.timestamp({ nullable: true, name: 'paid_at' }),
    status: t.string({ length: 10 }),
    total: t.int64(),
    meta: t.json({ nullable: true }),
    tags: t.array({ kind: 'string', length: 'max' }),
  }),
  {
    interleaveIn: () => Customer,
    onDelete: 'cascade',
    indexes: [
      { on: ['status'] },
      { on: ['status', { property: 'orderedAt', order: 'desc' }, { property: 'total' }] },
      { name: 'UniqueTotal', on: ['status', 'total'], unique: true },
      { name: 'Paid', on: [{ property: 'status', order: 'desc' }, 'paidAt'], nullFiltered: true },
      { name: 'PaidOnce', on: ['status', 'paidAt'], unique: true, nullFiltered: true },
      { name: 'StatusStoring', on: ['status'], storing: ['total', 'paidAt', 'meta', 'tags'] },
      {
        name: 'OrderedInCustomer',
        on: ['region', { property: 'customerId', order: 'desc' }, { property: 'orderedAt', order: 'desc' }],
        interleaveIn: () => Customer,
      },
      {
        name: 'OrderedInCustomerStoring',
        on: ['region', { property: 'customerId', order: 'desc' }, 'paidAt'],
        unique: true,
        storing: ['total'],
        interleaveIn: () => Customer,
      },
      {
        name: 'Recent',
        on: [{ property: 'orderedAt', order: 'desc' }],
        shard: { shards: 16, of: ['orderId'] },
      },
      {
        name: 'RecentPaid',
        on: ['paidAt'],
        nullFiltered: true,
        storing: ['total'],
        shard: { shards: 4, of: ['status', 'paidAt'] },
      },
      // Nothing in it can be NULL, so nothing is filtered.
      { name: 'NothingFiltered', on: ['status', 'orderedAt'], nullFiltered: true },
    ],
  },
)

const Quiet = defineTable('Quiet', (t) => ({ id: t.uuidV4(), createdAt: t.timestamp() }), {
  indexes: [{ on: ['createdAt'] }],
  suppress: [{ rule: 'monotonic-index', on: 'Quiet_createdAt', reason: 'written once a minute' }],
})

export const indexModels = [Customer, Order, Quiet]

/** Rows without a value are left out of an index, part by part. */
export const partialIndexModels = [
  Customer,
  defineTable(
    'Visit',
    (t) => ({
      region: t.parentKey<string>(),
      customerId: t.parentKey<bigint>(),
      id: t.uuidV4(),
      place: t.string({ length: 10, nullable: true }),
      note: t.string({ length: 10, nullable: true }),
      rating: t.float64({ nullable: true }),
    }),
    {
      interleaveIn: () => Customer,
      indexes: [
        { name: 'Place', on: ['place', 'note'], notNull: ['place'] },
        {
          name: 'PlaceAndNote',
          on: ['place', 'note'],
          unique: true,
          storing: ['rating'],
          notNull: ['place', 'note'],
        },
        {
          name: 'PlaceInCustomer',
          on: ['region', { property: 'customerId', order: 'desc' }, { property: 'place', order: 'desc' }],
          notNull: ['place'],
          interleaveIn: () => Customer,
        },
      ],
    },
  ),
]

export const numericIndexModels = [
  defineTable(
    'Price',
    (t) => ({ id: t.uuidV4(), price: t.numeric(), weight: t.float32({ nullable: true }) }),
    {
      indexes: [
        { name: 'ByPrice', on: [{ property: 'price', order: 'desc' }] },
        // The default position of NULL.
        { name: 'ByWeight', on: [{ property: 'weight', nulls: 'first' }] },
        { name: 'ByWeightDown', on: [{ property: 'weight', order: 'desc', nulls: 'last' }] },
      ],
    },
  ),
]

export const nullOrderModels = [
  defineTable(
    'Task',
    (t) => ({ id: t.uuidV4(), due: t.date({ nullable: true }), done: t.date({ nullable: true }) }),
    {
      indexes: [
        { name: 'DueNullsFirst', on: [{ property: 'due', nulls: 'first' }, 'done'] },
        { name: 'DueNullsLast', on: [{ property: 'due', nulls: 'last' }] },
        { name: 'DueDownNullsFirst', on: [{ property: 'due', order: 'desc', nulls: 'first' }] },
        {
          name: 'DueDownNullsLast',
          on: [
            { property: 'due', order: 'desc', nulls: 'last' },
            { property: 'done', nulls: 'first' },
          ],
          notNull: ['done'],
        },
      ],
      suppress: [{ rule: 'monotonic-index', reason: 'few rows' }],
    },
  ),
]
