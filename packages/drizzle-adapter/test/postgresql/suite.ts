import { type Driver, compileDdl } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { startPglite } from '@isotherm/postgresql/local'
import {
  bitReversedId,
  bytea,
  commitTimestamp,
  descTimestamp,
  fanOut,
  hashKey,
  index,
  interleaveIn,
  parentKey,
  sequential,
  shardKey,
  toSchema,
  uuidV4,
} from '@isotherm/drizzle-adapter/postgresql'
import { preciseDate } from '@isotherm/core/adapter'
import { inTransaction } from '@isotherm/core/sequences'
import { count, desc, eq, gte, relations, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  integer,
  jsonb,
  numeric,
  pgEnum,
  pgTable,
  pgView,
  real,
  smallint,
  text,
  timestamp,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import type { drizzle } from 'drizzle-orm/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// Tables of Spanner's PostgreSQL dialect in PostgreSQL, through Drizzle's own database: Isotherm writes the DDL and reads the shards.

const customers = pgTable(
  'customers',
  { id: uuidV4(), mail: varchar({ length: 200 }).notNull(), points: integer().notNull().default(0) },
  (t) => [
    index('customers_by_mail').on(t.mail).storing(t.points),
    check('points_are_few', sql`${t.points} < 1000`),
  ],
)
const orders = pgTable(
  'orders',
  { id: parentKey(customers.id), orderId: bitReversedId(), cents: bigint({ mode: 'number' }).notNull() },
  () => [interleaveIn(customers, { onDelete: 'cascade' })],
)
const visits = pgTable('visits', {
  shard: shardKey({ shards: 8, of: ['customerId'] }),
  at: descTimestamp({ default: 'now' }),
  customerId: varchar({ length: 36 }).primaryKey(),
  page: text(),
  storedAt: commitTimestamp(),
})
const drawn = pgTable('drawn', {
  shard: shardKey({ shards: 8, strategy: 'random', first: 1 }),
  id: uuidV4(),
})
const hashed = pgTable('hashed', {
  id: hashKey({ of: ['mail'], algorithm: 'sha256' }),
  mail: varchar({ length: 200 }).primaryKey(),
})
const numbered = pgTable('numbered', {
  id: uuidV4(),
  invoice: sequential({ from: inTransaction('invoice') }),
})
const mood = pgEnum('mood', ['good', 'bad'])
const values = pgTable('kinds_of_values', {
  shard: shardKey({ shards: 4, of: ['id'] }),
  id: bigint({ mode: 'bigint' }).primaryKey(),
  whole: bigint({ mode: 'number' }),
  small: smallint(),
  flag: boolean(),
  double: doublePrecision(),
  single: real(),
  exact: numeric(),
  exactNumber: numeric({ mode: 'number' }),
  exactBigint: numeric({ mode: 'bigint' }),
  day: date(),
  dayDate: date({ mode: 'date' }),
  moment: timestamp({ withTimezone: true }),
  momentText: timestamp({ withTimezone: true, mode: 'string' }),
  document: jsonb(),
  raw: bytea(),
  guid: uuid(),
  mood: mood(),
  list: text().array(),
  numbers: bigint({ mode: 'number' }).array(),
})
const rich = pgView('rich').as((qb) =>
  qb.select({ id: customers.id }).from(customers).where(gte(customers.points, 100)),
)
const customersRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
const ordersRelations = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.id], references: [customers.id] }),
}))
const tables = { customers, orders, visits, drawn, hashed, numbered, values, rich }
const schema = { ...tables, customersRelations, ordersRelations }

export interface OwnDatabase extends AsyncDisposable {
  readonly driver: Driver
  /** Drizzle's own database on the same client. */
  open(config: { readonly schema: typeof schema; readonly casing: 'snake_case' }): Database
}

type Database = ReturnType<typeof drizzle<typeof schema>>

export function drizzleOnPostgresql(name: string, start: () => Promise<OwnDatabase>): void {
  describe(`Isotherm tables in Drizzle's own database on ${name}`, () => {
    let engine: OwnDatabase
    let driver: Driver
    let db: Database

    beforeAll(async () => {
      engine = await start()
      driver = engine.driver
      await driver.applyDdl(compileDdl(toSchema(tables, { casing: 'snake_case' }), { dialect: postgresql }))
      db = engine.open({ schema, casing: 'snake_case' })
    }, 300_000)
    afterAll(() => engine?.[Symbol.asyncDispose]())

    it('insert() generates ids, shards, hashes and timestamps, and queries find the inserted rows', async () => {
      const [ada] = await db.insert(customers).values({ mail: 'ada@example.org', points: 500 }).returning()
      expect(ada).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        mail: 'ada@example.org',
        points: 500,
      })
      const { id } = ada!
      const made = await db
        .insert(orders)
        .values([
          { id, cents: 350 },
          { id, cents: 50 },
        ])
        .returning()
      expect(new Set(made.map(({ orderId }) => orderId)).size).toBe(2)
      expect(made.every(({ orderId }) => typeof orderId === 'bigint' && orderId > 0n)).toBe(true)
      const found = await db.query.customers.findMany({
        with: { orders: { columns: { cents: true }, orderBy: desc(orders.cents) } },
      })
      expect(found[0]!.orders).toEqual([{ cents: 350 }, { cents: 50 }])
      // JSON lost digits of orderId.
      await expect(db.query.customers.findMany({ with: { orders: true } })).rejects.toThrow(
        /orderId is about \d+, and has lost digits: Drizzle's relational query reads it as JSON/,
      )
      const texts = await db.query.customers.findMany({
        with: {
          orders: {
            columns: { cents: true },
            extras: { text: sql<string>`${orders.orderId}::text`.as('text') },
          },
        },
      })
      expect(texts[0]!.orders.map((order) => order.text).toSorted()).toEqual(
        made.map(({ orderId }) => String(orderId)).toSorted(),
      )
      expect(await db.select().from(rich)).toEqual([{ id }])

      const [visit] = await db.insert(visits).values({ customerId: id, page: '/pens' }).returning()
      expect(visit).toMatchObject({
        customerId: id,
        page: '/pens',
        at: expect.any(Date),
        storedAt: expect.any(Date),
      })
      expect(visit!.shard).toBe(
        (await driver.run({ text: 'SELECT shard FROM visits', parameters: [] })).rows[0]![0],
      )
      // The timestamp that was read matches the stored row.
      expect(await db.$count(visits, eq(visits.at, visit!.at))).toBe(1)

      const [hash] = await db.insert(hashed).values({ mail: 'ada@example.org' }).returning()
      expect(await db.select().from(hashed).where(eq(hashed.id, hash!.id))).toEqual([hash])
      expect(hash!.id).toHaveLength(32)
    })

    it('insert() spreads rows with random shard keys over all 8 shards', async () => {
      const rows = await db
        .insert(drawn)
        .values(Array.from({ length: 200 }, () => ({})))
        .returning()
      const shards = new Set(rows.map(({ shard }) => Number(shard)))
      expect([...shards].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    })

    it('a prepared insert draws a random shard each time it runs', async () => {
      const insert = db.insert(drawn).values({}).returning().prepare('draw')
      const shards = new Set<bigint>()
      // The same shard each time: once in 8^99.
      for (let run = 0; run < 100; run++) shards.add((await insert.execute())[0]!.shard)
      expect(shards.size).toBeGreaterThan(1)
    })

    it('insert() rejects a timestamp with nanoseconds, because PostgreSQL stores microseconds', async () => {
      const at = preciseDate('2026-02-03T04:05:06.123456789Z')
      await expect(async () => db.insert(visits).values({ customerId: 'precise', at })).rejects.toMatchObject(
        {
          code: 'INVALID_VALUE',
          message: expect.stringContaining(
            'at of PostgreSQL takes microseconds, and 2026-02-03T04:05:06.123456789Z has nanoseconds',
          ),
        },
      )
      expect(await db.$count(visits, eq(visits.customerId, 'precise'))).toBe(0)
      const micros = preciseDate('2026-02-03T04:05:06.123456Z')
      const [stored] = await db.insert(visits).values({ customerId: 'precise', at: micros }).returning()
      expect(stored!.at).toEqual(micros)
      await db.delete(visits).where(eq(visits.customerId, 'precise'))
    })

    it('select() reads a timestamp in a session time zone whose offset had seconds', async () => {
      const at = new Date('1900-01-01T00:00:00Z')
      await db.insert(visits).values({ customerId: 'old', at })
      await db.transaction(async (tx) => {
        await tx.execute(sql`SET LOCAL TIME ZONE 'Europe/Amsterdam'`)
        const [old] = await tx.select().from(visits).where(eq(visits.customerId, 'old'))
        expect(old!.at).toEqual(at)
      })
      await db.delete(visits).where(eq(visits.customerId, 'old'))
    })

    it('insert() rejects a missing value that only Isotherm can generate, and names the column', async () => {
      await expect(async () => db.insert(numbered).values({})).rejects.toMatchObject({
        code: 'UNSUPPORTED_WRITE',
        message: expect.stringContaining("Drizzle's own insert cannot make the value of invoice."),
        fix: 'Give the value, or insert the row by openDatabase of @isotherm/core.',
      })
      expect(await db.insert(numbered).values({ invoice: 7n }).returning()).toMatchObject([{ invoice: 7n }])
    })

    it('insert() fails when a row violates a check constraint', async () => {
      await expect(db.insert(customers).values({ mail: 'x', points: 1000 })).rejects.toMatchObject({
        cause: { constraint: 'points_are_few' },
      })
    })

    describe('fanOut()', () => {
      const some = {
        flag: true,
        double: 0.1,
        single: 0.5,
        exact: '1.5',
        exactNumber: 1.5,
        exactBigint: 12n,
      }
      const rows = [
        {
          id: 1n,
          whole: 2 ** 53 - 1,
          small: -3,
          ...some,
          day: '2026-02-03',
          dayDate: new Date('2026-02-03T00:00:00Z'),
          moment: new Date('2026-02-03T04:05:06.789Z'),
          momentText: '2026-02-03 04:05:06.123456+00',
          document: { a: [1, 'x', null] },
          raw: Buffer.from([0, 255]),
          guid: '66340607-9d45-465b-96e2-67c7fd3f431a',
          mood: 'bad',
          list: ['a', 'b"c'],
          numbers: [1, 2],
        },
        { id: 2n, double: Number.NaN, exact: '-0.00001', moment: new Date(-1), document: 'text', list: [] },
        { id: -(2n ** 63n) },
      ] as const

      beforeAll(async () => {
        await db.insert(values).values(rows as never)
        const start = Date.UTC(2026, 0, 1)
        await db.insert(visits).values(
          Array.from({ length: 100 }, (_, at) => ({
            customerId: `c${at % 7}`,
            page: `/${at}`,
            at: new Date(start + at * 1000),
          })),
        )
      })

      it('returns the same rows as the select for columns of every type', async () => {
        const select = db.select().from(values).orderBy(values.id)
        const selected = await select
        expect(selected).toHaveLength(3)
        expect(await fanOut(select, { driver })).toEqual(selected)
      })

      it('takes a boolean column as a condition', async () => {
        // Drizzle's types ask for SQL, and it takes the column all the same.
        const select = db
          .select({ id: values.id })
          .from(values)
          .where(values.flag as never)
        expect(await fanOut(select, { driver })).toEqual([{ id: 1n }])
        expect(await select).toEqual([{ id: 1n }])
      })

      it('finds a row by its UUID in lower case, and rejects capitals, which PostgreSQL would not find either', async () => {
        const [{ guid }] = rows
        const found = (uuid: string) => db.select({ id: values.id }).from(values).where(eq(values.guid, uuid))
        expect(await fanOut(found(guid), { driver })).toEqual([{ id: 1n }])
        expect(await found(guid.toUpperCase())).toEqual([])
        await expect(async () => fanOut(found(guid.toUpperCase()), { driver })).rejects.toMatchObject({
          code: 'UNSUPPORTED_QUERY',
          message: expect.stringContaining('compares guid with a UUID in capitals') as string,
        })
      })

      it('reads all shards in order in pages, counts rows and groups rows', async () => {
        const ours = gte(visits.at, new Date('2026-01-01T00:00:00Z'))
        const select = db
          .select({ page: visits.page, at: visits.at })
          .from(visits)
          .where(ours)
          .orderBy(desc(visits.at))
        const query = fanOut(select.limit(30), { driver })
        const pages: unknown[] = []
        let cursor: string | undefined
        do {
          const page = await query.after(cursor).page()
          pages.push(...page.rows)
          cursor = page.next
        } while (cursor !== undefined)
        const all = await db
          .select({ page: visits.page, at: visits.at })
          .from(visits)
          .where(ours)
          .orderBy(desc(visits.at))
        expect(pages).toEqual(all)
        expect(await query.count()).toBe(all.length)
        const groups = fanOut(
          db.select({ customer: visits.customerId, rows: count() }).from(visits).groupBy(visits.customerId),
          {
            driver,
          },
        )
        expect((await groups).length).toBe(8)
      })

      it('reads only the one shard that the filter selects', () => {
        const select = db.select().from(visits).where(eq(visits.customerId, 'c1'))
        expect(fanOut(select, { driver }).explain().shards?.read).toHaveLength(1)
      })

      it('requires the driver of the client that runs the select', async () => {
        const select = db.select().from(visits)
        expect(() => fanOut(select)).toThrow(
          "fanOut: driver is missing, and the select comes from Drizzle's own database for PostgreSQL. Give the driver of its client: fanOut(select, { driver: pg(pool) }), or pglite(database).",
        )
        expect(() => fanOut(select, { driver: {} as never })).toThrow('fanOut: driver is {}. Give a driver.')
        await using other = await startPglite()
        expect(() => fanOut(select, { driver: pglite(other.client) })).toThrow(
          'the driver is of another client',
        )
        await db.transaction(async (tx) => {
          expect(() => fanOut(tx.select().from(visits), { driver })).toThrow(
            'or the select is of a transaction',
          )
        })
      })
    })
  })
}
