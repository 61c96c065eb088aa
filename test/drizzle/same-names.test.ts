import { type SqlDialect, compileDdl } from '@isotherm/core'
import * as google from '@isotherm/drizzle-adapter'
import * as postgres from '@isotherm/drizzle-adapter/postgresql'
import { asc, eq, exists, inArray, notExists, relations, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { sampledDialects, sharedEmulator } from '../support/spanner.js'

// One statement with two tables of the same name in two schemas: each column is read from its own table.

const own = () => {
  const columns = () => ({
    id: google.int64({ mode: 'number' }).primaryKey(),
    name: google.string({ length: 20 }),
  })
  const users = google.spannerTable('users', columns())
  const hrUsers = google.spannerSchema('hr').table('users', columns())
  const bans = google.spannerTable('bans', { who: google.int64({ mode: 'number' }).primaryKey() })
  return { users, hrUsers, bans }
}

const ofPostgres = () => {
  const columns = () => ({ id: pg.bigint({ mode: 'number' }).primaryKey(), name: pg.varchar({ length: 20 }) })
  const users = pg.pgTable('users', columns())
  const hrUsers = pg.pgSchema('hr').table('users', columns())
  const bans = pg.pgTable('bans', { who: pg.bigint({ mode: 'number' }).primaryKey() })
  return { users, hrUsers, bans }
}

async function twoSchemas(dialect: SqlDialect) {
  const isOwn = dialect.name === 'googlesql'
  const { toSchema, drizzle } = (isOwn ? google : postgres) as typeof google
  const alias = (isOwn ? google.alias : pg.alias) as typeof google.alias
  const { users, hrUsers, bans } = (isOwn ? own() : ofPostgres()) as ReturnType<typeof own>
  // The schema object gives the tables other names.
  const schema = {
    people: users,
    staff: hrUsers,
    bans,
    peopleRelations: relations(users, ({ many }) => ({ colleagues: many(hrUsers) })),
    staffRelations: relations(hrUsers, ({ one }) => ({
      person: one(users, { fields: [hrUsers.id], references: [users.id] }),
    })),
  }
  const ddl = compileDdl(toSchema([users, hrUsers, bans]), { dialect })
  const db = drizzle(await (await sharedEmulator()).database({ dialect, ddl }), { schema })
  return { db, users, hrUsers, bans, alias }
}

describe.each(sampledDialects)('two tables of the same name in two schemas in $name', async (dialect) => {
  const { db, users, hrUsers, bans, alias } = await twoSchemas(dialect)
  const ids = (rows: readonly { readonly id: number }[]): number[] =>
    rows.map(({ id }) => id).toSorted((one, other) => one - other)

  beforeEach(async () => {
    for (const table of [users, hrUsers, bans]) await db.delete(table)
    await db.insert(users).values([{ id: 1, name: 'Ada' }])
    await db.insert(hrUsers).values([
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Bob' },
      { id: 3, name: 'Cyd' },
    ])
    await db.insert(bans).values([{ who: 2 }, { who: 1 }])
  })

  test('an UPDATE and a DELETE with a subquery change only rows of their own table', async () => {
    const inUsers = exists(db.select().from(users).where(eq(users.id, hrUsers.id)))
    expect((await db.update(hrUsers).set({ name: 'new' }).where(inUsers)).rowCount).toBe(1)
    expect((await db.delete(hrUsers).where(inUsers)).rowCount).toBe(1)
    expect(ids(await db.select().from(hrUsers))).toEqual([2, 3])
    const inHr = exists(db.select().from(hrUsers).where(eq(hrUsers.id, users.id)))
    expect((await db.delete(users).where(inHr)).rowCount).toBe(0)
    expect(
      (await db.delete(users).where(notExists(db.select().from(hrUsers).where(eq(hrUsers.id, users.id)))))
        .rowCount,
    ).toBe(1)
  })

  test('a select reads each column from its own table in fields, conditions, groups and the order', async () => {
    const rows = await db
      .select({
        id: hrUsers.id,
        count: db.$count(users, eq(users.id, hrUsers.id)),
        name: sql<string>`(${db.select({ name: users.name }).from(users).where(eq(users.id, hrUsers.id))})`.as(
          'same',
        ),
      })
      .from(hrUsers)
      .orderBy(asc(hrUsers.id))
    expect(rows).toEqual([
      { id: 1, count: 1, name: 'Ada' },
      { id: 2, count: 0, name: null },
      { id: 3, count: 0, name: null },
    ])
    expect(await db.$count(hrUsers, exists(db.select().from(users).where(eq(users.id, hrUsers.id))))).toBe(1)
    const other = alias(hrUsers, 'other')
    const joined = await db
      .select({ id: users.id, other: other.id })
      .from(users)
      .innerJoin(other, eq(other.name, users.name))
      .where(inArray(users.id, db.select({ id: hrUsers.id }).from(hrUsers).where(eq(hrUsers.id, users.id))))
      .groupBy(users.id, other.id)
    expect(joined).toEqual([{ id: 1, other: 1 }])
  })

  test('a subquery in WITH and in FROM reads each column from its own table', async () => {
    const inner = db
      .select({ id: users.id })
      .from(users)
      .where(exists(db.select().from(hrUsers).where(eq(hrUsers.id, users.id))))
    const some = db.$with('some').as(inner)
    expect(await db.with(some).select().from(some)).toEqual([{ id: 1 }])
    expect(await db.select().from(inner.as('some'))).toEqual([{ id: 1 }])
    expect(
      (
        await db
          .with(some)
          .delete(hrUsers)
          .where(inArray(hrUsers.id, db.select({ id: some.id }).from(some)))
      ).rowCount,
    ).toBe(1)
  })

  test('a relational query reads each column from its own table when the schema object renames the tables', async () => {
    const banned = exists(db.select().from(bans).where(eq(bans.who, hrUsers.id)))
    expect(ids(await db.query.staff.findMany({ where: banned }))).toEqual([1, 2])
    expect(
      ids(
        await db.query.staff.findMany({
          where: exists(db.select().from(users).where(eq(users.id, hrUsers.id))),
        }),
      ),
    ).toEqual([1])
    const found = await db.query.staff.findMany({
      where: (row, { exists: is, eq: equal }) => is(db.select().from(bans).where(equal(bans.who, row.id))),
      orderBy: [asc(db.$count(users, eq(users.id, hrUsers.id))), asc(hrUsers.id)],
      extras: { bans: db.$count(bans, eq(bans.who, hrUsers.id)).as('bans') },
      with: { person: { extras: { twins: db.$count(hrUsers, eq(hrUsers.name, users.name)).as('twins') } } },
    })
    expect(found).toEqual([
      { id: 2, name: 'Bob', bans: 1, person: null },
      { id: 1, name: 'Ada', bans: 1, person: { id: 1, name: 'Ada', twins: 1 } },
    ])
  })

  test('toSQL() rejects a column that is ambiguous between tables or subqueries of the same name', async () => {
    const astray = db.select().from(users).where(eq(hrUsers.id, 1))
    expect(() => astray.toSQL()).toThrow('The column id of users would be read from another users')
    const sq = db.select({ id: users.id }).from(users).as('sq')
    const nested = db.select({ id: hrUsers.id }).from(hrUsers).as('sq')
    const query = db
      .select()
      .from(sq)
      .where(exists(db.select().from(nested).where(eq(nested.id, sq.id))))
    expect(await query).toEqual([{ id: 1 }])
    const twin = db.select({ id: users.id }).from(users).where(eq(users.id, 1)).as('sq')
    const either = db
      .select()
      .from(sq)
      .where(exists(db.select().from(twin).where(eq(twin.id, sq.id))))
    expect(() => either.toSQL()).toThrow(
      'The column id is ambiguous: the query and an outer query both have a sq',
    )
  })

  test('toSQL() rejects a WITH subquery with the name of a table that the query reads', () => {
    const named = db.$with('users').as(db.select({ id: users.id }).from(users))
    const query = db.with(named).select({ id: users.id }).from(users)
    expect(() => query.toSQL()).toThrow(
      'The query reads the table users, and has a subquery of that name in with.',
    )
  })
})
