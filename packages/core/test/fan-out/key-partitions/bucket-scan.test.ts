import { bucketOf } from '@isotherm/core/keys'
import type { Driver } from '@isotherm/core'
import type { PlainRow } from '@isotherm/core/tools'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FanOutQuery } from '../../../src/read/query.js'
import { compiledByPartition, byPartition, NOW } from '../support/by-partition.js'

// Time buckets are read newest first or oldest first, and no further than the wanted rows reach.

const SHARDS = 4

const table = compiledByPartition([
  (t) => ({
    day: t.timeBucket({ by: 'day', of: 'at', since: '2026-01-01' }),
    shard: t.shardKey({ shards: SHARDS, strategy: 'random' }),
    at: t.descTimestamp(),
    id: t.uuidV4(),
    page: t.string(),
  }),
])

/** One for each of these times, in turn over the shards. */
function rowsAt(...times: readonly string[]): PlainRow[] {
  return times.map((text, n) => {
    const at = table.layout.byProperty.get('at')!.accept(new Date(text)) as Date
    const id = `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
    return { day: bucketOf(at, 'day'), shard: BigInt(n % SHARDS), at, id, page: `${n % 2}` }
  })
}

/** The days that were asked for, each as often as in each of its shards. */
function daysRead({ driver }: ReturnType<typeof byPartition>): string[] {
  const days = driver.reads.map(({ ranges }) => String(ranges![0]!.start[0]))
  return [...new Set(days)]
}

const times = (rows: readonly PlainRow[]): string[] =>
  rows.map((row) => (row['at'] as Date).toISOString().slice(0, 19))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('a bucket scan over days', () => {
  it('starts with tomorrow and today, and stops when these days have enough rows', async () => {
    const own = byPartition(
      table,
      rowsAt('2026-03-10T09:00:00Z', '2026-03-10T10:00:00Z', '2026-03-09T10:00:00Z'),
    )
    const { rows, next } = await own.query.orderBy('at', 'desc').limit(1).page()
    expect(times(rows)).toEqual(['2026-03-10T10:00:00'])
    expect(next).toBeDefined()
    expect(daysRead(own)).toEqual(['2026-03-11', '2026-03-10'])
    expect(own.driver.reads.length).toBe(2 * SHARDS)
  })

  it('doubles the number of days per step while the days are empty', async () => {
    const own = byPartition(table, rowsAt('2026-02-01T10:00:00Z'))
    const rows = await own.query.orderBy('at', 'desc').limit(1).all()
    expect(times(rows)).toEqual(['2026-02-01T10:00:00'])
    // 2, 4, 8, 16 and 32 of them; the first of February is the 39th.
    expect(daysRead(own).length).toBe(62)
  })

  it('requests at most 96,000 rows in a step over 1,024 hours', async () => {
    const wide = compiledByPartition([
      (t) => ({
        hour: t.timeBucket({ by: 'hour', of: 'at', since: '2025-12-01' }),
        at: t.descTimestamp(),
        id: t.uuidV4(),
      }),
      { suppress: [{ rule: 'cassandra/time-partition', reason: 'A scan without shards.' }] },
    ])
    for (const limit of [5_000, undefined]) {
      const { query, driver } = byPartition(wide, [])
      const newest = query.where({ at: { lt: NOW } }).orderBy('at', 'desc')
      await (limit === undefined ? newest : newest.limit(limit)).all()
      // 1, 2, 4, … and then 1,024 at a time.
      const widest = driver.reads.slice(1_023, 2_047)
      expect(widest).toHaveLength(1_024)
      expect(Math.max(...widest.map((read) => read.limit! * widest.length))).toBeLessThanOrEqual(96_000)
    }
  })

  it('ends at the since day of the model when the table has no rows', async () => {
    const own = byPartition(table, [])
    expect(await own.query.orderBy('at', 'desc').limit(5).page()).toMatchObject({ rows: [], next: undefined })
    expect(daysRead(own)).toHaveLength(70)
    expect(daysRead(own).at(-1)).toBe('2026-01-01')
  })

  it('starts with the oldest day and reads each partition in reverse for an ascending order', async () => {
    const own = byPartition(
      table,
      rowsAt('2026-01-01T10:00:00Z', '2026-01-01T09:00:00Z', '2026-01-02T08:00:00Z'),
    )
    const { rows } = await own.query.orderBy('at').limit(1).page()
    expect(times(rows)).toEqual(['2026-01-01T09:00:00'])
    expect(daysRead(own)).toEqual(['2026-01-01'])
    expect(own.driver.reads.every(({ reversed }) => reversed)).toBe(true)
  })

  it('continues with the day of the cursor, and does not read newer days again', async () => {
    const own = byPartition(
      table,
      rowsAt('2026-03-09T10:00:00Z', '2026-03-08T11:00:00Z', '2026-03-08T10:00:00Z'),
    )
    const newest = own.query.orderBy('at', 'desc').limit(2)
    const { next } = await newest.page()
    own.driver.reads.length = 0
    const { rows } = await newest.after(next).page()
    expect(times(rows)).toEqual(['2026-03-08T10:00:00'])
    expect(daysRead(own)[0]).toBe('2026-03-08')
  })

  it.each([
    [{ at: { gte: new Date('2026-03-02'), lt: new Date('2026-03-04') } }, ['2026-03-03', '2026-03-02']],
    [
      { at: { gt: new Date('2026-03-02'), lte: new Date('2026-03-04') } },
      ['2026-03-04', '2026-03-03', '2026-03-02'],
    ],
    [
      { day: { gt: '2026-03-07' }, at: { lt: new Date('2026-03-09T01:00:00Z') } },
      ['2026-03-09', '2026-03-08'],
    ],
    [
      { at: { in: [new Date('2026-02-03T04:05:06Z'), new Date('2026-01-03')] } },
      ['2026-02-03', '2026-01-03'],
    ],
    [{ day: { in: ['2026-02-03', '2025-01-03'] } }, ['2026-02-03', '2025-01-03']],
    [{ day: '2026-02-03', at: { gte: new Date('2026-02-04') } }, []],
    [{ at: { gte: new Date('2026-03-10') } }, ['2026-03-11', '2026-03-10']],
  ])('reads only the days that the filter %j allows', async (where, days) => {
    const own = byPartition(table, rowsAt('2026-02-03T04:05:06Z'))
    await own.query.where(where).orderBy('at', 'desc').all()
    expect(daysRead(own)).toEqual(days)
  })

  it('returns rows of a later day after the clock was set back', async () => {
    const own = byPartition(table, rowsAt('2026-03-11T10:00:00Z', '2026-03-08T10:00:00Z'))
    const newest = own.query.orderBy('at', 'desc').limit(2)
    expect(times((await newest.page()).rows)).toHaveLength(2)
    vi.setSystemTime(new Date('2026-03-01T00:00:00Z'))
    expect(times((await newest.page()).rows)).toEqual(['2026-03-11T10:00:00', '2026-03-08T10:00:00'])
  })

  it('streams all rows in descending order, one day after another', async () => {
    const many = Array.from({ length: 400 }, (_, n) =>
      new Date(Date.parse('2026-02-01') + n * 7_000_000).toISOString(),
    )
    const own = byPartition(table, rowsAt(...many))
    const found: string[] = []
    for await (const row of own.query.orderBy('at', 'desc')) found.push(...times([row]))
    expect(found).toEqual(many.map((text) => text.slice(0, 19)).toReversed())
  })

  it('explain() shows the buckets, the calls and the reason for the strategy', () => {
    const { query, driver } = byPartition(table, [])
    expect(String(query.orderBy('at', 'desc').limit(50).explain())).toBe(
      [
        'bucket-scan on Log: the time buckets have the wanted order, and are read only as far as rows are wanted;' +
          ' in each partition it is that of the key',
        'shards    4 of 4',
        'buckets   70, each a day of at: 2026-03-11 to 2026-01-01',
        'reads     280 partitions at most',
        'order     at desc, day asc, id asc, shard asc',
        'limit     50',
        'calls     8 at first, each at its own timestamp',
        '  2026-03-11, shard 0: read of 1 key range, 28 rows at first',
        '  2026-03-11, shard 1: read of 1 key range, 28 rows at first',
        '  2026-03-11, shard 2: read of 1 key range, 28 rows at first',
        '  and 5 more like these',
      ].join('\n'),
    )
    expect(query.where({ day: '2026-03-10' }).orderBy('page').limit(3).explain()).toMatchObject({
      strategy: 'client-sort',
      reason:
        'the order is not that of the key, so that all rows of 4 partitions are read and sorted by the client',
      partitions: 4,
      snapshot: false,
      clientFilter: false,
    })
    expect(
      query.where({ day: '2026-03-10', page: '1' }).orderBy('at', 'desc').limit(3).explain(),
    ).toMatchObject({
      strategy: 'merge-shards',
      reason: 'the key order of each partition is the wanted order',
      clientFilter: true,
      buckets: { by: 'day', of: 'at', first: '2026-03-10', last: '2026-03-10', count: 1 },
      calls: [{ kind: 'read', shard: 0, bucket: '2026-03-10' }, {}, {}, {}],
    })
    expect(driver.reads).toEqual([])
  })
})

describe('a bucket scan in an order that is not the key order', () => {
  const sent = compiledByPartition([
    (t) => ({
      day: t.timeBucket({ by: 'day', of: 'sent', since: '2026-01-01' }),
      id: t.uuidV4(),
      sent: t.timestamp({ immutable: true }),
    }),
    { suppress: [{ rule: 'cassandra/time-partition', reason: 'A scan without shards.' }] },
  ])
  const rows = rowsAt(
    '2026-03-10T09:00:00Z',
    '2026-03-10T10:00:00Z',
    '2026-03-08T10:00:00Z',
    '2026-01-01T00:00:00Z',
  ).map(({ day, id, at }): PlainRow => ({ day, id, sent: at }))

  it('sorts the rows of one bucket after another when the buckets are in the wanted order', async () => {
    const own = byPartition(sent, rows)
    const newest = own.query.orderBy('sent', 'desc').limit(1)
    expect((await newest.all()).map(({ id }) => id)).toEqual([rows[1]!['id']])
    expect(daysRead(own)).toEqual(['2026-03-11', '2026-03-10'])
    expect((await own.query.orderBy('sent', 'desc').all()).map(({ id }) => id)).toEqual(
      [1, 0, 2, 3].map((at) => rows[at]!['id']),
    )
    expect(String(newest.explain())).toContain(
      'all rows of one time bucket after another are read and sorted by the client',
    )
    expect(String(newest.explain())).toContain('reads     70 partitions at most, all rows of each')
  })

  it.each([undefined, 102_000])(
    'returns all rows in order when buckets exceed the client-side sort limit, with the limit %s',
    async (limit) => {
      // More than are sorted together, in four days.
      const FULL = 26_000
      const accept = sent.layout.byProperty.get('sent')!.accept
      // So many rows that they are made as they are read.
      const read: Driver['read'] = ({ ranges, limit: max }) => {
        const { start } = ranges![0]!
        const day = String(start[0])
        if (day > '2026-01-04') return Promise.resolve([])
        const first = start.length === 1 ? 0 : Number.parseInt(String(start[1]).slice(-12), 16) + 1
        const length = Math.min(max!, FULL - first)
        return Promise.resolve(
          Array.from({ length }, (_, at) => [
            day,
            `00000000-0000-4000-8000-${(first + at).toString(16).padStart(12, '0')}`,
            accept(new Date(Date.parse(day) + first + at)),
          ]),
        )
      }
      const { driver } = byPartition(sent, [])
      const query = FanOutQuery.over<PlainRow>(
        { driver: { ...driver, read }, tables: { of: () => sent } },
        sent,
      ).orderBy('sent', 'desc')
      let found = 0
      let last = Infinity
      let inOrder = true
      for await (const row of limit === undefined ? query : query.limit(limit)) {
        const time = (row['sent'] as Date).getTime()
        inOrder &&= time < last
        last = time
        found++
      }
      expect(found).toBe(limit ?? 4 * FULL)
      expect(inOrder).toBe(true)
    },
  )
})
