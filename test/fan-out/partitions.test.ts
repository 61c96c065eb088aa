import { EventEmitter, once } from 'node:events'
import type { QueryPartition, QueryPartitions } from '@isotherm/core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { script, type Script } from '../support/other-process.js'
import { scaled, someCases } from '../support/runs.js'
import { dialects, sharedEmulator, testDatabase, type TestDatabase } from '../support/spanner.js'
import { comparableRow } from '@isotherm/testing/data/values'
import { SHARDS, Visit, visits, visitsOf } from './support/visits.js'

const ROWS = scaled(4000)

interface Sent {
  readonly method: string
  readonly reqOpts: Readonly<Record<string, unknown>>
}

/** The requests that the client sends from now on. */
function requestsOf({ client }: TestDatabase): Sent[] {
  const sent: Sent[] = []
  for (const method of ['request', 'requestStream'] as const) {
    const original = client[method].bind(client) as (config: Sent, ...rest: unknown[]) => unknown
    const spy = vi.spyOn(client, method).mockImplementation(((config: Sent, ...rest: unknown[]) => {
      sent.push(config)
      return original(config, ...rest)
    }) as never)
    onTestFinished(() => spy.mockRestore())
  }
  return sent
}

/** The query partition as another process receives it. */
function passedOn(part: QueryPartition): QueryPartition {
  return JSON.parse(JSON.stringify(part)) as QueryPartition
}

async function rowsOf({ db }: TestDatabase, { partitions }: QueryPartitions) {
  const read = partitions.map(async (part) => {
    const rows = []
    for await (const row of db.readQueryPartition(Visit, passedOn(part))) rows.push(row)
    return rows
  })
  return (await Promise.all(read)).flat()
}

function inOrder(rows: readonly object[]): Record<string, unknown>[] {
  return rows.map(comparableRow).sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))
}

async function sessionsOf({ client }: TestDatabase): Promise<number> {
  const [sessions] = await client.getSessions()
  return sessions.length
}

const filters: Readonly<Record<string, Record<string, unknown>>> = {
  'no filter': {},
  'a filter': { page: '/docs/3' },
  'a filter that prunes shards': { userId: { in: [1n, 7n] }, seconds: { gt: 100 } },
  'a filter on one shard': { shard: 4n },
  'key ranges': {
    at: { gte: new Date('2026-11-21T12:10:00Z'), lt: new Date('2026-11-21T12:30:00Z') },
  },
  'a filter on NULL, NaN and OR': { OR: [{ page: null }, { seconds: Number.NaN }], NOT: { userId: 5n } },
  'a filter on a prefix': {
    page: { startsWith: '/docs/' },
    id: { lt: '00000800-0000-4000-8000-000000000000' },
  },
  'a filter that matches no row': { userId: 1n, shard: { in: [] } },
}

describe.each(dialects)('query partitions in $name', (dialect) => {
  let test: TestDatabase
  let reader: Script

  beforeAll(async () => {
    test = await testDatabase(visits, dialect)
    await test.db.insert(Visit, visitsOf(ROWS), { returning: false, allowMultipleCommits: true })
    reader = await script(new URL('./support/query-partition-reader.ts', import.meta.url))
  })
  afterAll(() => reader.remove())

  it.each(someCases([3, 500, 1, 8], 2))(
    'contain every row exactly once when %i partitions are requested',
    async (wish) => {
      const requests = requestsOf(test)
      await using scan = await test.db.fanOut(Visit).queryPartitions(wish)
      expect(requests.find(({ method }) => method === 'partitionRead')?.reqOpts).toMatchObject({
        partitionOptions: { maxPartitions: wish },
        keySet: { all: true },
      })
      const rows = await rowsOf(test, scan)
      expect(new Set(rows.map(({ id }) => id)).size).toBe(ROWS)
      expect(rows).toHaveLength(ROWS)
      expect(new Set(rows.map(({ shard }) => shard)).size).toBe(SHARDS)
    },
  )

  it.each(someCases(Object.entries(filters), 4))(
    'contain the same rows as the query with %s',
    async (_, filter) => {
      const query = test.db.fanOut('Visit').where(filter)
      await using scan = await query.queryPartitions(4)
      expect(inOrder(await rowsOf(test, scan))).toEqual(inOrder(await query.all()))
    },
  )

  it('use partitionRead when key ranges cover the filter, and partitionQuery otherwise', async () => {
    const requests = requestsOf(test)
    const kinds = async (filter: Record<string, unknown>): Promise<string[]> => {
      requests.length = 0
      await using _ = await test.db.fanOut('Visit').where(filter).queryPartitions(4)
      return requests.map(({ method }) => method).filter((method) => method.startsWith('partition'))
    }
    expect(await kinds(filters['a filter']!)).toEqual(['partitionQuery'])
    // A mirror of the time is coarser than the time.
    const byTime = dialect.name === 'googlesql' ? 'partitionRead' : 'partitionQuery'
    expect(await kinds(filters['key ranges']!)).toEqual([byTime])
    expect(await kinds(filters['a filter that matches no row']!)).toEqual([])
  })

  it('filter on the client when the database cannot partition the statement', async () => {
    // The error message of the Spanner service.
    const requests = requestsOf(test)
    const refusing = vi.mocked(test.client.request)
    const request = refusing.getMockImplementation() as (config: Sent, callback: unknown) => unknown
    refusing.mockImplementation(((config: Sent, callback: (error: Error) => void) => {
      if (config.method !== 'partitionQuery') return request(config, callback)
      const said = 'Query is not root partitionable since it does not have a DistributedUnion at the root.'
      return callback(Object.assign(new Error(said), { code: 3 }))
    }) as never)
    for (const filter of Object.values(filters)) {
      const query = test.db.fanOut('Visit').where(filter)
      await using scan = await query.queryPartitions(4)
      expect(inOrder(await rowsOf(test, scan))).toEqual(inOrder(await query.all()))
    }
    expect(requests.some(({ method }) => method === 'partitionRead')).toBe(true)
  })

  it('are read at the timestamp of their creation while rows are inserted', async () => {
    await using scan = await test.db.fanOut(Visit).queryPartitions(3)
    const [written] = await test.db.insert(Visit, visitsOf(1, ROWS))
    onTestFinished(async () => {
      await test.db.delete(Visit, written!)
    })
    expect(await rowsOf(test, scan)).toHaveLength(ROWS)
    await using later = await test.db.fanOut(Visit).queryPartitions(3)
    expect(await rowsOf(test, later)).toHaveLength(ROWS + 1)
    await using before = await test.db
      .fanOut(Visit)
      .timestampBound({ readTimestamp: new Date(scan.partitions[0]!.readTimestamp) })
      .queryPartitions(3)
    expect(await rowsOf(test, before)).toHaveLength(ROWS)
  })

  it('are read in other processes, and contain the same rows as the query', async () => {
    const { projectId, instanceId, host } = await sharedEmulator()
    await using scan = await test.db.fanOut(Visit).where({ page: '/docs/2' }).queryPartitions(2)
    const database = test.client.formattedName_.split('/').at(-1)
    const found = await Promise.all(
      scan.partitions.map((part) =>
        reader.run(
          { projectId, instance: instanceId, database, dialect: dialect.name, part },
          {
            SPANNER_EMULATOR_HOST: host,
            GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: 'false',
          },
        ),
      ),
    )
    const all = found as { pid: number; ids: string[] }[]
    const expected = await test.db.fanOut(Visit).where({ page: '/docs/2' }).all()
    expect(all.flatMap(({ ids }) => ids).sort()).toEqual(expected.map(({ id }) => id).sort())
    expect(all.map(({ pid }) => pid)).not.toContain(process.pid)
  })

  it('keep the data boost and the priority of their query, and accept another tag', async () => {
    const requests = requestsOf(test)
    const call = { priority: 'low', tag: 'export' } as const
    for (const filter of [{}, { page: '/docs/1' }]) {
      requests.length = 0
      await using scan = await test.db
        .fanOut('Visit')
        .where(filter)
        .options(call)
        .queryPartitions(2, { dataBoost: true })
      const [part] = scan.partitions
      for await (const _ of test.db.readQueryPartition('Visit', passedOn(part!), { tag: 'mine' })) break
      const read = requests.find(
        ({ method }) => method === 'streamingRead' || method === 'executeStreamingSql',
      )
      expect(read?.reqOpts).toMatchObject({
        dataBoostEnabled: true,
        requestOptions: { priority: 'PRIORITY_LOW', requestTag: 'mine' },
      })
    }
  })

  it('closeQueryPartitions() deletes the session of all partitions, whose reads then throw SNAPSHOT_EXPIRED', async () => {
    const before = await sessionsOf(test)
    const scan = await test.db.fanOut(Visit).queryPartitions(2)
    expect(await sessionsOf(test)).toBe(before + 1)
    const [part] = scan.partitions
    await test.db.closeQueryPartitions(passedOn(part!))
    expect(await sessionsOf(test)).toBe(before)
    await expect(rowsOf(test, scan)).rejects.toMatchObject({
      code: 'SNAPSHOT_EXPIRED',
      message: expect.stringContaining('queryPartitions() again'),
    })
    await scan.close()
    await scan.close()
  })

  it('queryPartitions() leaves no session behind when no row matches, or the call fails or is cancelled', async () => {
    const before = await sessionsOf(test)
    const none = await test.db.fanOut(Visit).where({ userId: 1n, shard: 99n }).queryPartitions(2)
    expect(none.partitions).toEqual([])
    requestsOf(test)
    const refusing = vi.mocked(test.client.request)
    const request = refusing.getMockImplementation() as (config: Sent, callback: unknown) => unknown
    refusing.mockImplementation(((config: Sent, callback: (error: Error) => void) => {
      if (config.method !== 'partitionRead') return request(config, callback)
      return callback(Object.assign(new Error('no permission'), { code: 7 }))
    }) as never)
    await expect(test.db.fanOut(Visit).queryPartitions(2)).rejects.toMatchObject({ code: 'DATABASE' })
    const signal = AbortSignal.abort()
    await expect(test.db.fanOut(Visit).options({ signal }).queryPartitions(2)).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    expect(await sessionsOf(test)).toBe(before)
  })

  it('queryPartitions() leaves no session behind when the signal is aborted while the session is created', async () => {
    const before = await sessionsOf(test)
    const controller = new AbortController()
    requestsOf(test)
    const events = new EventEmitter()
    const [made, deleted, letGo] = [once(events, 'made'), once(events, 'deleted'), once(events, 'let go')]
    const holding = vi.mocked(test.client.request)
    const request = holding.getMockImplementation() as (config: Sent, callback: unknown) => unknown
    holding.mockImplementation(((config: Sent, callback?: (...answer: unknown[]) => void) =>
      request(config, (...answer: unknown[]) => {
        if (config.method === 'createSession') {
          events.emit('made')
          void letGo.then(() => callback?.(...answer))
          return
        }
        if (config.method === 'deleteSession') events.emit('deleted')
        callback?.(...answer)
      })) as never)
    const { signal } = controller
    const parts = test.db.fanOut(Visit).options({ signal }).queryPartitions(2)
    await made
    controller.abort()
    await expect(parts).rejects.toMatchObject({ code: 'CANCELLED' })
    events.emit('let go')
    await deleted
    expect(await sessionsOf(test)).toBe(before)
  })

  it('are rejected by another database with INVALID_QUERY_PARTITION', async () => {
    const elsewhere = await testDatabase(visits, dialect)
    await using scan = await test.db.fanOut(Visit).queryPartitions(2)
    const rows = elsewhere.db.readQueryPartition(Visit, scan.partitions[0]!)
    await expect(rows.next()).rejects.toMatchObject({
      code: 'INVALID_QUERY_PARTITION',
      message: expect.stringContaining(test.client.formattedName_),
    })
  })
})
