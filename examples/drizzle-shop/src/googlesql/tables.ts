import {
  bitReversedId,
  descTimestamp,
  int64,
  interleaveIn,
  parentKey,
  shardKey,
  spannerTable,
  string,
  uuidV4,
} from '@isotherm/drizzle-adapter'
import { relations } from 'drizzle-orm'

// A customer's orders, and their lines, are stored in the customer's row tree: they are read together, and a random key
// puts each tree somewhere else.

export const customers = spannerTable('Customer', {
  customerId: uuidV4(),
  name: string({ length: 80 }).notNull(),
  /** In cents. */
  credit: int64({ mode: 'number' }).notNull().default(0),
})

export const orders = spannerTable(
  'Order',
  {
    customerId: parentKey(customers.customerId),
    orderId: bitReversedId(),
    state: string({ length: 10, enum: ['open', 'paid'] })
      .notNull()
      .default('open'),
  },
  () => [interleaveIn(customers, { onDelete: 'cascade' })],
)

export const orderLines = spannerTable(
  'OrderLine',
  {
    customerId: parentKey(orders.customerId),
    orderId: parentKey(orders.orderId),
    line: int64({ mode: 'number' }).primaryKey(),
    sku: string({ length: 20 }).notNull(),
    quantity: int64({ mode: 'number' }).notNull(),
    price: int64({ mode: 'number' }).notNull(),
  },
  () => [interleaveIn(orders, { onDelete: 'cascade' })],
)

/** The product's own number is its key: it never changes, and says nothing of time. */
export const stock = spannerTable('Stock', {
  sku: string({ length: 20 }).primaryKey(),
  quantity: int64({ mode: 'number' }).notNull(),
})

/** What customers look at, newest first, in 16 shards: a key that began with the time would send all writes to one server. */
export const visits = spannerTable('Visit', {
  shard: shardKey({ shards: 16, of: ['customerId'] }),
  at: descTimestamp({ default: 'now' }),
  customerId: string({ length: 36 }).primaryKey(),
  visitId: uuidV4(),
  page: string({ length: 200 }).notNull(),
})

export const customersRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))

export const ordersRelations = relations(orders, ({ one, many }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.customerId] }),
  lines: many(orderLines),
}))

export const orderLinesRelations = relations(orderLines, ({ one }) => ({
  order: one(orders, {
    fields: [orderLines.customerId, orderLines.orderId],
    references: [orders.customerId, orders.orderId],
  }),
}))

/** Not part of the shop: it shows what is refused, and why. */
export const hotVisits = spannerTable('HotVisit', {
  at: descTimestamp({ default: 'now' }),
  visitId: uuidV4(),
})
