import { compileDdl } from '@isotherm/core'
import { hashOf, shardOf } from '@isotherm/core/keys'
import { spannerPostgresql } from '@isotherm/spanner'
import {
  drizzle,
  hashKey,
  interleaveIn,
  parentKey,
  shardKey,
  toSchema,
  uuidV4,
} from '@isotherm/drizzle-adapter/postgresql'
import { eq, sql, type SQL } from 'drizzle-orm'
import { bigint, doublePrecision, integer, pgTable, primaryKey, text, varchar } from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { sharedEmulator } from '../../support/spanner.js'
import { runs } from './support/shop.js'

// Values that the database computes, returned by the statement that writes the row.

const casing = 'snake_case'
const dialect = spannerPostgresql

const logs = pgTable('logs', {
  shardId: shardKey({ shards: 4, of: ['logSource'] }),
  logSource: varchar({ length: 50 }).primaryKey(),
  rowId: uuidV4(),
  message: text(),
})

/** It repeats the key of the parent, with the names that the casing makes. */
const logLines = pgTable(
  'log_lines',
  {
    shardId: parentKey(logs.shardId),
    logSource: varchar('log_source', { length: 50 }).notNull(),
    rowId: parentKey(logs.rowId),
    lineNumber: integer('line_number').notNull(),
  },
  (t) => [interleaveIn(logs), primaryKey({ columns: [t.shardId, t.logSource, t.rowId, t.lineNumber] })],
)

const documents = pgTable('documents', {
  hash: hashKey({ of: ['path'] }),
  path: varchar({ length: 200 }).primaryKey(),
})

const people = pgTable('people', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  fullName: text().notNull(),
  age: integer(),
  loudName: varchar({ length: 50 }).generatedAlwaysAs((): SQL => sql`upper(${people.fullName}) || '!'`),
  lowName: text().generatedAlwaysAs(sql`lower(full_name)`),
  halfAge: doublePrecision().generatedAlwaysAs((): SQL => sql`${people.age} * 2`),
})

const tables = [logs, logLines, documents, people]
const emulator = await sharedEmulator()
const db = drizzle(
  await emulator.database({ dialect, ddl: compileDdl(toSchema(tables, { casing }), { dialect }) }),
  { casing },
)

beforeEach(async () => {
  for (const table of tables.toReversed()) await db.delete(table)
})

const LOUD = `(upper("people"."full_name") || '!') as "loud_name"`
const ada = { id: 1n, fullName: 'Ada', age: 3, loudName: 'ADA!', lowName: 'ada', halfAge: 6 }

describe('a key column that the database computes', () => {
  it('is returned with its stored value by inserts, updates and deletes', async () => {
    const shardId = BigInt(shardOf('a', 4))
    const insert = db.insert(logs).values({ logSource: 'a', message: 'x' }).returning()
    expect(insert.toSQL().sql).toMatch(
      / returning \(.*spanner\.farm_fingerprint\(.*"log_source".*\) as "shard_id", "log_source", "row_id", "message"$/,
    )
    const [made] = await insert
    expect(made).toMatchObject({ shardId, logSource: 'a', message: 'x' })
    expect(await db.select().from(logs)).toStrictEqual([made])
    const line = { logSource: 'a', rowId: made!.rowId, lineNumber: 1 }
    expect(await db.insert(logLines).values(line).returning()).toStrictEqual([{ shardId, ...line }])
    const [changed] = await db.update(logs).set({ message: 'y' }).returning()
    expect(changed).toStrictEqual({ ...made, message: 'y' })
    expect(await db.delete(logLines).returning({ shard: logLines.shardId })).toStrictEqual([
      { shard: shardId },
    ])
    expect(await db.delete(logs).returning()).toStrictEqual([changed])
    const hash = hashOf(['/a'], 'farm-fingerprint')
    expect(await db.insert(documents).values({ path: '/a' }).returning()).toStrictEqual([
      { hash, path: '/a' },
    ])
  })

  it('is returned with its stored value by batches, transactions and prepared statements', async () => {
    const shard = { shard: logs.shardId }
    const prepared = db
      .insert(logs)
      .values({ logSource: sql.placeholder('source') })
      .returning(shard)
      .prepare('log')
    for (const source of ['b', 'c', 'd'])
      expect(await prepared.execute({ source })).toStrictEqual([{ shard: BigInt(shardOf(source, 4)) }])
    const [first, , third] = await db.batch([
      db.insert(logs).values({ logSource: 'e' }).returning(shard),
      db.delete(documents),
      db.update(logs).set({ message: 'z' }).where(eq(logs.logSource, 'b')).returning(shard),
    ])
    expect([first, third]).toStrictEqual([
      [{ shard: BigInt(shardOf('e', 4)) }],
      [{ shard: BigInt(shardOf('b', 4)) }],
    ])
    const within = await db.transaction((tx) => tx.insert(logs).values({ logSource: 'f' }).returning(shard))
    expect(within).toStrictEqual([{ shard: BigInt(shardOf('f', 4)) }])
  })
})

describe('a generated column', () => {
  it('is returned with the value of the row after the write, not before', async () => {
    const insert = db.insert(people).values({ id: 1n, fullName: 'Ada', age: 3 }).returning()
    expect(
      await runs(
        insert,
        `insert into "people" ("id", "full_name", "age") values ($1, $2, $3) returning "id", "full_name", "age", ${LOUD}, (lower(full_name)) as "low_name", ("people"."age" * 2)::float8 as "half_age"`,
        ['1', 'Ada', '3'],
      ),
    ).toStrictEqual([ada])
    const update = db.update(people).set({ fullName: 'Eve', age: null }).where(eq(people.loudName, 'ADA!'))
    const eve = { id: 1n, fullName: 'Eve', age: null, loudName: 'EVE!', lowName: 'eve', halfAge: null }
    expect(await update.returning()).toStrictEqual([eve])
    expect(await db.select().from(people)).toStrictEqual([eve])
    const upsert = db
      .insert(people)
      .values({ id: 1n, fullName: 'Fay', age: 5 })
      .onConflictDoUpdate({
        target: people.id,
        set: { id: sql`excluded.id`, fullName: sql`excluded.full_name`, age: sql`excluded.age` },
      })
    expect(await upsert.returning({ loud: people.loudName, half: people.halfAge })).toStrictEqual([
      { loud: 'FAY!', half: 10 },
    ])
    const remove = db.delete(people).returning({ loud: people.loudName })
    expect(await runs(remove, 'delete from "people" returning "loud_name"')).toStrictEqual([{ loud: 'FAY!' }])
  })

  it('is replaced by its expression inside SQL expressions of returning()', async () => {
    const insert = db
      .insert(people)
      .values({ id: 1n, fullName: 'Ada' })
      .returning({
        length: sql<bigint>`length(${people.loudName})`,
        named: sql<string>`coalesce(${people.lowName}, 'unknown')`.as('named'),
        half: sql<number>`${people.halfAge}`.mapWith(people.halfAge),
      })
    expect(insert.toSQL().sql).toContain(
      `returning length((upper("people"."full_name") || '!')), coalesce((lower(full_name)), 'unknown') as "named", ("people"."age" * 2)::float8`,
    )
    expect(await insert).toStrictEqual([{ length: 4n, named: 'ada', half: null }])
  })

  it('is rejected inside a subquery of returning()', async () => {
    const update = db.update(people).set({ age: 1 })
    const inner = db.select({ n: sql`count(*)` }).from(logs)
    const queries = [
      sql`(select ${people.loudName} from ${logs})`,
      sql`(${inner.where(eq(logs.message, people.loudName))})`,
      sql`exists ${inner.where(eq(logs.message, people.loudName)).as('some')}`,
    ]
    for (const query of queries)
      expect(() => update.returning({ query }).toSQL()).toThrow('returning() reads people.loudName, which')
    const other = update.returning({ n: sql<bigint>`1 + ${db.select({ n: sql`count(*)` }).from(logs)}` })
    expect(other.toSQL().sql).toBe(
      'update "people" set "age" = $1 returning 1 + (select count(*) from "logs")',
    )
  })
})
