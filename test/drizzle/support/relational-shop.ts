import { googlesql } from '@isotherm/spanner'
import {
  bool,
  bytes,
  date,
  drizzle,
  float32,
  float64,
  int64,
  interleaveIn,
  json,
  numeric,
  spannerSchema,
  spannerTable,
  string,
  timestamp,
} from '@isotherm/drizzle-adapter'
import { relations } from 'drizzle-orm'
import { sharedEmulator } from '../../support/spanner.js'

// Customers, their orders within them, lines within those, and the products that the lines are of; products have labels, by a
// table between; customers were brought by customers. One table is in a named schema, one has columns of many types.

export const customers = spannerTable('Customer', {
  id: int64('customerId').primaryKey(),
  name: string('full_name').notNull(),
  level: int64({ mode: 'number' }),
  broughtBy: int64(),
})

export const orders = spannerTable(
  'CustomerOrder',
  {
    customerId: int64().primaryKey(),
    orderId: int64().primaryKey(),
    status: string().notNull(),
    total: int64({ mode: 'number' }).notNull(),
  },
  () => [interleaveIn(customers)],
)

export const lines = spannerTable(
  'Line',
  {
    customerId: int64().primaryKey(),
    orderId: int64().primaryKey(),
    lineId: int64().primaryKey(),
    productId: int64(),
    count: int64({ mode: 'number' }).notNull(),
    // A column with the name that the outer table has in relational queries.
    orders: int64(),
  },
  () => [interleaveIn(orders)],
)

export const products = spannerTable('Product', {
  id: int64().primaryKey(),
  name: string().notNull(),
  price: int64({ mode: 'number' }).notNull(),
})

export const labels = spannerTable('Label', { id: int64().primaryKey(), label: string('Label').notNull() })

export const productLabels = spannerTable('ProductLabel', {
  productId: int64().primaryKey(),
  labelId: int64().primaryKey(),
})

export const notes = spannerSchema('crm').table('Note', {
  id: int64().primaryKey(),
  customerId: int64().notNull(),
  text: string(),
  writtenAt: timestamp({ mode: 'string' }),
  seenAt: timestamp(),
  data: bytes(),
  ratio: float64(),
  big: int64(),
  words: string().array(),
  numbers: int64().array(),
  settings: json(),
  amount: numeric(),
  day: date(),
  done: bool(),
  small: float32(),
})

export const customerRelations = relations(customers, ({ many, one }) => ({
  orders: many(orders),
  notes: many(notes),
  bringer: one(customers, {
    fields: [customers.broughtBy],
    references: [customers.id],
    relationName: 'brought',
  }),
  brought: many(customers, { relationName: 'brought' }),
}))

export const orderRelations = relations(orders, ({ many, one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
  lines: many(lines),
}))

export const lineRelations = relations(lines, ({ one }) => ({
  order: one(orders, {
    fields: [lines.customerId, lines.orderId],
    references: [orders.customerId, orders.orderId],
  }),
  product: one(products, { fields: [lines.productId], references: [products.id] }),
}))

export const productRelations = relations(products, ({ many }) => ({
  lines: many(lines),
  labels: many(productLabels),
}))

export const labelRelations = relations(labels, ({ many }) => ({ products: many(productLabels) }))

export const productLabelRelations = relations(productLabels, ({ one }) => ({
  product: one(products, { fields: [productLabels.productId], references: [products.id] }),
  label: one(labels, { fields: [productLabels.labelId], references: [labels.id] }),
}))

export const noteRelations = relations(notes, ({ one }) => ({
  customer: one(customers, { fields: [notes.customerId], references: [customers.id] }),
}))

export const shop = {
  customers,
  orders,
  lines,
  products,
  labels,
  productLabels,
  notes,
  customerRelations,
  orderRelations,
  lineRelations,
  productRelations,
  labelRelations,
  productLabelRelations,
  noteRelations,
}

export const shopDdl = [
  'CREATE TABLE Customer (customerId INT64 NOT NULL, full_name STRING(MAX) NOT NULL, level INT64, broughtBy INT64) PRIMARY KEY (customerId)',
  `CREATE TABLE CustomerOrder (customerId INT64 NOT NULL, orderId INT64 NOT NULL, status STRING(MAX) NOT NULL, total INT64 NOT NULL)
     PRIMARY KEY (customerId, orderId), INTERLEAVE IN PARENT Customer`,
  `CREATE TABLE Line (customerId INT64 NOT NULL, orderId INT64 NOT NULL, lineId INT64 NOT NULL, productId INT64, count INT64 NOT NULL,
     orders INT64) PRIMARY KEY (customerId, orderId, lineId), INTERLEAVE IN PARENT CustomerOrder`,
  'CREATE TABLE Product (id INT64 NOT NULL, name STRING(MAX) NOT NULL, price INT64 NOT NULL) PRIMARY KEY (id)',
  'CREATE TABLE Label (id INT64 NOT NULL, Label STRING(MAX) NOT NULL) PRIMARY KEY (id)',
  'CREATE TABLE ProductLabel (productId INT64 NOT NULL, labelId INT64 NOT NULL) PRIMARY KEY (productId, labelId)',
  'CREATE SCHEMA crm',
  `CREATE TABLE crm.Note (id INT64 NOT NULL, customerId INT64 NOT NULL, text STRING(MAX), writtenAt TIMESTAMP, seenAt TIMESTAMP, data BYTES(MAX), ratio FLOAT64,
     big INT64, words ARRAY<STRING(MAX)>, numbers ARRAY<INT64>, settings JSON, amount NUMERIC, day DATE, done BOOL, small FLOAT32) PRIMARY KEY (id)`,
]

/** A database of its own for one test file. */
export async function shopClient() {
  const emulator = await sharedEmulator()
  return emulator.database({ dialect: googlesql, ddl: [...shopDdl] })
}

export async function shopDatabase() {
  return drizzle(await shopClient(), { schema: shop })
}

export type ShopDatabase = Awaited<ReturnType<typeof shopDatabase>>

/**
 * Ada, who brought Bob and Cyd. She has three orders, of which the second has no lines and the third one of no product; Bob
 * has one. A pen is new and blue.
 */
export async function fillShop(db: ShopDatabase): Promise<void> {
  await db.insert(customers).values([
    { id: 1n, name: 'Ada', level: 3 },
    { id: 2n, name: 'Bob', broughtBy: 1n },
    { id: 3n, name: 'Cyd', level: 1, broughtBy: 1n },
  ])
  await db.insert(orders).values([
    { customerId: 1n, orderId: 1n, status: 'open', total: 10 },
    { customerId: 1n, orderId: 2n, status: 'void', total: 5 },
    { customerId: 1n, orderId: 3n, status: 'open', total: 30 },
    { customerId: 2n, orderId: 1n, status: 'paid', total: 7 },
  ])
  await db.insert(products).values([
    { id: 1n, name: 'Pen', price: 2 },
    { id: 2n, name: 'Ink', price: 5 },
  ])
  await db.insert(lines).values([
    { customerId: 1n, orderId: 1n, lineId: 1n, productId: 1n, count: 4 },
    { customerId: 1n, orderId: 1n, lineId: 2n, productId: 2n, count: 1 },
    { customerId: 1n, orderId: 3n, lineId: 1n, count: 6, orders: 8n },
  ])
  await db.insert(labels).values([
    { id: 1n, label: 'new' },
    { id: 2n, label: 'blue' },
    { id: 3n, label: 'old' },
  ])
  await db.insert(productLabels).values([
    { productId: 1n, labelId: 1n },
    { productId: 1n, labelId: 2n },
  ])
}
