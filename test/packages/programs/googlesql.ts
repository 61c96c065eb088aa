import assert from 'node:assert/strict'
import { compileDdl, IsothermError, lint } from '@isotherm/core'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { googlesql } from '@isotherm/spanner'
import {
  alias,
  bitReversedId,
  check,
  descTimestamp,
  drizzle,
  fanOut,
  index,
  int64,
  interleaveIn,
  numeric,
  parentKey,
  shardKey,
  spannerTable,
  spannerView,
  string,
  timestamp,
  toSchema,
  union,
  uuidV4,
} from '@isotherm/drizzle-adapter'
import {
  and,
  asc,
  between,
  count,
  desc,
  DefaultLogger,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  is,
  isNull,
  like,
  max,
  ne,
  not,
  or,
  relations,
  sql,
  sum,
  TransactionRollbackError,
} from 'drizzle-orm'
import { Cache, type MutationOption } from 'drizzle-orm/cache/core'

// The calls of an application with Drizzle, imported from `drizzle-orm` itself. It runs as an ES module and as CommonJS: in
// CommonJS, its copies of Drizzle's classes differ from those of the adapter.

const customers = spannerTable(
  'Customer',
  {
    id: uuidV4(),
    name: string({ length: 80 }).notNull(),
    note: string().default(sql`('none')`),
    upper: string().generatedAlwaysAs(sql`UPPER(name)`),
    since: timestamp({ mode: 'string' }).$default(() => '2026-11-21T12:00:00Z'),
  },
  (t) => [index('ByName').on(desc(t.name)).storing(t.note), check('named', sql`${t.name} != ''`)],
)
const orders = spannerTable(
  'Order',
  { id: parentKey(customers.id), orderId: bitReversedId(), state: string({ length: 10 }).notNull() },
  () => [interleaveIn(customers, { onDelete: 'cascade' })],
)
const lines = spannerTable(
  'Line',
  {
    id: parentKey(orders.id),
    orderId: parentKey(orders.orderId),
    line: int64({ mode: 'number' }).primaryKey(),
    sku: string(),
    price: numeric(),
  },
  () => [interleaveIn(orders, { onDelete: 'cascade' })],
)
const events = spannerTable('Event', {
  shard: shardKey({ shards: 8, of: ['userId'] }),
  at: descTimestamp({ default: 'now' }),
  userId: int64({ mode: 'number' }).primaryKey(),
  what: string(),
})
const others = spannerView('Others').as((qb) =>
  qb.select({ id: customers.id, name: customers.name }).from(customers).where(ne(customers.name, 'Ada')),
)
const customersRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
const ordersRelations = relations(orders, ({ one, many }) => ({
  customer: one(customers, { fields: [orders.id], references: [customers.id] }),
  lines: many(lines),
}))
const linesRelations = relations(lines, ({ one }) => ({
  order: one(orders, { fields: [lines.id, lines.orderId], references: [orders.id, orders.orderId] }),
}))
const schema = {
  customers,
  orders,
  lines,
  events,
  others,
  customersRelations,
  ordersRelations,
  linesRelations,
}

class Memory extends Cache {
  readonly kept = new Map<string, unknown[]>()

  override strategy(): 'explicit' {
    return 'explicit'
  }

  override async get(key: string): Promise<unknown[] | undefined> {
    return this.kept.get(key)
  }

  override async put(key: string, response: unknown): Promise<void> {
    this.kept.set(key, response as unknown[])
  }

  override async onMutate(_: MutationOption): Promise<void> {
    this.kept.clear()
  }
}

async function main(): Promise<void> {
  const made = toSchema(schema)
  assert.deepEqual(
    lint(made, { dialect: googlesql }).filter(({ severity }) => severity === 'error'),
    [],
  )
  await using engine = await startSpannerEmulator()
  const logged: string[] = []
  const cache = new Memory()
  const client = await engine.database({ ddl: compileDdl(made, { dialect: googlesql }) })
  const logger = new DefaultLogger({ writer: { write: (line) => void logged.push(line) } })
  const db = drizzle(client, { schema, cache, logger })

  const [ada] = await db.insert(customers).values({ name: 'Ada' }).returning()
  assert(ada)
  assert.equal(ada.upper, 'ADA')
  // @ts-expect-error A name is a string.
  assert.throws(() => db.insert(customers).values({ name: 1 }).toSQL(), IsothermError)
  await db.insert(customers).values([{ name: 'Bob', note: null }, { name: sql`concat('Cy', 'd')` }])
  const [order] = await db.insert(orders).values({ id: ada.id, state: 'new' }).returning()
  assert(order)
  const { id, orderId } = order
  await db.insert(lines).values([
    { id, orderId, line: 1, sku: 'pen', price: '1.50' },
    { id, orderId, line: 2, sku: 'ink', price: '2' },
  ])
  assert(logged[0]?.includes('insert into `Customer`'))

  const found = await db.query.customers.findMany({
    columns: { name: true },
    where: eq(customers.id, ada.id),
    extras: { loud: sql<string>`upper(${customers.name})`.as('loud') },
    with: {
      orders: {
        columns: { state: true },
        with: { lines: { columns: { sku: true }, orderBy: desc(lines.line), limit: 1 } },
      },
    },
  })
  assert.deepEqual(found, [{ name: 'Ada', loud: 'ADA', orders: [{ state: 'new', lines: [{ sku: 'ink' }] }] }])
  const line = await db.query.lines.findFirst({
    where: (each, { eq: equal }) => equal(each.line, 1),
    with: { order: { with: { customer: true } } },
  })
  assert.equal(line?.order.customer.name, 'Ada')

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
      .select({ id: lines.id, total: sum(lines.price).as('total') })
      .from(lines)
      .groupBy(lines.id),
  )
  const rich = await db
    .with(totals)
    .select({ ...getTableColumns(customers), total: totals.total })
    .from(totals)
    .innerJoin(customers, eq(customers.id, totals.id))
  assert.deepEqual(rich, [{ ...ada, total: '3.5' }])
  const names = db.select({ name: others.name }).from(others)
  const withOrders = db
    .select({ name: customers.name })
    .from(customers)
    .where(exists(db.select().from(orders).where(eq(orders.id, customers.id))))
  assert.deepEqual(await union(names, withOrders).orderBy(sql`name`), [
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
    .prepare()
  // NULL has no type of its own: it gets the type of the column beside the placeholder.
  assert.deepEqual(await placed.execute({ from: 'A', to: 'C', note: null, limit: 5 }), [{ name: 'Bob' }])
  assert.deepEqual(await placed.execute({ from: 'A', to: 'C', note: 'none', limit: 1 }), [{ name: 'Ada' }])
  const event = db
    .insert(events)
    .values({ userId: sql.placeholder('user'), what: sql.placeholder('what') })
    .prepare()
  for (const user of [1, 2, 3, 4]) await event.execute({ user, what: user === 3 ? null : `at ${user}` })

  const left = await db.transaction(async (tx) => {
    await tx
      .update(customers)
      .set({ note: sql`concat(${customers.name}, '!')` })
      .where(eq(customers.id, ada.id))
    tx.mutate(events).insert([{ userId: 9, what: 'buffered' }])
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
  await db.insert(customers).values({ id: ada.id, name: 'Ada', note: 'back', since: ada.since }).orUpdate()
  const [batched, gone] = await db.batch([
    db.select({ note: customers.note }).from(customers).where(eq(customers.id, ada.id)),
    db.delete(lines).where(eq(lines.line, 2)).returning({ sku: lines.sku }),
  ])
  assert.deepEqual([batched, gone], [[{ note: 'back' }], [{ sku: 'ink' }]])

  const cached = db.select({ n: count() }).from(events).$withCache()
  assert.deepEqual(await cached, [{ n: 5 }])
  assert.equal(cache.kept.size, 1)
  assert.deepEqual(await cached, [{ n: 5 }])
  await db.delete(events).where(eq(events.userId, 9))
  assert.equal(cache.kept.size, 0)

  const newest = fanOut(
    db
      .select({ user: events.userId })
      .from(events)
      .where(gt(events.userId, 1))
      .orderBy(desc(events.at))
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
