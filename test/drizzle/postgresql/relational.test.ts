import { drizzle } from '@isotherm/drizzle-adapter/postgresql'
import { spannerPostgresql } from '@isotherm/spanner'
import { asc, desc, eq, ilike, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { writeBetweenReads } from '../support/write-between-reads.js'
import {
  ada,
  bob,
  customers,
  cyd,
  invoices,
  lines,
  orders,
  schema,
  shop,
  someLines,
  someOrders,
} from './support/shop.js'

const { db, client, logger, statements } = await shop()

beforeAll(async () => {
  await db.insert(customers).values([ada, bob, cyd])
  await db.insert(orders).values(someOrders)
  await db.insert(lines).values(someLines)
  await db.insert(invoices).values([
    { id: 7n, customerId: 1n },
    { id: 8n, customerId: null },
  ])
})

beforeEach(() => void statements.splice(0))

const texts = (): string[] => statements.map(({ sql }) => sql)

describe('db.query', () => {
  it('reads rows of one table in one statement', async () => {
    const query = db.query.customers.findMany({
      columns: { id: true },
      extras: { loud: sql<string>`upper(${customers.name})`.as('loud') },
      // The operator is the adapter's, because Drizzle's own operator is for another database.
      where: (row, { inArray }) => inArray(row.id, [1n, 2n]),
      orderBy: [desc(customers.id)],
      limit: 1,
    })
    expect(query.toSQL()).toStrictEqual({
      sql: 'select "customers"."id", upper("customers"."name") as "loud" from "customers" "customers" where "customers"."id" = any($1) order by "customers"."id" desc limit $2',
      params: [['1', '2'], 1],
    })
    const rows = await query
    expectTypeOf(rows).toEqualTypeOf<{ id: bigint; loud: string }[]>()
    expect(rows).toStrictEqual([{ id: 2n, loud: 'BOB' }])
    const found = await db.query.customers.findFirst({
      where: (row, operators) => operators.ilike(row.name, 'CY%'),
    })
    expect(found).toStrictEqual(cyd)
    expect(await db.query.customers.findFirst({ where: eq(customers.id, 99n) })).toBeUndefined()
  })

  it('reads nested relations with one statement per table, at one timestamp, while another client inserts rows', async () => {
    const insert = async () => {
      // Not through `db`, whose statements are recorded.
      const other = drizzle(client)
      await other.insert(orders).values({ customerId: 2n, orderId: 13n, total: 3 })
      await other.insert(lines).values({ customerId: 1n, orderId: 11n, line: 1, sku: 'cap' })
    }
    const read = drizzle(writeBetweenReads(client, spannerPostgresql, insert), { schema, logger })
    const rows = await read.query.customers.findMany({
      columns: { name: true },
      with: {
        friend: { columns: { name: true } },
        invoices: true,
        orders: {
          columns: { total: true },
          where: (order, { gt }) => gt(order.total, 1),
          orderBy: (order) => desc(order.orderId),
          with: { lines: { columns: { sku: true }, orderBy: (line) => asc(line.sku) } },
        },
      },
      orderBy: customers.id,
    })
    expectTypeOf(rows).toEqualTypeOf<
      {
        name: string
        friend: { name: string } | null
        invoices: { id: bigint; customerId: bigint | null }[]
        orders: { total: number; lines: { sku: string }[] }[]
      }[]
    >()
    expect(rows).toStrictEqual([
      {
        name: 'Ada',
        friend: { name: 'Bob' },
        invoices: [{ id: 7n, customerId: 1n }],
        orders: [
          { total: 7, lines: [] },
          { total: 5, lines: [{ sku: 'ink' }, { sku: 'pen' }] },
        ],
      },
      { name: 'Bob', friend: null, invoices: [], orders: [{ total: 9, lines: [{ sku: 'map' }] }] },
      { name: 'Cyd', friend: { name: 'Ada' }, invoices: [], orders: [] },
    ])
    const [root, ...nested] = texts()
    expect(await db.$count(orders)).toBe(5)
    await db.delete(orders).where(eq(orders.orderId, 13n))
    await db.delete(lines).where(eq(lines.sku, 'cap'))
    expect(root).toBe(
      'select "customers"."name", "customers"."friend_id", "customers"."id", "customers"."id" from "customers" "customers" order by "customers"."id"',
    )
    expect(new Set(nested)).toStrictEqual(
      new Set([
        'select "customers_friend"."name", "customers_friend"."id" from "customers" "customers_friend" where "customers_friend"."id" = any($1)',
        'select "customers_invoices"."id", "customers_invoices"."customer_id", "customers_invoices"."customer_id" from "finance"."invoices" "customers_invoices" where "customers_invoices"."customer_id" = any($1)',
        'select "customers_orders"."total", "customers_orders"."customer_id", "customers_orders"."order_id", "customers_orders"."customer_id" from "orders" "customers_orders" where ("customers_orders"."customer_id" = any($1) and "customers_orders"."total" > $2) order by "customers_orders"."order_id" desc',
        'select "customers_orders_lines"."sku", "customers_orders_lines"."customer_id", "customers_orders_lines"."order_id" from "lines" "customers_orders_lines" where (("customers_orders_lines"."customer_id" = $1 and "customers_orders_lines"."order_id" = $2) or ("customers_orders_lines"."customer_id" = $3 and "customers_orders_lines"."order_id" = $4) or ("customers_orders_lines"."customer_id" = $5 and "customers_orders_lines"."order_id" = $6)) order by "customers_orders_lines"."sku" asc',
      ]),
    )
  })

  it('applies the limit of a relation to each parent row, with one statement per parent row', async () => {
    const rows = await db.query.customers.findMany({
      columns: { id: true },
      with: { orders: { columns: { orderId: true }, orderBy: desc(orders.orderId), limit: 1, offset: 1 } },
      orderBy: customers.id,
    })
    expect(rows).toStrictEqual([
      { id: 1n, orders: [{ orderId: 11n }] },
      { id: 2n, orders: [] },
      { id: 3n, orders: [] },
    ])
    expect(texts()).toHaveLength(4)
    expect(texts().at(-1)).toBe(
      'select "customers_orders"."order_id", "customers_orders"."customer_id" from "orders" "customers_orders" where "customers_orders"."customer_id" = any($1) order by "customers_orders"."order_id" desc limit $2 offset $3',
    )
  })

  it('reads relations to one row, and runs no statement when the foreign key is NULL', async () => {
    const [first] = await db.query.lines.findMany({
      columns: { sku: true },
      where: eq(lines.sku, 'map'),
      with: { order: { columns: { total: true }, with: { customer: { columns: { name: true } } } } },
    })
    expect(first).toStrictEqual({ sku: 'map', order: { total: 9, customer: { name: 'Bob' } } })
    statements.splice(0)
    const none = await db.query.invoices.findMany({ where: eq(invoices.id, 8n), with: { customer: true } })
    expect(none).toStrictEqual([{ id: 8n, customerId: null, customer: null }])
    expect(texts()).toHaveLength(1)
  })

  it('accepts placeholders at every level of a prepared query', async () => {
    const prepared = db.query.customers
      .findFirst({
        columns: { name: true },
        where: eq(customers.id, sql.placeholder('id')),
        with: { orders: { columns: { total: true }, where: eq(orders.total, sql.placeholder('total')) } },
      })
      .prepare('one')
    expect(await prepared.execute({ id: 1n, total: 5 })).toStrictEqual({
      name: 'Ada',
      orders: [{ total: 5 }],
    })
    expect(await prepared.execute({ id: 2n, total: 5 })).toStrictEqual({ name: 'Bob', orders: [] })
    expect(await prepared.execute({ id: 9n, total: 5 })).toBeUndefined()
  })

  it('tx.query reads rows that the transaction has written', async () => {
    const read = await db.transaction(async (tx) => {
      await tx.insert(orders).values({ customerId: 3n, orderId: 1n, total: 2 })
      const found = await tx.query.customers.findFirst({
        where: eq(customers.id, 3n),
        with: { orders: true },
      })
      await tx.delete(orders).where(eq(orders.customerId, 3n))
      return found?.orders
    })
    expect(read).toStrictEqual([{ customerId: 3n, orderId: 1n, total: 2, placedAt: null }])
  })

  it('reads the relation of 600 rows in three statements of 400 parameters', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => BigInt(1_000 + at))
    await db.transaction(async (tx) => {
      for (const start of [0, 500]) {
        const some = many.slice(start, start + 500)
        // Each row has three parameters.
        await tx
          .insert(orders)
          .values(some.slice(0, 300).map((id) => ({ customerId: 50n, orderId: id, total: 1 })))
      }
    })
    const found = await db.query.orders.findMany({
      columns: {},
      where: eq(orders.customerId, 50n),
      with: { lines: true },
    })
    expect(found).toHaveLength(600)
    expect(
      statements.filter(({ sql }) => sql.includes('orders_lines')).map(({ params }) => params.length),
    ).toStrictEqual([400, 400, 400])
  })

  it('throws UNSUPPORTED_FEATURE for the operator ilike of drizzle-orm', async () => {
    const query = db.query.customers.findMany({ where: ilike(customers.name, 'a'), with: { orders: true } })
    await expect(query).rejects.toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
  })
})
