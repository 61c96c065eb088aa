import { compileDdl, introspect, type Schema } from '@isotherm/core'
import { compareWithLive, isMigrationTable, recordSql, recordedSql } from '@isotherm/migrations'
import { spanner, spannerPostgresql } from '@isotherm/spanner'
import { drizzle, SpannerPgDialect, toSchema } from '@isotherm/drizzle-adapter/postgresql'
import { eq, gt, sql, type Casing } from 'drizzle-orm'
import { integer, pgSchema, pgTable, pgView, QueryBuilder, text } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import * as tables from '../../../packages/drizzle-adapter/test/support/pg-tables.js'
import { sharedEmulator } from '../../support/spanner.js'

const dialect = spannerPostgresql

/** A database with the tables and views of a schema; its live schema is compared with the schema. */
async function databaseOf(schema: Schema, casing?: Casing) {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  const driver = spanner(client)
  await recordSql(driver, schema, { dialect })
  const recorded = await recordedSql(driver, { dialect })
  const live = await introspect({ driver, dialect })
  const ignore = (table: string) => isMigrationTable(table)
  expect(compareWithLive(schema, live, { dialect, recorded, ignore })).toEqual({ changes: [], refusals: [] })
  return drizzle(client, casing ? { casing } : {})
}

it.each([undefined, 'snake_case' as const])(
  'the database accepts the DDL of toSchema(), and introspection finds no difference, with the casing %s',
  async (casing) => {
    const db = await databaseOf(toSchema(tables, casing ? { casing } : {}), casing)
    expect(await db.select().from(tables.orders)).toEqual([])
  },
)

it('the database fills in defaults, identities and generated columns, and checks enum values', async () => {
  const { customers, orders, lines, products } = tables
  const db = await databaseOf(toSchema(tables))
  const customerId = '7fffffff-ffff-4fff-bfff-ffffffffffff'
  await db.execute(
    sql`insert into customers ("customerId", email, "changedAt") values (${customerId}, 'a@b.c', spanner.pending_commit_timestamp())`,
  )
  const [row] = await db.select().from(customers)
  expect(row).toMatchObject({
    customerId,
    name: "O'Brien",
    lower: "o'brien",
    active: true,
    balance: '12.5',
    rate: -1,
    visits: 0,
    mood: 'calm',
    born: '2000-02-29',
    tags: ['a', 'b'],
    country: null,
    createdAt: expect.any(Date),
    token: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
  })
  // Counted from 1000 and from 7, with their bits reversed: whole 64-bit integers.
  expect(row!.number).toBe(BigInt(`0b${reversed(1000n)}`))
  expect(row!.counter).toBe(BigInt(`0b${reversed(7n)}`))
  await db.insert(products).values({ sku: 'pen' })
  const [order] = await db.insert(orders).values({ customerId }).returning({ id: orders.orderId })
  await db.insert(lines).values({ customerId, orderId: order!.id, line: 1, sku: 'pen' })
  const [line] = await db.select().from(lines)
  expect(line).toEqual({ shardId: row!.shardId, customerId, orderId: order!.id, line: 1, sku: 'pen' })
  const wrong = db.update(customers).set({ mood: 'angry' as 'calm' })
  await expect(wrong).rejects.toMatchObject({
    cause: { message: expect.stringMatching(/customers_mood_enum/) },
  })
})

/** The 63 bits of a counter that come after the sign, the other way round. */
function reversed(counter: bigint): string {
  return Array.from(counter.toString(2).padStart(63, '0')).toReversed().join('')
}

it('toSchema() makes views of queries with a casing', async () => {
  const casing = 'snake_case'
  const shop = pgSchema('shop')
  const people = shop.table('person', { id: integer().primaryKey(), fullName: text(), age: integer() })
  const builder = new QueryBuilder({ casing })
  const adults = shop.view('adult').as(
    builder
      .select({ id: people.id, name: sql<string>`upper(${people.fullName})`.as('name') })
      .from(people)
      .where(gt(people.age, 17)),
  )
  const counted = pgView('counted').as(builder.select({ n: sql<bigint>`count(*)`.as('n') }).from(adults))
  const db = await databaseOf(toSchema({ shop, counted, adults, people }, { casing }), casing)
  await db.insert(people).values([
    { id: 1, fullName: 'Ann', age: 18 },
    { id: 3, fullName: 'Bob', age: 17 },
  ])
  expect(await db.select().from(adults).where(eq(adults.id, 1))).toEqual([{ id: 1, name: 'ANN' }])
  expect(await db.select().from(counted)).toEqual([{ n: 1n }])
})

it('toSchema() makes views whose fields contain subqueries', async () => {
  const casing = 'snake_case'
  // Both tables have an id: without its table's name, the query would compare pets with themselves.
  const owners = pgTable('owner', { id: integer().primaryKey(), fullName: text() })
  const pets = pgTable('pet', { id: integer().primaryKey(), ownerId: integer() })
  const owned = sql<bigint>`(select count(*) as count from ${pets} where ${pets.ownerId} = ${owners.id})`
  const owning = pgView('owning').as(
    new QueryBuilder(new SpannerPgDialect({ casing }))
      .select({ name: owners.fullName, owned: owned.as('owned') })
      .from(owners),
  )
  const db = await databaseOf(toSchema({ owners, pets, owning }, { casing }), casing)
  await db.insert(owners).values([
    { id: 1, fullName: 'Ann' },
    { id: 3, fullName: 'Bob' },
  ])
  await db.insert(pets).values([
    { id: 1, ownerId: 3 },
    { id: 2, ownerId: 3 },
  ])
  expect(await db.select().from(owning).orderBy(owning.name)).toEqual([
    { name: 'Ann', owned: 0n },
    { name: 'Bob', owned: 2n },
  ])
})
