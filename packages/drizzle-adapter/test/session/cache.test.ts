import { preciseDate, type ResultSet } from '@isotherm/core/adapter'
import { int64, spannerTable } from '@isotherm/drizzle-adapter'
import { sql } from 'drizzle-orm'
import { Cache, type MutationOption } from 'drizzle-orm/cache/core'
import type { CacheConfig, WithCacheConfig } from 'drizzle-orm/cache/core/types'
import { describe, expect, it } from 'vitest'
import { Session } from '../../src/session/session.js'
import { built } from './support/built.js'
import { scriptedDriver } from './support/scripted-driver.js'

/** A cache that stores JSON, as a cache over the network would. */
class MemoryCache extends Cache {
  readonly kept = new Map<string, string>()
  readonly puts: unknown[] = []
  readonly mutations: MutationOption[] = []

  constructor(private readonly mode: 'explicit' | 'all') {
    super()
  }

  override strategy() {
    return this.mode
  }

  override async get(key: string) {
    const kept = this.kept.get(key)
    return kept === undefined ? undefined : (JSON.parse(kept) as unknown[])
  }

  override async put(key: string, response: unknown, tables: string[], isTag: boolean, config?: CacheConfig) {
    this.kept.set(key, JSON.stringify(response))
    this.puts.push({ tables, isTag, config, ...(isTag && { key }) })
  }

  override async onMutate(changed: MutationOption) {
    this.mutations.push(changed)
    this.kept.clear()
  }
}

const ROW = [
  2n ** 62n,
  Number.NaN,
  -0,
  preciseDate('1969-12-31T23:59:59.123456789Z'),
  Buffer.from([0, 255]),
  null,
]

const RESULT: ResultSet = {
  columns: [
    { name: 'i', type: { kind: 'int64' } },
    { name: 'n', type: { kind: 'float64' } },
    { name: 'f', type: { kind: 'float32' } },
    { name: 't', type: { kind: 'timestamp' } },
    { name: 'b', type: { kind: 'bytes', length: 'max' } },
    { name: 'x', type: { kind: 'string', length: 'max' } },
    {
      name: 'a',
      type: {
        kind: 'array',
        of: { kind: 'struct', fields: [{ name: 'y', type: { kind: 'int64' } }] },
      },
    },
  ],
  rows: [[...ROW, [[7n], null]]],
}

const a = spannerTable('a', { id: int64().primaryKey() })
const b = spannerTable('b', { id: int64().primaryKey() })

const setUp = (mode: 'explicit' | 'all') => {
  const cache = new MemoryCache(mode)
  const driver = scriptedDriver(() => RESULT)
  return { cache, driver, session: Session.of(driver, { cache }) }
}

const read = (session: Session, cache?: WithCacheConfig, value: unknown = 1) =>
  session
    .prepare<unknown>(
      built(sql`select ${value} from ${a}, ${b}`),
      { kind: 'select', tables: ['a', 'b'], cache },
      (cells) => cells,
    )
    .execute()

const write = (session: Session) =>
  session.prepare(built(sql`update a set x = 1 where true`), { kind: 'update', tables: ['a'] })

describe('a query cache', () => {
  it('stores results as JSON, and returns the same values as the database', async () => {
    const { cache, driver, session } = setUp('all')
    const first = await read(session)
    expect(await read(session)).toStrictEqual(first)
    expect(first).toStrictEqual(RESULT.rows)
    expect(driver.calls).toHaveLength(1)
    expect(cache.puts).toStrictEqual([{ tables: ['a', 'b'], isTag: false, config: undefined }])
  })

  it('stores results of queries whose parameters differ in value or type in separate entries', async () => {
    const { driver, session } = setUp('all')
    const inputs = [1, 2, '1', 1.5, sql.param([0, 1.5]), sql.param([-0, 1.5])]
    for (const value of inputs) await read(session, undefined, value)
    expect(driver.calls).toHaveLength(inputs.length)
  })

  it("a cache with the strategy 'explicit' serves only queries with enable: true", async () => {
    const { cache, driver, session } = setUp('explicit')
    await read(session)
    await read(session)
    expect(driver.calls).toHaveLength(2)
    const config = { enable: true, tag: 'mine', autoInvalidate: false, config: { ex: 5 } }
    await read(session, config)
    await read(session, config)
    expect(driver.calls).toHaveLength(3)
    expect(cache.puts).toStrictEqual([{ tables: [], isTag: true, key: 'mine', config: { ex: 5 } }])
  })

  it('stores no results of queries with enable: false, stale reads, raw statements and transactions', async () => {
    const { cache, driver, session } = setUp('all')
    await read(session, { enable: false })
    await read(session.withOptions({ at: { exactStaleness: 1 } }))
    await session.prepare(built(sql`select 1`), { kind: 'raw', tables: [] }).execute()
    await session.transaction((tx) => read(tx))
    await session.transaction((tx) => read(tx), { accessMode: 'read only' })
    expect(driver.statements).toHaveLength(5)
    expect(cache.puts).toStrictEqual([])
  })

  it('reads from the database when a stored entry is malformed', async () => {
    const { cache, driver, session } = setUp('all')
    await read(session)
    for (const other of [[], {}, [null], [{ columns: 1 }], ['text']]) {
      for (const key of cache.kept.keys()) cache.kept.set(key, JSON.stringify(other))
      expect(await read(session)).toStrictEqual(RESULT.rows)
    }
    expect(driver.calls).toHaveLength(6)
  })

  it('onMutate() receives each written table once, after the commit', async () => {
    const { cache, driver, session } = setUp('explicit')
    await write(session).execute()
    expect(cache.mutations).toStrictEqual([{ tables: ['a'] }])
    await session.transaction(async (tx) => {
      await tx.batch([write(tx), write(tx)])
      tx.buffer([], ['b'])
      expect(cache.mutations).toHaveLength(1)
    })
    expect(cache.mutations.slice(1)).toStrictEqual([{ tables: ['a', 'b'] }])
    await session.batch([write(session), write(session)])
    await session.partitioned(write(session))
    expect(cache.mutations.slice(2)).toStrictEqual([{ tables: ['a'] }, { tables: ['a'] }])
    expect(driver.calls.at(-1)!.what).toBe('partitioned')
  })

  it('onMutate() receives no table of rolled-back, aborted or failed writes', async () => {
    const cache = new MemoryCache('all')
    const session = Session.of(
      scriptedDriver(() => RESULT, 1),
      { cache },
    )
    let attempts = 0
    await session.transaction(async (tx) => {
      if (++attempts === 1) await write(tx).execute()
    })
    await session
      .transaction(async (tx) => {
        await write(tx).execute()
        tx.rollback()
      })
      .catch(() => {})
    const refused = Session.of(
      scriptedDriver(() => new Error('refused')),
      { cache },
    )
    await expect(write(refused).execute()).rejects.toThrow('Failed query')
    await expect(refused.batch([write(refused), write(refused)])).rejects.toThrow('refused')
    expect([attempts, cache.mutations]).toStrictEqual([2, []])
  })

  it('onMutate() receives the table of a statement that failed in a committed transaction', async () => {
    const cache = new MemoryCache('all')
    const session = Session.of(
      scriptedDriver(() => new Error('too late')),
      { cache },
    )
    await session.transaction(async (tx) => {
      await expect(write(tx).execute()).rejects.toThrow('Failed query')
    })
    expect(cache.mutations).toStrictEqual([{ tables: ['a'] }])
  })
})
