import { type SqlDialect, compileDdl } from '@isotherm/core'
import * as google from '@isotherm/drizzle-adapter'
import * as postgres from '@isotherm/drizzle-adapter/postgresql'
import { asc, count, eq, exists, relations, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { KeptSelects } from './support/kept-selects.js'

// A write to any table that a select reads drops its cached rows. A select with a table that only SQL text names is not cached.

const ofGoogleSql = () => {
  const int = () => google.int64({ mode: 'number' })
  const people = google.spannerTable('person', {
    id: int().primaryKey(),
    name: google.string({ length: 20 }),
  })
  const notes = google.spannerTable(
    'note',
    { id: google.parentKey(people.id), at: int().primaryKey() },
    () => [google.interleaveIn(people, { onDelete: 'cascade' })],
  )
  const bans = google.spannerTableCreator((name) => `app_${name}`)('ban', { who: int().primaryKey() })
  const banned = google.spannerView('banned').as((qb) =>
    qb
      .select({ id: people.id })
      .from(people)
      .where(exists(qb.select({ who: bans.who }).from(bans).where(eq(bans.who, people.id)))),
  )
  const known = google.spannerView('banned', { id: int() }).existing()
  return { people, notes, bans, banned, known }
}

const ofPostgreSql = () => {
  const int = () => pg.bigint({ mode: 'number' })
  const people = pg.pgTable('person', { id: int().primaryKey(), name: pg.varchar({ length: 20 }) })
  const notes = pg.pgTable('note', { id: postgres.parentKey(people.id), at: int() }, (t) => [
    pg.primaryKey({ columns: [t.id, t.at] }),
    postgres.interleaveIn(people, { onDelete: 'cascade' }),
  ])
  const bans = pg.pgTableCreator((name) => `app_${name}`)('ban', { who: int().primaryKey() })
  const banned = pg.pgView('banned').as((qb) =>
    qb
      .select({ id: people.id })
      .from(people)
      .where(exists(qb.select({ who: bans.who }).from(bans).where(eq(bans.who, people.id)))),
  )
  const known = pg.pgView('banned', { id: int() }).existing()
  return { people, notes, bans, banned, known }
}

async function openDatabase(dialect: SqlDialect) {
  const isOwn = dialect.name === 'googlesql'
  const { toSchema, drizzle } = (isOwn ? google : postgres) as typeof google
  const tables = (isOwn ? ofGoogleSql() : ofPostgreSql()) as ReturnType<typeof ofGoogleSql>
  const { people, notes, bans, banned } = tables
  const schema = {
    people,
    notes,
    peopleRelations: relations(people, ({ many }) => ({ notes: many(notes) })),
    notesRelations: relations(notes, ({ one }) => ({
      person: one(people, { fields: [notes.id], references: [people.id] }),
    })),
  }
  const ddl = compileDdl(toSchema([people, notes, bans, banned]), { dialect })
  const connection = await (await sharedEmulator()).database({ dialect, ddl })
  const alias = (isOwn ? google.alias : pg.alias) as typeof google.alias
  return {
    ...tables,
    alias,
    open: (cache?: KeptSelects) => drizzle(connection, { schema, ...(cache && { cache }) }),
  }
}

describe.each(dialects)('a cache of selects in $name', async (dialect) => {
  const { people, notes, bans, banned, known, alias, open } = await openDatabase(dialect)
  const quote = dialect.name === 'googlesql' ? '`' : '"'
  const named = (name: string) => sql.raw(`${quote}${name}${quote}`)
  const isBanned = sql<boolean>`exists (select 1 from ${bans} where ${bans.who} = ${people.id})`
  type Db = ReturnType<typeof open>
  const banOf = (db: Db) => db.select().from(bans).where(eq(bans.who, people.id))

  beforeEach(async () => {
    const db = open()
    await db.delete(people)
    await db.delete(bans)
    await db.insert(people).values([
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Bob' },
    ])
    await db.insert(notes).values([{ id: 1, at: 1 }])
  })

  const SELECTS: Readonly<Record<string, (db: Db) => PromiseLike<unknown>>> = {
    'a subquery in WHERE': (db) =>
      db
        .select()
        .from(people)
        .where(exists(banOf(db))),
    'a subquery in FROM': (db) => {
      const few = db.select({ who: bans.who }).from(bans).as('few')
      return db.select().from(few)
    },
    'a subquery of a subquery': (db) => {
      const few = db
        .select({ id: people.id })
        .from(people)
        .where(exists(banOf(db)))
        .as('few')
      return db.select({ id: few.id }).from(few)
    },
    'a subquery in a join': (db) => {
      const few = db.select({ who: bans.who }).from(bans).as('few')
      return db.select({ id: people.id }).from(people).innerJoin(few, eq(few.who, people.id))
    },
    'a subquery in WITH': (db) => {
      const few = db.$with('few').as(db.select({ who: bans.who }).from(bans))
      return db.with(few).select().from(few)
    },
    'WITH in a subquery of WHERE': (db) => {
      const few = db.$with('few').as(db.select({ who: bans.who }).from(bans))
      return db
        .select()
        .from(people)
        .where(exists(db.with(few).select().from(few).where(eq(few.who, people.id))))
    },
    'a view': (db) => db.select().from(banned),
    'a set operation': (db) =>
      db
        .select({ id: people.id })
        .from(people)
        .except(db.select({ id: bans.who }).from(bans)),
    'a field in SQL that reads a table': (db) =>
      db.select({ id: people.id, isBanned }).from(people).orderBy(asc(people.id)),
    'a count in a field': (db) =>
      db.select({ id: people.id, bans: db.$count(bans, eq(bans.who, people.id)) }).from(people),
    'a condition in SQL that reads a table': (db) =>
      db.select({ found: count() }).from(people).where(isBanned),
    'SQL instead of a table in FROM': (db) =>
      db.select({ x: sql`x.who` }).from(sql`(select who from ${bans}) x`),
    'a subquery in WHERE of a relational query': (db) =>
      db.query.people.findMany({ where: exists(banOf(db)) }),
    'a subquery in WHERE of a relation': (db) =>
      db.query.people.findMany({
        with: {
          notes: { where: (note) => exists(db.select().from(bans).where(eq(bans.who, note.id))) },
        },
      }),
    'an extra of a relational query': (db) =>
      db.query.people.findMany({ extras: { isBanned: isBanned.as('isBanned') }, orderBy: asc(people.id) }),
  }

  test.each(Object.entries(SELECTS))(
    'drops cached rows of a select with %s after an insert into one of its tables',
    async (_, select) => {
      const cache = new KeptSelects()
      const [cached, plain] = [open(cache), open()]
      const before = await select(cached)
      expect(await select(cached)).toEqual(before)
      expect(cache.hits).toBe(1)
      await cached.insert(bans).values({ who: 1 })
      const after = await select(cached)
      expect(after).not.toEqual(before)
      expect(after).toEqual(await select(plain))
    },
  )

  test.each([
    ['a delete of the parent row', (db: Db) => db.delete(people).where(eq(people.id, 1))],
    ['DML in SQL text', (db: Db) => db.execute(sql`delete from ${named('note')} where id = 1`)],
    ['DML in SQL with the table object', (db: Db) => db.execute(sql`delete from ${notes} where id = 1`)],
    [
      'DML in SQL text in a transaction',
      (db: Db) => db.transaction((tx) => tx.execute(sql`delete from ${named('note')} where id = 1`)),
    ],
  ])('drops cached rows of an interleaved table after %s', async (_, write) => {
    const db = open(new KeptSelects())
    const called = alias(notes, 'n')
    const selects = [() => db.select().from(notes), () => db.select().from(called)]
    for (const select of selects) expect(await select()).toHaveLength(1)
    await write(db)
    for (const select of selects) expect(await select()).toEqual([])
  })

  const UNKNOWN: Readonly<Record<string, (db: Db) => ReturnType<typeof unknownOf>>> = {
    'a table name in SQL of WHERE': (db) => unknownOf(db, sql`exists (select 1 from ${named('app_ban')})`),
    'a table name in SQL of a join': (db) => {
      const from = sql`${people} join ${named('app_ban')} on true`
      return db.select({ id: sql`1` }).from(from) as never
    },
    'a subquery whose WITH is missing': (db) => {
      const lacking = db.$with('app_ban').as(db.select({ who: bans.who }).from(bans))
      return db.select({ id: lacking.who }).from(lacking) as never
    },
    'an existing view without a query': (db) => db.select({ id: known.id }).from(known) as never,
  }
  const unknownOf = (db: Db, where: ReturnType<typeof sql>) =>
    db.select({ id: people.id }).from(people).where(where)

  test.each(Object.entries(UNKNOWN))(
    'caches a select with %s only with a tag or an expiry',
    async (_, select) => {
      const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
      onTestFinished(() => warned.mockRestore())
      const cache = new KeptSelects()
      const db = open(cache)
      expect(await select(db)).toEqual([])
      await db.insert(bans).values({ who: 1 })
      expect(await select(db)).not.toEqual([])
      expect(warned).not.toHaveBeenCalled()

      for (let times = 0; times < 2; times++) await select(db).$withCache()
      expect(cache.hits).toBe(0)
      expect(warned.mock.calls).toEqual([
        [
          expect.stringMatching(/^A select with \$withCache is not cached: /u),
          { type: 'IsothermCacheWarning', detail: expect.stringContaining('select') },
        ],
      ])

      const tagged = () => select(db).$withCache({ tag: 'mine' })
      const rows = await tagged()
      await db.delete(bans)
      expect(await tagged()).toEqual(rows)
      await db.$cache.invalidate({ tags: 'mine' })
      expect(await tagged()).toEqual([])

      const expiring = () => select(db).$withCache({ autoInvalidate: false, config: { ex: 60 } })
      await expiring()
      await expiring()
      expect(cache.hits).toBe(2)
    },
  )
})
