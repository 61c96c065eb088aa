import {
  defineSchema,
  defineTable,
  lint,
  type ColumnSchema,
  type Dialect,
  type Workload,
} from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { cqlFindings, live, verdicts, type LiveColumn, type LiveTable } from './support/live.js'

// The rules of partitions: cassandra/time-partition, cassandra/low-cardinality-partition, cassandra/unbounded-partition, and cassandra/shard-count.

type Source = NonNullable<ColumnSchema['source']>

const day: LiveColumn = { type: { kind: 'date' }, source: { kind: 'time-bucket', of: 'at', by: 'day' } }
const hour: LiveColumn = {
  type: { kind: 'timestamp' },
  source: { kind: 'time-bucket', of: 'at', by: 'hour' },
}
const inherited: LiveColumn = { type: { kind: 'int64' }, inherited: true }

function shard(shards: number, first?: number): LiveColumn {
  const source: Source = {
    kind: 'shard',
    strategy: 'random',
    shards,
    of: [],
    computedBy: 'client',
    ...(first !== undefined && { first }),
  }
  return { type: { kind: 'int64' }, source }
}

const columns = {
  date: 'date',
  day,
  hour,
  shard: shard(64),
  single: shard(1),
  at: 'timestamp',
  made: 'timeuuid',
  userId: 'int64',
  isTest: 'bool',
} as const

function table(key: readonly string[], more: Partial<LiveTable> = {}): LiveTable {
  return { columns, key, ...more }
}

function found(rule: string, own: LiveTable, dialect?: CqlDialect) {
  return cqlFindings(rule, live({ Log: own }), dialect)
}

describe('cassandra/time-partition', () => {
  const verdict = (key: readonly string[], more?: Partial<LiveTable>) =>
    verdicts(found('cassandra/time-partition', table(key, more)))

  it('reports a partition key of a date alone, and computes the shard count that the workload needs', () => {
    expect(
      found(
        'cassandra/time-partition',
        table(['date', 'at', 'userId'], { workload: { writesPerSecond: 2_000, rowBytes: 3_000 } }),
      ),
    ).toStrictEqual([
      {
        rule: 'cassandra/time-partition',
        severity: 'error',
        table: 'Log',
        column: 'date',
        message:
          'The partition key is date, which is the same for all rows of one day: every insert of that time goes to one ' +
          'partition, and so to the same replicas.',
        fix:
          "Put @ShardKey({ shards: 9, of: ['userId'] }) behind date, as the last part of the partition key, and read with " +
          "fanOut. Where no read knows userId, @ShardKey({ strategy: 'random', shards: 9 }) spreads as well.",
        link: 'docs/lint/cassandra/time-partition.md',
      },
    ])
  })

  it.each([
    ['a time bucket of a day', ['day', 'at'], {}, 'Log.day error'],
    ['a time bucket of an hour', ['hour', 'at'], {}, 'Log.hour error'],
    ['a time bucket and a shard of one value', ['day', 'single', 'at'], {}, 'Log.day error'],
    ['two dates of the same day', ['date', 'day', 'at'], { partitionKey: ['date', 'day'] }, 'Log.date error'],
    [
      'a date for a table with few writes',
      ['date', 'at'],
      { workload: { writesPerSecond: 100 } },
      'Log.date warning',
    ],
    [
      'a date for a table with few writes of large rows',
      ['date', 'at'],
      { workload: { writesPerSecond: 100, rowBytes: 2_000 } },
      'Log.date error',
    ],
    ['a timestamp, whose rows no range of times can find', ['at', 'userId'], {}, 'Log.at warning'],
  ] as const)('reports a partition key of %s', (_, key, more, wanted) => {
    expect(verdict(key, more)).toStrictEqual([wanted])
  })

  it.each([
    ['a partition key of a day and a shard', ['day', 'shard', 'at'], {}],
    ['a partition key of a day and a user', ['date', 'userId', 'at'], { partitionKey: ['date', 'userId'] }],
    ['a partition key of a user with the day as clustering column', ['userId', 'date'], {}],
    ['a partition key of a time UUID, which is hashed', ['made'], {}],
    ['a partition key of a timestamp and a user', ['at', 'userId'], { partitionKey: ['at', 'userId'] }],
  ] as const)('reports nothing for %s', (_, key, more) => {
    expect(verdict(key, more)).toStrictEqual([])
  })

  it('reports the partition key of the parent table only, not of an interleaved child', () => {
    const schema = live({
      Root: { columns: { date: 'date', id: 'int64' }, key: ['date', 'id'] },
      Child: {
        columns: { date: { type: { kind: 'date' }, inherited: true }, id: inherited, n: 'int64' },
        key: ['date', 'id', 'n'],
        parent: 'Root',
      },
    })
    expect(verdicts(cqlFindings('cassandra/time-partition', schema))).toStrictEqual(['Root.date error'])
  })

  it('runs for CQL, where GoogleSQL has monotonic-first-key', () => {
    const schema = live({ Log: table(['date', 'at']) })
    const rules = (dialect: Dialect) => lint(schema, { dialect }).map(({ rule }) => rule)
    expect(rules(googlesql)).toContain('monotonic-first-key')
    expect(rules(googlesql)).not.toContain('cassandra/time-partition')
    expect(rules(cql)).toContain('cassandra/time-partition')
    expect(rules(cql)).not.toContain('monotonic-first-key')
  })
})

describe('cassandra/low-cardinality-partition', () => {
  const verdict = (key: readonly string[], expected?: Workload, more: Partial<LiveTable> = {}) =>
    verdicts(
      found(
        'cassandra/low-cardinality-partition',
        table(key, { ...(expected && { workload: expected }), ...more }),
      ),
    )

  it('reports a partition key of a single BOOL, and points to isotherm shards', () => {
    expect(found('cassandra/low-cardinality-partition', table(['isTest', 'userId']))).toMatchObject([
      {
        severity: 'error',
        column: 'isTest',
        message: 'The partition key, isTest, has 2 values: all rows lie in as many partitions.',
        fix: expect.stringContaining('isotherm shards'),
      },
    ])
  })

  it.each([
    ['a shard of one value', ['single', 'at'], undefined, 'Log.single error'],
    ['a column with 3 declared values', ['userId', 'at'], { distinct: { userId: 3 } }, 'Log.userId error'],
    [
      'a column with fewer values than nodes',
      ['userId', 'at'],
      { distinct: { userId: 5 }, nodes: 6 },
      'Log.userId error',
    ],
    ['64 shards for 7 nodes', ['shard', 'at'], { nodes: 7 }, 'Log.shard warning'],
    [
      'a single BOOL for a table with few writes',
      ['isTest', 'at'],
      { writesPerSecond: 10 },
      'Log.isTest warning',
    ],
  ] as const)('reports a partition key of %s', (_, key, expected, wanted) => {
    expect(verdict(key, expected)).toStrictEqual([wanted])
  })

  it.each([
    ['a partition key of 64 shards', ['shard', 'at'], undefined],
    ['a partition key of 64 shards on 6 nodes', ['shard', 'at'], { nodes: 6 }],
    ['a partition key of user ids on 100 nodes', ['userId', 'at'], { nodes: 100 }],
    ['a partition key of days and shards on 100 nodes', ['day', 'shard', 'at'], { nodes: 100 }],
  ] as const)('reports nothing for %s', (_, key, expected) => {
    expect(verdict(key, expected)).toStrictEqual([])
  })

  it('multiplies the numbers of values of the partition key parts', () => {
    const more = { partitionKey: ['isTest', 'userId'] }
    expect(verdict(['isTest', 'userId', 'at'], { distinct: { userId: 2 } }, more)).toStrictEqual([
      'Log error',
    ])
    expect(verdict(['isTest', 'userId', 'at'], { distinct: { userId: 3 } }, more)).toStrictEqual([])
  })
})

describe('cassandra/unbounded-partition', () => {
  const verdict = (key: readonly string[], more: Partial<LiveTable> = {}) =>
    verdicts(found('cassandra/unbounded-partition', table(key, more)))

  it('reports partitions of a shard to which rows are added without end', () => {
    expect(found('cassandra/unbounded-partition', table(['shard', 'at', 'userId']))).toMatchObject([
      {
        severity: 'warning',
        column: 'at',
        message:
          'The partitions of shard grow without limit, since at grows with time and nothing ends a partition.',
      },
    ])
  })

  it.each([
    ['partitions of a time bucket and a shard', ['day', 'shard', 'at'], {}],
    ['partitions of a date and a shard', ['date', 'shard', 'at'], { partitionKey: ['date', 'shard'] }],
    ['partitions of a user', ['userId', 'at'], {}],
    ['partitions of a shard without a time in the key', ['shard', 'userId'], {}],
    ['partitions whose rows expire', ['shard', 'at'], { ttlSeconds: 86_400 }],
    ['partitions with 1,000 stated rows', ['shard', 'at'], { workload: { rowsPerPartition: 1_000 } }],
    ['partitions with 99,999 stated rows', ['userId', 'at'], { workload: { rowsPerPartition: 99_999 } }],
  ] as const)('reports nothing for %s', (_, key, more) => {
    expect(verdict(key, more)).toStrictEqual([])
  })

  it.each([
    ['100,000 rows', { rowsPerPartition: 100_000 }, 'Log warning'],
    ['a million rows', { rowsPerPartition: 1_000_000 }, 'Log error'],
    ['1,024 rows and 100 MiB', { rowsPerPartition: 1_024, rowBytes: 102_400 }, 'Log warning'],
    ['10,240 rows and 1,000 MiB', { rowsPerPartition: 10_240, rowBytes: 102_400 }, 'Log error'],
  ] as const)('reports partitions of %s, with and without a time bucket', (_, expected, wanted) => {
    expect(verdict(['day', 'shard', 'at'], { workload: expected })).toStrictEqual([wanted])
    expect(verdict(['userId', 'at'], { workload: expected })).toStrictEqual([wanted])
  })

  it('counts child rows stored with their parent, and ignores children that have a table of their own', () => {
    const schema = (rows?: 'own') =>
      live({
        Device: { columns: { id: 'int64' }, key: ['id'] },
        Reading: {
          columns: { id: inherited, at: 'timestamp' },
          key: ['id', 'at'],
          parent: 'Device',
          workload: { childrenPerRow: 200_000 },
          ...(rows && { rows }),
        },
      })
    expect(verdicts(cqlFindings('cassandra/unbounded-partition', schema()))).toStrictEqual([
      'Reading warning',
    ])
    expect(cqlFindings('cassandra/unbounded-partition', schema('own'))).toStrictEqual([])
  })
})

describe('cassandra/shard-count', () => {
  const load: Workload = { writesPerSecond: 2_000, rowBytes: 3_000 }
  const of = (shards: number, expected: Workload = load, dialect?: CqlDialect) =>
    found(
      'cassandra/shard-count',
      { columns: { ...columns, shard: shard(shards, 1) }, key: ['day', 'shard', 'at'], workload: expected },
      dialect,
    )

  it('reports too few shards for the stated writes, and shows the calculation', () => {
    expect(of(5, load, keyspacesCql)).toStrictEqual([
      {
        rule: 'cassandra/shard-count',
        severity: 'error',
        table: 'Log',
        column: 'shard',
        message:
          '2,000 rows written a second of 3 units each end in 5 partitions at a time: 1,200 write units a second in each, and ' +
          'a partition takes 1,000.',
        fix:
          'Use 6 partitions or more, and half as many again for peaks: isotherm shards shows the arithmetic. The number cannot ' +
          'be changed later without a new table.',
        link: 'docs/lint/cassandra/shard-count.md',
      },
    ])
    expect(of(6, load, keyspacesCql)).toStrictEqual([])
  })

  it('reports only a warning for Cassandra, whose limit per partition is an assumption', () => {
    const [finding] = of(5)
    expect(finding).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('is assumed to take'),
    })
  })

  it('reports too few shards for the stated reads', () => {
    const reads = { readsPerSecond: 10_000, rowBytes: 5_000 }
    expect(of(6, reads, keyspacesCql)).toMatchObject([
      { message: expect.stringContaining('3,333 read units') },
    ])
    expect(of(7, reads, keyspacesCql)).toStrictEqual([])
  })

  it.each([
    ['a partition for each user and shard', ['day', 'shard', 'userId', 'at'], ['day', 'shard', 'userId']],
    ['a partition key without a shard', ['day', 'userId', 'at'], ['day', 'userId']],
  ] as const)('reports nothing for a table with %s', (_, key, partitionKey) => {
    const own = { columns: { ...columns, shard: shard(1) }, key, partitionKey, workload: load }
    expect(found('cassandra/shard-count', own, keyspacesCql)).toStrictEqual([])
  })

  it('counts the values of a BOOL in the partition key, and checks shards of a table without a time too', () => {
    const own = (shards: number): LiveTable => ({
      columns: { ...columns, shard: shard(shards) },
      key: ['day', 'isTest', 'shard', 'at'],
      workload: load,
    })
    expect(found('cassandra/shard-count', own(3), keyspacesCql)).toStrictEqual([])
    expect(found('cassandra/shard-count', own(2), keyspacesCql)).toHaveLength(1)
    expect(
      found('cassandra/shard-count', { ...own(2), key: ['shard', 'userId'] }, keyspacesCql),
    ).toHaveLength(1)
  })
})

it('lint() accepts the published Keyspaces model of a day, 200 random shards and the newest rows first', () => {
  const Post = defineTable(
    'post',
    (t) => ({
      publishDate: t.date({ name: 'publish_date' }).key(),
      shard: t.shardKey({ strategy: 'random', shards: 200, first: 1 }),
      publishedAt: t.descTimestamp({ name: 'published_at', default: 'now' }),
      id: t.uuidV4(),
      title: t.string({ nullable: true }),
    }),
    {
      partitionKey: ['publishDate', 'shard'],
      workload: { writesPerSecond: 2_000, rowBytes: 3_000, nodes: 3 },
    },
  )
  expect(lint(defineSchema([Post]), { dialect: keyspacesCql })).toStrictEqual([])
})
