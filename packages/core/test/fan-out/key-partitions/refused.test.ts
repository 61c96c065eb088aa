import type { Driver, IsothermError } from '@isotherm/core'
import type { PlainRow } from '@isotherm/core/tools'
import { describe, expect, it } from 'vitest'
import { FanOutQuery } from '../../../src/read/query.js'
import { compiledByPartition, byPartition } from '../support/by-partition.js'

// What an engine of partitions cannot give is refused by name, before anything is read.

const visits = compiledByPartition([
  (t) => ({
    customer: t.string().key(),
    shard: t.shardKey({ shards: 200, strategy: 'random' }),
    on: t.date().key(),
    at: t.descTimestamp(),
    id: t.uuidV4(),
  }),
  { partitionKey: ['customer', 'shard', 'on'], indexes: [] },
])
const endless = compiledByPartition([
  (t) => ({ hour: t.timeBucket({ by: 'hour', of: 'at' }), at: t.descTimestamp(), id: t.uuidV4() }),
])

type Ask = (query: FanOutQuery<PlainRow>) => unknown

const of = (customer: unknown, on: unknown) => (query: FanOutQuery<PlainRow>) => query.where({ customer, on })
const one = of('a', '2026-03-10')

const refusals: readonly (readonly [name: string, ask: Ask, code: string, said: string, fix: string])[] = [
  [
    'consistentPages()',
    (query) => one(query).consistentPages().page(),
    'UNSUPPORTED_FEATURE',
    'Cassandra reads each partition at its own timestamp.',
    'consistency',
  ],
  [
    'consistentPages() explained',
    (query) => one(query).consistentPages().explain(),
    'UNSUPPORTED_FEATURE',
    'at its own timestamp',
    '',
  ],
  [
    'timestampBound',
    (query) => one(query).timestampBound({ exactStaleness: 1 }).all(),
    'UNSUPPORTED_FEATURE',
    'Cassandra reads each partition at its own timestamp.',
    '',
  ],
  [
    'timestampBound of an aggregate',
    (query) => one(query).timestampBound('strong').count(),
    'UNSUPPORTED_FEATURE',
    'at its own timestamp',
    '',
  ],
  [
    'queryPartitions()',
    (query) => one(query).queryPartitions(4),
    'UNSUPPORTED_FEATURE',
    'Cassandra cannot split a read into query partitions.',
    'Read the query as it is',
  ],
  [
    'directedReads',
    (query) =>
      one(query)
        .options({ directedReads: { include: [] } })
        .all(),
    'UNSUPPORTED_FEATURE',
    'cannot choose replicas',
    'directedReads',
  ],
  [
    'priority',
    (query) => one(query).options({ priority: 'low' }).count(),
    'UNSUPPORTED_FEATURE',
    'Cassandra does not support priorities.',
    'Leave priority out.',
  ],
  [
    'a consistency that is none, of explain as of a read,',
    (query) =>
      one(query)
        .options({ consistency: 'all' as never })
        .explain(),
    'INVALID_VALUE',
    'reads at',
    'Give one of',
  ],
  [
    'via a statement',
    (query) => one(query).strategy('push-down').page(),
    'INVALID_QUERY',
    'Log cannot be read by the strategy push-down',
    'Use merge-shards, bucket-scan, client-sort',
  ],
  [
    'an open partition key',
    (query) => query.where({ customer: 'a' }).all(),
    'INVALID_QUERY',
    'Log is read by whole partition keys, and the filter leaves on open.',
    'Add on to where',
  ],
  [
    'two open fields',
    (query) => query.all(),
    'INVALID_QUERY',
    'leaves customer and on open.',
    'Add customer and on',
  ],
  [
    'a field that is open on one side',
    (query) => of('a', { gte: '2026-03-10' })(query).count(),
    'INVALID_QUERY',
    'leaves on open.',
    '',
  ],
  [
    'a field that OR leaves open',
    (query) => query.where({ on: '2026-03-10', OR: [{ customer: 'a' }, { customer: 'b' }] }).all(),
    'INVALID_QUERY',
    'leaves customer open.',
    '',
  ],
  [
    'the sum of no property',
    (query) => one(query).sum(undefined as never),
    'INVALID_QUERY',
    'Log has no property undefined to sum.',
    'Choose from customer',
  ],
  [
    'the least of no property',
    (query) => one(query).min(undefined as never),
    'INVALID_QUERY',
    'Log has no property undefined to take the least of.',
    '',
  ],
  [
    'the different values of no property',
    (query) => one(query).countDistinct(undefined as never),
    'INVALID_QUERY',
    'Log has no property undefined to count.',
    '',
  ],
  [
    'too many partitions',
    (query) => of('a', { gte: '2026-01-01', lte: '2026-03-01' })(query).all(),
    'INVALID_QUERY',
    'from more than 10000 partitions at once: 12000.',
    'where',
  ],
  [
    'too many days',
    (query) => of('a', { gte: '1926-01-01', lte: '2026-03-01' })(query).all(),
    'INVALID_QUERY',
    'from more than 10000 partitions',
    '',
  ],
]

async function errorOf(ask: () => unknown): Promise<IsothermError> {
  try {
    await ask()
  } catch (error) {
    return error as IsothermError
  }
  throw new Error('It is not refused.')
}

describe('a fan-out over partitions', () => {
  it.each(refusals)('refuses %s', async (_, ask, code, said, fix) => {
    const { query, driver } = byPartition(visits, [])
    const error = await errorOf(() => ask(query))
    expect(error).toMatchObject({ name: 'IsothermError', code })
    expect(error.message).toContain(said)
    expect(error.fix).toContain(fix)
    expect(driver.reads).toEqual([])
  })

  it('refuses a scan of which nothing says how far back', async () => {
    const { query, driver } = byPartition(endless, [])
    const error = await errorOf(() => query.orderBy('at', 'desc').limit(1).page())
    expect(error.message).toContain(
      'Log is scanned bucket by bucket, one each hour, and nothing says how far back.',
    )
    expect(error.fix).toContain('where({ at: { gte: … } })')
    expect((await errorOf(() => query.where({ at: { lt: new Date() } }).count())).code).toBe('INVALID_QUERY')
    expect(driver.reads).toEqual([])
    await query.where({ at: { gte: new Date(Date.now() - 3_600_000) } }).count()
    expect(driver.reads.length).toBeGreaterThan(0)
  })

  it('refuses a scan over more buckets than anybody means', async () => {
    const { query } = byPartition(endless, [])
    const error = await errorOf(() =>
      query.where({ at: { gte: new Date('2001-01-01'), lt: new Date('2026-01-01') } }).all(),
    )
    expect(error.message).toContain(
      'would be scanned over 219144 buckets, one each hour; 100000 is the most.',
    )
  })

  it('takes a list of values of a partition key, a bool, and days with both ends', async () => {
    const { query, driver } = byPartition(visits, [])
    await query
      .where({
        customer: { in: ['a', 'b', 'a'] },
        shard: { in: [1n, 2n, 900n] },
        on: { gt: '2026-02-27', lte: '2026-03-01' },
      })
      .all()
    expect(driver.reads.map(({ ranges }) => ranges![0]!.start)).toEqual(
      ['a', 'b'].flatMap((customer) =>
        [1, 2].flatMap((shard) => ['2026-02-28', '2026-03-01'].map((on) => [customer, shard, on])),
      ),
    )
  })

  it('does not sort more rows than memory is for', async () => {
    const many = compiledByPartition([(t) => ({ user: t.int64().key(), n: t.int64().key(), m: t.int64() })])
    const { driver } = byPartition(many, [])
    // So many rows that they are made as they are read.
    const read: Driver['read'] = ({ ranges, limit }) => {
      const { start, end } = ranges![0]!
      const first = start.length === 1 ? 0 : Number(start[1]) + 1
      const last = Math.min(end.length === 1 ? 100_001 : Number(end[1]), first + limit!)
      const numbers = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at)
      return Promise.resolve(numbers.map((n) => [1n, BigInt(n), BigInt((n * 7919) % 1009)]))
    }
    const query = FanOutQuery.over<PlainRow>(
      { driver: { ...driver, read }, tables: { of: () => many } },
      many,
    )
    const byM = query.where({ user: 1n }).orderBy('m')
    expect((await byM.limit(3).all()).map(({ m, n }) => [m, n])).toEqual([
      [0n, 0n],
      [0n, 1009n],
      [0n, 2018n],
    ])
    const error = await errorOf(() => byM.all())
    expect(error.message).toContain('more than 100000 rows sorted here')
    expect(
      await query
        .where({ user: 1n, n: { lt: 20n } })
        .orderBy('m', 'desc')
        .all(),
    ).toHaveLength(20)
  })
})
