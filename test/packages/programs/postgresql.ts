import assert from 'node:assert/strict'
import { compileDdl, IsothermError } from '@isotherm/core'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { spannerPostgresql } from '@isotherm/spanner'
import {
  bitReversedId,
  bytea,
  descTimestamp,
  drizzle,
  fanOut,
  index as storingIndex,
  interleaveIn,
  parentKey,
  shardKey,
  toSchema,
  uuidV4,
} from '@isotherm/drizzle-adapter/postgresql'
import {
  and,
  asc,
  between,
  count,
  DefaultLogger,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  is,
  isNull,
  like,
  max,
  not,
  or,
  relations,
  sql,
  sum,
  TransactionRollbackError,
} from 'drizzle-orm'
import {
  alias,
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  union,
  varchar,
} from 'drizzle-orm/pg-core'

// The calls of an application with Drizzle's PostgreSQL, imported from `drizzle-orm` itself. See `googlesql.ts`.

const shout = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => value.toUpperCase(),
})

const customers = pgTable(
  'customers',
  {
    id: uuidV4(),
    name: varchar({ length: 80 }).notNull(),
    note: text().default('none'),
    loud: shout(),
    active: boolean().notNull().default(true),
    since: timestamp({ withTimezone: true, mode: 'string' }).$default(() => '2026-11-21T12:00:00Z'),
  },
  (t) => [
    index('by_name').on(t.name.desc(), t.active),
    storingIndex('by_since')
      .on(desc(t.since))
      .storing(t.note)
      .shard({ shards: 4, of: [t.id] }),
    check('named', sql`${t.name} <> ''`),
  ],
)
const orders = pgTable(
  'orders',
  { id: parentKey(customers.id), orderId: bitReversedId('order_id'), state: text().notNull(), data: jsonb() },
  () => [interleaveIn(customers, { onDelete: 'cascade' })],
)
const lines = pgTable(
  'lines',
  {
    id: parentKey(orders.id),
    orderId: parentKey(orders.orderId),
    line: integer().primaryKey(),
    sku: text(),
    cents: bigint({ mode: 'number' }),
    photo: bytea(),
  },
  () => [interleaveIn(orders, { onDelete: 'cascade' })],
)
const events = pgTable('events', {
  shard: shardKey({ shards: 8, of: ['userId'] }),
  at: descTimestamp({ default: 'now' }),
  userId: bigint('user_id', { mode: 'number' }).primaryKey(),
  what: text(),
})
const customersRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
const ordersRelations = relations(orders, ({ one, many }) => ({
  customer: one(customers, { fields: [orders.id], references: [customers.id] }),
  lines: many(lines),
}))
const linesRelations = relations(lines, ({ one }) => ({
  order: one(orders, { fields: [lines.id, lines.orderId], references: [orders.id, orders.orderId] }),
}))
const schema = { customers, orders, lines, events, customersRelations, ordersRelations, linesRelations }

async function main(): Promise<void> {
  const dialect = spannerPostgresql
  await using engine = await startSpannerEmulator()
  const logged: string[] = []
  const client = await engine.database({ dialect, ddl: compileDdl(toSchema(schema), { dialect }) })
  const logger = new DefaultLogger({ writer: { write: (line) => void logged.push(line) } })
  const db = drizzle(client, { schema, logger })

  const [ada] = await db.insert(customers).values({ name: 'Ada', loud: 'hey' }).returning()
  assert(ada)
  assert.equal(ada.loud, 'HEY')
  // @ts-expect-error A name is a string.
  await assert.rejects(async () => db.insert(customers).values({ name: {} }))
  await db.insert(customers).values([{ name: 'Bob', note: null }, { name: sql`'Cy' || 'd'` }])
  const [order] = await db
    .insert(orders)
    .values({ id: ada.id, state: 'new', data: { gift: true } })
    .returning()
  assert(order)
  const { id, orderId } = order
  await db.insert(lines).values([
    { id, orderId, line: 1, sku: 'pen', cents: 150, photo: Buffer.from([1, 2]) },
    { id, orderId, line: 2, sku: 'ink', cents: 200 },
  ])
  assert(logged[0]?.includes('insert into "customers"'))

  const found = await db.query.customers.findMany({
    columns: { name: true },
    where: eq(customers.id, ada.id),
    extras: { small: sql<string>`lower(${customers.name})`.as('small') },
    with: {
      orders: {
        columns: { data: true },
        with: { lines: { columns: { sku: true }, orderBy: desc(lines.line), limit: 1 } },
      },
    },
  })
  assert.deepEqual(found, [
    { name: 'Ada', small: 'ada', orders: [{ data: { gift: true }, lines: [{ sku: 'ink' }] }] },
  ])
  const line = await db.query.lines.findFirst({
    where: (each, { eq: equal }) => equal(each.line, 1),
    with: { order: { with: { customer: true } } },
  })
  assert.equal(line?.order.customer.name, 'Ada')
  assert.deepEqual(line.photo, Buffer.from([1, 2]))

  const c = alias(customers, 'c')
  const counted = await db
    .select({ name: c.name, orders: count(orders.orderId), newest: max(orders.state) })
    .from(c)
    .leftJoin(orders, eq(orders.id, c.id))
    .where(or(like(c.name, 'A%'), and(isNull(c.note), not(eq(c.name, 'Z')))))
    .groupBy(c.name)
    .having(gt(count(), 0))
    .orderBy(asc(c.name))
  assert.deepEqual(counted, [
    { name: 'Ada', orders: 1, newest: 'new' },
    { name: 'Bob', orders: 0, newest: null },
  ])
  const totals = db.$with('totals').as(
    db
      .select({ id: lines.id, total: sum(lines.cents).mapWith(Number).as('total') })
      .from(lines)
      .groupBy(lines.id),
  )
  const rich = await db
    .with(totals)
    .select({ ...getTableColumns(customers), total: totals.total })
    .from(totals)
    .innerJoin(customers, eq(customers.id, totals.id))
  assert.deepEqual(rich, [{ ...ada, total: 350 }])
  const others = db.select({ name: customers.name }).from(customers).where(gt(customers.name, 'Ada'))
  const withOrders = db
    .select({ name: customers.name })
    .from(customers)
    .where(exists(db.select().from(orders).where(eq(orders.id, customers.id))))
  assert.deepEqual(await union(others, withOrders).orderBy(sql`name`), [
    { name: 'Ada' },
    { name: 'Bob' },
    { name: 'Cyd' },
  ])
  assert.equal(await db.$count(customers, inArray(customers.name, ['Ada', 'Bob', 'Dan'])), 2)

  const placed = db
    .select({ name: customers.name })
    .from(customers)
    .where(
      and(
        between(customers.name, sql.placeholder('from'), sql.placeholder('to')),
        or(eq(customers.note, sql.placeholder('note')), isNull(customers.note)),
      ),
    )
    .orderBy(customers.name)
    .limit(sql.placeholder('limit'))
    .prepare('placed')
  assert.deepEqual(await placed.execute({ from: 'A', to: 'C', note: null, limit: 5 }), [{ name: 'Bob' }])
  assert.deepEqual(await placed.execute({ from: 'A', to: 'C', note: 'none', limit: 1 }), [{ name: 'Ada' }])
  await db.insert(events).values([1, 2, 3, 4].map((userId) => ({ userId, what: userId === 3 ? null : 'x' })))

  const left = await db.transaction(async (tx) => {
    await tx
      .update(customers)
      .set({ note: sql`${customers.name} || '!'` })
      .where(eq(customers.id, ada.id))
    return tx.select({ note: customers.note }).from(customers).where(eq(customers.id, ada.id))
  })
  assert.deepEqual(left, [{ note: 'Ada!' }])
  const rolledBack = await db
    .transaction(async (tx) => {
      await tx.delete(customers)
      tx.rollback()
    })
    .catch((error: unknown) => error)
  assert(is(rolledBack, TransactionRollbackError))
  assert.equal(await db.$count(customers), 3)
  const refused = await db
    .insert(customers)
    .values({ id: ada.id, name: 'again' })
    .then(
      () => undefined,
      (error: Error) => error,
    )
  assert(refused?.cause instanceof IsothermError)
  assert.equal(refused.cause.code, 'ALREADY_EXISTS')
  const sku = sql`excluded.sku`
  await db
    .insert(lines)
    .values({ id, orderId, line: 2, sku: 'map' })
    .onConflictDoUpdate({ target: [lines.id, lines.orderId, lines.line], set: { sku } })
  const [batched, gone] = await db.batch([
    db.select({ note: customers.note }).from(customers).where(eq(customers.id, ada.id)),
    db.delete(lines).where(eq(lines.line, 2)).returning({ sku: lines.sku }),
  ])
  assert.deepEqual([batched, gone], [[{ note: 'Ada!' }], [{ sku: 'map' }]])

  const newest = fanOut(
    db
      .select({ user: events.userId })
      .from(events)
      .where(gt(events.userId, 1))
      .orderBy(desc(events.userId))
      .limit(2),
  )
  const page = await newest.page()
  assert.deepEqual(page.rows, [{ user: 4 }, { user: 3 }])
  assert.deepEqual((await newest.after(page.next).page()).rows, [{ user: 2 }])
  assert.equal(
    fanOut(
      db
        .select()
        .from(events)
        .where(inArray(events.userId, [2])),
    ).explain().shards?.read.length,
    1,
  )
}

main().then(
  () => console.log('all of it works'),
  (error: unknown) => {
    console.error(error)
    process.exitCode = 1
  },
)
