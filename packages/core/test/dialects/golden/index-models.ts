import { defineTable } from '@isotherm/core'

const Customer = defineTable('Customer', (t) => ({
  region: t.string({ length: 20 }).key(),
  customerId: t.string({ length: 36 }).key('desc'),
}))

const Order = defineTable(
  'Order',
  (t) => ({
    region: t.parentKey<string>(),
    customerId: t.parentKey<string>(),
    orderId: t.uuidV4(),
    orderedAt: t.timestamp(),
    paidAt: t.timestamp({ nullable: true, name: 'paid_at' }),
    status: t.string({ length: 10 }),
    total: t.numeric(),
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
    ],
  },
)

const Quiet = defineTable('Quiet', (t) => ({ id: t.uuidV4(), createdAt: t.timestamp() }), {
  indexes: [{ on: ['createdAt'] }],
  except: [{ rule: 'monotonic-index', on: 'Quiet_createdAt', reason: 'written once a minute' }],
})

export const indexModels = [Customer, Order, Quiet]
