import { compileDdl, defineSchema, defineTable, IsothermError, openDatabase } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { drizzle as drizzleGoogleSql } from '@isotherm/drizzle-adapter'
import { drizzle as drizzlePostgreSql } from '@isotherm/drizzle-adapter/postgresql'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

const Shop = defineTable(
  'Shop',
  (t) => ({
    id: t.int64().key(),
    opened: t.timestamp().key(),
    name: t.string({ length: 5, nullable: true }),
    code: t.string({ nullable: true }),
    owner: t.string({ default: 'nobody' }),
    staff: t.int64({ nullable: true }),
  }),
  {
    indexes: [{ name: 'ShopByCode', on: ['code'], unique: true }],
    checks: [{ name: 'ShopHasStaff', expression: 'staff > 0' }],
  },
)
const Till = defineTable(
  'Till',
  (t) => ({ id: t.parentKey<bigint>(), opened: t.parentKey<Date>(), till: t.int64().key(), sum: t.int64() }),
  {
    interleaveIn: () => Shop,
  },
)
const Visit = defineTable(
  'Visit',
  (t) => ({ visit: t.uuidV4(), shop: t.int64({ nullable: true }), opened: t.timestamp({ nullable: true }) }),
  { foreignKeys: [{ name: 'VisitsAShop', columns: ['shop', 'opened'], references: () => Shop }] },
)
const Bay = defineTable('Bay', (t) => ({
  bay: t.int64({ name: 'bay_number' }).key(),
  size: t.int64({ name: 'bay_size', nullable: true }),
}))
const schema = defineSchema([Shop, Till, Visit, Bay])

/** A model with a column that was added after the last migration. */
const Newer = defineTable('Bay', (t) => ({
  bay: t.int64({ name: 'bay_number' }).key(),
  color: t.string({ nullable: true }),
}))
const newer = defineSchema([Newer])
const severity = { 'monotonic-first-key': 'off' } as const

/** Drizzle puts an error into one of its own. */
function ownError(thrown: unknown): unknown {
  return thrown instanceof IsothermError ? thrown : (thrown as Error).cause
}

const opened = new Date('2026-08-01T10:00:00.120Z')
const shop = { id: 1n, opened, code: 'one', staff: 3n }

const INSERT_FIRST = 'Insert the row that it refers to first, or both in one transaction.'
const HAS_CHILDREN = "Delete the rows that belong to it first, or declare onDelete: 'cascade'."
const TAKEN = 'Use another value, or change the row that already has it.'
const NOT_NULL =
  'Give the column a value; or declare it nullable, or with a default, and run isotherm generate.'
const TOO_LONG = 'Give a shorter value; or declare a larger length, and run isotherm generate.'
const CHECKED =
  'Give values that the CHECK of this name in the model allows; or change the CHECK, and run isotherm generate.'
const TOO_MANY =
  'Make several calls with fewer values each; or pass the values as one list, in one parameter of an array type.'
const NOT_MIGRATED =
  'Check that the migrations were run (isotherm migrate), and that the models are those of this database.'
const UPDATE_MISSING = 'Insert it; or use upsert for rows that may not be there.'

describe.each(dialects)('an error of $name', async (dialect) => {
  const ddl = compileDdl(schema, { dialect, severity })
  const client = await (await sharedEmulator()).database({ dialect, ddl })
  const db = openDatabase({ driver: spanner(client), schema })
  const newerDb = openDatabase({ driver: spanner(client), schema: newer })
  const nowhere = openDatabase({
    driver: spanner(client.parent.database('not_there'), { dialect }),
    schema,
  })
  const isGoogleSql = dialect.name === 'googlesql'
  const drizzle = isGoogleSql ? drizzleGoogleSql(client) : drizzlePostgreSql(client)
  const name = (text: string) => sql.identifier(text)

  beforeAll(async () => {
    await db.insert(Shop, [shop, { ...shop, id: 4n, code: 'four' }, { ...shop, id: 5n, code: 'five' }])
    await db.insert(Till, [{ id: 5n, opened, till: 1n, sum: 0n }])
  })

  it.each<[string, () => Promise<unknown>, { code: string; says: string; fix: string }]>([
    [
      'an update of several rows of which one row is missing',
      () =>
        db.update(
          Shop,
          [4n, 40n, 1n].map((id) => ({ id, opened, name: 'x' })),
        ),
      { code: 'NOT_FOUND', says: 'Shop has no row with the key { id: 40n, opened: ', fix: UPDATE_MISSING },
    ],
    [
      'a buffered update of a missing row',
      () => db.transaction((tx) => tx.update(Shop, [{ id: 41n, opened, name: 'x' }], { buffered: true })),
      { code: 'NOT_FOUND', says: 'Shop has no row with the key { id: 41n, opened: ', fix: UPDATE_MISSING },
    ],
    [
      'an update of a missing row in a table with renamed columns',
      () => db.update(Bay, [{ bay: 3n, size: 4n }]),
      { code: 'NOT_FOUND', says: 'Bay has no row with the key { bay: 3n }', fix: UPDATE_MISSING },
    ],
    [
      'a read of a column that the table lacks',
      () => newerDb.get(Newer, { bay: 1n }),
      { code: 'NOT_FOUND', says: 'color', fix: NOT_MIGRATED },
    ],
    [
      'an insert of a column that the table lacks',
      () => newerDb.insert(Newer, [{ bay: 1n, color: 'red' }]),
      { code: 'NOT_FOUND', says: 'color', fix: NOT_MIGRATED },
    ],
    [
      'a database that does not exist',
      () => nowhere.get(Bay, { bay: 1n }),
      {
        code: 'NOT_FOUND',
        says: 'not_there',
        fix: 'Create the database (gcloud spanner databases create, or isotherm emulator --database), or check that its name, its instance and SPANNER_EMULATOR_HOST are right.',
      },
    ],
    [
      'an insert of an existing row',
      () => db.insert(Shop, [{ ...shop, code: 'two' }]),
      {
        code: 'ALREADY_EXISTS',
        says: 'existing row',
        fix: 'Use upsert for rows that may be there.',
      },
    ],
    [
      'an insert of the same row twice',
      () => {
        const till = { id: 5n, opened, till: 7n, sum: 0n }
        return db.insert(Till, [till, till])
      },
      {
        code: 'ALREADY_EXISTS',
        says: "Till has a row with the key { id: 5n, opened: '2026-08-01T10:00:00.120000000Z', till: 7n } already.",
        fix: 'Use upsert for rows that may be there.',
      },
    ],
    [
      'a delete of a row that has interleaved rows',
      () => db.delete(Shop, [{ id: 5n, opened }]),
      { code: 'CONSTRAINT', says: 'Till', fix: HAS_CHILDREN },
    ],
    [
      'an insert with a duplicate value in a unique index',
      () => db.insert(Shop, [{ ...shop, id: 2n }]),
      { code: 'ALREADY_EXISTS', says: 'ShopByCode', fix: TAKEN },
    ],
    [
      'an insert that violates a CHECK',
      () => db.insert(Shop, [{ ...shop, id: 2n, code: 'two', staff: -1n }]),
      { code: 'CONSTRAINT', says: 'ShopHasStaff', fix: CHECKED },
    ],
    [
      'an insert without the parent row',
      () => db.insert(Till, [{ id: 9n, opened, till: 1n, sum: 0n }]),
      { code: 'NOT_FOUND', says: 'Till', fix: INSERT_FIRST },
    ],
    [
      'a foreign key that refers to a missing row',
      () => db.insert(Visit, [{ shop: 9n, opened }]),
      { code: 'CONSTRAINT', says: 'VisitsAShop', fix: INSERT_FIRST },
    ],
    [
      'an insert through Drizzle with a duplicate value in a unique index',
      () =>
        drizzle.execute(
          sql`INSERT INTO ${name('Shop')} (${name('id')}, ${name('opened')}, ${name('code')}, ${name('owner')}) VALUES (7, '2026-08-01T10:00:00Z', 'one', 'x')`,
        ),
      { code: 'ALREADY_EXISTS', says: 'ShopByCode', fix: TAKEN },
    ],
    [
      'an update that sets a NOT NULL column to NULL',
      () => drizzle.execute(sql`UPDATE ${name('Shop')} SET ${name('owner')} = NULL WHERE ${name('id')} = 1`),
      { code: 'CONSTRAINT', says: 'owner', fix: NOT_NULL },
    ],
    [
      'an update with a string that is too long',
      () =>
        drizzle.execute(sql`UPDATE ${name('Shop')} SET ${name('name')} = '123456' WHERE ${name('id')} = 1`),
      { code: 'CONSTRAINT', says: 'name', fix: TOO_LONG },
    ],
    [
      'a statement with too many parameters',
      () =>
        drizzle.execute(
          sql`SELECT 1 FROM ${name('Shop')} WHERE ${name('id')} IN ${Array.from({ length: 951 }, (_, at) => BigInt(at))}`,
        ),
      { code: 'DATABASE', says: '950', fix: TOO_MANY },
    ],
    [
      'a statement with an unknown column',
      () => drizzle.execute(sql`SELECT ${name('nope')} FROM ${name('Shop')}`),
      {
        code: 'DATABASE',
        says: 'nope',
        fix: NOT_MIGRATED,
      },
    ],
  ])('has the code, the cause and the fix for %s', async (_, call, { code, says, fix }) => {
    const error: unknown = await call().catch((thrown: unknown) => ownError(thrown))
    expect(error).toMatchObject({ code, fix, message: expect.stringContaining(says) as string })
  })
})
