import { bool, int64, spannerTable, string, timestamp, SpannerDialect } from '@isotherm/drizzle-adapter'
import { spanner } from '@isotherm/spanner'
import { DrizzleQueryError, sql, TransactionRollbackError } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { TableMutations } from '../../packages/drizzle-adapter/src/keys/mutations.js'
import { rowMapper } from '../../packages/drizzle-adapter/src/session/rows.js'
import { Session } from '../../packages/drizzle-adapter/src/session/session.js'
import { sharedEmulator } from '../support/spanner.js'

const accounts = spannerTable('Account', {
  id: int64({ mode: 'number' }).primaryKey(),
  name: string({ length: 20 }),
  open: bool(),
  seen: timestamp(),
})

const emulator = await sharedEmulator()
const client = await emulator.database({
  ddl: [
    'CREATE TABLE Account (id INT64 NOT NULL, name STRING(20), open BOOL, seen TIMESTAMP) PRIMARY KEY (id)',
  ],
})
const logged: string[] = []
const session = Session.of(spanner(client), { logger: { logQuery: (text) => logged.push(text) } })
const dialect = new SpannerDialect()

const map = rowMapper(
  Object.entries({ id: accounts.id, name: accounts.name }).map(([name, field]) => ({ path: [name], field })),
  undefined,
)

interface Account {
  id: number
  name: string | null
}

const all = (on: Session) =>
  on.prepare<Account[]>(
    dialect.toQuery(sql`select id, name from Account order by id`),
    { kind: 'select', tables: ['Account'] },
    map,
  )

const insert = (on: Session, id: number, name: string | null = null) =>
  on.prepare<{ rowCount: number }>(
    dialect.toQuery(
      sql`insert into Account (id, name, open, seen) values (${sql.param(id, accounts.id)}, ${sql.param(name, accounts.name)}, ${sql.param(null, accounts.open)}, ${sql.param(null, accounts.seen)})`,
    ),
    { kind: 'insert', tables: ['Account'] },
  )

const rename = (on: Session, name: string) =>
  on.prepare<{ rowCount: number }>(dialect.toQuery(sql`update Account set name = ${name} where true`), {
    kind: 'update',
    tables: ['Account'],
  })

const removed = (on: Session) =>
  on.prepare<Account[]>(
    dialect.toQuery(sql`delete from Account where true then return id, name`),
    { kind: 'delete', tables: ['Account'] },
    map,
  )

const raw = (text: string) =>
  session.prepare<Record<string, unknown>[]>(dialect.toQuery(sql.raw(text)), { kind: 'raw', tables: [] })

function deferred() {
  let resolve!: () => void
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

beforeEach(async () => {
  await removed(session).execute()
  logged.length = 0
})

describe('a statement outside a transaction', () => {
  it('returns rows or a row count, and writes typed NULLs', async () => {
    expect(await insert(session, 1).execute()).toStrictEqual({ rowCount: 1 })
    expect(await insert(session, 2, 'two').execute()).toStrictEqual({ rowCount: 1 })
    expect(await all(session).execute()).toStrictEqual([
      { id: 1, name: null },
      { id: 2, name: 'two' },
    ])
    expect(await rename(session, 'new').execute()).toStrictEqual({ rowCount: 2 })
    expect(await removed(session).execute()).toStrictEqual([
      { id: 1, name: 'new' },
      { id: 2, name: 'new' },
    ])
    expect(await rename(session, 'none').execute()).toStrictEqual({ rowCount: 0 })
    expect(logged.at(-1)).toBe('update Account set name = @p1 where true')
  })

  it('runs several times with different values after prepare()', async () => {
    await session.batch([insert(session, 1, 'one'), insert(session, 2, 'two')])
    const byId = session.prepare<Account[]>(
      dialect.toQuery(sql`select id, name from Account where ${accounts.id} = ${sql.placeholder('id')}`),
      { kind: 'select', tables: ['Account'] },
      map,
    )
    expect(byId.getQuery().sql).toBe('select id, name from Account where `Account`.`id` = @p1')
    expect(await byId.execute({ id: 2 })).toStrictEqual([{ id: 2, name: 'two' }])
    expect(await byId.execute({ id: 1 })).toStrictEqual([{ id: 1, name: 'one' }])
    expect(await byId.execute({ id: null })).toStrictEqual([])
  })

  it('runs raw DDL, DML and queries, and wraps errors in DrizzleQueryError', async () => {
    await raw('create table Other (id int64) primary key (id)').execute()
    const written = await raw('insert into Other (id) values (1), (2)').execute()
    expect(written).toStrictEqual([])
    expect(written).toHaveProperty('rowCount', 2)
    const rows = await raw(
      `select id, array(select as struct id as a, json '{"b":[1]}' as j) as nested, 5 from Other order by id`,
    ).execute()
    expect(rows[0]).toStrictEqual({ id: 1n, nested: [{ a: 1n, j: { b: [1] } }], _2: 5n })
    await raw('drop table Other').execute()
    const error = await raw('select * from Other')
      .execute()
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(DrizzleQueryError)
    expect(error).toMatchObject({ query: 'select * from Other', cause: { name: 'IsothermError' } })
  })

  it('reads at an earlier timestamp with the option at, also in a batch', async () => {
    await insert(session, 1, 'old').execute()
    const [row] = await raw('select current_timestamp() as now').execute()
    await rename(session, 'new').execute()
    const at = { readTimestamp: row!['now'] as Date }
    const stale = session.withOptions({ at, tag: 'stale', priority: 'low' })
    expect(await all(stale).execute()).toStrictEqual([{ id: 1, name: 'old' }])
    expect(await stale.batch([all(stale), all(stale)])).toStrictEqual([
      [{ id: 1, name: 'old' }],
      [{ id: 1, name: 'old' }],
    ])
    expect(await all(session).execute()).toStrictEqual([{ id: 1, name: 'new' }])
  })

  it('fails with CANCELLED when its signal aborts, and with TIMEOUT after timeoutMs', async () => {
    const controller = new AbortController()
    const cancelled = all(session.withOptions({ signal: controller.signal })).execute()
    controller.abort()
    await expect(cancelled).rejects.toMatchObject({ cause: { code: 'CANCELLED' } })
    const late = insert(session.withOptions({ timeoutMs: 0 }), 9).execute()
    await expect(late).rejects.toMatchObject({ cause: { code: 'TIMEOUT' } })
  })
})

describe('a transaction', () => {
  it('reads its own writes, and shows them to other reads after its commit', async () => {
    const seen = await session.transaction(
      async (tx) => {
        await insert(tx, 1, 'mine').execute()
        const second = tx.withOptions({ tag: 'second' })
        await second.batch([rename(tx, 'a'), rename(second, 'b'), all(tx)])
        return all(tx).execute()
      },
      { tag: 'work', priority: 'low', timeoutMs: 60_000 },
    )
    expect(seen).toStrictEqual([{ id: 1, name: 'b' }])
    expect(await all(session).execute()).toStrictEqual(seen)
  })

  it('is rolled back by rollback(), by an error of the work and by a failed statement', async () => {
    const mistake = new Error('mine')
    const undone = [
      [(tx: Session) => tx.rollback(), TransactionRollbackError],
      [() => Promise.reject(mistake), mistake],
      [(tx: Session) => insert(tx, 1).execute(), DrizzleQueryError],
    ] as const
    for (const [end, expected] of undone) {
      const work = session.transaction(async (tx) => {
        await insert(tx, 1).execute()
        await end(tx)
      })
      await expect(work).rejects.toThrow(expected as never)
    }
    expect(await all(session).execute()).toStrictEqual([])
  })

  it('reports ALREADY_EXISTS for a failed statement, and commits the statements after the failure', async () => {
    await insert(session, 1).execute()
    await session.transaction(async (tx) => {
      const failed = insert(tx, 1).execute()
      await expect(failed).rejects.toMatchObject({ cause: { code: 'ALREADY_EXISTS' } })
      await insert(tx, 2).execute()
    })
    expect(await all(session).execute()).toHaveLength(2)
  })

  it('runs again after the database aborts it, even if its work throws another error', async () => {
    let firstRuns = 0
    let secondRuns = 0
    const again = deferred()
    const begun = deferred()
    const first = session.transaction(async (tx) => {
      firstRuns++
      await insert(tx, 1).execute()
      begun.resolve()
      await again.promise
    })
    await begun.promise
    const second = session.transaction(async (tx) => {
      if (++secondRuns === 2) again.resolve()
      try {
        await insert(tx, 2).execute()
      } catch (error) {
        throw new Error('The second insert failed.', { cause: error })
      }
    })
    // The database chooses which transaction it aborts: if it aborts the first, the second commits in its first run.
    await Promise.all([first, second.finally(again.resolve)])
    expect(firstRuns + secondRuns).toBeGreaterThan(2)
    expect((await all(session).execute()).map(({ id }) => id)).toStrictEqual([1, 2])
  })

  it('reads one snapshot when it is read-only, and rejects a write with UNSUPPORTED_WRITE', async () => {
    await insert(session, 1, 'old').execute()
    await session.transaction(
      async (tx) => {
        await rename(session, 'new').execute()
        expect(await all(tx).execute()).toStrictEqual([{ id: 1, name: 'old' }])
        expect(await tx.batch([all(tx), all(tx)])).toStrictEqual([
          [{ id: 1, name: 'old' }],
          [{ id: 1, name: 'old' }],
        ])
        await expect(rename(tx, 'x').execute()).rejects.toMatchObject({
          cause: { code: 'UNSUPPORTED_WRITE' },
        })
      },
      { accessMode: 'read only', tag: 'report' },
    )
    expect(await all(session).execute()).toStrictEqual([{ id: 1, name: 'new' }])
  })

  it('applies mutations at its commit, and hides them from its own reads', async () => {
    await session.transaction(async (tx) => {
      const mutations = new TableMutations(tx, accounts, dialect)
      mutations.insert([{ id: 1, name: 'one' }, { id: 2 }, { id: 3, name: null }])
      expect(await all(tx).execute()).toStrictEqual([])
    })
    await session.transaction(async (tx) => {
      const mutations = new TableMutations(tx, accounts, dialect)
      mutations.update({ id: 1, name: 'changed' })
      mutations.upsert([{ id: 2, name: 'two' }, { id: 4 }])
      mutations.delete([{ id: 3 }, { id: 99 }])
    })
    expect(await all(session).execute()).toStrictEqual([
      { id: 1, name: 'changed' },
      { id: 2, name: 'two' },
      { id: 4, name: null },
    ])
  })
})

describe('a batch', () => {
  it('returns the results of reads and writes in order', async () => {
    const results = await session.batch([
      insert(session, 1, 'one'),
      insert(session, 2, 'two'),
      all(session),
      rename(session, 'both'),
      removed(session),
    ])
    expect(results).toStrictEqual([
      { rowCount: 1 },
      { rowCount: 1 },
      [
        { id: 1, name: 'one' },
        { id: 2, name: 'two' },
      ],
      { rowCount: 2 },
      [
        { id: 1, name: 'both' },
        { id: 2, name: 'both' },
      ],
    ])
  })

  it('is rolled back as a whole when a statement fails, and reports the index of the statement', async () => {
    const failed = session.batch([
      insert(session, 1),
      insert(session, 2),
      insert(session, 1),
      insert(session, 3),
    ])
    await expect(failed).rejects.toMatchObject({
      params: ['1', null, null, null],
      cause: { code: 'ALREADY_EXISTS', statement: 2 },
    })
    expect(await all(session).execute()).toStrictEqual([])
  })
})

describe('partitioned DML', () => {
  it('updates all rows of a table and returns the row count', async () => {
    await session.batch([insert(session, 1), insert(session, 2)])
    expect(await session.partitioned(rename(session, 'all'))).toStrictEqual({ rowCount: 2 })
    expect(await all(session).execute()).toMatchObject([{ name: 'all' }, { name: 'all' }])
  })
})
