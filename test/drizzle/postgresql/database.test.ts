import { drizzle } from '@isotherm/drizzle-adapter/postgresql'
import { spannerPostgresql } from '@isotherm/spanner'
import { eq, sql } from 'drizzle-orm'
import { Cache, type MutationOption } from 'drizzle-orm/cache/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { writeBetweenReads } from '../support/write-between-reads.js'
import { ada, bob, customers, cyd, invoices, orders, schema, shop, someOrders } from './support/shop.js'

const { db, client, logger, statements } = await shop()

beforeEach(async () => {
  for (const table of [customers, orders, invoices]) await db.delete(table)
  await db.insert(customers).values([ada, bob, cyd])
  await db.insert(orders).values(someOrders)
  statements.length = 0
})

/** The same database, to which a write is committed after the first statement. */
const readerWith = (write: () => PromiseLike<unknown>) =>
  drizzle(writeBetweenReads(client, spannerPostgresql, write), { schema, logger })

const withOrders = (database: Pick<typeof db, 'query'> = db) =>
  database.query.customers.findMany({
    columns: { name: true },
    with: {
      orders: { columns: { total: true }, orderBy: (order, { asc }) => asc(order.orderId) },
      friend: true,
    },
    orderBy: (customer, { asc }) => asc(customer.id),
    limit: 2,
  })
const expected = [
  { name: 'Ada', orders: [{ total: 5 }, { total: 7 }, { total: 1 }], friend: bob },
  { name: 'Bob', orders: [{ total: 9 }], friend: null },
]

describe('tx.mutate()', () => {
  it('applies mutations at the commit, and hides them from reads in the transaction', async () => {
    await db.transaction(async (tx) => {
      const changed = tx.mutate(customers)
      changed.insert([{ id: 7n, name: 'Gus' }])
      changed.update({ id: 1n, country: 'fr' })
      changed.upsert([
        { id: 2n, name: 'Bo', country: null },
        { id: 8n, name: 'Hal' },
      ])
      changed.delete([{ id: 3n }])
      tx.mutate(orders).delete({ customerId: 1n, orderId: 10n })
      tx.mutate(invoices).insert({ id: 1n, customerId: 7n })
      expect(await tx.$count(customers)).toBe(3)
    })
    expect(await db.select().from(customers).orderBy(customers.id)).toStrictEqual([
      { ...ada, country: 'fr' },
      { ...bob, name: 'Bo' },
      { id: 7n, name: 'Gus', country: null, friendId: null },
      { id: 8n, name: 'Hal', country: null, friendId: null },
    ])
    expect(await db.$count(orders)).toBe(3)
    expect(await db.select().from(invoices)).toStrictEqual([{ id: 1n, customerId: 7n }])
  })

  it('rejects a partial key and an SQL expression as a value', async () => {
    const half = db.transaction(async (tx) => tx.mutate(orders).delete({ customerId: 1n }))
    await expect(half).rejects.toThrow('A key of orders has no orderId.')
    const computed = db.transaction(async (tx) => {
      tx.mutate(customers).update({ id: 1n, name: sql`'x'` as never })
    })
    await expect(computed).rejects.toThrow('customers.name would be an expression.')
    expect(await db.$count(customers)).toBe(3)
  })
})

describe('a batch', () => {
  it('reads a relational query with nested rows and a count at one timestamp, while another client deletes rows', async () => {
    const read = readerWith(() => db.delete(orders))
    const [rows, count] = await read.batch([withOrders(read), read.$count(orders)])
    expect(rows).toStrictEqual(expected)
    expect(count).toBe(4)
    // The statement for the table of each relation, that of the customers, the count, and the deletion.
    expect(statements).toHaveLength(5)
    expect(await db.$count(orders)).toBe(0)
  })

  it('accepts prepared selects, relational queries and updates', async () => {
    const [names, first, count] = await db.batch([
      db.select({ name: customers.name }).from(customers).where(eq(customers.id, 1n)).prepare('names'),
      db.query.customers.findFirst({ columns: { id: true }, where: eq(customers.id, 2n) }).prepare('first'),
      db.update(customers).set({ country: 'x' }).where(eq(customers.id, 99n)).prepare('none'),
    ])
    expect([names, first, count]).toStrictEqual([[{ name: 'Ada' }], { id: 2n }, { rowCount: 0 }])
  })

  it('reads rows that one of its earlier statements has written', async () => {
    const [written, first] = await db.batch([
      db.update(customers).set({ name: 'Eve' }).where(eq(customers.id, 1n)),
      db.query.customers.findFirst({
        where: eq(customers.id, 1n),
        columns: { name: true },
        with: { orders: { columns: { total: true } } },
      }),
    ])
    expect(written).toStrictEqual({ rowCount: 1 })
    expect(first).toMatchObject({ name: 'Eve', orders: [{ total: 5 }, { total: 7 }, { total: 1 }] })
  })
})

describe('a cache of relational queries', () => {
  const kept = new Map<string, { tables: string[]; response: string }>()
  class Kept extends Cache {
    override strategy() {
      return 'explicit' as const
    }
    override async get(key: string) {
      const found = kept.get(key)
      return found && (JSON.parse(found.response) as unknown[])
    }
    override async put(key: string, response: unknown, tables: string[]) {
      kept.set(key, { tables, response: JSON.stringify(response) })
    }
    override async onMutate({ tables }: MutationOption) {
      const changed = new Set([tables].flat())
      for (const [key, value] of kept) if (value.tables.some((table) => changed.has(table))) kept.delete(key)
    }
  }
  const cached = drizzle(client, { schema, cache: new Kept() })

  it('returns cached rows until a write to one of the tables or a call of invalidate()', async () => {
    expect(await withOrders(cached).$withCache()).toStrictEqual(expected)
    await db.delete(orders)
    expect(await withOrders(cached).$withCache()).toStrictEqual(expected)
    expect((await withOrders(cached).$withCache(false))[0]).toMatchObject({ orders: [] })
    // The statement of the outermost table is the same, but the nested statements differ.
    const others = cached.query.customers.findMany({
      columns: { name: true },
      with: { orders: { columns: { orderId: true } }, friend: true },
      orderBy: (customer, { asc }) => asc(customer.id),
      limit: 2,
    })
    expect((await others.$withCache())[0]).toMatchObject({ orders: [] })
    await cached.insert(orders).values(someOrders[0]!)
    expect((await withOrders(cached).$withCache())[0]).toMatchObject({ orders: [{ total: 5 }] })
    await db.delete(orders)
    await cached.$cache.invalidate({ tables: 'orders' })
    expect((await withOrders(cached).$withCache())[0]).toMatchObject({ orders: [] })
  })
})

describe('a database', () => {
  it('returns the SQL and parameters of a query by getQuery() before the query runs', async () => {
    const query = db.execute<{ n: bigint }>(
      sql`select count(*) as n from ${customers} where ${eq(customers.id, 1n)}`,
    )
    expect(query.getQuery()).toMatchObject({
      sql: 'select count(*) as n from "customers" where "customers"."id" = $1',
      params: ['1'],
    })
    expect(await query).toStrictEqual([{ n: 1n }])
    const prepared = db.select().from(customers).where(eq(customers.id, 1n)).prepare('one')
    expect(prepared.getQuery()).toMatchObject({ params: ['1'] })
    expect(await prepared.execute()).toStrictEqual([ada])
    const gone = db
      .delete(orders)
      .where(eq(orders.orderId, sql.placeholder('id')))
      .prepare('gone')
    expect(await gone.execute({ id: 10n })).toStrictEqual({ rowCount: 2 })
  })

  it('reads its own rows when a process has two databases', async () => {
    const other = await shop()
    await other.db.insert(customers).values({ id: 1n, name: 'Other' })
    expect(
      await other.db.query.customers.findFirst({ columns: { name: true }, orderBy: customers.id }),
    ).toStrictEqual({
      name: 'Other',
    })
    expect(
      await db.query.customers.findFirst({ columns: { name: true }, orderBy: customers.id }),
    ).toStrictEqual({ name: 'Ada' })
    await expect(other.db.batch([other.db.$count(customers)])).resolves.toStrictEqual([1])
  })

  it('runs a prepared statement at an earlier timestamp', async () => {
    const before = new Date()
    await db.update(customers).set({ name: 'Eve' }).where(eq(customers.id, 1n))
    const byId = (database: Pick<typeof db, 'select'>) =>
      database
        .select({ name: customers.name })
        .from(customers)
        .where(eq(customers.id, sql.placeholder('id')))
        .prepare('x')
    expect(await byId(db).execute({ id: 1n })).toStrictEqual([{ name: 'Eve' }])
    const old = byId(db.$withOptions({ at: { readTimestamp: before } }))
    expect(await old.execute({ id: 1n })).toStrictEqual([{ name: 'Ada' }])
    expect(await old.execute({ id: 2n })).toStrictEqual([{ name: 'Bob' }])
  })

  it('rejects setTransaction() in a transaction', async () => {
    await db.transaction(async (tx) => {
      expect(() => tx.setTransaction({})).toThrow('Spanner has no SET TRANSACTION.')
    })
  })
})
