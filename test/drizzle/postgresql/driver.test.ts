import { drizzle as drizzleGoogleSql } from '@isotherm/drizzle-adapter'
import { drizzle } from '@isotherm/drizzle-adapter/postgresql'
import { spanner, spannerPostgresql } from '@isotherm/spanner'
import { eq, is } from 'drizzle-orm'
import { Cache, type MutationOption } from 'drizzle-orm/cache/core'
import {
  bigint,
  PgDatabase,
  PgTransaction,
  pgTable,
  pgView,
  text,
  type PgQueryResultHKT,
} from 'drizzle-orm/pg-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedEmulator } from '../../support/spanner.js'

const notes = pgTable('notes', {
  noteId: bigint({ mode: 'bigint' }).primaryKey(),
  firstLine: text().notNull(),
})
const lines = pgView('lines').as((qb) => qb.select({ line: notes.firstLine }).from(notes))

const emulator = await sharedEmulator()
const client = await emulator.database({
  dialect: spannerPostgresql,
  ddl: [
    'create table notes (note_id bigint primary key, first_line text not null)',
    'create view lines sql security invoker as select notes.first_line from notes',
  ],
})
const db = drizzle(client, { casing: 'snake_case' })

beforeAll(async () => {
  await db.insert(notes).values({ noteId: 1n, firstLine: 'one' })
})

describe('drizzle()', () => {
  it('returns a PgDatabase of pg-core, whose transactions are PgTransactions', async () => {
    const read = <Kind extends PgQueryResultHKT>(any: PgDatabase<Kind>) => any.select().from(notes)
    expect(await read(db)).toStrictEqual([{ noteId: 1n, firstLine: 'one' }])
    expect(is(db, PgDatabase)).toBe(true)
    await db.transaction(async (tx) => expect(is(tx, PgTransaction)).toBe(true))
    expect(db.$client).toBe(client)
  })

  it('accepts a driver, and a client in its options', async () => {
    expect(await drizzle(spanner(client), { casing: 'snake_case' }).$count(notes)).toBe(1)
    expect(await drizzle({ client, casing: 'snake_case' }).$count(notes)).toBe(1)
  })

  it('names columns after their properties by the option casing', () => {
    expect(db.update(notes).set({ firstLine: 'x' }).where(eq(notes.noteId, 1n)).toSQL()).toStrictEqual({
      sql: 'update "notes" set "first_line" = $1 where "notes"."note_id" = $2',
      params: ['x', '1'],
    })
  })

  it('returns a database that reads views', async () => {
    const query = db.select().from(lines).where(eq(lines.line, 'one'))
    expect(query.toSQL().sql).toBe('select "first_line" from "lines" where "lines"."first_line" = $1')
    expect(await query).toStrictEqual([{ line: 'one' }])
  })

  it('drizzle.mock() builds statements, and throws INVALID_CLIENT when a statement runs', async () => {
    const mock = drizzle.mock()
    expect(mock.select().from(notes).toSQL().sql).toBe('select "noteId", "firstLine" from "notes"')
    await expect(mock.select().from(notes)).rejects.toMatchObject({ cause: { code: 'INVALID_CLIENT' } })
  })

  it('of the GoogleSQL entry rejects a PostgreSQL client with INVALID_CLIENT', () => {
    expect(() => drizzleGoogleSql(client)).toThrow(
      expect.objectContaining({
        code: 'INVALID_CLIENT',
        fix: expect.stringContaining('@isotherm/drizzle-adapter/postgresql'),
      }),
    )
  })

  it('returns cached rows until the database with the cache writes to the table', async () => {
    const kept = new Map<string, string>()
    class Kept extends Cache {
      override strategy() {
        return 'explicit' as const
      }
      override async get(key: string) {
        const found = kept.get(key)
        return found === undefined ? undefined : (JSON.parse(found) as unknown[])
      }
      override async put(key: string, response: unknown) {
        kept.set(key, JSON.stringify(response))
      }
      override async onMutate({ tables }: MutationOption) {
        if (Array.isArray(tables) && tables.some((table) => table === 'notes')) kept.clear()
      }
    }
    const cached = drizzle(client, { casing: 'snake_case', cache: new Kept() })
    const read = () => cached.select({ line: notes.firstLine }).from(notes).$withCache()
    expect(await read()).toStrictEqual([{ line: 'one' }])
    // This write does not go through the database with the cache.
    await db.update(notes).set({ firstLine: 'two' })
    expect(await read()).toStrictEqual([{ line: 'one' }])
    await cached.update(notes).set({ firstLine: 'three' })
    expect(await read()).toStrictEqual([{ line: 'three' }])
  })
})
