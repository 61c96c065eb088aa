import { type Driver, IsothermError } from '@isotherm/core'
import { type CqlDialect, cql, keyspacesCql } from '@isotherm/cassandra'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConditionalLease } from '../src/history/conditional-store.js'
import { storeOf } from '../src/history/store-of.js'
import type { Begun } from '../src/history/store.js'
import { migrationDriver } from '../src/options.js'
import { inTime, pass, stopTime } from '../../core/test/sequences/support/virtual-time.js'
import { refusal, rejection } from '../../core/test/support/refusal.js'
import { MemoryPartition, type WriteFate } from './support/memory-partition.js'

// The lease and the history of an engine that has conditional writes, and no transactions.

beforeEach(stopTime)
afterEach(() => void vi.useRealTimers())

function started(fates: readonly WriteFate[] = []) {
  const partition = new MemoryPartition(fates)
  const store = storeOf(migrationDriver(partition.driver()))
  return { partition, store }
}

const first: Begun = {
  migration: '1',
  statement: 1,
  hash: 'h',
  kind: 'ddl',
  operation: 'o',
  attempt: 1,
  rows: null,
}
const whole: Begun = { ...first, statement: 0, kind: 'migration', operation: null, rows: 2 }

describe('the lease of migrations on conditional writes', () => {
  it('acquire() rejects a second holder with MIGRATION_LOCKED until the first holder calls release()', async () => {
    const { store } = started()
    const lease = await inTime(store.acquire())
    expect(await inTime(store.holder())).toMatchObject({ description: expect.stringMatching(/:\d+$/) })
    const onWait = vi.fn<() => void>()
    const other = await inTime(rejection(store.acquire({ onWait })))
    expect(other).toMatchObject({
      code: 'MIGRATION_LOCKED',
      message: expect.stringContaining('has been migrating'),
    })
    expect(onWait).not.toHaveBeenCalled()
    await inTime(lease.release())
    expect(await inTime(store.holder())).toBeUndefined()
    await inTime((await inTime(store.acquire())).release())
  })

  it('acquire() with the option wait gets the lease after the holder released it', async () => {
    const { store } = started()
    const lease = await inTime(store.acquire())
    let seen = 0
    const waiting = store.acquire({ wait: 60_000, onWait: () => void seen++ })
    await pass(3_000)
    expect(seen).toBeGreaterThan(2)
    await inTime(lease.release())
    await inTime((await inTime(waiting)).release())
  })

  it('is renewed while its holder works, and expires after the holder lost the database', async () => {
    const { store, partition } = started()
    const lease = await inTime(store.acquire({ lease: 3_000 }))
    await pass(20_000)
    expect(partition.static('holder')).not.toBeNull()
    expect(lease.signal.aborted).toBe(false)
    // The process cannot reach the database.
    partition.beforeWrite = () => {
      throw new IsothermError('UNAVAILABLE', 'No way to the database.')
    }
    await pass(3_000)
    expect(partition.static('holder')).not.toBeNull()
    await pass(5_000)
    expect(partition.static('holder')).toBeNull()
    expect(lease.signal.reason).toMatchObject({ code: 'MIGRATION_LOCKED' })
    partition.beforeWrite = () => {}
    await inTime((await inTime(store.acquire())).release())
  })

  it('lasts one second longer than the requested time, rounded up to seconds', async () => {
    const { store, partition } = started()
    await inTime(store.acquire({ lease: 2_500 }))
    expect(partition.statics.get('holder')!.endsAt - Date.now()).toBe(4_000)
  })

  it.each(['lost', 'lost-and-written'] as const)(
    'acquire() takes the lease once when the first answer is %s',
    async (fate) => {
      const { store, partition } = started([fate])
      const lease = await inTime(store.acquire())
      await inTime(store.write(lease, [{ to: 'started', records: [first] }]))
      expect(partition.row('1', 1)).toMatchObject({ state: 'started' })
      await inTime(lease.release())
    },
  )

  it.each([{ lease: 0 }, { lease: 86_400_001 }, { wait: -1 }, { wait: Infinity }])(
    'acquire() rejects %o with INVALID_VALUE',
    async (options) => {
      const { store } = started()
      expect(await inTime(rejection(store.acquire(options)))).toMatchObject({ code: 'INVALID_VALUE' })
    },
  )
})

describe('a holder that lost its lease', () => {
  it('write() throws MIGRATION_LOCKED with the name of the new holder, and writes nothing', async () => {
    const { store, partition } = started()
    const lease = await inTime(store.acquire())
    const ends = { endsAt: Infinity }
    partition.statics.set('holder', { value: crypto.randomUUID(), ...ends })
    partition.statics.set('holder_description', { value: 'grave:4711', ...ends })
    const lost = await inTime(rejection(store.write(lease, [{ to: 'started', records: [first] }])))
    expect(lost).toMatchObject({
      code: 'MIGRATION_LOCKED',
      message: expect.stringContaining('grave:4711 has taken over'),
    })
    expect(lease.signal.reason).toBe(lost)
    expect(partition.rows.size).toBe(0)
    // release() keeps the lease of another holder.
    await inTime(lease.release())
    expect(partition.static('holder_description')).toBe('grave:4711')
  })

  it('runDml() runs no statement when the lease expired while the process slept', async () => {
    const partition = new MemoryPartition()
    const run = vi.fn<Driver['run']>(async () => ({ columns: [], rows: [] }))
    const store = storeOf(migrationDriver(partition.driver({ run })))
    const lease = await inTime(store.acquire())
    partition.statics.clear()
    vi.setSystemTime(Date.now() + 3_600_000)
    const dml = {
      key: first,
      sql: 'INSERT',
      signal: lease.signal,
      done: () => [{ to: 'done' as const, records: [first] }],
    }
    expect(await inTime(rejection(store.runDml(lease, dml)))).toMatchObject({ code: 'MIGRATION_LOCKED' })
    expect(run).not.toHaveBeenCalled()
  })
})

describe('the history of migrations on conditional writes', () => {
  it('is empty before its table exists, and two concurrent calls of ensure() succeed', async () => {
    const { store, partition } = started()
    partition.isMade = false
    expect(await inTime(store.read())).toEqual([])
    await inTime(Promise.all([store.ensure(cql, {}), store.ensure(cql, {})]))
    expect(partition.isMade).toBe(true)
    expect(await inTime(store.read())).toEqual([])
  })

  it('ensure() creates a static column for the lease, and enables TTL on Keyspaces', async () => {
    const made = async (dialect: CqlDialect): Promise<string> => {
      const partition = new MemoryPartition()
      partition.isMade = false
      const applyDdl = vi.fn<Driver['applyDdl']>(async () => {})
      await storeOf(migrationDriver(partition.driver({ dialect, applyDdl }))).ensure(dialect, {})
      return applyDdl.mock.calls[0]![0].join()
    }
    const [cassandra, keyspaces] = [await made(cql), await made(keyspacesCql)]
    expect(cassandra).toContain('"holder" uuid static')
    expect(cassandra).toMatch(/WITH CLUSTERING ORDER BY \("migration" ASC, "statement" ASC\)$/)
    expect(keyspaces).toBe(`${cassandra}\n  AND CUSTOM_PROPERTIES = {'ttl': {'status': 'enabled'}}`)
  })

  it('stores states of statements, also when answers are lost, and deletes forgotten statements', async () => {
    const { store } = started(['well', 'lost-and-written', 'lost'])
    const lease = await inTime(store.acquire())
    await inTime(store.write(lease, [{ to: 'started', records: [whole, first] }]))
    const started0 = { migration: '1', statement: 0, state: 'started', rows: 2n, finished: null }
    expect(await inTime(store.read())).toMatchObject([
      { ...started0, rows: expect.anything() },
      { statement: 1, state: 'started', operation: 'o', hash: 'h', attempt: 1 },
    ])
    await inTime(store.write(lease, [{ to: 'failed', records: [first], error: 'no' }]))
    expect((await inTime(store.read()))[1]).toMatchObject({ state: 'failed', error: 'no' })
    await inTime(
      store.write(lease, [
        { to: 'done', records: [first], rows: 3 },
        { to: 'done', records: [whole] },
      ]),
    )
    expect((await inTime(store.read())).map(({ state, error }) => [state, error])).toEqual([
      ['done', null],
      ['done', null],
    ])
    await inTime(store.write(lease, [{ to: 'forgotten', records: [first] }]))
    expect(await inTime(store.read())).toHaveLength(1)
  })

  it('write() writes the record of a migration after the records of its statements', async () => {
    const { store, partition } = started()
    const lease = await inTime(store.acquire())
    partition.written.length = 0
    await inTime(
      store.write(lease, [{ to: 'recorded', records: [whole, first, { ...first, statement: 2 }] }]),
    )
    const statements = partition.written.map((mutation) =>
      mutation.op === 'delete' ? undefined : mutation.rows[0]![mutation.columns.indexOf('statement')],
    )
    expect(statements).toEqual(['1', '2', '0'])
  })

  it('storeOf() rejects a table name other than isotherm_migrations', () => {
    const partition = new MemoryPartition()
    expect(refusal(() => storeOf(migrationDriver(partition.driver()), 'mine'))).toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('isotherm_migrations on memory; it cannot be mine'),
    })
  })

  it('acquire() returns a ConditionalLease', async () => {
    const { store } = started()
    expect(await inTime(store.acquire())).toBeInstanceOf(ConditionalLease)
  })
})
