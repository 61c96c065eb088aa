import { IsothermError, type FanOutReport, type SkewEvent, type TransactionalDriver } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { trace } from '@opentelemetry/api'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentDriver, transactionContext } from '../support/silent-driver.js'
import { openLog } from './support/log.js'
import { forget, recordMetrics, recordSpans } from './support/telemetry.js'

const denied = new IsothermError('DATABASE', 'No.')
/** A user whose number is easy to find in any text. */
const FAMOUS = 987_654_321_012_345n
const SHARDS = 16

/** Commits every write. */
const writing: Partial<TransactionalDriver> = {
  read: async () => [],
  writes: silentDriver.writes,
  atomic: {
    kind: 'transactions',
    run: async (work) => ({
      value: await work(transactionContext({ execute: async (statements) => statements.map(() => 1) })),
      commitTimestamp: new Date(0),
    }),
  },
}

function openWatched(more: Partial<TransactionalDriver> = {}) {
  const log = openLog(SHARDS, undefined, { ...writing, ...more })
  const events: SkewEvent[] = []
  log.db.on('skew', (event) => events.push(event))
  return { ...log, events }
}

async function times(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at++) await work(at)
}

/** Listeners are called a moment later. */
const settled = (): Promise<void> => new Promise(setImmediate)

afterEach(() => {
  forget()
  vi.restoreAllMocks()
})

describe('the fanOut event', () => {
  it('reports each fan-out when it ends: read in full, stopped early, or without matching shards', async () => {
    const { db, table, rows } = openLog(4)
    const reports: FanOutReport[] = []
    db.on('fanOut', (report) => reports.push(report))
    await db.fanOut(table).strategy('merge-shards').limit(3).all()
    for await (const row of db.fanOut(table).strategy('merge-shards')) {
      expect(row.userId).toBeDefined()
      break
    }
    await db
      .fanOut(table)
      .where({ userId: { in: [] } })
      .all()
    await settled()
    expect(reports).toMatchObject([
      { table: 'Log', strategy: 'merge-shards', shards: 4, retries: 0, rowsReturned: 3, missing: [] },
      { strategy: 'merge-shards', calls: 4, rowsRead: rows.length },
      { calls: 0, rowsRead: 0, rowsReturned: 0 },
    ])
    for (const report of reports) {
      expect(report).not.toHaveProperty('error')
      expect(report.milliseconds).toBeGreaterThan(0)
    }
  })

  it('carries the error of a fan-out that failed', async () => {
    const { db, table } = openLog(4, () => {
      throw denied
    })
    const reports: FanOutReport[] = []
    db.on('fanOut', (report) => reports.push(report))
    await expect(db.fanOut(table).all()).rejects.toBe(denied)
    await settled()
    expect(reports).toMatchObject([{ error: denied, rowsRead: 0 }])
  })

  it('does not reach a listener that off() removed', async () => {
    const { db, table } = openLog(4)
    const listener = vi.fn<(report: FanOutReport) => void>()
    const newest = db.fanOut(table).strategy('read-ranges').limit(1)
    expect(db.on('fanOut', listener)).toBe(db)
    await newest.all()
    await settled()
    expect(db.off('fanOut', listener)).toBe(db)
    await newest.all()
    await settled()
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('reaches the other listeners, and the fan-out succeeds, when a listener throws', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { db, table } = openLog(4)
    const heard = vi.fn<(report: FanOutReport) => void>()
    db.on('fanOut', () => {
      throw new Error('At once.')
    })
    db.on('fanOut', (() => Promise.reject(new Error('Later.'))) as () => void)
    db.on('fanOut', heard)
    expect(await db.fanOut(table).strategy('read-ranges').limit(1).all()).toHaveLength(1)
    await settled()
    expect(heard).toHaveBeenCalledTimes(1)
    const warning = (said: string): unknown[] => [
      `A listener of a Database failed: Error: ${said}`,
      { type: 'IsothermListenerWarning', detail: expect.stringContaining('events.test') },
    ]
    expect(warned.mock.calls).toEqual([warning('At once.'), warning('Later.')])
  })
})

describe('the skew event', () => {
  const at = new Date(0)
  const row = { at, userId: FAMOUS }
  const shard = shardOf(FAMOUS, SHARDS)

  beforeEach(() => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  })

  it.each<[string, SkewEvent['by'], (log: ReturnType<typeof openWatched>) => Promise<unknown>]>([
    ['get', 'reads', ({ db, table }) => db.get(table, row)],
    ['insert', 'writes', ({ db, table }) => db.insert(table, [row], { returning: false })],
    ['upsert', 'writes', ({ db, table }) => db.upsert(table, [row])],
    ['delete', 'writes', ({ db, table }) => db.delete(table, row)],
    ['get in a transaction', 'reads', ({ db, table }) => db.transaction((tx) => tx.get(table, row))],
    [
      'insert in a transaction',
      'writes',
      ({ db, table }) =>
        db.transaction((tx) => tx.insert(table, [row], { buffered: true, returning: false })),
    ],
    [
      'delete in a transaction',
      'writes',
      ({ db, table }) => db.transaction((tx) => tx.delete(table, row, { buffered: true })),
    ],
  ])('reports a key and its shard once each when every %s uses that key', async (_, by, work) => {
    const log = openWatched()
    await times(3000, () => work(log))
    await settled()
    expect(log.events).toMatchObject([
      { table: 'Log', of: 'shard', by, shard, share: 1, fairShare: 1 / SHARDS },
      { table: 'Log', of: 'key', by, shard, keyHash: expect.stringMatching(/^[0-9a-f]{16}$/) },
    ])
  })

  it('contains a hash of the key instead of its value, as do the span and the metric', async () => {
    const recorded = recordSpans()
    const points = recordMetrics()
    const { db, table, events } = openWatched()
    await trace.getTracer('app').startActiveSpan('import', async (span) => {
      await times(1000, () => db.get(table, row))
      span.end()
    })
    await settled()
    const [span] = recorded.spans()
    const { keyHash } = events[1]!
    expect(span!.events.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({ 'isotherm.skew.of': 'shard', 'isotherm.shard': shard }),
      expect.objectContaining({ 'isotherm.skew.of': 'key', 'isotherm.key_hash': keyHash }),
    ])
    const metric = await points('isotherm.skew')
    expect(metric).toEqual(
      ['shard', 'key'].map((of) => ({
        unit: '{finding}',
        value: 1,
        attributes: {
          'db.system.name': 'gcp.spanner',
          'db.collection.name': 'Log',
          'isotherm.skew.of': of,
          'isotherm.skew.by': 'reads',
        },
      })),
    )
    const all = JSON.stringify([events, metric, span!.name, span!.attributes, span!.events])
    expect(all).toContain(keyHash)
    expect(all).not.toContain(String(FAMOUS))
    expect(all).not.toContain(FAMOUS.toString(16))
  })

  it('reports a shard that holds most rows returned by queries, unless the filter names one user', async () => {
    const hot = Array.from({ length: 50 }, (_, n) => ({
      shardId: BigInt(shard),
      at: new Date(n),
      userId: FAMOUS,
    }))
    const { db, table, events } = openWatched({
      read: async ({ columns }) =>
        hot.map((each) => columns.map(({ name }) => each[name as keyof typeof each])),
    })
    const newest = db.fanOut(table).orderBy('at', 'desc').limit(40).strategy('read-ranges')
    await times(100, () => newest.where({ userId: FAMOUS }).all())
    await settled()
    // A query for one user returns rows of one shard.
    expect(events).toEqual([])
    await times(100, () => newest.all())
    await settled()
    expect(events).toMatchObject([{ of: 'shard', by: 'reads', shard }])
  })

  it('is not emitted when every read and write uses another user', async () => {
    const { db, table, events } = openWatched()
    await times(5000, (n) => db.get(table, { at, userId: BigInt(n * 7) }))
    await times(5000, (n) => db.upsert(table, [{ at, userId: BigInt(n * 11) }]))
    await settled()
    expect(events).toEqual([])
  })

  it('emits a process warning and does not fail the read when a listener throws', async () => {
    const { db, table, events } = openWatched()
    db.on('skew', () => {
      throw new Error('Not now.')
    })
    await times(1000, () => db.get(table, row))
    await settled()
    expect(events).toHaveLength(2)
    expect(process.emitWarning).toHaveBeenCalledTimes(2)
  })
})
