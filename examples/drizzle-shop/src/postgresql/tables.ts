import {
  bitReversedId,
  descTimestamp,
  interleaveIn,
  parentKey,
  shardKey,
  uuidV4,
} from '@isotherm/drizzle-adapter/postgresql'
import { relations } from 'drizzle-orm'
import { integer, pgTable, varchar } from 'drizzle-orm/pg-core'

// The same shop on a PostgreSQL-dialect database: Drizzle's own tables and columns, and keys that stay cool.

export const customers = pgTable('customer', {
  customerId: uuidV4('customer_id'),
  name: varchar({ length: 80 }).notNull(),
  /** In cents. */
  credit: integer().notNull().default(0),
})

export const orders = pgTable(
  'order',
  {
    customerId: parentKey(customers.customerId),
    orderId: bitReversedId('order_id'),
    state: varchar({ length: 10, enum: ['open', 'paid'] })
      .notNull()
      .default('open'),
  },
  () => [interleaveIn(customers, { onDelete: 'cascade' })],
)

export const orderLines = pgTable(
  'order_line',
  {
    customerId: parentKey(orders.customerId),
    orderId: parentKey(orders.orderId),
    line: integer().primaryKey(),
    sku: varchar({ length: 20 }).notNull(),
    quantity: integer().notNull(),
    price: integer().notNull(),
  },
  () => [interleaveIn(orders, { onDelete: 'cascade' })],
)

export const stock = pgTable('stock', {
  sku: varchar({ length: 20 }).primaryKey(),
  quantity: integer().notNull(),
})

/** A mirror column that no row shows lets the time descend: keys of this dialect cannot. */
export const visits = pgTable('visit', {
  shard: shardKey({ shards: 16, of: ['customerId'] }),
  at: descTimestamp({ default: 'now' }),
  customerId: varchar('customer_id', { length: 36 }).primaryKey(),
  visitId: uuidV4('visit_id'),
  page: varchar({ length: 200 }).notNull(),
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
export const hotVisits = pgTable('hot_visit', {
  at: descTimestamp({ default: 'now' }),
  visitId: uuidV4('visit_id'),
})
