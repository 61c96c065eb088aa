import { SpannerDialect } from '@isotherm/drizzle-adapter'
import * as google from '@isotherm/drizzle-adapter'
import * as postgresql from '@isotherm/drizzle-adapter/postgresql'
import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { keysOf } from '../../src/keys/table-keys.js'
import { TableMutations } from '../../src/keys/mutations.js'
import { Session } from '../../src/session/session.js'
import { scriptedDriver } from '../session/support/scripted-driver.js'

// A child table that repeats its parent's key under the name that the casing gives to the parent's property.

const casing = 'snake_case'

const users = google.spannerTable('users', { userId: google.uuidV4() })
const orders = google.spannerTable(
  'orders',
  { userId: google.uuid('user_id').notNull(), orderId: google.uuidV4(), note: google.string() },
  (t) => [google.interleaveIn(users), google.primaryKey({ columns: [t.userId, t.orderId] })],
)

const pgUsers = pgTable('users', { userId: uuid().primaryKey() })
const pgOrders = pgTable(
  'orders',
  { userId: uuid('user_id').notNull(), orderId: postgresql.uuidV4(), note: text() },
  (t) => [postgresql.interleaveIn(pgUsers), primaryKey({ columns: [t.userId, t.orderId] })],
)

const userId = '7fffffff-ffff-4fff-bfff-ffffffffffff'

it("insert() fills in the keys of a child table that repeats the cased name of its parent's key", () => {
  expect(google.toSchema({ users, orders }, { casing }).tables).toHaveLength(2)
  const insert = google.drizzle.mock({ casing }).insert(orders).values({ userId, note: 'x' })
  expect(insert.toSQL().sql).toBe(
    'insert into `orders` (`user_id`, `order_id`, `note`) values (@p1, @p2, @p3)',
  )
  expect(postgresql.toSchema({ pgUsers, pgOrders }, { casing }).tables).toHaveLength(2)
  const theirs = postgresql.drizzle.mock({ casing }).insert(pgOrders).values({ userId, note: 'x' })
  expect(theirs.toSQL().sql).toBe('insert into "orders" ("user_id", "order_id", "note") values ($1, $2, $3)')
})

it("mutations fill in the keys of a child table that repeats the cased name of its parent's key", async () => {
  const driver = scriptedDriver()
  await Session.of(driver).transaction(async (tx) => {
    new TableMutations(tx, orders, new SpannerDialect({ casing })).insert({ userId, note: 'x' })
  })
  const { options } = driver.calls.find(({ what }) => what === 'transaction.buffer')!
  expect(options).toMatchObject([{ table: 'orders', columns: ['user_id', 'order_id', 'note'] }])
})

it("keysOf() without a casing rejects a child table that repeats the cased name of its parent's key", () => {
  for (const table of [orders, pgOrders])
    expect(() => keysOf(table, undefined)).toThrow('whose key part userId it declares in another way')
  expect(keysOf(orders, casing)).toBe(keysOf(orders, casing))
})
