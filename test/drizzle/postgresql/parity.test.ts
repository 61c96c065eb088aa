import { SpannerPgDialect } from '@isotherm/drizzle-adapter/postgresql'
import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  notInArray,
  or,
  sql,
  type SQL,
} from 'drizzle-orm'
import {
  alias,
  bigint,
  except,
  exceptAll,
  intersect,
  intersectAll,
  pgTable,
  QueryBuilder,
  text,
  union,
  unionAll,
  type PgSelect,
} from 'drizzle-orm/pg-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ada, bob, customers, cyd, invoices, orders, runs, shop, someOrders } from './support/shop.js'

// Features of Drizzle's builders, method by method: the list is docs/reference/drizzle-parity.md.

const { db } = await shop()

beforeAll(async () => {
  await db.insert(customers).values([ada, bob, cyd])
  await db.insert(orders).values(someOrders)
  await db.insert(invoices).values({ id: 1n, customerId: 1n })
})

const ids = () => db.select({ id: customers.id }).from(customers)
const buyers = () => db.select({ id: orders.customerId }).from(orders)

describe('a select', () => {
  it('returns distinct rows by selectDistinct()', async () => {
    const query = db.selectDistinct({ id: orders.customerId }).from(orders).orderBy(orders.customerId)
    const rows = await runs(
      query,
      'select distinct "customer_id" from "orders" order by "orders"."customer_id"',
    )
    expect(rows).toStrictEqual([{ id: 1n }, { id: 2n }])
  })

  it('accepts callbacks in groupBy, having and orderBy, and ignores undefined conditions', async () => {
    const query = db
      .select({ id: orders.customerId, n: count().as('n') })
      .from(orders)
      .where(
        and(undefined, or(undefined), inArray(orders.customerId, [1n, 2n]), notInArray(orders.total, [])),
      )
      .groupBy((fields) => fields.id)
      .having(({ n }) => gt(n, 1))
      .orderBy(({ n }) => desc(n))
    const rows = await runs(
      query,
      'select "customer_id", count(*) as "n" from "orders" where ("orders"."customer_id" = any($1) and true) group by "orders"."customer_id" having count(*) > $2 order by "n" desc',
      [['1', '2'], 1],
    )
    expect(rows).toStrictEqual([{ id: 1n, n: 3 }])
    expect(await db.select().from(customers).where(inArray(customers.id, []))).toStrictEqual([])
  })

  it('accepts an offset without a limit, also of a union and of a relational query', async () => {
    const rows = await runs(
      ids().orderBy(customers.id).offset(1),
      'select "id" from "customers" order by "customers"."id" limit 9223372036854775807 offset $1',
      [1],
    )
    expect(rows).toStrictEqual([{ id: 2n }, { id: 3n }])
    expect(await union(ids(), buyers()).orderBy(customers.id).offset(2)).toStrictEqual([{ id: 3n }])
    const read = db.query.customers.findMany({ columns: { id: true }, orderBy: customers.id, offset: 2 })
    expect(await read).toStrictEqual([{ id: 3n }])
    const nth = ids().orderBy(asc(customers.id)).limit(sql.placeholder('n')).prepare('nth')
    expect(await nth.execute({ n: 1 })).toStrictEqual([{ id: 1n }])
  })

  it('qualifies column names with their tables inside SQL expressions', async () => {
    const lines = sql<number>`(select count(*) from ${orders} where ${orders.customerId} = ${customers.id})`
    const query = db
      .select({ id: customers.id, n: lines.mapWith(Number) })
      .from(customers)
      .orderBy(customers.id)
    const rows = await runs(
      query,
      'select "id", (select count(*) from "orders" where "orders"."customer_id" = "customers"."id") from "customers" order by "customers"."id"',
    )
    expect(rows).toStrictEqual([
      { id: 1n, n: 3 },
      { id: 2n, n: 1 },
      { id: 3n, n: 0 },
    ])
  })

  it('accepts further clauses after $dynamic(), as inserts and updates do', async () => {
    const paged = <T extends PgSelect>(query: T, where: SQL) => query.where(where).limit(1).offset(1)
    const query = paged(ids().orderBy(customers.id).$dynamic(), isNotNull(customers.id))
    expect(await query).toStrictEqual([{ id: 2n }])
    const added = db.insert(invoices).values({ id: 60n }).$dynamic().returning({ id: invoices.id })
    expect(await added).toStrictEqual([{ id: 60n }])
    const changed = db.update(invoices).set({ customerId: 9n }).$dynamic().where(eq(invoices.id, 60n))
    expect(await changed).toStrictEqual({ rowCount: 1 })
    await db.delete(invoices).where(eq(invoices.id, 60n))
  })

  it('has the promise methods then(), catch() and finally(), and execute()', async () => {
    expect(await ids().then((rows) => rows.length)).toBe(3)
    let ended = false
    await ids().finally(() => (ended = true))
    expect(ended).toBe(true)
    const broken = db.select({ x: sql`nonsense` }).from(customers)
    expect(await broken.catch((error: Error) => error.message)).toContain('Failed query')
    expect(await ids().execute()).toHaveLength(3)
    expect(await db.$count(customers).then((n) => n + 1)).toBe(4)
    expect(await db.$count(customers).finally(() => undefined)).toBe(3)
    expect(await db.$count(customers).catch(() => 0)).toBe(3)
  })

  it('is built by QueryBuilder without a database, and runs as a subquery in FROM', async () => {
    const builder = new QueryBuilder(new SpannerPgDialect())
    const few = builder.$with('few').as(builder.selectDistinct({ id: customers.id }).from(customers))
    const query = builder.with(few).select({ id: few.id }).from(few)
    expect(await db.with(few).selectDistinct({ id: few.id }).from(few)).toHaveLength(3)
    expect(builder.with(few).selectDistinct().from(few).toSQL().sql).toContain(
      'select distinct "id" from "few"',
    )
    expect(query.toSQL().sql).toBe(
      'with "few" as (select distinct "id" from "customers") select "id" from "few"',
    )
    expect(
      new QueryBuilder().select().from(customers).where(eq(customers.id, 1n)).toSQL().params,
    ).toHaveLength(1)
    expect(new QueryBuilder().selectDistinct().from(invoices).toSQL().sql).toContain('select distinct')
    expect(
      await db
        .select()
        .from(query.as('q'))
        .orderBy(asc(sql`id`)),
    ).toStrictEqual([{ id: 1n }, { id: 2n }, { id: 3n }])
  })
})

describe('a set operation', () => {
  it.each([
    ['union', union, (a: PgSelect, b: PgSelect) => a.union(b as never), [1n, 2n, 3n]],
    [
      'union all',
      unionAll,
      (a: PgSelect, b: PgSelect) => a.unionAll(b as never),
      [1n, 1n, 1n, 1n, 2n, 2n, 3n],
    ],
    ['intersect', intersect, (a: PgSelect, b: PgSelect) => a.intersect(b as never), [1n, 2n]],
    ['intersect all', intersectAll, (a: PgSelect, b: PgSelect) => a.intersectAll(b as never), [1n, 2n]],
    ['except', except, (a: PgSelect, b: PgSelect) => a.except(b as never), [3n]],
    ['except all', exceptAll, (a: PgSelect, b: PgSelect) => a.exceptAll(b as never), [3n]],
  ])(
    'combines rows with %s as a function, and compiles to the same operation as a method',
    async (words, operate, method, expected) => {
      const query = operate(ids(), buyers()).orderBy(customers.id)
      const rows = await runs(
        query,
        `(select "id" from "customers") ${words} (select "customer_id" from "orders") order by "id" `,
      )
      expect(rows.map(({ id }) => id)).toStrictEqual(expected)
      const same = method(ids().$dynamic() as never, buyers().$dynamic() as never)
      expect(same.toSQL().sql).toBe(
        `(select "id" from "customers") ${words} (select "customer_id" from "orders")`,
      )
    },
  )
})

describe('a subquery', () => {
  const tags = pgTable('customers', { id: bigint({ mode: 'bigint' }).primaryKey(), upper: text() })

  it('provides its fields to an EXISTS subquery, and is rejected when a column hides its field', async () => {
    const named = db
      .select({ id: customers.id, upper: sql<string>`upper(${customers.name})`.as('upper') })
      .from(customers)
      .as('named')
    const query = db
      .select({ id: named.id })
      .from(named)
      .where(exists(db.select().from(orders).where(eq(orders.customerId, named.id))))
      .orderBy(named.id)
    expect(await query).toStrictEqual([{ id: 1n }, { id: 2n }])
    const captured = db
      .select({ id: named.id })
      .from(named)
      .where(exists(db.select({ id: tags.id }).from(tags).where(eq(named.upper, 'ADA'))))
    expect(() => captured.toSQL()).toThrow('The field upper would be read as the column of customers')
  })

  it('gets another alias when its alias equals the name of the outer table', async () => {
    const archive = alias(orders, 'customers')
    const query = db
      .select({ id: customers.id })
      .from(customers)
      .where(
        exists(db.select({ id: archive.orderId }).from(archive).where(eq(archive.customerId, customers.id))),
      )
    expect(query.toSQL().sql).toContain(
      'from "orders" "customers_" where "customers_"."customer_id" = "customers"."id"',
    )
    expect(new Set((await query).map(({ id }) => id))).toEqual(
      new Set(someOrders.map(({ customerId }) => customerId)),
    )
  })
})

describe('a write', () => {
  it('inlines a WITH subquery into an INSERT and an UPDATE', async () => {
    const some = db.$with('some').as(db.select({ id: orders.customerId }).from(orders))
    const inserted = await runs(
      db
        .with(some)
        .insert(invoices)
        .values({ id: 7n, customerId: sql`(select max(${some.id}) from ${some})` })
        .returning(),
      'insert into "finance"."invoices" ("id", "customer_id") values ($1, (select max("some"."customer_id") from (select "customer_id" from "orders") "some")) returning "id", "customer_id"',
      ['7'],
    )
    expect(inserted).toStrictEqual([{ id: 7n, customerId: 2n }])
    const changed = await runs(
      db
        .with(some)
        .update(invoices)
        .set({ customerId: 3n })
        .where(and(eq(invoices.id, 7n), inArray(invoices.customerId, db.select({ id: some.id }).from(some))))
        .returning({ up: sql<bigint>`${invoices.customerId} + 1` }),
      'update "finance"."invoices" set "customer_id" = $1 where ("finance"."invoices"."id" = $2 and "finance"."invoices"."customer_id" in (select "customer_id" from (select "customer_id" from "orders") "some")) returning "finance"."invoices"."customer_id" + 1',
      ['3', '7'],
    )
    expect(changed).toStrictEqual([{ up: 4n }])
    const dynamic = db.delete(invoices).$dynamic()
    expect(await dynamic.where(eq(invoices.id, 7n)).returning({ id: invoices.id })).toStrictEqual([
      { id: 7n },
    ])
  })

  it('insert().select() qualifies column names in a query that a callback builds', async () => {
    const total = sql<number>`(select max(${orders.total}) from ${orders} where ${orders.customerId} = ${customers.id})`
    const query = db.insert(orders).select((qb) =>
      qb
        .select({
          customerId: customers.id,
          orderId: sql<bigint>`99`.as('order_id'),
          total: total.as('total'),
          placedAt: sql<Date>`null::timestamptz`.as('placed_at'),
        })
        .from(customers)
        .where(eq(customers.id, 1n)),
    )
    expect(query.toSQL().sql).toContain('"orders"."customer_id" = "customers"."id") as "total"')
    expect(await query.returning({ total: orders.total })).toStrictEqual([{ total: 7 }])
    await db.delete(orders).where(eq(orders.orderId, 99n))
  })

  it('sends rows as arrays when they exceed the parameter limit of a statement', async () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => ({
      id: BigInt(1_000 + at),
      customerId: at % 7 === 0 ? null : BigInt(at),
    }))
    const query = db.insert(invoices).values(rows)
    expect(query.toSQL().sql).toBe(
      'insert into "finance"."invoices" ("id", "customer_id") select ($1)["row"], ($2)["row"] from unnest($3) as "row"',
    )
    expect(await query).toStrictEqual({ rowCount: 1_000 })
    expect(
      await db.select().from(invoices).where(gt(invoices.id, 1_996n)).orderBy(invoices.id),
    ).toStrictEqual(rows.slice(-3))
    expect(await db.delete(invoices).where(gt(invoices.id, 999n))).toStrictEqual({ rowCount: 1_000 })
  })

  it('rejects an empty list of rows', () => {
    expect(() => db.insert(invoices).values([])).toThrow('There are no rows to insert.')
  })
})

describe('column names that are properties of Object.prototype', () => {
  const odd = pgTable('constructor', {
    toString: bigint('select', { mode: 'bigint' }).primaryKey(),
    constructor: text('it"s'),
    valueOf: text('; --'),
  })

  it('are written only from own properties of the row', async () => {
    const insert = db.insert(odd).values({ toString: 1n } as never)
    expect(insert.toSQL()).toStrictEqual({
      sql: 'insert into "constructor" ("select") values ($1)',
      params: ['1'],
    })
    expect(
      db
        .update(odd)
        .set({ valueOf: 'x' } as never)
        .toSQL(),
    ).toStrictEqual({
      sql: 'update "constructor" set "; --" = $1',
      params: ['x'],
    })
    expect(await db.execute(sql`select ${'x'} as "__proto__"`)).toStrictEqual([
      Object.fromEntries([['__proto__', 'x']]),
    ])
  })
})
