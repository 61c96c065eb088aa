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

describe('a time bucket', () => {
  it.each(BUCKET_SIZES)('by %s is a column like others', (by) => {
    const [table] = defineSchema([logged({ by, since: '2024-01-01', ahead: 0 })]).tables
    expect(table!.columns[0]).toStrictEqual({
      ...plain,
      type: { kind: by === 'hour' ? 'timestamp' : 'date' },
      source: { kind: 'time-bucket', of: 'at', by, since: '2024-01-01', ahead: 0 },
    })
    expect(table!.primaryKey[0]).toStrictEqual({ property: 'bucket', order: 'asc' })
  })

  it('says no more than is declared', () => {
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
    ["the client's clock", (t) => ({ at: t.descTimestamp({ default: 'now' }) })],
  ])('is of %s', (_, columns) => {
    expect(() => defineSchema([logged({}, columns)])).not.toThrow()
  })

  it.each<[string, Columns, Partial<Bucket>, string]>([
    ['no column', () => ({}), {}, 'is a bucket of at, which is not another column.'],
    [
      'itself',
      (t) => ({ at: t.timestamp().key() }),
      { of: 'bucket' },
      'is a bucket of bucket, which is not another column.',
    ],
    ['a number', (t) => ({ at: t.int64().key() }), {}, 'is a bucket by day of at, of type int64.'],
    [
      'hours of a date',
      (t) => ({ at: t.date().key() }),
      { by: 'hour' },
      'is a bucket by hour of at, of type date.',
    ],
    [
      'what may be NULL',
      (t) => ({ at: t.timestamp({ nullable: true, immutable: true }) }),
      {},
      'is a bucket of at, which can be NULL.',
    ],
    [
      'what may change',
      (t) => ({ at: t.timestamp() }),
      {},
      'is a bucket of at, which is neither a key part nor immutable: a change would leave the row in the wrong bucket.',
    ],
    [
      'a commit timestamp',
      (t) => ({ at: t.descTimestamp({ default: 'commit' }) }),
      {},
      'is a bucket of at, which the database makes: it is not known when the key is made.',
    ],
    [
      "the database's default",
      (t) => ({ at: t.date({ immutable: true, default: sql`CURRENT_DATE()` }) }),
      {},
      'is a bucket of at, which the database makes: it is not known when the key is made.',
    ],
    ['no size', (t) => ({ at: t.timestamp().key() }), { by: 'decade' as never }, "by is 'decade'."],
    [
      'a day that there is not',
      (t) => ({ at: t.timestamp().key() }),
      { since: '2023-02-29' },
      'begins at "2023-02-29".',
    ],
    [
      'a time as its beginning',
      (t) => ({ at: t.timestamp().key() }),
      { since: '2023-01-01T00:00:00Z' },
      'begins at "2023-01-01T00:00:00Z".',
    ],
    ['buckets behind', (t) => ({ at: t.timestamp().key() }), { ahead: -1 }, 'is -1 buckets ahead.'],
    ['half a bucket', (t) => ({ at: t.timestamp().key() }), { ahead: 0.5 }, 'is 0.5 buckets ahead.'],
  ])('is refused of %s', (_, columns, bucket, message) => {
    expect(findingsOf(logged(bucket, columns))).toMatchObject([{ table: 'Log', column: 'bucket', message }])
  })

  it('is refused of another bucket', () => {
    const Log = defineTable('Log', (t) => ({
      month: t.timeBucket({ by: 'month', of: 'day' }),
      day: t.timeBucket({ by: 'day', of: 'at' }),
      at: t.timestamp().key(),
    }))
    expect(findingsOf(Log)).toMatchObject([
      { column: 'month', message: 'is a bucket of day, which is a bucket itself.' },
    ])
  })

  it('has the type of its size, whoever says otherwise', () => {
    const schema = structuredClone(defineSchema([logged({})]))
    const [table] = schema.tables as unknown as [{ columns: { type: unknown }[] }]
    table.columns[0]!.type = { kind: 'timestamp' }
    expect(() => compileDdl(schema, { dialect: googlesql })).toThrow('is a bucket by day, of type timestamp.')
  })

  it('lies in the partition key', () => {
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
        message: 'is a time bucket outside of the partition key, which it ends nowhere.',
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

  it("is the parent's, or in a table with rows of its own", () => {
    expect(findingsOf(Parent, child({}))).toMatchObject([
      {
        column: 'day',
        message: 'is a time bucket outside of the partition key, which it ends nowhere.',
        fix: "Put the bucket in the parent's key, or give the table rows of its own: rows: 'own'.",
      },
    ])
    expect(() =>
      defineSchema([Parent, child({ rows: 'own', partitionKey: ['tenant', 'day'] })]),
    ).not.toThrow()
  })

  it('goes along to a child, time or no time', () => {
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

  it('feeds no shard', () => {
    const Log = defineTable('Log', (t) => ({
      shard: t.shardKey({ shards: 4, of: ['day'] }),
      day: t.timeBucket({ by: 'day', of: 'at' }),
      at: t.timestamp().key(),
    }))
    expect(findingsOf(Log)).toMatchObject([
      {
        column: 'shard',
        message: 'hashes day, a time bucket: the rows of a period would all lie in one shard.',
      },
    ])
  })
})

describe('a time UUID', () => {
  it('is a key part, made by the client where that is said', () => {
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

  it('keeps the rows of a random shard apart only where it is made here', () => {
    const Log = defineTable('Log', (t) => ({
      shard: t.shardKey({ shards: 4, strategy: 'random' }),
      id: t.timeUuid(),
    }))
    expect(findingsOf(Log)).toMatchObject([{ column: 'shard' }])
  })
})
