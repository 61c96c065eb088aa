import { compileDdl, type SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import * as googleSql from '@isotherm/drizzle-adapter'
import * as postgreSql from '@isotherm/drizzle-adapter/postgresql'
import * as pgCore from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { sharedEmulator } from '../support/spanner.js'

// Writes of values that the types do not allow, in both dialects: they write the intended rows or nothing.

interface Row {
  readonly id: string
  readonly name?: string
  readonly note?: string
}

/** The methods of the databases of both dialects, for calls without type checks. */
interface Db {
  select(): { from(table: unknown): Promise<readonly Row[]> }
  insert(table: unknown): { values(rows: unknown): Promise<unknown> }
  delete(table: unknown): Promise<unknown>
  batch(queries: readonly unknown[]): Promise<unknown>
  transaction(work: (tx: Tx) => Promise<unknown>): Promise<unknown>
  $withOptions(options: object): Db
}

interface Tx extends Db {
  mutate(table: unknown): Record<'insert' | 'update' | 'upsert' | 'delete', (rows: unknown) => void>
  rollback(): never
}

const notes = googleSql.spannerTable('Note', {
  id: googleSql.string({ length: 36 }).primaryKey(),
  name: googleSql.string({ length: 20 }),
  note: googleSql.string({ length: 20 }),
})
const pgNotes = pgCore.pgTable('note', {
  id: pgCore.varchar({ length: 36 }).primaryKey(),
  name: pgCore.varchar({ length: 20 }),
  note: pgCore.varchar({ length: 20 }),
})

const emulator = await sharedEmulator()
async function open(dialect: SqlDialect): Promise<Db> {
  const schema = dialect.name === 'googlesql' ? googleSql.toSchema([notes]) : postgreSql.toSchema([pgNotes])
  const client = await emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  return (dialect.name === 'googlesql'
    ? googleSql.drizzle(client)
    : postgreSql.drizzle(client)) as unknown as Db
}

describe.each([
  { dialect: googlesql, table: notes },
  { dialect: spannerPostgresql, table: pgNotes },
])('writes of untyped values in $dialect.name', async ({ dialect, table }) => {
  const [db, other] = await Promise.all([open(dialect), open(dialect)])
  const rows = async (of: Db) => (await of.select().from(table)).toSorted((a, b) => (a.id < b.id ? -1 : 1))

  beforeEach(async () => {
    await Promise.all([db.delete(table), other.delete(table)])
  })

  it('several mutations of one row keep the last value of each column', async () => {
    await db.transaction(async (tx) =>
      tx.mutate(table).upsert([
        { id: 'a', name: '1' },
        { id: 'a', name: '2', note: 'x' },
        { id: 'a', name: '3' },
      ]),
    )
    expect(await rows(db)).toStrictEqual([{ id: 'a', name: '3', note: 'x' }])
    await db.transaction(async (tx) =>
      tx.mutate(table).update([
        { id: 'a', name: '4' },
        { id: 'a', name: '5', note: 'y' },
        { id: 'a', name: '6' },
      ]),
    )
    expect(await rows(db)).toStrictEqual([{ id: 'a', name: '6', note: 'y' }])
  })

  it('inserts and mutations reject values that are not rows, and write no row', async () => {
    const wrong = [
      undefined,
      null,
      5,
      'abc',
      [{ id: 'a' }, undefined],
      { id: 'a', nam: 'x' },
      [{ id: 'a' }, 5],
    ]
    for (const input of wrong) {
      await expect((async () => db.insert(table).values(input))()).rejects.toHaveProperty('fix')
      for (const op of ['insert', 'upsert', 'update'] as const) {
        const work = db.transaction(async (tx) => tx.mutate(table)[op](input))
        await expect(work).rejects.toHaveProperty('fix')
      }
    }
    expect(await rows(db)).toStrictEqual([])
  })

  it('batch() rejects a statement that was built with another database or with a transaction', async () => {
    const foreign = db.batch([db.insert(table).values({ id: 'a' }), other.insert(table).values({ id: 'b' })])
    await expect(foreign).rejects.toThrow(
      'Statement 1 of the batch was built with a database, and is run by another',
    )
    const outside = db.$withOptions({ outsideTransaction: true })
    const work = db.transaction(async (tx) => {
      await expect(outside.batch([tx.insert(table).values({ id: 'c' })])).rejects.toThrow(
        'built with a transaction',
      )
      await outside.batch([outside.insert(table).values({ id: 'd' })])
      tx.rollback()
    })
    await expect(work).rejects.toThrow('Rollback')
    expect(await rows(db)).toStrictEqual([{ id: 'd', name: null, note: null }])
    expect(await rows(other)).toStrictEqual([])
  })
})
