import { spannerPostgresql } from '@isotherm/spanner'
import { drizzle } from '@isotherm/drizzle-adapter/postgresql'
import { relations } from 'drizzle-orm'
import { bigint, integer, pgSchema, pgTable, primaryKey, text, timestamp, varchar } from 'drizzle-orm/pg-core'
import { expect } from 'vitest'
import { sharedEmulator } from '../../../support/spanner.js'

export const customers = pgTable('customers', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  name: varchar({ length: 40 }).notNull(),
  country: text(),
  friendId: bigint('friend_id', { mode: 'bigint' }),
})

export const orders = pgTable(
  'orders',
  {
    customerId: bigint('customer_id', { mode: 'bigint' }).notNull(),
    orderId: bigint('order_id', { mode: 'bigint' }).notNull(),
    total: integer().notNull(),
    placedAt: timestamp('placed_at', { withTimezone: true }),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.orderId] })],
)

export const lines = pgTable(
  'lines',
  {
    customerId: bigint('customer_id', { mode: 'bigint' }).notNull(),
    orderId: bigint('order_id', { mode: 'bigint' }).notNull(),
    line: integer().notNull(),
    sku: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.orderId, t.line] })],
)

export const finance = pgSchema('finance')
export const invoices = finance.table('invoices', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  customerId: bigint('customer_id', { mode: 'bigint' }),
})

export const customersRelations = relations(customers, ({ many, one }) => ({
  orders: many(orders),
  invoices: many(invoices),
  friend: one(customers, {
    fields: [customers.friendId],
    references: [customers.id],
    relationName: 'friends',
  }),
}))

export const ordersRelations = relations(orders, ({ many, one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
  lines: many(lines),
}))

export const linesRelations = relations(lines, ({ one }) => ({
  order: one(orders, {
    fields: [lines.customerId, lines.orderId],
    references: [orders.customerId, orders.orderId],
  }),
}))

export const invoicesRelations = relations(invoices, ({ one }) => ({
  customer: one(customers, { fields: [invoices.customerId], references: [customers.id] }),
}))

export const schema = {
  customers,
  orders,
  lines,
  invoices,
  customersRelations,
  ordersRelations,
  linesRelations,
  invoicesRelations,
}

const DDL = [
  'create table customers (id bigint primary key, name varchar(40) not null, country text, friend_id bigint)',
  `create table orders (customer_id bigint not null, order_id bigint not null, total bigint not null,
    placed_at timestamptz, primary key (customer_id, order_id))`,
  `create table lines (customer_id bigint not null, order_id bigint not null, line bigint not null, sku text not null,
    primary key (customer_id, order_id, line)) interleave in parent orders on delete cascade`,
  'create schema finance',
  'create table finance.invoices (id bigint primary key, customer_id bigint)',
]

/** A new database of a shop, and the statements that it has run. */
export async function shop() {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect: spannerPostgresql, ddl: DDL })
  const statements: { sql: string; params: unknown[] }[] = []
  const logger = { logQuery: (sql: string, params: unknown[]) => void statements.push({ sql, params }) }
  const db = drizzle(client, { schema, logger })
  return { db, client, logger, statements }
}

export const ada = { id: 1n, name: 'Ada', country: 'gb', friendId: 2n }
export const bob = { id: 2n, name: 'Bob', country: null, friendId: null }
export const cyd = { id: 3n, name: 'Cyd', country: 'de', friendId: 1n }
const noon = new Date('2026-01-31T12:00:00.000Z')

export const someOrders = [
  { customerId: 1n, orderId: 10n, total: 5, placedAt: noon },
  { customerId: 1n, orderId: 11n, total: 7, placedAt: null },
  { customerId: 1n, orderId: 12n, total: 1, placedAt: null },
  { customerId: 2n, orderId: 10n, total: 9, placedAt: null },
]

export const someLines = [
  { customerId: 1n, orderId: 10n, line: 1, sku: 'pen' },
  { customerId: 1n, orderId: 10n, line: 2, sku: 'ink' },
  { customerId: 2n, orderId: 10n, line: 1, sku: 'map' },
]

interface Statement<Result> extends PromiseLike<Result> {
  toSQL(): { sql: string; params: unknown[] }
}

/** Expects the text and the parameters of the statement, and returns its result. */
export async function runs<Result>(
  statement: Statement<Result>,
  text: string,
  params: unknown[] = [],
): Promise<Result> {
  expect(statement.toSQL()).toStrictEqual({ sql: text, params })
  return statement
}
