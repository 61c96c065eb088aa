import type { ColumnSchema, ColumnType, SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { findingsOf, generated, live, verdicts, type LiveColumn } from './support/live.js'

// What makes a key a hotspot beyond the type of its first part. The rules for keys and for indexes share this check; most tests use the key.

function verdict(first: LiveColumn, dialect: SqlDialect = googlesql, name = 'k'): string[] {
  const schema = live({
    Log: { columns: { [name]: first, userId: 'int64', at: 'timestamp' }, key: [name, 'userId'] },
  })
  return verdicts(findingsOf('monotonic-first-key', schema, dialect)).map((each) => each.split(' ')[1]!)
}

const withDefault = (sql: string, type: ColumnType = { kind: 'int64' }): LiveColumn => ({
  type,
  default: { sql },
})
const text: ColumnType = { kind: 'string', length: 36 }

describe('a time bucket as the first key part', () => {
  const day: LiveColumn = { type: { kind: 'date' }, source: { kind: 'time-bucket', of: 'at', by: 'day' } }

  it('reports an error for a time bucket before a part that grows, and a warning before a part that spreads', () => {
    const schema = (key: readonly string[]) =>
      live({ Log: { columns: { day, userId: 'int64', at: 'timestamp' }, key } })
    expect(verdicts(findingsOf('monotonic-first-key', schema(['day', 'at'])))).toStrictEqual([
      'Log.day error',
    ])
    const [finding] = findingsOf('monotonic-first-key', schema(['day', 'userId', 'at']))
    expect(finding).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('day, which is the same for all rows of one day'),
    })
  })
})

describe('a generated first key part', () => {
  it.each([
    'UNIX_MICROS(at)',
    'UNIX_SECONDS(`at`)',
    '-UNIX_MICROS(at)',
    '9223372036854775807 - UNIX_MICROS(at)',
    'CAST(UNIX_MILLIS(at) AS INT64)',
    'DIV(UNIX_SECONDS(at), 60)',
  ])('reports an error for the integer expression %s, which grows with the timestamp', (sql) => {
    expect(verdict(generated(sql))).toStrictEqual(['error'])
  })

  it.each([
    "FORMAT_TIMESTAMP('%Y-%m-%d %H:%M:%S', at)",
    'CAST(at AS STRING)',
    "CONCAT(FORMAT_TIMESTAMP('%Y%m%d', at), '-', CAST(userId AS STRING))",
    "'log-' || STRING(at, 'UTC') || CAST(userId AS STRING)",
  ])('reports an error for the text expression %s, which grows with the timestamp', (sql) => {
    expect(verdict(generated(sql, text))).toStrictEqual(['error'])
  })

  it.each<[string, ColumnType]>([
    ['DATE(at)', { kind: 'date' }],
    ['TIMESTAMP_TRUNC(at, HOUR)', { kind: 'timestamp' }],
  ])('reports an error for the expression %s of a date or timestamp type', (sql, type) => {
    expect(verdict(generated(sql, type))).toStrictEqual(['error'])
  })

  it.each([
    "(-(\"extract\"('epoch'::text, at) * ('1000000'::bigint)::numeric))::bigint",
    'extract(epoch from at)::bigint',
  ])('reports an error for the expression %s in the PostgreSQL dialect', (sql) => {
    expect(verdict(generated(sql), spannerPostgresql)).toStrictEqual(['error'])
  })

  it('reports a warning for the year before a part that spreads, and an error before a part that grows', () => {
    const schema = (...key: string[]) =>
      live({
        Log: { columns: { year: generated('EXTRACT(YEAR FROM at)'), userId: 'int64', at: 'timestamp' }, key },
      })
    expect(verdicts(findingsOf('monotonic-first-key', schema('year', 'userId', 'at')))).toStrictEqual([
      'Log.year warning',
    ])
    expect(verdicts(findingsOf('monotonic-first-key', schema('year', 'at', 'userId')))).toStrictEqual([
      'Log.year error',
    ])
  })

  it.each([
    'ABS(MOD(FARM_FINGERPRINT(CAST(at AS STRING)), 64))',
    'FARM_FINGERPRINT(CAST(UNIX_MICROS(at) AS STRING))',
    'MOD(UNIX_MICROS(at), 64)',
    'BIT_REVERSE(UNIX_MICROS(at), TRUE)',
    'UNIX_MICROS(at) + userId',
    'SOME_FUNCTION(at)',
    'userId',
    '1',
    '',
  ])('reports nothing for the integer expression %s, which is not known to grow', (sql) => {
    expect(verdict(generated(sql))).toStrictEqual([])
  })

  it.each([
    'REVERSE(CAST(at AS STRING))',
    "CAST(userId AS STRING) || '-' || CAST(at AS STRING)",
    'TO_HEX(SHA256(STRING(at)))',
  ])('reports nothing for the text expression %s, which is not known to grow', (sql) => {
    expect(verdict(generated(sql, text))).toStrictEqual([])
  })
})

describe('a default of the first key part', () => {
  it.each([
    'UNIX_MICROS(CURRENT_TIMESTAMP())',
    'UNIX_MILLIS(CURRENT_TIMESTAMP)',
    '-UNIX_SECONDS(CURRENT_TIMESTAMP())',
    'BIT_REVERSE(GET_NEXT_SEQUENCE_VALUE(SEQUENCE s), TRUE)',
    'GET_INTERNAL_SEQUENCE_STATE(SEQUENCE s)',
  ])('reports an error for the integer default %s, which grows', (sql) => {
    expect(verdict(withDefault(sql))).toStrictEqual(['error'])
  })

  it.each([
    "FORMAT_TIMESTAMP('%F', CURRENT_TIMESTAMP())",
    'CONCAT(CAST(CURRENT_TIMESTAMP() AS STRING), GENERATE_UUID())',
  ])('reports an error for the text default %s, which grows', (sql) => {
    expect(verdict(withDefault(sql, text))).toStrictEqual(['error'])
  })

  it.each([
    `("extract"('epoch'::text, now()))::bigint`,
    "spanner.bit_reverse(nextval('q'::text), true)",
    "spanner.get_internal_sequence_state('q'::character varying)",
  ])('reports an error for the default %s in the PostgreSQL dialect', (sql) => {
    expect(verdict(withDefault(sql), spannerPostgresql)).toStrictEqual(['error'])
  })

  it.each([
    'GET_NEXT_SEQUENCE_VALUE(SEQUENCE s)',
    'BIT_REVERSE(UNIX_MICROS(CURRENT_TIMESTAMP()), TRUE)',
    'BIT_REVERSE(GET_INTERNAL_SEQUENCE_STATE(SEQUENCE s), TRUE)',
    'FARM_FINGERPRINT(GENERATE_UUID())',
    'MOD(UNIX_MICROS(CURRENT_TIMESTAMP()), 1000)',
    '0',
  ])('reports nothing for the default %s, which is not known to grow', (sql) => {
    expect(verdict(withDefault(sql))).toStrictEqual([])
  })

  it('reads the default SQL of the dialect that lint() is called with', () => {
    const column: LiveColumn = {
      type: { kind: 'int64' },
      default: {
        sql: { googlesql: 'UNIX_MICROS(CURRENT_TIMESTAMP())', 'spanner-postgresql': "nextval('q')" },
      },
    }
    expect(verdict(column)).toStrictEqual(['error'])
    expect(verdict(column, spannerPostgresql)).toStrictEqual([])
  })

  it('warns about a default that calls an unknown function with the name of a time-ordered id', () => {
    expect(verdict(withDefault('ulid()', text))).toStrictEqual(['warning'])
    expect(verdict(withDefault('uuid_generate_v7()', { kind: 'uuid' }))).toStrictEqual(['warning'])
  })
})

describe('the name of the first key column', () => {
  const named = (name: string, type: ColumnType): string[] => verdict({ type }, googlesql, name)

  it.each<[string, ColumnType]>([
    ['eventUlid', text],
    ['event_ulid', text],
    ['ULID', text],
    ['ksuid', { kind: 'bytes', length: 20 }],
    ['uuidV7', { kind: 'uuid' }],
    ['UUIDv1', text],
    ['id_uuid_v6', text],
    ['timeuuid', text],
    ['objectId', { kind: 'bytes', length: 12 }],
    ['object_id', { kind: 'string', length: 24 }],
    ['snowflakeId', { kind: 'int64' }],
    ['tsid', { kind: 'int64' }],
    ['createdEpoch', { kind: 'int64' }],
    ['timestampMicros', { kind: 'int64' }],
    ['auto_increment', { kind: 'int64' }],
    ['eventTimestamp', text],
  ])('reports a warning for the column name %s', (name, type) => {
    expect(named(name, type)).toStrictEqual(['warning'])
  })

  it.each<[string, ColumnType]>([
    ['id', text],
    ['uuid', text],
    ['uuid1', text],
    ['uuid4', text],
    ['uuidV4', text],
    ['consulId', text],
    ['objectId', text],
    ['objectId', { kind: 'int64' }],
    ['userId', { kind: 'int64' }],
    ['ulid', { kind: 'int64' }],
    ['snowflakeResort', { kind: 'bool' }],
    ['epochName', text],
  ])('reports nothing for the column name %s', (name, type) => {
    expect(named(name, type)).toStrictEqual([])
  })

  it('says that the finding rests on the column name, and to suppress the finding if the column does not grow', () => {
    const schema = live({ Log: { columns: { eventUlid: text2() }, key: ['eventUlid'] } })
    const [finding] = findingsOf('monotonic-first-key', schema)
    expect(finding!.message).toContain('which to judge by its name (ulid) grows with time')
    expect(finding!.fix).toMatch(/^If it does not, suppress this finding with the reason\. If it does: /)
  })

  it('reports nothing for a column named ulid or uuidV7 with a random source or default', () => {
    const ulid = { type: text, source: { kind: 'uuid-v4' } } as const
    expect(verdict(ulid, googlesql, 'ulid')).toStrictEqual([])
    expect(verdict(withDefault('GENERATE_UUID()', text), googlesql, 'ulid')).toStrictEqual([])
    expect(verdict(withDefault('spanner.generate_uuid()', text), spannerPostgresql, 'uuidV7')).toStrictEqual(
      [],
    )
  })

  it('reports only a warning for a primary key on a column named ulid', () => {
    const schema = live({ Log: { columns: { ulid: text2() }, key: ['ulid'] } })
    expect(findingsOf('monotonic-first-key', schema)).toMatchObject([{ severity: 'warning' }])
  })
})

function text2(): LiveColumn {
  return { type: text }
}

describe('an expected load in workload', () => {
  const log = (writesPerSecond: number) =>
    live({
      Log: {
        columns: { at: 'timestamp', userId: 'int64', seen: 'timestamp' },
        key: ['at', 'userId'],
        indexes: [{ name: 'BySeen', on: ['seen'] }],
        workload: { writesPerSecond },
      },
    })

  it('reports a warning instead of an error for a hotspot when the workload states 100 writes per second', () => {
    for (const rule of ['monotonic-first-key', 'monotonic-index']) {
      const [finding] = findingsOf(rule, log(100))
      expect(finding).toMatchObject({ severity: 'warning' })
      expect(finding!.message).toMatch(
        /to one server, which takes the 100 rows a second that workload states\.$/,
      )
    }
  })

  it('reports an error for a hotspot when the workload states 101 writes per second', () => {
    expect(findingsOf('monotonic-first-key', log(101))).toMatchObject([{ severity: 'error' }])
    expect(findingsOf('monotonic-index', log(101))).toMatchObject([{ severity: 'error' }])
  })
})

describe('a shard before a timestamp', () => {
  const shard = (shards: number): Partial<ColumnSchema> & { type: ColumnType } => ({
    type: { kind: 'int64' },
    source: { kind: 'shard', strategy: 'hash', shards, of: ['userId'], computedBy: 'database' },
  })
  const log = (shards: number) =>
    live({
      Log: {
        columns: { shard: shard(shards), at: 'timestamp', userId: 'int64' },
        key: ['shard', 'at', 'userId'],
      },
    })

  it('reports an error for a shard of one value at the start of a primary key, and accepts two values', () => {
    const [finding] = findingsOf('monotonic-first-key', log(1))
    expect(finding).toMatchObject({ severity: 'error', column: 'at' })
    expect(finding!.message).toContain(
      'starts with shard, which has one value, and then at, which grows with time',
    )
    expect(finding!.fix).toContain('Give the shard more values')
    expect(findingsOf('monotonic-first-key', log(2))).toStrictEqual([])
  })

  it('reports an error for an index shard of one value, and accepts two values', () => {
    const indexed = (shards: number) =>
      live({
        Log: {
          columns: { id: 'int64', at: 'timestamp' },
          key: ['id'],
          indexes: [{ name: 'ByAt', on: ['at'], shard: { column: 'ByAt_shard', shards, of: ['id'] } }],
        },
      })
    const [finding] = findingsOf('monotonic-index', indexed(1))
    expect(finding).toMatchObject({
      severity: 'error',
      index: 'ByAt',
      fix: expect.stringContaining('more values'),
    })
    expect(findingsOf('monotonic-index', indexed(2))).toStrictEqual([])
  })
})

describe('monotonic-index by the first part of an index', () => {
  it('judges the first part of an index like the first part of a primary key: generated, year or named ulid', () => {
    const schema = live({
      Log: {
        columns: {
          id: 'int64',
          at: 'timestamp',
          micros: generated('UNIX_MICROS(at)', { kind: 'int64' }, false),
          year: generated('EXTRACT(YEAR FROM at)', { kind: 'int64' }, false),
          shard: generated('ABS(MOD(FARM_FINGERPRINT(CAST(id AS STRING)), 16))', { kind: 'int64' }, false),
          ulid: { type: text },
        },
        key: ['id'],
        indexes: [
          { name: 'ByMicros', on: ['micros'] },
          { name: 'ByYear', on: ['year'] },
          { name: 'ByYearAt', on: ['year', 'at'] },
          { name: 'ByShard', on: ['shard', 'at'] },
          { name: 'ByUlid', on: ['ulid'] },
        ],
      },
    })
    expect(verdicts(findingsOf('monotonic-index', schema))).toStrictEqual([
      'ByMicros error',
      'ByYear warning',
      'ByYearAt error',
      'ByUlid warning',
    ])
  })
})

describe('a descending timestamp in the PostgreSQL dialect', () => {
  it('reports an error for a descending timestamp, although the dialect stores a mirror column instead', () => {
    const schema = live({
      Log: { columns: { at: 'timestamp', userId: 'int64' }, key: ['at desc', 'userId'] },
    })
    const [finding] = findingsOf('monotonic-first-key', schema, spannerPostgresql)
    expect(finding).toMatchObject({
      severity: 'error',
      message: expect.stringContaining('descending is no better'),
    })
  })
})
