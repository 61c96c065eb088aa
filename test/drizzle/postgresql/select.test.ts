import { ilike } from '@isotherm/drizzle-adapter/postgresql'
import {
  and,
  asc,
  between,
  count,
  desc,
  eq,
  exists,
  gt,
  ilike as foreignIlike,
  inArray,
  isNull,
  like,
  max,
  notInArray,
  sql,
  sum,
  type SQL,
} from 'drizzle-orm'
import { alias, except, intersectAll, unionAll } from 'drizzle-orm/pg-core'
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { ada, bob, customers, cyd, invoices, orders, shop, someOrders } from './support/shop.js'

const { db } = await shop()

beforeAll(async () => {
  await db.insert(customers).values([ada, bob, cyd])
  await db.insert(orders).values(someOrders)
  await db.insert(invoices).values({ id: 7n, customerId: 1n })
})

describe('a select', () => {
  it('returns all columns of the table, converted by the column types', async () => {
    const query = db.select().from(customers).where(eq(customers.id, 1n))
    expect(query.toSQL()).toStrictEqual({
      sql: 'select "id", "name", "country", "friend_id" from "customers" where "customers"."id" = $1',
      params: ['1'],
    })
    const rows = await query
    expectTypeOf(rows).toEqualTypeOf<
      { id: bigint; name: string; country: string | null; friendId: bigint | null }[]
    >()
    expect(rows).toStrictEqual([ada])
  })

  it('applies conditions, an order, a limit and an offset', async () => {
    const query = db
      .select({ id: customers.id, upper: sql<string>`upper(${customers.name})`.as('upper') })
      .from(customers)
      .where(and(between(customers.id, 1n, 3n), like(customers.name, '%d%'), inArray(customers.id, [1n, 3n])))
      .orderBy(desc(customers.id))
      .limit(1)
      .offset(1)
    expect(query.toSQL()).toStrictEqual({
      sql: 'select "id", upper("customers"."name") as "upper" from "customers" where ("customers"."id" between $1 and $2 and "customers"."name" like $3 and "customers"."id" = any($4)) order by "customers"."id" desc limit $5 offset $6',
      params: ['1', '3', '%d%', ['1', '3'], 1, 1],
    })
    expect(await query).toStrictEqual([{ id: 1n, upper: 'ADA' }])
  })

  it('joins a table with its alias, and returns null for a missing row', async () => {
    const friends = alias(customers, 'friends')
    const query = db
      .select()
      .from(customers)
      .leftJoin(friends, eq(customers.friendId, friends.id))
      .orderBy(customers.id)
    expect(query.toSQL().sql).toBe(
      'select "customers"."id", "customers"."name", "customers"."country", "customers"."friend_id", "friends"."id", "friends"."name", "friends"."country", "friends"."friend_id" from "customers" left join "customers" "friends" on "customers"."friend_id" = "friends"."id" order by "customers"."id"',
    )
    const rows = await query
    expectTypeOf(rows[0]!.friends).toEqualTypeOf<typeof customers.$inferSelect | null>()
    expect(rows).toStrictEqual([
      { customers: ada, friends: bob },
      { customers: bob, friends: null },
      { customers: cyd, friends: ada },
    ])
  })

  it('joins a table of a named schema', async () => {
    const query = db
      .select({ invoice: invoices.id, name: customers.name })
      .from(invoices)
      .innerJoin(customers, eq(customers.id, invoices.customerId))
      .where(gt(invoices.id, 1n))
    expect(query.toSQL().sql).toBe(
      'select "finance"."invoices"."id", "customers"."name" from "finance"."invoices" inner join "customers" on "customers"."id" = "finance"."invoices"."customer_id" where "finance"."invoices"."id" > $1',
    )
    expect(await query).toStrictEqual([{ invoice: 7n, name: 'Ada' }])
  })

  it('groups rows with count, max and sum, and filters groups by having()', async () => {
    const query = db
      .select({ id: orders.customerId, rows: count(), most: max(orders.total), all: sum(orders.total) })
      .from(orders)
      .groupBy(orders.customerId)
      .having(({ rows }) => gt(rows, 1))
      .orderBy(orders.customerId)
    expect(query.toSQL()).toStrictEqual({
      sql: 'select "customer_id", count(*), max("orders"."total"), sum("orders"."total") from "orders" group by "orders"."customer_id" having count(*) > $1 order by "orders"."customer_id"',
      params: [1],
    })
    expect(await query).toStrictEqual([{ id: 1n, rows: 3, most: 7, all: '13' }])
  })

  it('reads subqueries in WITH, in FROM and in conditions', async () => {
    const big = db.$with('big').as(db.select().from(orders).where(gt(orders.total, 5)))
    const query = db
      .with(big)
      .select({ name: customers.name, total: big.total })
      .from(big)
      .innerJoin(customers, eq(customers.id, big.customerId))
      .orderBy(asc(big.total))
    expect(query.toSQL().sql).toBe(
      'with "big" as (select "customer_id", "order_id", "total", "placed_at" from "orders" where "orders"."total" > $1) select "customers"."name", "big"."total" from "big" inner join "customers" on "customers"."id" = "big"."customer_id" order by "big"."total" asc',
    )
    expect(await query).toStrictEqual([
      { name: 'Ada', total: 7 },
      { name: 'Bob', total: 9 },
    ])

    // WITH is written at the beginning of a statement only.
    const inside = db.with(big).select({ id: big.customerId }).from(big)
    const around = db.select({ name: customers.name }).from(customers).where(inArray(customers.id, inside))
    expect(around.toSQL().sql).toBe(
      'select "name" from "customers" where "customers"."id" in (select "customer_id" from (select "customer_id", "order_id", "total", "placed_at" from "orders" where "orders"."total" > $1) "big")',
    )
    expect(await around.orderBy(customers.id)).toStrictEqual([{ name: 'Ada' }, { name: 'Bob' }])

    const from = db
      .select({ id: orders.customerId })
      .from(orders)
      .where(isNull(orders.placedAt))
      .as('undated')
    expect(await db.selectDistinct().from(from).orderBy(from.id)).toStrictEqual([{ id: 1n }, { id: 2n }])
    const own = db.select().from(orders).where(eq(orders.customerId, customers.id))
    expect(
      await db.select({ id: customers.id }).from(customers).where(exists(own)).orderBy(customers.id),
    ).toStrictEqual([{ id: 1n }, { id: 2n }])
  })

  it('combines rows with union, unionAll, except and intersectAll', async () => {
    // Drizzle's set operations change the query on their left.
    const ids = () => db.select({ id: customers.id }).from(customers)
    const owners = db.select({ id: orders.customerId }).from(orders)
    const all = unionAll(ids(), owners)
      .orderBy(desc(sql`id`))
      .limit(2)
    expect(all.toSQL()).toStrictEqual({
      sql: '(select "id" from "customers") union all (select "customer_id" from "orders") order by id desc  limit $1',
      params: [2],
    })
    expect(await all).toStrictEqual([{ id: 3n }, { id: 2n }])
    expect(await except(ids(), owners)).toStrictEqual([{ id: 3n }])
    expect(await intersectAll(ids(), owners).orderBy(customers.id)).toStrictEqual([{ id: 1n }, { id: 2n }])
    const named = db.$with('owners').as(owners)
    const within = db.with(named).select({ id: named.id }).from(named).union(ids())
    expect(new Set((await within).map(({ id }) => id))).toStrictEqual(new Set([1n, 2n, 3n]))
  })

  it('counts rows with $count(), also as a field', async () => {
    expect(await db.$count(customers)).toBe(3)
    expect(await db.$count(orders, gt(orders.total, 5))).toBe(2)
    const each = db
      .select({ id: customers.id, orders: db.$count(orders, eq(orders.customerId, customers.id)) })
      .from(customers)
      .orderBy(customers.id)
    expect(await each).toStrictEqual([
      { id: 1n, orders: 3 },
      { id: 2n, orders: 1 },
      { id: 3n, orders: 0 },
    ])
  })

  it('converts the values of placeholders in inArray() to the type of the column', async () => {
    const [id, other, most] = ['id', 'other', 'most'].map((name) => sql.placeholder(name))
    const prepared = db
      .select({ name: customers.name })
      .from(customers)
      .where(inArray(customers.id, [id!, other!]))
      .orderBy(customers.id)
      .limit(most!)
      .prepare('some')
    expect(await prepared.execute({ id: 1n, other: null, most: 5 })).toStrictEqual([{ name: 'Ada' }])
    expect(await prepared.execute({ id: 2n, other: 1n, most: 1 })).toStrictEqual([{ name: 'Ada' }])
  })

  it('compares in lower case with ilike of the adapter', async () => {
    const query = db.select({ id: customers.id }).from(customers).where(ilike(customers.name, 'aD%'))
    expect(query.toSQL().sql).toBe(
      'select "id" from "customers" where lower("customers"."name") like lower($1)',
    )
    expect(await query).toStrictEqual([{ id: 1n }])
  })

  it('writes values into the statement text with inlineParams()', async () => {
    const inlined = and(
      eq(customers.id, 1n),
      eq(customers.name, 'Ada'),
      gt(customers.friendId, -5n),
    )!.inlineParams()
    const query = db.select({ id: customers.id }).from(customers).where(inlined)
    expect(query.toSQL()).toStrictEqual({
      sql: `select "id" from "customers" where ("customers"."id" = '1'::bigint and "customers"."name" = 'Ada' and "customers"."friend_id" > '-5'::bigint)`,
      params: [],
    })
    expect(await query).toStrictEqual([{ id: 1n }])
  })
})

describe('a list in inArray() and notInArray()', () => {
  const many = Array.from({ length: 2000 }, (_, at) => BigInt(at + 2))
  const some = (condition: SQL) =>
    db.select({ id: customers.id }).from(customers).where(condition).orderBy(customers.id)

  it('is sent as one parameter, even with 2000 values', async () => {
    const among = some(inArray(customers.id, many))
    expect(among.toSQL()).toStrictEqual({
      sql: 'select "id" from "customers" where "customers"."id" = any($1) order by "customers"."id"',
      params: [many.map(String)],
    })
    expect(await among).toStrictEqual([{ id: 2n }, { id: 3n }])
    const others = some(notInArray(customers.id, many))
    expect(others.toSQL().sql).toContain('"customers"."id" <> all($1)')
    expect(await others).toStrictEqual([{ id: 1n }])
  })

  it('is written out value by value when it contains an SQL expression', async () => {
    const query = some(inArray(customers.id, [1n, sql`1 + 1` as never]))
    expect(query.toSQL().sql).toContain('"customers"."id" in ($1, 1 + 1)')
    expect(await query).toStrictEqual([{ id: 1n }, { id: 2n }])
  })

  it('is accepted as a placeholder, with or without a column to compare with', async () => {
    const ids = sql.placeholder('ids')
    const among = some(inArray(customers.id, ids)).prepare('among')
    expect(await among.execute({ ids: [3n, 1n, null] })).toStrictEqual([{ id: 1n }, { id: 3n }])
    expect(await among.execute({ ids: many })).toStrictEqual([{ id: 2n }, { id: 3n }])
    expect(await among.execute({ ids: [] })).toStrictEqual([])
    const others = some(notInArray(customers.id, ids)).prepare('others')
    expect(await others.execute({ ids: [3n] })).toStrictEqual([{ id: 1n }, { id: 2n }])
    const upper = some(inArray(sql`upper(${customers.name})`, sql.placeholder('names'))).prepare('upper')
    expect(await upper.execute({ names: ['ADA'] })).toStrictEqual([{ id: 1n }])
  })
})

describe('a feature that Spanner does not support', () => {
  const refusal = (build: () => { toSQL(): unknown }): unknown => {
    try {
      return build().toSQL()
    } catch (error) {
      const { code, message, fix } = error as { code?: string; message: string; fix?: string }
      return { code, message, hasFix: fix !== undefined && fix.length > 15 }
    }
  }

  it.each([
    ['DISTINCT ON', () => db.selectDistinctOn([customers.name]).from(customers)],
    [
      'LATERAL',
      () =>
        db
          .select()
          .from(customers)
          .leftJoinLateral(sql`(select 1) a`, sql`true`),
    ],
    ['operator ILIKE', () => db.select().from(customers).where(foreignIlike(customers.name, 'a'))],
    ["but 'update'", () => db.select().from(customers).for('share')],
    ['no options for it', () => db.select().from(customers).for('update', { noWait: true })],
  ])('throws UNSUPPORTED_FEATURE with the text %s in the message', (what, build) => {
    expect(refusal(build)).toStrictEqual({
      code: 'UNSUPPORTED_FEATURE',
      message: expect.stringContaining(what),
      hasFix: true,
    })
  })

  it("for('update') compiles to FOR UPDATE", () => {
    const query = db.select({ id: customers.id }).from(customers).where(eq(customers.id, 1n)).for('update')
    expect(query.toSQL().sql).toBe('select "id" from "customers" where "customers"."id" = $1 for update')
  })
})

describe('an invalid number of rows', () => {
  it.each([['1'], ['1 --'], [-1], [1.5], [NaN], [null], [['1']]])(
    'limit and offset of selects and of db.query throw INVALID_VALUE for %j',
    (input) => {
      const rows = input as never
      const refused = expect.objectContaining({ code: 'INVALID_VALUE' }) as Error
      expect(() => db.select().from(customers).limit(rows).toSQL()).toThrow(refused)
      expect(() => db.select().from(customers).offset(rows).toSQL()).toThrow(refused)
      expect(() => db.query.customers.findMany({ limit: rows }).toSQL()).toThrow(refused)
    },
  )
})

it("for() rejects SQL text and every lock strength except 'update'", () => {
  for (const strength of ['share', 'update; drop table customers', 'update of "customers"']) {
    expect(() =>
      db
        .select()
        .from(customers)
        .for(strength as 'update')
        .toSQL(),
    ).toThrow("Spanner has no lock of rows but 'update'")
  }
})
