import { and, eq, sql, type SQL } from 'drizzle-orm'
import * as pgCore from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import * as googlesql from '../src/index.js'
import * as postgresql from '../src/postgresql.js'
import { refusal, refused } from './support/refusal.js'

// Errors of the functions of both entries for invalid values. Functions that Drizzle itself exports are not tested.

function throwing(): never {
  throw new RangeError('raw')
}

const WRONG: readonly (readonly [kind: string, make: () => unknown])[] = [
  ['null', () => null],
  ['a number', () => 5],
  ['a string', () => 'bogus'],
  ['an array', () => [null]],
  ['an object with an unknown name', () => ({ bogus: undefined })],
  ['an instance of a class', () => new Map()],
  ['a proxy that throws', () => new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing })],
]

interface Statement {
  toSQL(): unknown
}

interface SelectLike extends Statement {
  where(condition?: never): Statement
  groupBy(column: never): { having(condition: never): Statement }
  leftJoin(table: never, on: never): Statement
}

/** What the entries of both dialects have, as a program without types calls it. */
interface Entry {
  readonly users: Readonly<Record<'id' | 'name', never>>
  alias(table: unknown, name: string): never
  readonly drizzle: ((...args: never[]) => unknown) & { mock(args: never): unknown }
  readonly db: {
    select(): { from(table: unknown): SelectLike }
    update(table: unknown): { set(values: object): { where(condition: never): Statement } }
    delete(table: unknown): Statement & { where(condition?: never): Statement }
    $withOptions(options: never): unknown
    transaction(work: never, config?: never): Promise<unknown>
    readonly query: { readonly users: { findMany(config?: never): { toSQL(): unknown } } }
  }
  select(): { where(condition: never): unknown }
}

const ENTRIES: Readonly<Record<'googlesql' | 'spanner-postgresql', () => Entry>> = {
  googlesql: () => {
    const users = googlesql.spannerTable('User', {
      id: googlesql.int64().primaryKey(),
      name: googlesql.string(),
    })
    const db = googlesql.drizzle.mock({ schema: { users } })
    return {
      users: users as never,
      alias: googlesql.alias as never,
      db: db as never,
      drizzle: googlesql.drizzle,
      select: () => db.select().from(users),
    }
  },
  'spanner-postgresql': () => {
    const users = pgCore.pgTable('User', {
      id: pgCore.bigint({ mode: 'bigint' }).primaryKey(),
      name: pgCore.varchar(),
    })
    const db = postgresql.drizzle.mock({ schema: { users } })
    return {
      users: users as never,
      alias: pgCore.alias as never,
      db: db as never,
      drizzle: postgresql.drizzle,
      select: () => db.select().from(users),
    }
  },
}

describe.each(Object.entries(ENTRIES))('the Drizzle adapter with invalid input in %s', (_, open) => {
  const { users, alias, db, drizzle, select } = open()
  const fanOut = googlesql.fanOut as (select: unknown, options?: unknown) => unknown
  const calls: Readonly<Record<string, (wrong: never) => unknown>> = {
    'drizzle.mock': (wrong) => drizzle.mock(wrong),
    'db.$withOptions': (wrong) => db.$withOptions(wrong),
    'db.transaction': (wrong) => db.transaction((async () => {}) as never, wrong),
    fanOut: (wrong) => fanOut(select(), wrong),
  }
  const cases = Object.entries(calls).flatMap(([name, call]) =>
    WRONG.map(([kind, make]) => [name, kind, call, make] as const),
  )

  it.each(cases)('%s rejects %s as its options with INVALID_OPTION', async (name, _kind, call, make) => {
    const error = await refused(() => call(make() as never))
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(name) })
  })

  it.each([
    ['drizzle.mock', { casng: 'snake_case' }, 'Did you mean casing?'],
    ['drizzle.mock', { casing: 'snake' }, "casing is 'snake'."],
    ['drizzle.mock', { logger: 'true' }, "logger is 'true'."],
    ['drizzle.mock', { cache: {} }, 'cache is '],
    ['db.$withOptions', { timeotMs: 5 }, 'Did you mean timeoutMs?'],
    ['db.$withOptions', { timeoutMs: '5' }, "timeoutMs is '5'."],
    ['db.$withOptions', { signal: {} }, 'signal is '],
    ['db.transaction', { accessMode: 'readonly' }, "accessMode is 'readonly'."],
    ['db.transaction', { acessMode: 'read only' }, 'Did you mean accessMode?'],
    ['db.transaction', { at: 'strong' }, 'at is not an option.'],
    ['db.transaction', { deferrable: true }, 'Spanner does not support deferrable transactions'],
    ['fanOut', { consistentPage: true }, 'Did you mean consistentPages?'],
    ['fanOut', { consistentPages: 'yes' }, "consistentPages is 'yes'."],
    ['fanOut', { onShardError: 'ignore' }, "onShardError is 'ignore'."],
  ])('%s rejects the options %o', async (name, options, message) => {
    const error = await refused(() => calls[name]!(options as never))
    expect(error.code).toBe('INVALID_OPTION')
    expect(error.message).toContain(message)
  })

  it.each(WRONG)(
    'drizzle(), fanOut() and db.transaction() reject %s as their first argument',
    async (_, make) => {
      await refused(() => drizzle(make() as never))
      await refused(() => fanOut(make()))
      const error = await refused(() => db.transaction(make() as never))
      expect(error.code).toBe('INVALID_OPTION')
    },
  )

  it('drizzle() rejects an unknown option beside client', async () => {
    const error = await refused(() => drizzle({ client: {}, shema: {} } as never))
    expect(error.message).toContain('Did you mean schema?')
  })

  it('fanOut() rejects SQL of 20,000 levels and SQL that contains itself with UNSUPPORTED_QUERY', async () => {
    let condition: SQL = eq(users.name as never, 'Ada')
    for (let level = 0; level < 20_000; level++) condition = sql`${condition}`
    const itself: SQL = sql`a`
    itself.queryChunks.push(itself)
    for (const where of [condition, itself, and(condition, itself)]) {
      const error = await refused(() => fanOut(select().where(where as never)))
      expect(error.code).toBe('UNSUPPORTED_QUERY')
    }
  })

  it.each([
    [{ colums: {} }, 'INVALID_OPTION', 'Did you mean columns?'],
    [null, 'INVALID_OPTION', 'the options object is null.'],
    [{ columns: { nam: true } }, 'INVALID_QUERY', 'The table users has no column nam. Did you mean name?'],
    [{ columns: { nam: undefined } }, 'INVALID_QUERY', 'The table users has no column nam.'],
    [{ columns: { name: 'true' } }, 'INVALID_QUERY', 'Give true or false for name.'],
    [{ columns: null }, 'INVALID_QUERY', 'columns is '],
    [{ columns: ['name'] }, 'INVALID_QUERY', 'columns is '],
    [{ with: { posts: undefined } }, 'INVALID_QUERY', 'The table users has no relation posts.'],
    [{ with: null }, 'INVALID_QUERY', 'with is '],
    [{ where: null }, 'INVALID_QUERY', 'where is '],
    [{ where: { name: 'Ada' } }, 'INVALID_QUERY', 'where is '],
    [{ where: () => null }, 'INVALID_QUERY', 'where is '],
    [{ orderBy: 'name' }, 'INVALID_QUERY', 'orderBy is '],
    [{ orderBy: [undefined] }, 'INVALID_QUERY', 'orderBy is '],
    [{ orderBy: (all: Record<string, unknown>) => all['nam'] }, 'INVALID_QUERY', 'orderBy is '],
    [{ extras: { one: 1 } }, 'INVALID_QUERY', 'extras is '],
    [{ extras: null }, 'INVALID_QUERY', 'extras is '],
  ])('a relational query rejects the config %o', async (config, code, message) => {
    const error = await refused(() => db.query.users.findMany(config as never).toSQL())
    expect(error.code).toBe(code)
    expect(error.message).toContain(message)
  })

  it.each([null, '', 0, false, 'id = 1', {}])(
    'select, having, join, update and delete reject %o as a condition',
    (wrong) => {
      const [where, on] = [wrong as never, (() => wrong) as never]
      const statements = {
        select: () => db.select().from(users).where(where).toSQL(),
        having: () => db.select().from(users).groupBy(users.id).having(where).toSQL(),
        join: () => db.select().from(users).leftJoin(alias(users, 'other'), on).toSQL(),
        update: () => db.update(users).set({ name: 'Ada' }).where(where).toSQL(),
        delete: () => db.delete(users).where(where).toSQL(),
      }
      for (const [name, statement] of Object.entries(statements)) {
        const error = refusal(statement)
        expect([name, error.code]).toEqual([name, 'INVALID_QUERY'])
        expect(error.message).toMatch(/^The condition of (where|having|on) is /)
      }
    },
  )

  it('select and delete omit the WHERE clause for an undefined condition', () => {
    expect(
      db
        .select()
        .from(users)
        .where(and() as never)
        .toSQL(),
    ).toEqual(db.select().from(users).toSQL())
    expect(db.delete(users).where(undefined).toSQL()).toEqual(db.delete(users).toSQL())
  })

  it('a relational query ignores options that are undefined', () => {
    const config = { columns: undefined, with: undefined, where: undefined, extras: undefined }
    const all = db.query.users.findMany().toSQL()
    expect(db.query.users.findMany(config as never).toSQL()).toEqual(all)
    expect(db.query.users.findMany({ where: () => undefined } as never).toSQL()).toEqual(all)
  })
})
