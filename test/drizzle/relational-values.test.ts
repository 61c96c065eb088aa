import { googlesql } from '@isotherm/spanner'
import { drizzle, int64, spannerTable, string } from '@isotherm/drizzle-adapter'
import { asc, desc, eq, placeholder, relations, sql } from 'drizzle-orm'
import { Cache } from 'drizzle-orm/cache/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedEmulator } from '../support/spanner.js'
import {
  customers,
  fillShop,
  lines,
  notes,
  orders,
  shop,
  shopClient,
  type ShopDatabase,
} from './support/relational-shop.js'
import { runs } from './support/shop.js'

let client: Awaited<ReturnType<typeof shopClient>>
let db: ShopDatabase

beforeAll(async () => {
  client = await shopClient()
  db = drizzle(client, { schema: shop })
  await fillShop(db)
})

describe('column values of nested rows', () => {
  const FULL = {
    id: 1n,
    customerId: 1n,
    text: 'ä"\\\n',
    writtenAt: '1969-12-31T23:59:59.123456789Z',
    seenAt: new Date('2026-08-01T12:00:00.5Z'),
    data: Buffer.from([0, 255, 128]),
    ratio: Number.NaN,
    big: 2n ** 63n - 1n,
    words: ['a', null, ''] as string[],
    numbers: [-(2n ** 63n), 0n],
    settings: { a: [1, null, { b: 'c' }] },
    amount: '-99999999999999999999999999999.999999999',
    day: '0001-01-01',
    done: false,
    small: 0.5,
  }
  const EMPTY = {
    id: 2n,
    customerId: 1n,
    text: null,
    writtenAt: null,
    seenAt: null,
    data: null,
    ratio: null,
    big: null,
    words: null,
    numbers: null,
    settings: null,
    amount: null,
    day: null,
    done: null,
    small: null,
  }
  const ODD = { ...EMPTY, id: 3n, ratio: -Infinity, words: [], numbers: [], settings: 'text' }

  test('are the same as in a plain query, including NULL', async () => {
    await db.insert(notes).values([FULL, EMPTY, ODD])
    const own = await runs(
      db.query.notes.findMany({ orderBy: notes.id }),
      'select `notes`.`id`, `notes`.`customerId`, `notes`.`text`, `notes`.`writtenAt`, `notes`.`seenAt`, `notes`.`data`, `notes`.`ratio`, `notes`.`big`, `notes`.`words`, `notes`.`numbers`, `notes`.`settings`, `notes`.`amount`, `notes`.`day`, `notes`.`done`, `notes`.`small` from `crm`.`Note` `notes` order by `notes`.`id`',
    )
    expect(own).toEqual([FULL, EMPTY, ODD])
    const [ada] = await db.query.customers.findMany({
      where: eq(customers.id, 1n),
      with: {
        notes: {
          orderBy: asc(notes.id),
          with: { customer: { with: { notes: { orderBy: desc(notes.id) } } } },
        },
      },
    })
    expect(ada!.notes).toEqual(own.map((note) => ({ ...note, customer: expect.anything() })))
    expect(ada!.notes[0]!.customer.notes).toEqual(own.toReversed())
    expect(ada!.notes[0]!.data).toBeInstanceOf(Buffer)
  })

  test('SQL extras of nested rows use the decoder of mapWith(), or else the default conversion', async () => {
    const row = await db.query.customers.findFirst({
      columns: {},
      where: eq(customers.id, 1n),
      with: {
        notes: {
          columns: {},
          where: eq(notes.id, 1n),
          extras: {
            plain: sql<bigint>`${notes.big} - 1`.as('plain'),
            typed: sql`${notes.writtenAt}`.mapWith(notes.writtenAt).as('typed'),
            list: sql<bigint[]>`${notes.numbers}`.as('list'),
            none: sql<null>`cast(null as int64)`.mapWith(String).as('none'),
          },
        },
      },
    })
    expect(row).toEqual({
      notes: [{ plain: 2n ** 63n - 2n, typed: FULL.writtenAt, list: FULL.numbers, none: null }],
    })
  })
})

describe('a prepared relational query', () => {
  test('accepts placeholders in where, limit and offset, also in a nested relation', async () => {
    const query = db.query.customers.findMany({
      columns: { id: true },
      where: (customer) => eq(customer.name, sql.placeholder('name')),
      limit: placeholder('most'),
      offset: placeholder('skipped'),
      with: {
        orders: {
          columns: { orderId: true },
          where: (order, { gte }) => gte(order.total, placeholder('worth')),
          orderBy: orders.orderId,
          limit: placeholder('each'),
        },
      },
    })
    const prepared = query.prepare('by_name')
    expect(prepared.getQuery().sql).toBe(
      'select `customers`.`customerId`, array(select as struct `customers_orders`.`orderId` from `CustomerOrder` `customers_orders` where `customers_orders`.`customerId` = `customers`.`customerId` and (`customers_orders`.`total` >= @p1) order by `customers_orders`.`orderId` limit @p2) as `orders` from `Customer` `customers` where `customers`.`full_name` = @p3 limit @p4 offset @p5',
    )
    const values = { name: 'Ada', worth: 6, each: 5, most: 1, skipped: 0 }
    expect(await prepared.execute(values)).toEqual([{ id: 1n, orders: [{ orderId: 1n }, { orderId: 3n }] }])
    expect(await prepared.execute({ ...values, each: 1 })).toEqual([{ id: 1n, orders: [{ orderId: 1n }] }])
    expect(await prepared.execute({ ...values, skipped: 1 })).toEqual([])
    expect(await query.execute({ ...values, name: 'Bob' })).toEqual([{ id: 2n, orders: [{ orderId: 1n }] }])
    await expect(prepared.execute({ name: 'Ada' })).rejects.toThrow('The placeholder "worth" has no value.')
  })

  test('returns the first row by findFirst() at each execution, and undefined without a matching row', async () => {
    const first = db.query.orders
      .findFirst({ where: eq(orders.customerId, placeholder('id')), orderBy: orders.orderId })
      .prepare()
    expect(await first.execute({ id: 1n })).toMatchObject({ customerId: 1n, orderId: 1n })
    expect(await first.execute({ id: 3n })).toBeUndefined()
  })
})

describe('a relational query', () => {
  const withOrders = {
    columns: { id: true },
    where: eq(customers.id, 2n),
    with: { orders: { columns: { orderId: true } } },
  } as const

  test('runs in read-write transactions, read-only transactions and batches', async () => {
    const expected = [{ id: 2n, orders: [{ orderId: 1n }] }]
    const written = await db.transaction(async (tx) => {
      await tx.insert(orders).values({ customerId: 2n, orderId: 7n, status: 'new', total: 0 })
      const seen = await tx.query.customers.findMany(withOrders)
      await tx.delete(orders).where(eq(orders.orderId, 7n))
      return seen
    })
    expect(written[0]!.orders).toHaveLength(2)
    const read = await db.transaction((tx) => tx.query.customers.findMany(withOrders), {
      accessMode: 'read only',
    })
    expect(read).toEqual(expected)
    const [batched, first, none] = await db.batch([
      db.query.customers.findMany(withOrders),
      db.query.customers.findFirst(withOrders),
      db.query.customers.findFirst({ where: eq(customers.id, 9n) }),
    ])
    expect([batched, first, none]).toEqual([expected, expected[0], undefined])
    expect(await db.$withOptions({ at: { exactStaleness: 0 } }).query.customers.findMany(withOrders)).toEqual(
      expected,
    )
  })

  test('runs as SQL through db.execute()', async () => {
    const rows = await db.execute<{ customerId: bigint; orders: unknown }>(
      db.query.customers.findMany(withOrders).getSQL(),
    )
    expect(rows[0]).toMatchObject({ customerId: 2n })
  })

  test('returns cached rows until the same database writes to one of its tables', async () => {
    const cache = new MemoryCache()
    const cached = drizzle(client, { schema: shop, cache })
    const read = () =>
      cached.query.customers
        .findFirst({
          where: eq(customers.id, 1n),
          with: { notes: true, orders: { with: { lines: true }, orderBy: orders.orderId } },
        })
        .$withCache()
    const before = await read()
    expect(cache.tables).toEqual([['crm.Note', 'Line', 'CustomerOrder', 'Customer']])
    await db.update(lines).set({ count: 99 }).where(eq(lines.lineId, 2n))
    expect(await read()).toStrictEqual(before)
    await cached.update(lines).set({ count: 98 }).where(eq(lines.lineId, 2n))
    const after = await read()
    expect(after!.orders[0]!.lines.map(({ count }) => count)).toContain(98)
    expect(cache.tables).toHaveLength(2)
  })
})

/** Like a cache over the network, it stores results as JSON. */
class MemoryCache extends Cache {
  readonly kept = new Map<string, string>()
  readonly tables: string[][] = []

  override strategy() {
    return 'explicit' as const
  }

  override async get(key: string) {
    const kept = this.kept.get(key)
    return kept === undefined ? undefined : (JSON.parse(kept) as unknown[])
  }

  override async put(key: string, response: unknown, tables: string[]) {
    this.kept.set(key, JSON.stringify(response))
    this.tables.push(tables)
  }

  override async onMutate() {
    this.kept.clear()
  }
}

describe('a relational query with casing snake_case', () => {
  // Properties give the column names. Columns have the names of their table, of its relations and of nested tables.
  const users = spannerTable('Users', { id: int64().primaryKey(), Users: string(), bossId: int64() })
  const posts = spannerTable('blog_post', {
    postId: int64().primaryKey(),
    userId: int64().notNull(),
    USERS: string(),
    users_posts: string('users_POSTS'),
  })
  const userRelations = relations(users, ({ many, one }) => ({
    posts: many(posts),
    users: many(users, { relationName: 'boss' }),
    boss: one(users, { fields: [users.bossId], references: [users.id], relationName: 'boss' }),
  }))
  const postRelations = relations(posts, ({ one }) => ({
    user: one(users, { fields: [posts.userId], references: [users.id] }),
  }))

  test('reads columns named like their tables and relations, and converts property names to snake case', async () => {
    const emulator = await sharedEmulator()
    const named = drizzle(
      await emulator.database({
        dialect: googlesql,
        ddl: [
          'CREATE TABLE Users (id INT64 NOT NULL, users STRING(MAX), boss_id INT64) PRIMARY KEY (id)',
          'CREATE TABLE blog_post (post_id INT64 NOT NULL, user_id INT64 NOT NULL, users STRING(MAX), users_POSTS STRING(MAX)) PRIMARY KEY (post_id)',
        ],
      }),
      { schema: { users, posts, userRelations, postRelations }, casing: 'snake_case' },
    )
    await named.insert(users).values([
      { id: 1n, Users: 'Ada' },
      { id: 2n, Users: 'Bob', bossId: 1n },
    ])
    await named.insert(posts).values([{ postId: 5n, userId: 2n, USERS: 'x', users_posts: 'y' }])
    const rows = await runs(
      named.query.users.findMany({
        orderBy: (user) => user.Users,
        with: {
          users: { columns: { id: true }, orderBy: desc(users.id) },
          posts: { orderBy: posts.postId, with: { user: { columns: { Users: true } } } },
        },
      }),
      'select `users_`.`id`, `users_`.`users`, `users_`.`boss_id`, array(select as struct `users__users`.`id` from `Users` `users__users` where `users__users`.`boss_id` = `users_`.`id` order by `users__users`.`id` desc) as `users`, array(select as struct `users__posts`.`post_id`, `users__posts`.`user_id`, `users__posts`.`users`, `users__posts`.`users_POSTS`, array(select as struct `users__posts_user`.`users` from `Users` `users__posts_user` where `users__posts_user`.`id` = `users__posts`.`user_id` limit 1) from `blog_post` `users__posts` where `users__posts`.`user_id` = `users_`.`id` order by `users__posts`.`post_id`) as `posts` from `Users` `users_` order by `users_`.`users`',
    )
    expect(rows).toEqual([
      { id: 1n, Users: 'Ada', bossId: null, users: [{ id: 2n }], posts: [] },
      {
        id: 2n,
        Users: 'Bob',
        bossId: 1n,
        users: [],
        posts: [{ postId: 5n, userId: 2n, USERS: 'x', users_posts: 'y', user: { Users: 'Bob' } }],
      },
    ])
    expect(
      await named.query.users.findMany({
        columns: { id: true },
        where: (user, { eq, exists }) => exists(named.select().from(users).where(eq(users.bossId, user.id))),
      }),
    ).toEqual([{ id: 1n }])
  })
})
