import { eq } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ada, bob, customers, cyd, invoices, orders, runs, shop, someOrders } from './support/shop.js'

const { db } = await shop()

beforeAll(async () => {
  await db.insert(customers).values([ada, bob, cyd])
  await db.insert(orders).values(someOrders)
  await db.insert(invoices).values({ id: 1n, customerId: 1n })
})

describe('joins of a select', () => {
  const fields = { name: customers.name, order: orders.orderId }
  const on = eq(orders.customerId, customers.id)
  const text = (kind: string) =>
    `select "customers"."name", "orders"."order_id" from "customers" ${kind} join "orders" on "orders"."customer_id" = "customers"."id" order by "customers"."id", "orders"."order_id"`
  const sorted = [customers.id, orders.orderId]
  const pairs = [
    { name: 'Ada', order: 10n },
    { name: 'Ada', order: 11n },
    { name: 'Ada', order: 12n },
    { name: 'Bob', order: 10n },
  ]
  const lonely = { name: 'Cyd', order: null }

  it('innerJoin() returns the matching pairs of rows', async () => {
    const query = db
      .select(fields)
      .from(customers)
      .innerJoin(orders, on)
      .orderBy(...sorted)
    expect(await runs(query, text('inner'))).toStrictEqual(pairs)
  })

  it('leftJoin() returns unmatched rows of the left table with null', async () => {
    const query = db
      .select(fields)
      .from(customers)
      .leftJoin(orders, on)
      .orderBy(...sorted)
    expect(await runs(query, text('left'))).toStrictEqual([...pairs, lonely])
  })

  it('rightJoin() returns a row for each row of the right table', async () => {
    const query = db
      .select(fields)
      .from(customers)
      .rightJoin(orders, on)
      .orderBy(...sorted)
    expect(await runs(query, text('right'))).toStrictEqual(pairs)
  })

  it('fullJoin() returns matching pairs, and unmatched rows with null', async () => {
    const query = db
      .select(fields)
      .from(customers)
      .fullJoin(orders, on)
      .orderBy(...sorted)
    expect(await runs(query, text('full'))).toStrictEqual([...pairs, lonely])
  })

  it('crossJoin() returns all pairs of rows', async () => {
    const query = db
      .select({ name: customers.name, invoice: invoices.id })
      .from(customers)
      .crossJoin(invoices)
    const rows = await runs(
      query,
      'select "customers"."name", "finance"."invoices"."id" from "customers" cross join "finance"."invoices"',
    )
    expect(rows).toHaveLength(3)
  })

  it('innerJoin() joins a table with itself by an alias with quotes in its name', async () => {
    const friend = alias(customers, 'friend "x"')
    const query = db
      .select({ name: customers.name, friend: friend.name })
      .from(customers)
      .innerJoin(friend, eq(friend.id, customers.friendId))
      .orderBy(friend.id)
    const rows = await runs(
      query,
      'select "customers"."name", "friend ""x"""."name" from "customers" inner join "customers" "friend ""x""" on "friend ""x"""."id" = "customers"."friend_id" order by "friend ""x"""."id"',
    )
    expect(rows).toStrictEqual([
      { name: 'Cyd', friend: 'Ada' },
      { name: 'Ada', friend: 'Bob' },
    ])
  })

  it('crossJoin() rejects two tables with the same name', () => {
    const other = alias(customers, 'orders')
    expect(() => db.select().from(orders).crossJoin(other).toSQL()).toThrow(
      'The query has a table called orders already.',
    )
  })
})
