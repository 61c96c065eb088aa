import type { Driver, IsothermError } from '@isotherm/core'
import type { PlainRow } from '@isotherm/core/tools'
import { describe, expect, it } from 'vitest'
import { FanOutQuery } from '../../../src/read/query.js'
import { compiledByPartition, byPartition } from '../support/by-partition.js'

// Features that an engine of partitions lacks are rejected by name, before anything is read.

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
    'consistentPages',
    (query) => one(query).consistentPages().page(),
    'UNSUPPORTED_FEATURE',
    'Cassandra cannot read at a given timestamp.',
    'consistentPages',
  ],
  [
    'explain() with consistentPages()',
    (query) => one(query).consistentPages().explain(),
    'UNSUPPORTED_FEATURE',
    'at a given timestamp',
    '',
  ],
  [
    'timestampBound()',
    (query) => one(query).timestampBound({ exactStaleness: 1 }).all(),
    'UNSUPPORTED_FEATURE',
    'Cassandra cannot read at a given timestamp.',
    '',
  ],
  [
    'timestampBound() with an aggregate',
    (query) => one(query).timestampBound('strong').count(),
    'UNSUPPORTED_FEATURE',
    'at a given timestamp',
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
    'the option directedReads',
    (query) =>
      one(query)
        .options({ directedReads: { include: [] } })
        .all(),
    'UNSUPPORTED_FEATURE',
    'cannot choose replicas',
    'directedReads',
  ],
  [
    'the option priority',
    (query) => one(query).options({ priority: 'low' }).count(),
    'UNSUPPORTED_FEATURE',
    'Cassandra does not support priorities.',
    'Leave priority out.',
  ],
  [
    'an unknown consistency in explain()',
    (query) =>
      one(query)
        .options({ consistency: 'all' as never })
        .explain(),
    'INVALID_VALUE',
    'reads at',
    'Give one of',
  ],
  [
    'the strategy push-down',
    (query) => one(query).strategy('push-down').page(),
    'INVALID_QUERY',
    'Log cannot be read by the strategy push-down',
    'Use merge-shards, bucket-scan, client-sort',
  ],
  [
    'a filter that leaves one column of the partition key open',
    (query) => query.where({ customer: 'a' }).all(),
    'INVALID_QUERY',
    'Log is read by whole partition keys, and the filter leaves on open.',
    'Add on to where',
  ],
  [
    'a filter that leaves two columns of the partition key open',
    (query) => query.all(),
    'INVALID_QUERY',
    'leaves customer and on open.',
    'Add customer and on',
  ],
  [
    'a partition key column with a lower bound and no upper bound',
    (query) => of('a', { gte: '2026-03-10' })(query).count(),
    'INVALID_QUERY',
    'leaves on open.',
    '',
  ],
  [
    'a partition key column with values in OR only',
    (query) => query.where({ on: '2026-03-10', OR: [{ customer: 'a' }, { customer: 'b' }] }).all(),
    'INVALID_QUERY',
    'leaves customer open.',
    '',
  ],
  [
    'the sum of an undefined property',
    (query) => one(query).sum(undefined as never),
    'INVALID_QUERY',
    'Log has no property undefined to sum.',
    'Choose from customer',
  ],
  [
    'the minimum of an undefined property',
    (query) => one(query).min(undefined as never),
    'INVALID_QUERY',
    'Log has no property undefined to take the minimum of.',
    '',
  ],
  [
    'countDistinct() of an undefined property',
    (query) => one(query).countDistinct(undefined as never),
    'INVALID_QUERY',
    'Log has no property undefined to count.',
    '',
  ],
  [
    'a filter with 12,000 partitions',
    (query) => of('a', { gte: '2026-01-01', lte: '2026-03-01' })(query).all(),
    'INVALID_QUERY',
    'from more than 10000 partitions at once: 12000.',
    'where',
  ],
  [
    'a filter with a hundred years of days',
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
  it.each(refusals)('rejects %s', async (_, ask, code, said, fix) => {
    const { query, driver } = byPartition(visits, [])
    const error = await errorOf(() => ask(query))
    expect(error).toMatchObject({ name: 'IsothermError', code })
    expect(error.message).toContain(said)
    expect(error.fix).toContain(fix)
    expect(driver.reads).toEqual([])
  })

  it('rejects a bucket scan without a lower bound in the model or in the filter', async () => {
    const { query, driver } = byPartition(endless, [])
    const error = await errorOf(() => query.orderBy('at', 'desc').limit(1).page())
    expect(error.message).toContain(
      'Log is scanned bucket by bucket, one each hour, and the query sets no limit for how far back.',
    )
    expect(error.fix).toContain('where({ at: { gte: … } })')
    expect((await errorOf(() => query.where({ at: { lt: new Date() } }).count())).code).toBe('INVALID_QUERY')
    expect(driver.reads).toEqual([])
    await query.where({ at: { gte: new Date(Date.now() - 3_600_000) } }).count()
    expect(driver.reads.length).toBeGreaterThan(0)
  })

  it('rejects a bucket scan over more than 100,000 buckets', async () => {
    const { query } = byPartition(endless, [])
    const error = await errorOf(() =>
      query.where({ at: { gte: new Date('2001-01-01'), lt: new Date('2026-01-01') } }).all(),
    )
    expect(error.message).toContain(
      'would be scanned over 219144 buckets, one each hour; 100000 is the most.',
    )
  })

  it('reads every combination of listed values and bounded days in the partition key', async () => {
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

  it('rejects a client-side sort of more than 100,000 rows, and accepts the sort with a limit of 3', async () => {
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
    expect(error.message).toContain('more than 100000 rows sorted by the client')
    expect(
      await query
        .where({ user: 1n, n: { lt: 20n } })
        .orderBy('m', 'desc')
        .all(),
    ).toHaveLength(20)
  })
})
