import { compileDdl, defineSchema, defineTable, type TableBuilder, sql } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { BUCKET_SIZES } from '../../src/keys/time-bucket.js'
import { findingsOf } from '../support/refusal.js'

type Columns = Parameters<typeof defineTable>[1]
type Bucket = Parameters<TableBuilder['timeBucket']>[0]

const plain = { property: 'bucket', name: 'bucket', nullable: false, immutable: false, inherited: false }

const logged = (bucket: Partial<Bucket>, columns: Columns = (t) => ({ at: t.timestamp().key('desc') })) =>
  defineTable('Log', (t) => ({
    bucket: t.timeBucket({ by: 'day', of: 'at', ...bucket }),
    ...columns(t),
    id: t.uuidV4(),
  }))

describe('defineSchema() with time buckets', () => {
  it.each(BUCKET_SIZES)(
    'makes a time bucket by %s a key part of type timestamp for hours and of type date otherwise',
    (by) => {
      const [table] = defineSchema([logged({ by, since: '2024-01-01', ahead: 0 })]).tables
      expect(table!.columns[0]).toStrictEqual({
        ...plain,
        type: { kind: by === 'hour' ? 'timestamp' : 'date' },
        source: { kind: 'time-bucket', of: 'at', by, since: '2024-01-01', ahead: 0 },
      })
      expect(table!.primaryKey[0]).toStrictEqual({ property: 'bucket', order: 'asc' })
    },
  )

  it('writes only the declared options of a time bucket into the schema', () => {
    expect(defineSchema([logged({ name: 'day' })]).tables[0]!.columns[0]).toStrictEqual({
      ...plain,
      name: 'day',
      type: { kind: 'date' },
      source: { kind: 'time-bucket', of: 'at', by: 'day' },
    })
  })

  it.each<[string, Columns]>([
    ['a date', (t) => ({ at: t.date().key() })],
    ['an immutable column outside of the key', (t) => ({ at: t.timestamp({ immutable: true }) })],
    ['a timestamp of the client clock', (t) => ({ at: t.descTimestamp({ default: 'now' }) })],
  ])('accepts a time bucket of %s', (_, columns) => {
    expect(() => defineSchema([logged({}, columns)])).not.toThrow()
  })

  it.each<[string, Columns, Partial<Bucket>, string]>([
    ['a missing time column', () => ({}), {}, 'is a bucket of at, which is not another column.'],
    [
      'itself as the time column',
      (t) => ({ at: t.timestamp().key() }),
      { of: 'bucket' },
      'is a bucket of bucket, which is not another column.',
    ],
    [
      'a time column of type int64',
      (t) => ({ at: t.int64().key() }),
      {},
      'is a bucket by day of at, of type int64.',
    ],
    [
      'the size hour for a date column',
      (t) => ({ at: t.date().key() }),
      { by: 'hour' },
      'is a bucket by hour of at, of type date.',
    ],
    [
      'a nullable time column',
      (t) => ({ at: t.timestamp({ nullable: true, immutable: true }) }),
      {},
      'is a bucket of at, which can be NULL.',
    ],
    [
      'a mutable time column outside the key',
      (t) => ({ at: t.timestamp() }),
      {},
      'is a bucket of at, which is neither a key part nor immutable: a change would leave the row in the wrong bucket.',
    ],
    [
      'a commit timestamp as the time column',
      (t) => ({ at: t.descTimestamp({ default: 'commit' }) }),
      {},
      'is a bucket of at, which the database computes: its value is not known when the key is made.',
    ],
    [
      'a time column that has an SQL default',
      (t) => ({ at: t.date({ immutable: true, default: sql`CURRENT_DATE()` }) }),
      {},
      'is a bucket of at, which the database computes: its value is not known when the key is made.',
    ],
    ['an unknown size', (t) => ({ at: t.timestamp().key() }), { by: 'decade' as never }, "by is 'decade'."],
    [
      'a date in since that does not exist',
      (t) => ({ at: t.timestamp().key() }),
      { since: '2023-02-29' },
      'begins at "2023-02-29".',
    ],
    [
      'a time of day in since',
      (t) => ({ at: t.timestamp().key() }),
      { since: '2023-01-01T00:00:00Z' },
      'begins at "2023-01-01T00:00:00Z".',
    ],
    [
      'a negative number of buckets in ahead',
      (t) => ({ at: t.timestamp().key() }),
      { ahead: -1 },
      'is -1 buckets ahead.',
    ],
    ['half a bucket in ahead', (t) => ({ at: t.timestamp().key() }), { ahead: 0.5 }, 'is 0.5 buckets ahead.'],
  ])('rejects a time bucket with %s', (_, columns, bucket, message) => {
    expect(findingsOf(logged(bucket, columns))).toMatchObject([{ table: 'Log', column: 'bucket', message }])
  })

  it('rejects a time bucket of another time bucket', () => {
    const Log = defineTable('Log', (t) => ({
      month: t.timeBucket({ by: 'month', of: 'day' }),
      day: t.timeBucket({ by: 'day', of: 'at' }),
      at: t.timestamp().key(),
    }))
    expect(findingsOf(Log)).toMatchObject([
      { column: 'month', message: 'is a bucket of day, which is itself a bucket.' },
    ])
  })

  it('compileDdl() rejects schema data in which the type of a time bucket does not fit its size', () => {
    const schema = structuredClone(defineSchema([logged({})]))
    const [table] = schema.tables as unknown as [{ columns: { type: unknown }[] }]
    table.columns[0]!.type = { kind: 'timestamp' }
    expect(() => compileDdl(schema, { dialect: googlesql })).toThrow('is a bucket by day, of type timestamp.')
  })

  it('rejects a time bucket outside the partition key or outside the primary key', () => {
    const Log = defineTable(
      'Log',
      (t) => ({
        tenant: t.string().key(),
        day: t.timeBucket({ by: 'day', of: 'at' }),
        at: t.timestamp().key(),
      }),
      { partitionKey: ['tenant'] },
    )
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'day',
        message: 'is a time bucket outside of the partition key, so that it does not end a partition.',
        fix: "Put it there: primaryKey: ['tenant', 'day', 'at'], partitionKey: ['tenant', 'day'].",
      },
    ])
    const Loose = defineTable(
      'Log',
      (t) => ({
        day: t.timeBucket({ by: 'day', of: 'at' }),
        tenant: t.string().key(),
        at: t.timestamp().key(),
      }),
      { primaryKey: ['tenant', 'at'] },
    )
    expect(findingsOf(Loose)).toMatchObject([
      {
        message: 'is a time bucket, but not in the primary key.',
        fix: "Put it there: primaryKey: ['tenant', 'day', 'at'], partitionKey: ['tenant', 'day'].",
      },
    ])
  })

  const Parent = defineTable('Parent', (t) => ({ tenant: t.string().key() }))
  const child = (rows: object) =>
    defineTable(
      'Child',
      (t) => ({
        tenant: t.parentKey<string>(),
        day: t.timeBucket({ by: 'day', of: 'at' }),
        at: t.timestamp().key(),
      }),
      { interleaveIn: () => Parent, ...rows },
    )

  it('rejects a time bucket of an interleaved child unless the child has its own rows and partition key', () => {
    expect(findingsOf(Parent, child({}))).toMatchObject([
      {
        column: 'day',
        message: 'is a time bucket outside of the partition key, so that it does not end a partition.',
        fix: "Put the bucket in the parent's key, or give the table rows of its own: rows: 'own'.",
      },
    ])
    expect(() =>
      defineSchema([Parent, child({ rows: 'own', partitionKey: ['tenant', 'day'] })]),
    ).not.toThrow()
  })

  it('lets an interleaved child inherit the time bucket of its parent with its source', () => {
    const Line = defineTable(
      'Line',
      (t) => ({
        bucket: t.parentKey<string>(),
        at: t.parentKey<Date>(),
        id: t.parentKey<string>(),
        line: t.int64().key(),
      }),
      { interleaveIn: () => Log },
    )
    const Log = logged({})
    const [, line] = defineSchema([Log, Line]).tables
    expect(line!.columns[0]).toMatchObject({ inherited: true, source: { kind: 'time-bucket', of: 'at' } })
  })

  it('rejects a shard that hashes a time bucket', () => {
    const Log = defineTable('Log', (t) => ({
      shard: t.shardKey({ shards: 4, of: ['day'] }),
      day: t.timeBucket({ by: 'day', of: 'at' }),
      at: t.timestamp().key(),
    }))
    expect(findingsOf(Log)).toMatchObject([
      {
        column: 'shard',
        message: 'hashes day, a time bucket: all rows of one bucket would lie in one shard.',
      },
    ])
  })
})

describe('defineSchema() with time UUIDs', () => {
  it('makes timeUuid() with default: now a key part that the client fills, and timeuuid() a plain column', () => {
    const Log = defineTable('Log', (t) => ({
      shard: t.shardKey({ shards: 4, strategy: 'random' }),
      id: t.timeUuid({ default: 'now', order: 'desc', name: 'log_id' }),
      other: t.timeuuid({ nullable: true }),
    }))
    const [table] = defineSchema([Log]).tables
    expect(table!.columns.slice(1)).toStrictEqual([
      { ...plain, property: 'id', name: 'log_id', type: { kind: 'timeuuid' }, source: { kind: 'timeuuid' } },
      { ...plain, property: 'other', name: 'other', type: { kind: 'timeuuid' }, nullable: true },
    ])
    expect(table!.primaryKey[1]).toStrictEqual({ property: 'id', order: 'desc' })
  })

  it('rejects a random shard next to a time UUID that the client does not make', () => {
    const Log = defineTable('Log', (t) => ({
      shard: t.shardKey({ shards: 4, strategy: 'random' }),
      id: t.timeUuid(),
    }))
    expect(findingsOf(Log)).toMatchObject([{ column: 'shard' }])
  })
})
