import { int64, spannerTable, string } from '@isotherm/drizzle-adapter'
import { IsothermError } from '@isotherm/core'
import type { ResultSet } from '@isotherm/core/adapter'
import { DrizzleQueryError, eq, sql, TransactionRollbackError } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { rowMapper } from '../../src/session/rows.js'
import { Session } from '../../src/session/session.js'
import { refusal, rejection } from '../../../core/test/support/refusal.js'
import { built } from './support/built.js'
import { scriptedDriver } from './support/scripted-driver.js'

const users = spannerTable('users', { id: int64(), name: string() })

const ONE: ResultSet = {
  columns: [
    { name: 'id', type: { kind: 'int64' } },
    { name: 'name', type: { kind: 'string', length: 'max' } },
  ],
  rows: [[1n, 'ann']],
}
const WROTE: ResultSet = { columns: [], rows: [], rowCount: 3 }

const map = rowMapper(
  [
    { path: ['id'], field: users.id },
    { path: ['name'], field: users.name },
  ],
  undefined,
)

function select(session: Session, where = sql`${eq(users.id, 1n)}`) {
  const query = built(sql`select id, name from users where ${where}`)
  return session.prepare<object[]>(query, { kind: 'select', tables: ['users'] }, map)
}

function update(session: Session, name = 'new') {
  return session.prepare<{ rowCount: number }>(built(sql`update users set name = ${name} where true`), {
    kind: 'update',
    tables: ['users'],
  })
}

function returning(session: Session) {
  const query = built(sql`delete from users where true then return id, name`)
  return session.prepare<object[]>(query, { kind: 'delete', tables: ['users'] }, map)
}

const raw = (session: Session, text: string) =>
  session.prepare<Record<string, unknown>[]>(built(sql.raw(text)), { kind: 'raw', tables: [] })

const answering = (aborts?: number) =>
  scriptedDriver(({ text }) => (/^update|^insert/.test(text) ? WROTE : ONE), aborts)

describe('a session', () => {
  it('executes a select in one driver call and maps its rows', async () => {
    const driver = answering()
    expect(await select(Session.of(driver)).execute()).toStrictEqual([{ id: 1n, name: 'ann' }])
    expect(driver.calls).toStrictEqual([
      { what: 'driver.run', texts: ['select id, name from users where `users`.`id` = @p1'], options: {} },
    ])
    expect(driver.statements[0]!.parameters).toStrictEqual([
      { name: 'p1', type: { kind: 'int64' }, value: '1' },
    ])
  })

  it('executes a write in a transaction of its own, with its tag and its priority', async () => {
    const driver = answering()
    const session = Session.of(driver).withOptions({ tag: 'rename', priority: 'low', at: 'strong' })
    expect(await update(session).execute()).toStrictEqual({ rowCount: 3 })
    const options = { tag: 'rename', priority: 'low' }
    expect(driver.calls.map(({ what }) => what)).toStrictEqual(['transaction', 'transaction.run', 'commit'])
    expect(driver.calls[0]!.options).toStrictEqual(options)
    expect(driver.calls[1]!.options).toStrictEqual(options)
    expect(await returning(session).execute()).toStrictEqual([{ id: 1n, name: 'ann' }])
  })

  it('passes options to the driver, and lets the last withOptions() override earlier ones', async () => {
    const driver = answering()
    const session = Session.of(driver).withOptions({ at: { exactStaleness: 5 }, timeoutMs: 10 })
    await select(session.withOptions({ timeoutMs: 20 })).execute()
    expect(driver.calls[0]!.options).toStrictEqual({ at: { exactStaleness: 5 }, timeoutMs: 20 })
  })

  it('returns raw rows as objects, runs raw writes in a transaction and raw DDL as DDL', async () => {
    const driver = answering()
    const session = Session.of(driver)
    const rows = await raw(session, '/* a */ -- b\n ( select 1').execute()
    expect(rows).toStrictEqual([{ id: 1n, name: 'ann' }])
    const written = await raw(session, '# c\n@{a=b} Update users').execute()
    expect(written).toMatchObject([{}])
    await raw(session, 'update users').execute()
    await raw(session, 'create table t (id int64) primary key (id)').execute()
    expect(driver.calls.map(({ what }) => what).filter((what) => what !== 'commit')).toStrictEqual([
      'driver.run',
      'transaction',
      'transaction.run',
      'transaction',
      'transaction.run',
      'ddl',
    ])
  })

  it('decodes JSON, structs and unnamed columns of raw statements', async () => {
    const struct = {
      kind: 'struct',
      fields: [{ name: 'n', type: { kind: 'json' } }],
    } as const
    const driver = scriptedDriver(() => ({
      columns: [
        { name: '', type: { kind: 'json' } },
        { name: 'all', type: { kind: 'array', of: struct } },
      ],
      rows: [['{"a":1}', [['[2]'], null]]],
    }))
    expect(await raw(Session.of(driver), 'select').execute()).toStrictEqual([
      { _0: { a: 1 }, all: [{ n: [2] }, null] },
    ])
  })

  it('returns what the result function of a statement makes of the mapped rows', async () => {
    const session = Session.of(answering())
    const first = session.prepare(
      built(sql`select id, name from users`),
      { kind: 'select', tables: [], result: ([row]) => row },
      map,
    )
    expect(await first.execute()).toStrictEqual({ id: 1n, name: 'ann' })
  })

  it('logs placeholder values, while getQuery() returns the placeholders', async () => {
    const logged: unknown[] = []
    const session = Session.of(answering(), { logger: { logQuery: (...all) => logged.push(all) } })
    const prepared = select(session, sql`${eq(users.id, sql.placeholder('id'))}`)
    await prepared.execute({ id: 4n })
    await prepared.execute({ id: 5n })
    const text = 'select id, name from users where `users`.`id` = @p1'
    expect(logged).toStrictEqual([
      [text, ['4']],
      [text, ['5']],
    ])
    expect(prepared.getQuery()).toMatchObject({ sql: text, params: [{ value: { name: 'id' } }] })
  })

  it('throws a DrizzleQueryError with the failed query and its cause', async () => {
    const cause = new IsothermError('NOT_FOUND', 'No such table.')
    const session = Session.of(scriptedDriver(() => cause))
    for (const query of [select(session), update(session), raw(session, 'select 1')]) {
      const error = await query.execute().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(DrizzleQueryError)
      expect(error).toMatchObject({ cause, query: query.getQuery().sql })
    }
  })

  it('rejects parameters in a DDL statement', async () => {
    const query = Session.of(answering()).prepare(built(sql`drop table ${1}`), { kind: 'raw', tables: [] })
    await expect(query.execute()).rejects.toMatchObject({ cause: { code: 'INVALID_QUERY' } })
  })
})

describe('a transaction', () => {
  it('runs all statements in one driver transaction, and repeats its function after an abort', async () => {
    const driver = answering(1)
    const value = await Session.of(driver).transaction(
      async (tx) => {
        await update(tx).execute()
        return select(tx.withOptions({ tag: 'look' })).execute()
      },
      { tag: 'whole', priority: 'medium' },
    )
    expect(value).toStrictEqual([{ id: 1n, name: 'ann' }])
    expect(driver.calls.map(({ what, options }) => [what, options])).toStrictEqual([
      ['transaction', { tag: 'whole', priority: 'medium' }],
      ['transaction.run', { priority: 'medium' }],
      ['transaction.run', { priority: 'medium', tag: 'look' }],
      ['transaction.run', { priority: 'medium' }],
      ['transaction.run', { priority: 'medium', tag: 'look' }],
      ['commit', undefined],
    ])
  })

  it('passes the options of its session to the driver', async () => {
    const driver = answering()
    const session = Session.of(driver).withOptions({ timeoutMs: 5 })
    await session.transaction(async () => {}, { priority: 'low' })
    const stale = session.withOptions({ at: { exactStaleness: 3 } })
    await stale.transaction(async () => {}, { accessMode: 'read only', tag: 'report' })
    expect(driver.calls.map(({ options }) => options)).toStrictEqual([
      { timeoutMs: 5, priority: 'low' },
      undefined,
      { timeoutMs: 5, at: { exactStaleness: 3 }, tag: 'report' },
      undefined,
    ])
  })

  it("with accessMode 'read only' reads from one snapshot and rejects writes", async () => {
    const driver = answering()
    const at = { exactStaleness: 1_000 }
    const work = Session.of(driver).transaction(
      async (tx) => {
        await select(tx).execute()
        return update(tx).execute()
      },
      { accessMode: 'read only', at },
    )
    await expect(work).rejects.toMatchObject({ cause: { code: 'UNSUPPORTED_WRITE' } })
    expect(driver.calls.map(({ what }) => what)).toStrictEqual(['snapshot', 'snapshot.run', 'snapshot.close'])
    expect(driver.calls[0]!.options).toStrictEqual({ at })
  })

  it('rejects nested transactions, DDL, reads at another timestamp and partitioned DML', async () => {
    const driver = answering()
    await Session.of(driver).transaction(async (tx) => {
      const nested = await rejection(tx.transaction(async () => {}))
      expect(nested).toMatchObject({ code: 'UNSUPPORTED_FEATURE', fix: expect.stringContaining('tx itself') })
      for (const refused of [
        raw(tx, 'drop table t').execute(),
        select(tx.withOptions({ at: 'strong' })).execute(),
      ]) {
        await expect(refused).rejects.toMatchObject({ cause: { name: 'IsothermError' } })
      }
      expect(await rejection(tx.partitioned(update(tx)))).toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
    })
    expect(driver.calls.map(({ what }) => what)).toStrictEqual(['transaction', 'commit'])
  })

  it('rolls back with tx.rollback(), and throws TRANSACTION_ENDED when used after its end', async () => {
    const driver = answering()
    let kept!: Session
    const work = Session.of(driver).transaction(async (tx) => {
      kept = tx
      await update(tx).execute()
      tx.rollback()
    })
    await expect(work).rejects.toBeInstanceOf(TransactionRollbackError)
    expect(driver.calls.at(-1)).toMatchObject({ what: 'transaction.run' })
    const late = await rejection(select(kept).execute())
    expect(late).toMatchObject({ code: 'TRANSACTION_ENDED', fix: expect.stringContaining('await') })
    expect(await rejection(kept.batch([select(kept)]).then(() => {}))).toMatchObject({
      code: 'TRANSACTION_ENDED',
    })
  })

  it('accepts serializable as its only isolation level', async () => {
    const session = Session.of(answering())
    await session.transaction(async () => {}, { isolationLevel: 'serializable' })
    const other = session.transaction(async () => {}, { isolationLevel: 'read committed' as never })
    expect(await rejection(other)).toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
  })

  it('is required for mutations, which a session outside of it rejects with UNSUPPORTED_WRITE', () => {
    const session = Session.of(answering())
    expect(refusal(() => session.buffer([], []))).toMatchObject({ code: 'UNSUPPORTED_WRITE' })
  })
})

describe('partitioned DML', () => {
  it('partitioned() runs a statement outside of a transaction, with the options of the session', async () => {
    const driver = answering()
    const session = Session.of(driver).withOptions({ timeoutMs: 9 })
    expect(await session.partitioned(update(session))).toStrictEqual({ rowCount: 7 })
    expect(driver.calls).toStrictEqual([
      { what: 'partitioned', texts: ['update users set name = @p1 where true'], options: { timeoutMs: 9 } },
    ])
  })

  it('partitioned() rejects inserts, selects, returned rows and engines without executePartitioned()', async () => {
    const session = Session.of(answering())
    const insert = session.prepare(built(sql`insert into users`), { kind: 'insert', tables: [] })
    for (const refused of [insert, select(session), returning(session)]) {
      expect(await rejection(session.partitioned(refused))).toMatchObject({ code: 'UNSUPPORTED_WRITE' })
    }
    expect(await rejection(session.partitioned({} as never))).toMatchObject({ code: 'INVALID_QUERY' })
    const lacking = Session.of({ ...answering(), executePartitioned: undefined } as never)
    expect(await rejection(lacking.partitioned(update(lacking)))).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      message:
        'Script has no partitioned DML, and cannot run update users set name = @p1 where true. ' +
        'Leave the statement out, and change its rows in transactions, a range of keys in each.',
    })
  })

  it('partitioned() calls executePartitioned() as a method of the driver', async () => {
    const driver = {
      ...answering(),
      rows: 3,
      async executePartitioned() {
        return this.rows
      },
    }
    const session = Session.of(driver)
    expect(await session.partitioned(update(session))).toStrictEqual({ rowCount: 3 })
  })
})

describe('a batch', () => {
  const whats = (driver: ReturnType<typeof answering>) => driver.calls.map(({ what }) => what)

  it('sends several writes to the driver in one call', async () => {
    const driver = answering()
    const session = Session.of(driver)
    const [first, second] = await session.batch([update(session, 'a'), update(session, 'b')])
    expect([first, second]).toStrictEqual([{ rowCount: 3 }, { rowCount: 3 }])
    expect(whats(driver)).toStrictEqual(['transaction', 'transaction.execute', 'commit'])
  })

  it('reads several queries from one snapshot', async () => {
    const driver = answering()
    const session = Session.of(driver).withOptions({ at: { exactStaleness: 4 } })
    const results = await session.batch([select(session), raw(session, 'select 1')])
    expect(results).toStrictEqual([[{ id: 1n, name: 'ann' }], [{ id: 1n, name: 'ann' }]])
    expect(whats(driver)).toStrictEqual(['snapshot', 'snapshot.run', 'snapshot.run', 'snapshot.close'])
    expect(driver.calls[0]!.options).toStrictEqual({ at: { exactStaleness: 4 } })
  })

  it('reads a single query without a snapshot, and makes no call for an empty list', async () => {
    const driver = answering()
    const session = Session.of(driver)
    expect(await session.batch([select(session)])).toHaveLength(1)
    expect(await session.batch([])).toStrictEqual([])
    expect(whats(driver)).toStrictEqual(['driver.run'])
  })

  it('runs reads and writes in one transaction, in their order', async () => {
    const driver = answering()
    const session = Session.of(driver)
    const results = await session.batch([
      update(session),
      update(session),
      select(session),
      update(session),
      returning(session),
      raw(session, 'update users'),
      update(session),
      update(session),
    ])
    expect(results.map((result) => (Array.isArray(result) ? result.length : result))).toStrictEqual([
      { rowCount: 3 },
      { rowCount: 3 },
      1,
      { rowCount: 3 },
      1,
      0,
      { rowCount: 3 },
      { rowCount: 3 },
    ])
    expect(whats(driver)).toStrictEqual([
      'transaction',
      'transaction.execute',
      'transaction.run',
      'transaction.run',
      'transaction.run',
      'transaction.run',
      'transaction.execute',
      'commit',
    ])
  })

  it('accepts query builders as statements, and rejects DDL with UNSUPPORTED_STATEMENT', async () => {
    const session = Session.of(answering())
    const builder = { _prepare: () => select(session) }
    expect(await session.batch([builder])).toStrictEqual([[{ id: 1n, name: 'ann' }]])
    const changed = session.batch([raw(session, 'drop table t')])
    expect(await rejection(changed)).toMatchObject({ code: 'UNSUPPORTED_STATEMENT' })
  })

  it('throws an error with the parameters of the statement that failed', async () => {
    const cause = new IsothermError('CONSTRAINT', 'No.', { statement: 1 })
    const session = Session.of(scriptedDriver(() => cause))
    const failed = session.batch([update(session, 'first'), update(session, 'second')])
    await expect(failed).rejects.toMatchObject({ params: ['second'], cause })
  })
})
