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

  it('finds a day alone, and says what it would take', () => {
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
    ['a bucket of a day', ['day', 'at'], {}, 'Log.day error'],
    ['a bucket of an hour', ['hour', 'at'], {}, 'Log.hour error'],
    ['a bucket and a shard of one value', ['day', 'single', 'at'], {}, 'Log.day error'],
    [
      'two parts of the same time',
      ['date', 'day', 'at'],
      { partitionKey: ['date', 'day'] },
      'Log.date error',
    ],
    ['few writes', ['date', 'at'], { workload: { writesPerSecond: 100 } }, 'Log.date warning'],
    [
      'few writes of large rows',
      ['date', 'at'],
      { workload: { writesPerSecond: 100, rowBytes: 2_000 } },
      'Log.date error',
    ],
    ['a moment, which no range of times finds', ['at', 'userId'], {}, 'Log.at warning'],
  ] as const)('finds %s', (_, key, more, wanted) => {
    expect(verdict(key, more)).toStrictEqual([wanted])
  })

  it.each([
    ['a day and a shard', ['day', 'shard', 'at'], {}],
    ['a day and a user', ['date', 'userId', 'at'], { partitionKey: ['date', 'userId'] }],
    ['a user and the day', ['userId', 'date'], {}],
    ['a UUID of the time, which is hashed', ['made'], {}],
    ['a moment and a user', ['at', 'userId'], { partitionKey: ['at', 'userId'] }],
  ] as const)('is content with %s', (_, key, more) => {
    expect(verdict(key, more)).toStrictEqual([])
  })

  it('leaves an interleaved table to its parent', () => {
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

  it('is not about Spanner, where monotonic-first-key is', () => {
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

  it('finds a lone BOOL, and says what is missing', () => {
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
    ['few declared values', ['userId', 'at'], { distinct: { userId: 3 } }, 'Log.userId error'],
    ['fewer than nodes', ['userId', 'at'], { distinct: { userId: 5 }, nodes: 6 }, 'Log.userId error'],
    ['hardly more than nodes', ['shard', 'at'], { nodes: 7 }, 'Log.shard warning'],
    ['a lone BOOL of few writes', ['isTest', 'at'], { writesPerSecond: 10 }, 'Log.isTest warning'],
  ] as const)('finds %s', (_, key, expected, wanted) => {
    expect(verdict(key, expected)).toStrictEqual([wanted])
  })

  it.each([
    ['64 shards', ['shard', 'at'], undefined],
    ['64 shards of 6 nodes', ['shard', 'at'], { nodes: 6 }],
    ['ids', ['userId', 'at'], { nodes: 100 }],
    ['days, which go on', ['day', 'shard', 'at'], { nodes: 100 }],
  ] as const)('is content with %s', (_, key, expected) => {
    expect(verdict(key, expected)).toStrictEqual([])
  })

  it('multiplies the parts', () => {
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

  it('finds shards to which rows are added for ever', () => {
    expect(found('cassandra/unbounded-partition', table(['shard', 'at', 'userId']))).toMatchObject([
      {
        severity: 'warning',
        column: 'at',
        message:
          'Rows are added to the partitions of shard for ever, since at grows with time and nothing ends a partition.',
      },
    ])
  })

  it.each([
    ['a bucket', ['day', 'shard', 'at'], {}],
    ['a date', ['date', 'shard', 'at'], { partitionKey: ['date', 'shard'] }],
    ['a user', ['userId', 'at'], {}],
    ['no order of time', ['shard', 'userId'], {}],
    ['rows that go', ['shard', 'at'], { ttlSeconds: 86_400 }],
    ['partitions whose size is known', ['shard', 'at'], { workload: { rowsPerPartition: 1_000 } }],
    ['99,999 rows', ['userId', 'at'], { workload: { rowsPerPartition: 99_999 } }],
  ] as const)('is content with %s', (_, key, more) => {
    expect(verdict(key, more)).toStrictEqual([])
  })

  it.each([
    ['100,000 rows', { rowsPerPartition: 100_000 }, 'Log warning'],
    ['a million rows', { rowsPerPartition: 1_000_000 }, 'Log error'],
    ['100 MiB of fewer rows', { rowsPerPartition: 1_024, rowBytes: 102_400 }, 'Log warning'],
    ['1,000 MiB', { rowsPerPartition: 10_240, rowBytes: 102_400 }, 'Log error'],
  ] as const)('finds partitions of %s, with a bucket too', (_, expected, wanted) => {
    expect(verdict(['day', 'shard', 'at'], { workload: expected })).toStrictEqual([wanted])
    expect(verdict(['userId', 'at'], { workload: expected })).toStrictEqual([wanted])
  })

  it('counts the children that lie in their parent, and not those with a table of their own', () => {
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

  it('finds too few for the writes, and shows the arithmetic', () => {
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
          'It takes 6 partitions or more, and half as many again for peaks: isotherm shards shows the arithmetic. They cannot ' +
          'be changed later without a new table.',
        link: 'docs/lint/cassandra/shard-count.md',
      },
    ])
    expect(of(6, load, keyspacesCql)).toStrictEqual([])
  })

  it('is advice where the engine promises nothing', () => {
    const [finding] = of(5)
    expect(finding).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('is assumed to take'),
    })
  })

  it('finds too few for the reads', () => {
    const reads = { readsPerSecond: 10_000, rowBytes: 5_000 }
    expect(of(6, reads, keyspacesCql)).toMatchObject([
      { message: expect.stringContaining('3,333 read units') },
    ])
    expect(of(7, reads, keyspacesCql)).toStrictEqual([])
  })

  it.each([
    ['a partition for each user', ['day', 'shard', 'userId', 'at'], ['day', 'shard', 'userId']],
    ['no shard', ['day', 'userId', 'at'], ['day', 'userId']],
  ] as const)('says nothing of %s', (_, key, partitionKey) => {
    const own = { columns: { ...columns, shard: shard(1) }, key, partitionKey, workload: load }
    expect(found('cassandra/shard-count', own, keyspacesCql)).toStrictEqual([])
  })

  it('counts what multiplies the shards, and those of a table without a time as well', () => {
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

it('takes the models of the public guidance: a day, 200 shards, and the newest first', () => {
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
