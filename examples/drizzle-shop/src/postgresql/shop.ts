import assert from 'node:assert/strict'
import { compileDdl } from '@isotherm/core'
import { fanOut, toSchema, type FanOutOptions } from '@isotherm/drizzle-adapter/postgresql'
import { spannerPostgresql } from '@isotherm/spanner'
import { asc, desc, eq, sql } from 'drizzle-orm'
import { first, noon, visitsOf } from '../data.js'
import type { Report } from '../report.js'
import { type Shop, type ShopEngine, schema } from './engine.js'
import { customers, hotVisits, orderLines, orders, stock, visits } from './tables.js'

/**
 * The shop with the tables of `pgTable`, on Spanner's PostgreSQL dialect or on PostgreSQL: joins, prepared statements and the like are as in
 * `../googlesql/shop.ts`.
 */
export async function postgresqlShop(engine: ShopEngine, report: Report): Promise<void> {
  // The rules are those of production, wherever the shop is developed.
  assert.throws(
    () => compileDdl(toSchema([hotVisits]), { dialect: spannerPostgresql }),
    /monotonic-first-key/,
  )
  report.section('PostgreSQL dialect: tables, from pgTable')
  const ddl = compileDdl(toSchema(schema), { dialect: engine.dialect })
  report.text(ddl.join(';\n'))
  const { db, options } = await engine.open(ddl)

  const ada = await fill(db, report)
  await pay(db, report, ada)
  await restock(db, report)
  await readShards(db, report, ada, options)
}

async function fill(db: Shop, report: Report): Promise<string> {
  report.section('PostgreSQL dialect: inserted, with keys that were left out')
  const { customerId } = first(await db.insert(customers).values({ name: 'Ada', credit: 1_000 }).returning())
  const order = first(await db.insert(orders).values({ customerId }).returning())
  report.value(order)
  assert.equal(typeof order.orderId, 'bigint')
  const { orderId } = order
  await db.insert(orderLines).values([
    { customerId, orderId, line: 1, sku: 'pen', quantity: 2, price: 150 },
    { customerId, orderId, line: 2, sku: 'ink', quantity: 1, price: 500 },
  ])
  await db.insert(visits).values(visitsOf([customerId, 'a guest'], 200))
  return customerId
}

/** Rows within rows are read as of one moment, before and after the transaction. */
async function pay(db: Shop, report: Report, customerId: string): Promise<void> {
  report.section('PostgreSQL dialect: an order with its lines, before and after it is paid')
  const open = () =>
    db.query.orders.findMany({
      columns: { state: true },
      where: eq(orders.customerId, customerId),
      with: {
        customer: { columns: { name: true, credit: true } },
        lines: { columns: { sku: true }, orderBy: asc(orderLines.line) },
      },
    })
  const before = await open()
  await db.transaction(async (tx) => {
    await tx.update(orders).set({ state: 'paid' }).where(eq(orders.customerId, customerId))
    await tx
      .update(customers)
      .set({ credit: sql`${customers.credit} - 800` })
      .where(eq(customers.customerId, customerId))
  })
  const after = await open()
  report.value({ before, after })
  const lines = [{ sku: 'pen' }, { sku: 'ink' }]
  assert.deepEqual(before, [{ state: 'open', customer: { name: 'Ada', credit: 1_000 }, lines }])
  assert.deepEqual(after, [{ state: 'paid', customer: { name: 'Ada', credit: 200 }, lines }])
}

async function restock(db: Shop, report: Report): Promise<void> {
  report.section('PostgreSQL dialect: an upsert')
  const rows = [
    { sku: 'ink', quantity: 12 },
    { sku: 'pen', quantity: 5 },
  ]
  await db.insert(stock).values({ sku: 'ink', quantity: 3 })
  await db
    .insert(stock)
    .values(rows)
    .onConflictDoUpdate({ target: stock.sku, set: { quantity: sql`excluded.quantity` } })
  const now = await db.select().from(stock).orderBy(stock.sku)
  report.value(now)
  assert.deepEqual(now, rows)
}

async function readShards(
  db: Shop,
  report: Report,
  customerId: string,
  options: FanOutOptions,
): Promise<void> {
  report.section('PostgreSQL dialect: the newest visits of all 16 shards, by pages')
  const newest = db
    .select({ at: visits.at, page: visits.page })
    .from(visits)
    .orderBy(desc(visits.at))
    .limit(3)
  const query = fanOut(newest, options)
  const page = await query.page()
  const second = await query.after(page.next).page()
  const rows = [...page.rows, ...second.rows]
  for (const { at, page: path } of rows) report.text(`${at.toISOString()} ${path}`)
  assert.deepEqual(
    rows.map(({ at }) => (at.getTime() - noon.getTime()) / 1000),
    [199, 198, 197, 196, 195, 194],
  )
  const hers = fanOut(db.select().from(visits).where(eq(visits.customerId, customerId)), options)
  report.text(String(hers.explain()))
  assert.equal(hers.explain().shards?.read.length, 1)
  assert.equal(await hers.count(), 100)
}
