import { defineSchema, openDatabase, type Driver, type QueryPartition } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CompiledTables } from '../../../src/rows/compiled-table.js'
import type { Cells, QueryPartitionRequest, ReadQueryPartitionOptions } from '../../../src/engine/driver.js'
import { IsothermError } from '../../../src/errors.js'
import { compileWhere } from '../../../src/rows/filter.js'
import { predicateOf } from '../../../src/rows/predicate.js'
import { conditionFrom, describeCondition } from '../../../src/read/plan/cursor.js'
import { logTable, looseTable } from '../../support/layout.js'
import { refusal, rejection } from '../../support/refusal.js'
import { inNoTime } from '../support/failing.js'
import { memoryDriver } from '../support/memory.js'
import { filters, named, sampleTables } from '../support/tables.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const Log = logTable(
  (t) => ({
    shardId: t.shardKey({ shards: 4, of: ['userId'] }),
    userId: t.int64().key(),
    page: t.string({ nullable: true }),
  }),
  { indexes: [{ name: 'ByPage', on: ['page', 'userId'] }] },
)
const Line = looseTable(
  'Line',
  (t) => ({ shardId: t.parentKey<bigint>(), userId: t.parentKey<bigint>(), line: t.int64().key() }),
  { interleaveIn: () => Log },
)
const schema = defineSchema([Log, Line])

const ROWS: Cells[] = [1n, 2n, 3n, 4n, 5n].map((id) => [0n, id, id % 2n === 0n ? '/even' : null])

interface Asked {
  readonly request: QueryPartitionRequest
  readonly options: ReadQueryPartitionOptions
}

/** A driver whose parts hold these batches, after as many failures. */
function partDriver(batches: readonly (readonly Cells[] | Error)[] = [ROWS], failures = 0) {
  const asked: Asked[] = []
  const closed: string[] = []
  let left = failures
  const memory = memoryDriver(new CompiledTables(schema, googlesql).of('Log'), [])
  const driver: Driver = {
    ...memory,
    queryPartitions: {
      partition(request, { parts, ...options }) {
        asked.push({ request, options })
        const tokens = Array.from({ length: parts }, (_, at) => `part ${at}`)
        return Promise.resolve({ readTimestamp: new Date(0), tokens })
      },
      async *readQueryPartition(request, _, options = {}) {
        asked.push({ request, options })
        if (left-- > 0) throw new IsothermError('UNAVAILABLE', 'lost', { retryable: true })
        for (const batch of batches) {
          if (batch instanceof Error) throw batch
          yield batch
        }
      },
      closeQueryPartitions(token) {
        closed.push(token)
        return Promise.resolve()
      },
    },
  }
  return { driver, asked, closed, db: openDatabase({ driver, schema }) }
}

function passedOn<T>(part: T): T {
  return JSON.parse(JSON.stringify(part)) as T
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

describe('query partitions', () => {
  it('queryPartitions() returns plain JSON data with the table, the columns and the read timestamp', async () => {
    const { db } = partDriver()
    const { partitions } = await db
      .fanOut('Log')
      .where({ page: '/even', userId: 2n })
      .queryPartitions(2, { dataBoost: true })
    expect(partitions).toHaveLength(2)
    expect(passedOn(partitions)).toEqual(partitions)
    expect(partitions[1]).toMatchObject({
      version: 1,
      table: 'Log',
      columns: ['shardId int64', 'userId int64', 'page string'],
      readTimestamp: '1970-01-01T00:00:00.000Z',
      dataBoost: true,
      token: 'part 1',
    })
  })

  it('readQueryPartition() sends the same request when the properties of the partition come in another order', async () => {
    const { db, asked } = partDriver()
    const { partitions } = await db
      .fanOut('Log')
      .where({ shardId: 3n, userId: { gte: 2n } })
      .queryPartitions(1)
    const reversed = JSON.parse(
      JSON.stringify(partitions[0], (_, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).toReversed())
          : value,
      ),
    ) as QueryPartition
    expect(Object.keys(reversed)).not.toEqual(Object.keys(partitions[0]!))
    await all(db.readQueryPartition('Log', reversed))
    expect(asked[1]!.request).toEqual(asked[0]!.request)
  })

  it('readQueryPartition() rejects a damaged query partition, and one of another table or version', async () => {
    const { db } = partDriver()
    const { partitions } = await db.fanOut('Log').queryPartitions(1)
    const part = partitions[0]!
    const refused = (given: unknown, table = 'Log'): string =>
      String(refusal(() => db.readQueryPartition(table, given as QueryPartition)))
    expect(refused(undefined)).toContain('This is not a query partition of a fan-out.')
    expect(refused('text')).toContain('This is not a query partition of a fan-out.')
    expect(refused({ ...part, version: 0 })).toContain('The query partition has version 0, not 1.')
    expect(refused({ ...part, token: 'another' })).toContain('The query partition is damaged.')
    expect(refused({ ...part, source: { statement: { text: 'SELECT 1', parameters: [] } } })).toContain(
      'damaged',
    )
    expect(refused(part, 'Line')).toContain(
      'The query partition is one of Log, not of Line. Read it with readQueryPartition("Log", part)',
    )
    expect(refused(part, 'Nowhere')).toContain("'Nowhere' is not a table of this schema.")
  })

  it('readQueryPartition() rejects a query partition that was made with other columns', async () => {
    const { db, driver } = partDriver()
    const { partitions } = await db.fanOut('Log').queryPartitions(1)
    const Changed = logTable((t) => ({
      shardId: t.shardKey({ shards: 4, of: ['userId'] }),
      userId: t.int64().key(),
      page: t.bytes({ nullable: true }),
      note: t.string({ nullable: true }),
    }))
    const changed = openDatabase({ driver, schema: defineSchema([Changed]) })
    expect(refusal(() => changed.readQueryPartition('Log', partitions[0]!))).toMatchObject({
      code: 'INVALID_QUERY_PARTITION',
      table: 'Log',
      message:
        'The query partition of Log was made with other columns: page string; this process has page bytes, note string. ' +
        'Make and read query partitions with the same schema.',
    })
  })

  it('readQueryPartition() rejects a query partition that is unsigned or signed with an unknown secret', async () => {
    const { driver } = partDriver()
    const [old, current] = ['o'.repeat(32), 'c'.repeat(32)]
    const opened = (...secrets: string[]) =>
      openDatabase({ driver, schema, ...(secrets.length > 0 && { cursorSecret: secrets }) })
    const { partitions } = await opened(old).fanOut('Log').queryPartitions(1)
    expect(await all(opened(current, old).readQueryPartition('Log', partitions[0]!))).toHaveLength(
      ROWS.length,
    )
    expect(refusal(() => opened(current).readQueryPartition('Log', partitions[0]!)).message).toContain(
      'signed with another cursorSecret',
    )
    const unsigned = await opened().fanOut('Log').queryPartitions(1)
    expect(refusal(() => opened(current).readQueryPartition('Log', unsigned.partitions[0]!)).code).toBe(
      'INVALID_QUERY_PARTITION',
    )
    await expect(opened(current).closeQueryPartitions(unsigned.partitions[0]!)).rejects.toMatchObject({
      code: 'INVALID_QUERY_PARTITION',
    })
  })

  it('keep the priority and the tag of their query, and the reader can override them', async () => {
    const { db, asked } = partDriver()
    const call = { priority: 'low', tag: 'export', timeoutMs: 5000 } as const
    const { partitions } = await db.fanOut('Log').options(call).queryPartitions(1, { dataBoost: true })
    await all(db.readQueryPartition('Log', passedOn(partitions[0]!), { tag: 'mine' }))
    expect(asked.map(({ options }) => options)).toEqual([
      call,
      { priority: 'low', tag: 'mine', dataBoost: true },
    ])
  })

  it('closing a query partition, or disposing the scan, calls the driver with the token of one partition', async () => {
    const { db, closed } = partDriver()
    const scan = await db.fanOut('Log').queryPartitions(3)
    await db.closeQueryPartitions(passedOn(scan.partitions[2]!))
    await scan[Symbol.asyncDispose]()
    expect(closed).toEqual(['part 2', 'part 0'])
  })
})

describe('queryPartitions() on an unsupported query', () => {
  const query = partDriver().db.fanOut('Log')

  it.each([
    ['in an order', () => query.orderBy('page').queryPartitions(2), 'Leave orderBy out'],
    ['with a limit', () => query.limit(5).queryPartitions(2), 'Leave limit out'],
    ['after a cursor', () => query.after('cursor').queryPartitions(2), 'Leave after out'],
    ['with children', () => query.include('lines', 'Line').queryPartitions(2), 'Leave include out'],
    ['with an index', () => query.useIndex('ByPage').queryPartitions(2), 'Leave useIndex and strategy out'],
    [
      'with a strategy',
      () => query.strategy('push-down').queryPartitions(2),
      'Leave useIndex and strategy out',
    ],
    [
      'with shards missing',
      () => query.onShardError('partial').queryPartitions(2),
      "onShardError('partial') out",
    ],
    ['into 0 query partitions', () => query.queryPartitions(0), 'from 1'],
    ['into 1.5 query partitions', () => query.queryPartitions(1.5), 'from 1'],
  ])('rejects splitting a query %s', async (what, work, fix) => {
    expect(await rejection(work())).toMatchObject({
      code: 'INVALID_QUERY',
      table: 'Log',
      message: expect.stringMatching(`^Log cannot be split ${what}\\. `),
      fix: expect.stringContaining(fix),
    })
  })

  it('rejects splitting a query when the driver does not support query partitions', async () => {
    const { queryPartitions: _, ...driver } = partDriver().driver
    const plain = openDatabase({ driver, schema })
    expect(await rejection(plain.fanOut('Log').queryPartitions(2))).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      message: expect.stringContaining('memory cannot split a read'),
    })
  })
})

describe('readQueryPartition()', () => {
  it('repeats the read when it fails with UNAVAILABLE before the first row', async () => {
    const { db, asked } = partDriver([ROWS], 2)
    const { partitions } = await db.fanOut('Log').queryPartitions(1)
    expect(await all(db.readQueryPartition('Log', partitions[0]!))).toHaveLength(ROWS.length)
    expect(asked).toHaveLength(4)
  })

  it('reduces the timeout of each later attempt by the time that has passed', async () => {
    vi.useFakeTimers()
    // A pause of 30 ms after the first attempt, and one of 60 ms after the second one.
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const { db, asked } = partDriver([ROWS], 2)
    const { partitions } = await db.fanOut('Log').queryPartitions(1)
    await inNoTime(all(db.readQueryPartition('Log', partitions[0]!, { timeoutMs: 1_000 })))
    expect(asked.slice(1).map(({ options }) => options.timeoutMs)).toEqual([1_000, 970, 910])
  })

  it('rejects with UNAVAILABLE, and does not repeat the read, when it fails after two rows', async () => {
    const broken = new IsothermError('UNAVAILABLE', 'lost', { retryable: true })
    const { db, asked } = partDriver([ROWS.slice(0, 2), broken])
    const { partitions } = await db.fanOut('Log').queryPartitions(1)
    const rows = db.readQueryPartition('Log', partitions[0]!)
    await rows.next()
    await rows.next()
    expect(await rejection(rows.next())).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('broke off after 2 rows, and cannot be resumed: lost'),
      cause: broken,
    })
    expect(asked).toHaveLength(2)
  })

  it('reads by key and filters client-side when the database cannot split the statement', async () => {
    const { driver, asked } = partDriver()
    const { partition } = driver.queryPartitions!
    const refusing: Driver = {
      ...driver,
      queryPartitions: {
        ...driver.queryPartitions!,
        partition: (request, options) =>
          request.kind === 'query'
            ? Promise.reject(new IsothermError('UNSUPPORTED_QUERY', 'not partitionable'))
            : partition(request, options),
      },
    }
    const db = openDatabase({ driver: refusing, schema })
    const { partitions } = await db.fanOut('Log').where({ page: '/even' }).queryPartitions(1)
    expect(partitions[0]!.source).toMatchObject({ filter: ['page', 'eq', '/even'] })
    expect(
      (await all(db.readQueryPartition('Log', passedOn(partitions[0]!)))).map(({ userId }) => userId),
    ).toEqual([2n, 4n])
    expect(asked.map(({ request }) => request.kind)).toEqual(['read', 'read'])
  })

  it('rejects with CANCELLED when the signal aborts in the middle of a batch', async () => {
    const { db } = partDriver()
    const { partitions } = await db.fanOut('Log').queryPartitions(1)
    const controller = new AbortController()
    const rows = db.readQueryPartition('Log', partitions[0]!, { signal: controller.signal })
    await rows.next()
    controller.abort()
    expect(await rejection(rows.next())).toMatchObject({ code: 'CANCELLED', table: 'Log' })
  })
})

describe.each(named(sampleTables))('a filter that is serialized as JSON: %s', (_, sample) => {
  it('matches the same rows as before', () => {
    fc.assert(
      fc.property(filters(sample), fc.array(sample.row, { maxLength: 5 }), (filter, rows) => {
        const own = compileWhere(sample.layout, filter)
        const described = describeCondition(own)
        const other = conditionFrom(sample.layout, passedOn(described))
        expect(describeCondition(other)).toEqual(described)
        const [here, there] = [own, other].map((each) => predicateOf(each, sample.dialect))
        expect(rows.map(there!)).toEqual(rows.map(here!))
      }),
    )
  })
})
