import { eq, gt, inArray, sql } from 'drizzle-orm'
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { ada, bob, customers, cyd, orders, shop, someOrders } from './support/shop.js'

const { db } = await shop()

beforeEach(async () => {
  await db.batch([db.delete(orders), db.delete(customers), db.insert(customers).values([ada, bob, cyd])])
})

const dan = { id: 4n, name: 'Dan', country: null, friendId: null }

describe('an insert', () => {
  it('writes DEFAULT for missing columns, and returns rows by returning()', async () => {
    const query = db.insert(customers).values([
      { id: 4n, name: 'Dan' },
      { id: 5n, name: 'Eve', country: 'us' },
    ])
    expect(query.toSQL()).toStrictEqual({
      sql: 'insert into "customers" ("id", "name", "country") values ($1, $2, default), ($3, $4, $5)',
      params: ['4', 'Dan', '5', 'Eve', 'us'],
    })
    const written = await query
    expectTypeOf(written).toEqualTypeOf<{ readonly rowCount: number }>()
    expect(written).toStrictEqual({ rowCount: 2 })
    const back = db.insert(customers).values({ id: 6n, name: 'Fay', friendId: null }).returning()
    expect(back.toSQL()).toStrictEqual({
      sql: 'insert into "customers" ("id", "name", "friend_id") values ($1, $2, $3) returning "id", "name", "country", "friend_id"',
      params: ['6', 'Fay', null],
    })
    const rows = await back
    expectTypeOf(rows).toEqualTypeOf<(typeof customers.$inferSelect)[]>()
    expect(rows).toStrictEqual([{ id: 6n, name: 'Fay', country: null, friendId: null }])
    const [some] = await db
      .insert(customers)
      .values({ id: sql`40 + 2`, name: 'Gus' } as never)
      .returning({ id: customers.id, loud: sql<string>`upper(${customers.name})` })
    expect(some).toStrictEqual({ id: 42n, loud: 'GUS' })
  })

  it('inserts the rows of a query', async () => {
    const query = db.insert(orders).select(
      db
        .select({
          customerId: customers.id,
          orderId: sql<bigint>`1`.as('order_id'),
          total: sql<number>`length(${customers.name})`.as('total'),
          placedAt: sql<Date>`null::timestamptz`.as('placed_at'),
        })
        .from(customers),
    )
    expect(query.toSQL().sql).toBe(
      'insert into "orders" ("customer_id", "order_id", "total", "placed_at") select "id", 1 as "order_id", length("customers"."name") as "total", null::timestamptz as "placed_at" from "customers"',
    )
    expect(await query).toStrictEqual({ rowCount: 3 })
    const some = db.$with('some').as(db.select().from(customers).where(gt(customers.id, 2n)))
    const named = db
      .with(some)
      .delete(orders)
      .where(inArray(orders.customerId, db.select({ id: some.id }).from(some)))
    expect(named.toSQL().sql).toContain('in (select "id" from (select')
    expect(await named).toStrictEqual({ rowCount: 1 })
  })

  it('keeps existing rows with onConflictDoNothing(), and replaces them with onConflictDoUpdate()', async () => {
    const nothing = db
      .insert(customers)
      .values([{ id: 1n, name: 'X' }, dan])
      .onConflictDoNothing()
    expect(nothing.toSQL().sql).toMatch(/ on conflict \("id"\) do nothing$/)
    expect(await nothing.returning({ id: customers.id })).toStrictEqual([{ id: 4n }])
    const update = db
      .insert(customers)
      .values([
        { ...ada, name: 'Ann' },
        { ...dan, id: 9n },
      ])
      .onConflictDoUpdate({
        target: customers.id,
        set: {
          name: sql`excluded.name`,
          country: sql`excluded.${sql.identifier(customers.country.name)}`,
          friendId: sql.raw('"excluded"."friend_id"'),
        },
      })
      .returning()
    expect(update.toSQL()).toStrictEqual({
      sql: 'insert into "customers" ("id", "name", "country", "friend_id") values ($1, $2, $3, $4), ($5, $6, $7, $8) on conflict ("id") do update set "id" = excluded."id", "name" = excluded."name", "country" = excluded."country", "friend_id" = excluded."friend_id" returning "id", "name", "country", "friend_id"',
      params: ['1', 'Ann', 'gb', '2', '9', 'Dan', null, null],
    })
    expect((await update).sort((a, b) => Number(a.id - b.id))).toStrictEqual([
      { ...ada, name: 'Ann' },
      { ...dan, id: 9n },
    ])
    // The update sets the same values as the insert.
    const twice = { ...ada, name: 'Amy', country: null }
    await db
      .insert(customers)
      .values(twice)
      .onConflictDoUpdate({ target: [customers.id], set: { name: 'Amy', country: null, friendId: 2n } })
    expect(await db.select().from(customers).where(eq(customers.id, 1n))).toStrictEqual([twice])
  })

  it.each([
    [
      'on a column that is not the primary key',
      () => db.insert(customers).values(dan).onConflictDoNothing({ target: customers.name }),
      'primary key only',
    ],
    [
      'with a condition',
      () =>
        db
          .insert(customers)
          .values(dan)
          .onConflictDoUpdate({
            target: customers.id,
            set: { name: sql`excluded.name` },
            setWhere: sql`true`,
          }),
      'no condition',
    ],
    [
      'that leaves out an inserted column',
      () =>
        db
          .insert(customers)
          .values({ ...dan, country: 'x' })
          .onConflictDoUpdate({ target: customers.id, set: { name: sql`excluded.name` } }),
      'leave country',
    ],
    [
      'that sets a value other than the inserted value',
      () =>
        db
          .insert(customers)
          .values({ id: 1n, name: 'A' })
          .onConflictDoUpdate({ target: customers.id, set: { name: 'B' } }),
      'another value',
    ],
    [
      'that sets a computed value',
      () =>
        db
          .insert(customers)
          .values({ id: 1n, name: 'A' })
          .onConflictDoUpdate({ target: customers.id, set: { name: sql`${customers.name} || 'x'` } }),
      'another value',
    ],
    [
      'that sets a column that is not inserted',
      () =>
        db
          .insert(customers)
          .values({ id: 1n, name: 'A' })
          .onConflictDoUpdate({ target: customers.id, set: { name: 'A', country: sql`excluded.country` } }),
      'no value for',
    ],
  ])('throws UNSUPPORTED_WRITE for a conflict clause %s', async (_, build, message) => {
    await expect((async () => build())()).rejects.toMatchObject({
      code: 'UNSUPPORTED_WRITE',
      message: expect.stringContaining(message),
      fix: expect.stringMatching(/.{20}/),
    })
  })

  it('calls $defaultFn and $onUpdate again for each execution of a prepared statement', async () => {
    let made = 100n
    const counted = pgTable('customers', {
      id: bigint({ mode: 'bigint' })
        .primaryKey()
        .$defaultFn(() => made++),
      name: text().notNull(),
      country: text().$onUpdate(() => `v${made}`),
    })
    const insert = db
      .insert(counted)
      .values({ name: sql.placeholder('name') })
      .returning({ id: counted.id })
      .prepare('x')
    const [first] = await insert.execute({ name: 'a' })
    const [second] = await insert.execute({ name: 'b' })
    expect(second!.id).toBeGreaterThan(first!.id)
    const update = db
      .update(counted)
      .set({ name: 'c' })
      .where(eq(counted.id, first!.id))
      .returning({ v: counted.country })
      .prepare('y')
    made = 500n
    await update.execute()
    made = 600n
    expect(await update.execute()).toStrictEqual([{ v: 'v600' }])
  })
})

describe('an update, a delete or an unsupported statement', () => {
  it('changes the rows of its condition, or all rows without a condition', async () => {
    const query = db
      .update(customers)
      .set({ country: 'fr', friendId: null })
      .where(eq(customers.id, 1n))
      .returning()
    expect(query.toSQL()).toStrictEqual({
      sql: 'update "customers" set "country" = $1, "friend_id" = $2 where "customers"."id" = $3 returning "id", "name", "country", "friend_id"',
      params: ['fr', null, '1'],
    })
    expect(await query).toStrictEqual([{ ...ada, country: 'fr', friendId: null }])
    expect(await db.update(customers).set({ name: sql`${customers.name} || '!'` })).toStrictEqual({
      rowCount: 3,
    })
    expect(
      await db.delete(customers).where(gt(customers.id, 2n)).returning({ name: customers.name }),
    ).toStrictEqual([{ name: 'Cyd!' }])
    expect(await db.delete(customers)).toStrictEqual({ rowCount: 2 })
  })

  it('db.partitioned() runs an update and returns the row count', async () => {
    expect(
      await db.partitioned(db.update(customers).set({ country: 'zz' }).where(gt(customers.id, 1n))),
    ).toStrictEqual({
      rowCount: 2,
    })
  })

  it('rejects update().from(), refreshMaterializedView() and overridingSystemValue()', async () => {
    const query = db
      .update(customers)
      .set({ name: 'x' })
      .from(orders)
      .where(eq(orders.customerId, customers.id))
    await expect((async () => query)()).rejects.toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
    expect(() => db.refreshMaterializedView({} as never).toSQL()).toThrow('no materialized views')
    expect(() => db.insert(customers).overridingSystemValue().values(dan).toSQL()).toThrow('OVERRIDING')
  })
})

describe('a database', () => {
  it('commits and rolls back transactions, and rejects nested transactions', async () => {
    await db.transaction(async (tx) => {
      await tx.insert(orders).values(someOrders)
      await tx.update(orders).set({ total: 0 }).where(eq(orders.customerId, 2n))
    })
    expect(await db.$count(orders, eq(orders.total, 0))).toBe(1)
    await expect(
      db.transaction(async (tx) => {
        await tx.delete(orders)
        tx.rollback()
      }),
    ).rejects.toThrow('Rollback')
    expect(await db.$count(orders)).toBe(4)
    await expect(db.transaction((tx) => tx.transaction(async () => {}))).rejects.toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
    })
    await expect(db.transaction(async (tx) => tx.setTransaction({}))).rejects.toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
    })
    const moment = await db.transaction(
      async (tx) => {
        await db.delete(orders)
        return [await tx.$count(orders), await tx.batch([tx.select({ id: orders.orderId }).from(orders)])]
      },
      { accessMode: 'read only', at: 'strong' },
    )
    expect(moment[0]).toBe(4)
    const write = db.transaction(async (tx) => tx.delete(customers), { accessMode: 'read only' })
    await expect(write).rejects.toMatchObject({ cause: { code: 'UNSUPPORTED_WRITE' } })
  })

  it('reads at an earlier timestamp with the option at', async () => {
    const [now] = await db.execute<{ now: Date }>(sql`select current_timestamp as now`)
    await db.delete(customers)
    const then = db.$withOptions({ at: { readTimestamp: now!.now } })
    expect(await then.$count(customers)).toBe(3)
  })

  it('runs plain SQL and batches of statements with typed results', async () => {
    const rows = await db.execute<{ id: bigint; n: bigint }>(
      sql`select ${customers.id}, count(*) as n from ${customers} where ${customers.name} = ${'Ada'} group by ${customers.id}`,
    )
    expect([...rows]).toStrictEqual([{ id: 1n, n: 1n }])
    const written = await db.execute('delete from orders')
    expect(written.rowCount).toBe(0)
    const results = await db.batch([
      db.insert(customers).values(dan),
      db.select({ id: customers.id }).from(customers).where(gt(customers.id, 3n)),
      db.execute(sql`select 1 as one`),
      db.query.customers.findFirst({ columns: { name: true }, where: eq(customers.id, 4n) }),
    ])
    expectTypeOf(results[1]).toEqualTypeOf<{ id: bigint }[]>()
    expect(results.map((each) => (Array.isArray(each) ? [...each] : each))).toStrictEqual([
      { rowCount: 1 },
      [{ id: 4n }],
      [{ one: 1n }],
      { name: 'Dan' },
    ])
  })
})
