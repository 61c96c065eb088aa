import { and, asc, count, desc, eq, exists, gt, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  customers,
  fillShop,
  lines,
  orders,
  shopDatabase,
  type ShopDatabase,
} from './support/relational-shop.js'
import { runs } from './support/shop.js'

let db: ShopDatabase

beforeAll(async () => {
  db = await shopDatabase()
  await fillShop(db)
})

const ADA = { id: 1n, name: 'Ada', level: 3, broughtBy: null }
const BOB = { id: 2n, name: 'Bob', level: null, broughtBy: 1n }
const CYD = { id: 3n, name: 'Cyd', level: 1, broughtBy: 1n }

describe('db.query of one table', () => {
  test('returns all rows with all columns by findMany()', async () => {
    const rows = await runs(
      db.query.customers.findMany(),
      'select `customers`.`customerId`, `customers`.`full_name`, `customers`.`level`, `customers`.`broughtBy` from `Customer` `customers`',
    )
    expect(rows.toSorted((a, b) => Number(a.id - b.id))).toEqual([ADA, BOB, CYD])
  })

  test('returns only the columns with true, in the order of the option columns', async () => {
    const rows = await runs(
      db.query.customers.findMany({
        columns: { name: true, id: true, level: undefined },
        orderBy: customers.id,
      }),
      'select `customers`.`full_name`, `customers`.`customerId` from `Customer` `customers` order by `customers`.`customerId`',
    )
    expect(rows).toEqual([
      { name: 'Ada', id: 1n },
      { name: 'Bob', id: 2n },
      { name: 'Cyd', id: 3n },
    ])
    expect(Object.keys(rows[0]!)).toEqual(['name', 'id'])
  })

  test('omits the columns with false, and returns only the columns with true if there are any', async () => {
    expect(
      await runs(
        db.query.customers.findMany({
          columns: { level: false, broughtBy: false },
          limit: 1,
          orderBy: customers.id,
        }),
        'select `customers`.`customerId`, `customers`.`full_name` from `Customer` `customers` order by `customers`.`customerId` limit @p1',
        ['1'],
      ),
    ).toEqual([{ id: 1n, name: 'Ada' }])
    expect(
      await runs(
        db.query.customers.findFirst({ columns: { level: false, name: true }, where: eq(customers.id, 1n) }),
        'select `customers`.`full_name` from `Customer` `customers` where `customers`.`customerId` = @p1 limit 1',
        ['1'],
      ),
    ).toEqual({ name: 'Ada' })
  })

  test('accepts callbacks for where and orderBy, and a limit with an offset', async () => {
    const rows = await runs(
      db.query.orders.findMany({
        columns: { orderId: true, total: true },
        where: (order, { and, eq, inArray, ilike }) =>
          and(eq(order.customerId, 1n), inArray(order.status, ['open', 'paid']), ilike(order.status, 'O%')),
        orderBy: (order, { desc, sql }) => [desc(order.total), sql`${order.orderId} asc`],
        limit: 2,
        offset: 1,
      }),
      'select `orders`.`orderId`, `orders`.`total` from `CustomerOrder` `orders` where (`orders`.`customerId` = @p1 and `orders`.`status` in unnest(@p2) and lower(`orders`.`status`) like lower(@p3)) order by `orders`.`total` desc, `orders`.`orderId` asc limit @p4 offset @p5',
      ['1', ['open', 'paid'], 'O%', '2', '1'],
    )
    expect(rows).toEqual([{ orderId: 1n, total: 10 }])
  })

  test('accepts columns of the table object in where and orderBy', async () => {
    const rows = await runs(
      db.query.orders.findMany({
        columns: { orderId: true },
        where: and(
          eq(orders.customerId, 1n),
          sql`${orders.total} + ${orders.orderId} > ${sql.param(10, orders.total)}`,
        ),
        orderBy: [desc(orders.total), asc(orders.orderId)],
      }),
      'select `orders`.`orderId` from `CustomerOrder` `orders` where (`orders`.`customerId` = @p1 and `orders`.`total` + `orders`.`orderId` > @p2) order by `orders`.`total` desc, `orders`.`orderId` asc',
      ['1', '10'],
    )
    expect(rows).toEqual([{ orderId: 3n }, { orderId: 1n }])
  })

  test('accepts an offset without a limit', async () => {
    expect(
      await runs(
        db.query.customers.findFirst({ columns: { id: true }, orderBy: customers.id, offset: 2 }),
        'select `customers`.`customerId` from `Customer` `customers` order by `customers`.`customerId` limit 1 offset @p1',
        ['2'],
      ),
    ).toEqual({ id: 3n })
    expect(
      await db.query.customers.findMany({ columns: { id: true }, orderBy: customers.id, offset: 1 }),
    ).toEqual([{ id: 2n }, { id: 3n }])
  })

  test('returns undefined by findFirst() and an empty list by findMany() without a matching row', async () => {
    expect(await db.query.customers.findFirst({ where: eq(customers.id, 99n) })).toBeUndefined()
    expect(await db.query.customers.findMany({ where: eq(customers.id, 99n) })).toEqual([])
    expect(await db.query.customers.findMany({ limit: 0 })).toEqual([])
  })
})

describe('the option extras of db.query', () => {
  test('converts an SQL extra by mapWith(), and reads columns of the queried row', async () => {
    const rows = await runs(
      db.query.customers.findMany({
        columns: { id: true },
        extras: {
          upper: sql<string>`upper(${customers.name})`.as('upper_name'),
          orders: sql`(select count(*) from ${orders} where ${eq(orders.customerId, customers.id)})`
            .mapWith(Number)
            .as('n'),
        },
        orderBy: (_, { sql }) => sql`upper_name desc`,
        limit: 1,
      }),
      'select `customers`.`customerId`, upper(`customers`.`full_name`) as `upper_name`, (select count(*) from `CustomerOrder` where `CustomerOrder`.`customerId` = `customers`.`customerId`) as `n` from `Customer` `customers` order by upper_name desc limit @p1',
      ['1'],
    )
    expect(rows).toEqual([{ id: 3n, upper: 'CYD', orders: 0 }])
  })

  test('accepts a callback in a nested relation, and names the field after its property instead of its alias', async () => {
    const rows = await runs(
      db.query.customers.findMany({
        columns: {},
        with: {
          orders: {
            columns: {},
            extras: (order, { sql }) => ({ worth: sql<bigint>`${order.total} * 2`.as('customers_orders') }),
            orderBy: (order) => order.orderId,
          },
        },
        where: eq(customers.id, 1n),
      }),
      // Unnamed: ORDER BY would take the name for the table.
      'select array(select as struct `customers_orders`.`total` * 2 from `CustomerOrder` `customers_orders` where `customers_orders`.`customerId` = `customers`.`customerId` order by `customers_orders`.`orderId`) as `orders` from `Customer` `customers` where `customers`.`customerId` = @p1',
      ['1'],
    )
    expect(rows).toEqual([{ orders: [{ worth: 20n }, { worth: 10n }, { worth: 60n }] }])
  })

  test('counts related rows with $count() for each row', async () => {
    const rows = await db.query.customers.findMany({
      columns: { id: true },
      extras: (customer) => ({ n: db.$count(orders, eq(orders.customerId, customer.id)).as('n') }),
      orderBy: customers.id,
    })
    expect(rows).toEqual([
      { id: 1n, n: 3 },
      { id: 2n, n: 1 },
      { id: 3n, n: 0 },
    ])
  })
})

describe('the option with of db.query', () => {
  test('reads four levels of relations, each with its own options, in one statement', async () => {
    const rows = await runs(
      db.query.customers.findMany({
        columns: { name: true },
        where: (customer, { lt }) => lt(customer.id, 3n),
        orderBy: desc(customers.id),
        with: {
          orders: {
            columns: { orderId: true },
            where: (order, { gt, or, sql }) => or(gt(order.total, 6), sql`false`),
            orderBy: (order, { desc }) => desc(order.total),
            limit: 2,
            with: {
              lines: {
                columns: { lineId: true, orders: true },
                orderBy: lines.lineId,
                with: {
                  product: { columns: { name: true }, with: { labels: { columns: { labelId: true } } } },
                },
              },
            },
          },
        },
      }),
      'select `customers`.`full_name`, array(select as struct `customers_orders`.`orderId`, array(select as struct `customers_orders_lines`.`lineId`, `customers_orders_lines`.`orders`, array(select as struct `customers_orders_lines_product`.`name`, array(select as struct `customers_orders_lines_product_labels`.`labelId` from `ProductLabel` `customers_orders_lines_product_labels` where `customers_orders_lines_product_labels`.`productId` = `customers_orders_lines_product`.`id`) from `Product` `customers_orders_lines_product` where `customers_orders_lines_product`.`id` = `customers_orders_lines`.`productId` limit 1) from `Line` `customers_orders_lines` where `customers_orders_lines`.`customerId` = `customers_orders`.`customerId` and `customers_orders_lines`.`orderId` = `customers_orders`.`orderId` order by `customers_orders_lines`.`lineId`) from `CustomerOrder` `customers_orders` where `customers_orders`.`customerId` = `customers`.`customerId` and (`customers_orders`.`total` > @p1 or false) order by `customers_orders`.`total` desc limit @p2) as `orders` from `Customer` `customers` where `customers`.`customerId` < @p3 order by `customers`.`customerId` desc',
      ['6', '2', '3'],
    )
    expect(rows).toEqual([
      { name: 'Bob', orders: [{ orderId: 1n, lines: [] }] },
      {
        name: 'Ada',
        orders: [
          { orderId: 3n, lines: [{ lineId: 1n, orders: 8n, product: null }] },
          {
            orderId: 1n,
            lines: [
              {
                lineId: 1n,
                orders: null,
                product: { name: 'Pen', labels: [{ labelId: 1n }, { labelId: 2n }] },
              },
              { lineId: 2n, orders: null, product: { name: 'Ink', labels: [] } },
            ],
          },
        ],
      },
    ])
  })

  test('reads a many-to-many relation through the join table', async () => {
    const rows = await runs(
      db.query.labels.findMany({
        columns: { label: true },
        orderBy: (label) => label.id,
        with: { products: { columns: {}, with: { product: { columns: { name: true } } } } },
      }),
      'select `labels`.`Label`, array(select as struct array(select as struct `labels_products_product`.`name` from `Product` `labels_products_product` where `labels_products_product`.`id` = `labels_products`.`productId` limit 1) from `ProductLabel` `labels_products` where `labels_products`.`labelId` = `labels`.`id`) as `products` from `Label` `labels` order by `labels`.`id`',
    )
    expect(rows).toEqual([
      { label: 'new', products: [{ product: { name: 'Pen' } }] },
      { label: 'blue', products: [{ product: { name: 'Pen' } }] },
      { label: 'old', products: [] },
    ])
  })

  test('reads relations of a table to itself in both directions', async () => {
    const rows = await runs(
      db.query.customers.findMany({
        columns: { id: true },
        with: {
          bringer: { columns: { name: true } },
          brought: { columns: { id: true }, orderBy: desc(customers.id), with: { bringer: true } },
        },
        where: gt(customers.id, 0n),
        orderBy: customers.id,
        limit: 2,
      }),
      'select `customers`.`customerId`, array(select as struct `customers_bringer`.`full_name` from `Customer` `customers_bringer` where `customers_bringer`.`customerId` = `customers`.`broughtBy` limit 1) as `bringer`, array(select as struct `customers_brought`.`customerId`, array(select as struct `customers_brought_bringer`.`customerId`, `customers_brought_bringer`.`full_name`, `customers_brought_bringer`.`level`, `customers_brought_bringer`.`broughtBy` from `Customer` `customers_brought_bringer` where `customers_brought_bringer`.`customerId` = `customers_brought`.`broughtBy` limit 1) from `Customer` `customers_brought` where `customers_brought`.`broughtBy` = `customers`.`customerId` order by `customers_brought`.`customerId` desc) as `brought` from `Customer` `customers` where `customers`.`customerId` > @p1 order by `customers`.`customerId` limit @p2',
      ['0', '2'],
    )
    expect(rows).toEqual([
      {
        id: 1n,
        bringer: null,
        brought: [
          { id: 3n, bringer: ADA },
          { id: 2n, bringer: ADA },
        ],
      },
      { id: 2n, bringer: { name: 'Ada' }, brought: [] },
    ])
  })

  test('returns only rows of the parent row when the condition of a relation contains OR', async () => {
    const rows = await runs(
      db.query.customers.findFirst({
        columns: {},
        where: eq(customers.id, 2n),
        with: { orders: { columns: { customerId: true }, where: sql`${orders.total} > 100 or true` } },
      }),
      'select array(select as struct `customers_orders`.`customerId` from `CustomerOrder` `customers_orders` where `customers_orders`.`customerId` = `customers`.`customerId` and (`customers_orders`.`total` > 100 or true)) as `orders` from `Customer` `customers` where `customers`.`customerId` = @p1 limit 1',
      ['2'],
    )
    expect(rows).toEqual({ orders: [{ customerId: 2n }] })
  })

  test('db.query accepts an EXISTS subquery over a related table in where', async () => {
    const some = (id: typeof customers.id) =>
      exists(
        db
          .select({ n: count() })
          .from(orders)
          .where(and(eq(orders.customerId, id), gt(orders.total, 20)))
          .having(({ n }) => gt(n, 0)),
      )
    expect(
      await runs(
        db.query.customers.findMany({ columns: { id: true }, where: (customer) => some(customer.id) }),
        'select `customers`.`customerId` from `Customer` `customers` where exists (select count(*) from `CustomerOrder` where (`CustomerOrder`.`customerId` = `customers`.`customerId` and `CustomerOrder`.`total` > @p1) having count(*) > @p2)',
        ['20', 0],
      ),
    ).toEqual([{ id: 1n }])
  })
})
