import {
  BitReversedId,
  Column,
  defineSchema,
  ShardKey,
  Table,
  UuidV4,
  type Generated,
  sql,
} from '@isotherm/core'
import * as googleSql from '@isotherm/drizzle-adapter'
import * as postgreSql from '@isotherm/drizzle-adapter/postgresql'
import { and, asc, desc, eq, gte, isNull, relations } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import * as shop from '../support/shop.js'
import { dialects, testDatabase } from '../support/spanner.js'
import { precise } from '@isotherm/testing/data/precise'
import { runs } from './support/shop.js'

// The models that Isotherm's own tests use, as Drizzle's tables, beside Isotherm on the same database.

/** Both entries are used in the same way; other tests check their types. */
const entries = {
  googlesql: googleSql,
  'spanner-postgresql': postgreSql as unknown as typeof googleSql,
}

let last = 0n

/** Team and Member reference each other. */
@Table('Team', { foreignKeys: [{ columns: ['captain'], references: () => Member }] })
class Team {
  @BitReversedId({ from: { next: () => ++last } })
  teamId!: Generated<bigint>

  @Column.uuid({ nullable: true })
  captain!: string | null
}

@Table('Member', { foreignKeys: [{ columns: ['teamId'], references: () => Team, onDelete: 'cascade' }] })
class Member {
  @UuidV4()
  memberId!: Generated<string>

  @Column.int64({ nullable: true })
  teamId!: bigint | null

  @Column.string({ default: sql({ googlesql: "'new'", 'spanner-postgresql': "'new'" }) })
  state!: Generated<string>

  @Column.string({
    nullable: true,
    generated: { googlesql: 'UPPER(`state`)', 'spanner-postgresql': 'upper("state")' },
  })
  shouted!: string | null
}

/** A custom function computes its shards. */
@Table('Reading')
class Reading {
  @ShardKey({ shards: 5, of: ['sensor'], compute: ({ sensor }) => (sensor as bigint) % 5n })
  shard!: Generated<bigint>

  @Column.int64({ immutable: true })
  sensor!: bigint

  @UuidV4()
  id!: Generated<string>
}

describe.each(dialects)('toDrizzle() in $name', async (dialect) => {
  const { drizzle, fanOut, toDrizzle, toSchema } = entries[dialect.name]
  const models = [
    shop.UserAccessLog,
    shop.Customer,
    shop.Order,
    shop.Line,
    shop.Ticket,
    shop.eventOf(dialect),
    Team,
    Member,
    Reading,
  ] as const
  const isotherm = await testDatabase(defineSchema(models), dialect)

  const tables = toDrizzle({ customers: shop.Customer, orders: shop.Order, lines: shop.Line })
  const { customers, orders, lines } = tables
  const customerRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
  const orderRelations = relations(orders, ({ one, many }) => ({
    customer: one(customers, { fields: [orders.customerId], references: [customers.customerId] }),
    lines: many(lines),
  }))
  const lineRelations = relations(lines, ({ one }) => ({
    order: one(orders, {
      fields: [lines.customerId, lines.orderId],
      references: [orders.customerId, orders.orderId],
    }),
  }))
  const db = drizzle(isotherm.client, {
    schema: { ...tables, customerRelations, orderRelations, lineRelations },
  })

  beforeEach(async () => {
    await isotherm.empty('Customer')
    await isotherm.empty('UserAccessLog')
  })

  /** Ada with two orders, one of two lines and one without lines, and Bob. */
  async function fill() {
    const [ada, bob] = await db
      .insert(customers)
      .values([{ name: 'Ada', settings: { theme: 'dark' } }, { name: 'Bob' }])
      .returning()
    const { customerId } = ada!
    await db.insert(orders).values([
      { customerId, orderId: 1n, note: 'first' },
      { customerId, orderId: 2n },
    ])
    await db.insert(lines).values([
      { customerId, orderId: 1n, line: 1n, price: '1.5' },
      { customerId, orderId: 1n, line: 2n, price: '20' },
    ])
    return { ada: ada!, bob: bob! }
  }

  describe('an insert into a toDrizzle() table', () => {
    it('fills in UUIDs, timestamps and bit-reversed ids, and Isotherm reads the same rows', async () => {
      const { ada, bob } = await fill()
      expect(await isotherm.db.get(shop.Customer, { customerId: ada.customerId })).toEqual(ada)
      expect(bob).toEqual({
        customerId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        name: 'Bob',
        settings: null,
      })
      const order = await isotherm.db.get(shop.Order, { customerId: ada.customerId, orderId: 1n })
      expect(order).toMatchObject({ note: 'first' })
      expect(order!.placed).toBeInstanceOf(Date)
      const [reversed] = await db.insert(orders).values({ customerId: ada.customerId }).returning()
      expect(reversed!.orderId).toBeGreaterThan(2n ** 32n)
      const [ticket] = await db.insert(toDrizzle(shop.Ticket)).values({ title: 'a' }).returning()
      expect(await isotherm.db.get(shop.Ticket, { ticketId: ticket!.ticketId })).toEqual(ticket)
    })

    it('computes shards by which Isotherm and Drizzle find the rows of each other', async () => {
      const logs = toDrizzle(shop.UserAccessLog)
      const at = precise('2026-08-01T12:00:00.123456789Z')
      const [row] = await db.insert(logs).values({ userId: 7n, lastAccess: at, page: '/' }).returning()
      expect(await isotherm.db.get(shop.UserAccessLog, { userId: 7n, lastAccess: at })).toEqual(row)
      const [own] = await isotherm.db.insert(shop.UserAccessLog, [{ userId: 8n, page: null }])
      const found = await db.select().from(logs).where(eq(logs.userId, 8n))
      expect(found).toMatchObject([{ ...own, page: null }])
      const readings = toDrizzle(Reading)
      const made = await db
        .insert(readings)
        .values([{ sensor: 12n }, { sensor: 9n }])
        .returning({ shard: readings.shard })
      expect(made).toEqual([{ shard: 2n }, { shard: 4n }])
    })

    it('takes ids from a counter, applies defaults, and omits columns that the database computes', async () => {
      last = 0n
      const [teams, members] = [toDrizzle(Team), toDrizzle(Member)]
      const [team] = await db.insert(teams).values({}).returning()
      expect(team!.teamId).toBe(1n << 62n)
      const [member] = await db.insert(members).values({ teamId: team!.teamId }).returning()
      expect(member).toMatchObject({ state: 'new', shouted: 'NEW' })
      await db.update(teams).set({ captain: member!.memberId }).where(eq(teams.teamId, team!.teamId))
      await expect(db.insert(members).values({ teamId: 3n })).rejects.toMatchObject({
        cause: { code: 'CONSTRAINT' },
      })
    })
  })

  describe('a query of toDrizzle() tables', () => {
    it('uses the column names of the database', async () => {
      const { ada } = await fill()
      const prices = await runs(
        db.select({ price: lines.price }).from(lines).where(gte(lines.price, '2')),
        {
          googlesql: 'select `Line`.`unit_price` from `Line` where `Line`.`unit_price` >= @p1',
          'spanner-postgresql': 'select "unit_price" from "Line" where "Line"."unit_price" >= $1',
        }[dialect.name],
        ['2'],
      )
      expect(prices).toEqual([{ price: '20' }])
      expect(await db.$count(orders, eq(orders.customerId, ada.customerId))).toBe(2)
    })

    it('names joined tables by the keys given to toDrizzle(), and returns null for missing rows', async () => {
      await fill()
      const rows = await runs(
        db
          .select()
          .from(customers)
          .leftJoin(orders, and(eq(orders.customerId, customers.customerId), isNull(orders.note)))
          .orderBy(asc(customers.name)),
        {
          googlesql:
            'select `Customer`.`customerId`, `Customer`.`name`, `Customer`.`settings`, `Order`.`customerId`, `Order`.`orderId`, ' +
            '`Order`.`placed`, `Order`.`note` from `Customer` left join `Order` on (`Order`.`customerId` = ' +
            '`Customer`.`customerId` and `Order`.`note` is null) order by `Customer`.`name` asc',
          'spanner-postgresql':
            'select "Customer"."customerId", "Customer"."name", "Customer"."settings", "Order"."customerId", "Order"."orderId", ' +
            '"Order"."placed", "Order"."note" from "Customer" left join "Order" on ("Order"."customerId" = ' +
            '"Customer"."customerId" and "Order"."note" is null) order by "Customer"."name" asc',
        }[dialect.name],
      )
      expect(rows).toMatchObject([
        { customers: { name: 'Ada' }, orders: { orderId: 2n, note: null } },
        { customers: { name: 'Bob' }, orders: null },
      ])
      const parts = await db
        .select({ name: customers.name, order: { note: orders.note } })
        .from(customers)
        .innerJoin(orders, eq(orders.customerId, customers.customerId))
        .orderBy(desc(orders.orderId))
      expect(parts).toEqual([
        // The row exists, although all of its selected fields are NULL.
        { name: 'Ada', order: { note: null } },
        { name: 'Ada', order: { note: 'first' } },
      ])
    })

    it('reads nested relations to many rows and to one row', async () => {
      const { ada } = await fill()
      const found = await db.query.customers.findMany({
        columns: { name: true },
        orderBy: (t) => asc(t.name),
        with: {
          orders: {
            columns: { orderId: true, note: true },
            orderBy: (t) => asc(t.orderId),
            with: { lines: { columns: { price: true }, orderBy: (t) => desc(t.line) } },
          },
        },
      })
      expect(found).toEqual([
        {
          name: 'Ada',
          orders: [
            { orderId: 1n, note: 'first', lines: [{ price: '20' }, { price: '1.5' }] },
            { orderId: 2n, note: null, lines: [] },
          ],
        },
        { name: 'Bob', orders: [] },
      ])
      const line = await db.query.lines.findFirst({ with: { order: { with: { customer: true } } } })
      expect(line!.order.customer).toEqual(ada)
    })

    it('fanOut() returns the same rows as the fan-out of Isotherm', async () => {
      const logs = toDrizzle(shop.UserAccessLog)
      const at = (minute: number): Date => new Date(Date.UTC(2026, 7, 1, 0, minute))
      await db
        .insert(logs)
        .values(
          Array.from({ length: 60 }, (_, n) => ({ userId: BigInt(n % 7), lastAccess: at(n), page: `/${n}` })),
        )
      const query = fanOut(
        db
          .select()
          .from(logs)
          .where(gte(logs.lastAccess, at(10)))
          .orderBy(desc(logs.lastAccess))
          .limit(20),
      )
      const own = isotherm.db
        .fanOut(shop.UserAccessLog)
        .where({ lastAccess: { gte: at(10) } })
        .orderBy('lastAccess', 'desc')
        .limit(20)
      const rows = await query
      expect(rows).toHaveLength(20)
      expect(rows).toEqual(await own.all())
      expect(await fanOut(db.select().from(logs).where(eq(logs.userId, 3n)))).toHaveLength(9)
    })
  })

  it('toSchema() of toDrizzle() tables equals the schema of their models', () => {
    expect(toSchema(models.map((model) => toDrizzle(model as typeof Team)))).toStrictEqual(
      defineSchema(models),
    )
  })
})
