import assert from 'node:assert/strict'
import { compileDdl, lint } from '@isotherm/core'
import type { SpannerEmulator } from '@isotherm/spanner/local'
import { googlesql } from '@isotherm/spanner'
import { drizzle, fanOut, toSchema, type SpannerDatabase } from '@isotherm/drizzle-adapter'
import { and, asc, count, desc, eq, gte, sql, sum } from 'drizzle-orm'
import { first, noon, visitsOf } from '../data.js'
import type { Report } from '../report.js'
import * as tables from './tables.js'

const { customers, hotVisits, orderLines, orders, stock, visits, ...tableRelations } = tables
const schema = { customers, orders, orderLines, stock, visits, ...tableRelations }

type Shop = SpannerDatabase<typeof schema>

/** The shop on a GoogleSQL database. */
export async function googleSqlShop(engine: SpannerEmulator, report: Report): Promise<void> {
  refuseHotTable(report)
  report.section('Tables, from spannerTable')
  const ddl = compileDdl(toSchema(schema), { dialect: googlesql })
  report.text(ddl.join(';\n'))
  const db = drizzle(await engine.database({ dialect: googlesql, ddl }), { schema })

  const ada = await fill(db, report)
  await readTogether(db, report, ada)
  await joinAndAdd(db, report)
  await pay(db, report, ada)
  await restock(db, report)
  await readShards(db, report, ada)
}

function refuseHotTable(report: Report): void {
  report.section('Refused before it is made: a key that begins with the time')
  const findings = lint(toSchema([hotVisits]), { dialect: googlesql })
  const finding = first(findings)
  assert.equal(finding.rule, 'monotonic-first-key')
  report.text(`${finding.table}: ${finding.message}\n${finding.fix}`)
  assert.throws(() => compileDdl(toSchema([hotVisits]), { dialect: googlesql }))
}

/** Keys that the rows leave out are made: UUIDs here, ids by the database. */
async function fill(db: Shop, report: Report): Promise<string> {
  report.section('Inserted, with keys that were left out')
  const [ada, grace] = await db
    .insert(customers)
    .values([{ name: 'Ada', credit: 1_000 }, { name: 'Grace' }])
    .returning()
  assert(ada && grace)
  report.value(ada)
  const { customerId } = ada
  const made = await db
    .insert(orders)
    .values([{ customerId }, { customerId }, { customerId: grace.customerId }])
    .returning()
  assert(made.every(({ orderId }) => typeof orderId === 'bigint'))
  report.value(first(made))
  const line = { quantity: 2, price: 150, sku: 'pen' }
  await db.insert(orderLines).values(
    made.flatMap((order, at) => [
      { ...line, customerId: order.customerId, orderId: order.orderId, line: 1 },
      { ...line, customerId: order.customerId, orderId: order.orderId, line: 2, sku: 'ink', price: 100 * at },
    ]),
  )
  await db.insert(visits).values(visitsOf([customerId, grace.customerId], 200))
  return customerId
}

async function readTogether(db: Shop, report: Report, customerId: string): Promise<void> {
  report.section("Ada's orders with their lines, in one statement")
  const ada = await db.query.customers.findFirst({
    columns: { name: true },
    where: eq(customers.customerId, customerId),
    with: {
      orders: {
        columns: { state: true },
        with: { lines: { columns: { sku: true, quantity: true }, orderBy: asc(orderLines.line) } },
      },
    },
  })
  report.value(ada)
  assert.equal(ada?.orders.length, 2)
  assert.deepEqual(
    ada.orders[0]?.lines.map(({ sku }) => sku),
    ['pen', 'ink'],
  )
}

async function joinAndAdd(db: Shop, report: Report): Promise<void> {
  report.section('What each customer has ordered')
  const totals = await db
    .select({
      name: customers.name,
      lines: count(),
      cents: sum(sql`${orderLines.quantity} * ${orderLines.price}`).mapWith(Number),
    })
    .from(customers)
    .innerJoin(orderLines, eq(orderLines.customerId, customers.customerId))
    .groupBy(customers.name)
    .orderBy(customers.name)
  report.value(totals)
  assert.deepEqual(totals, [
    { name: 'Ada', lines: 4, cents: 800 },
    { name: 'Grace', lines: 2, cents: 700 },
  ])
}

/** Reads and writes as one: the whole is run again where the database aborts it. */
async function pay(db: Shop, report: Report, customerId: string): Promise<void> {
  report.section('A transaction: Ada pays all that is open')
  const left = await db.transaction(
    async (tx) => {
      const { cents } = first(
        await tx
          .select({ cents: sum(sql`${orderLines.quantity} * ${orderLines.price}`).mapWith(Number) })
          .from(orders)
          .innerJoin(orderLines, eq(orderLines.orderId, orders.orderId))
          .where(and(eq(orders.customerId, customerId), eq(orders.state, 'open'))),
      )
      await tx.update(orders).set({ state: 'paid' }).where(eq(orders.customerId, customerId))
      const { credit } = first(
        await tx
          .update(customers)
          .set({ credit: sql`${customers.credit} - ${cents}` })
          .where(eq(customers.customerId, customerId))
          .returning({ credit: customers.credit }),
      )
      if (credit < 0) tx.rollback()
      return credit
    },
    { tag: 'pay' },
  )
  report.text(`${left} cents are left`)
  assert.equal(left, 200)

  const paid = db
    .select({ orders: count() })
    .from(orders)
    .where(
      and(eq(orders.customerId, sql.placeholder('customer')), eq(orders.state, sql.placeholder('state'))),
    )
    .prepare()
  assert.deepEqual(await paid.execute({ customer: customerId, state: 'paid' }), [{ orders: 2 }])
  assert.deepEqual(await paid.execute({ customer: customerId, state: 'open' }), [{ orders: 0 }])
  report.text('a prepared statement finds 2 orders paid, and none open')
}

async function restock(db: Shop, report: Report): Promise<void> {
  report.section('An upsert: what comes in replaces what was there')
  await db.insert(stock).values([
    { sku: 'pen', quantity: 5 },
    { sku: 'ink', quantity: 3 },
  ])
  await db
    .insert(stock)
    .values([
      { sku: 'ink', quantity: 12 },
      { sku: 'map', quantity: 1 },
    ])
    .orUpdate()
  const now = await db.select().from(stock).orderBy(stock.sku)
  report.value(now)
  assert.deepEqual(now, [
    { sku: 'ink', quantity: 12 },
    { sku: 'map', quantity: 1 },
    { sku: 'pen', quantity: 5 },
  ])
}

/** A sharded table, read as if it had no shards. */
async function readShards(db: Shop, report: Report, customerId: string): Promise<void> {
  report.section('The newest visits of all 16 shards, by pages')
  const newest = db
    .select({ at: visits.at, page: visits.page })
    .from(visits)
    .orderBy(desc(visits.at))
    .limit(3)
  const query = fanOut(newest)
  const page = await query.page()
  const second = await query.after(page.next).page()
  for (const { at, page: path } of [...page.rows, ...second.rows]) report.text(`${at.toISOString()} ${path}`)
  assert.deepEqual(
    [...page.rows, ...second.rows].map(({ at }) => (at.getTime() - noon.getTime()) / 1000),
    [199, 198, 197, 196, 195, 194],
  )
  assert.deepEqual(page.rows, await newest)
  assert.equal(await query.count(), 200)

  report.section("Ada's visits: one shard is read")
  const hers = fanOut(
    db
      .select()
      .from(visits)
      .where(and(eq(visits.customerId, customerId), gte(visits.at, noon)))
      .orderBy(desc(visits.at)),
  )
  report.text(String(hers.explain()))
  assert.equal(hers.explain().shards?.read.length, 1)
  let streamed = 0
  for await (const visit of hers) {
    assert.equal(visit.customerId, customerId)
    streamed++
  }
  assert.equal(streamed, 100)
}
