import type { SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { findingsOf, generated, live, verdicts } from './support/live.js'

function findings(sql: string, dialect: SqlDialect = googlesql) {
  const schema = live({
    Log: {
      columns: {
        shard: generated(sql),
        at: 'timestamp',
        day: 'date',
        price: 'numeric',
        weight: 'float64',
        userId: 'int64',
      },
      key: ['shard', 'at'],
    },
  })
  return findingsOf('unstable-shard', schema, dialect)
}

describe('unstable-shard', () => {
  it('reports a hash of a timestamp as text, and proposes to hash its microseconds', () => {
    expect(findings('ABS(MOD(FARM_FINGERPRINT(CAST(at AS STRING)), 64))')).toStrictEqual([
      {
        rule: 'unstable-shard',
        severity: 'warning',
        table: 'Log',
        column: 'shard',
        message:
          'shard hashes the text of at, which depends on the time zone of the database: in one with another zone the ' +
          'same row has another value, and a client cannot compute it without knowing the zone.',
        fix: "Hash its microseconds, CAST(UNIX_MICROS(at) AS STRING), or name the zone: 'UTC'.",
        link: 'docs/lint/unstable-shard.md',
      },
    ])
  })

  it.each([
    "FARM_FINGERPRINT(FORMAT_TIMESTAMP('%F', at))",
    'FARM_FINGERPRINT(STRING(at))',
    'FARM_FINGERPRINT(CAST(DATE(at) AS STRING))',
    'FARM_FINGERPRINT(CAST(CAST(at AS DATE) AS STRING))',
    'FARM_FINGERPRINT(CAST(EXTRACT(DAY FROM at) AS STRING))',
    'FARM_FINGERPRINT(CAST(TIMESTAMP_TRUNC(at, DAY) AS STRING))',
    "FARM_FINGERPRINT(FORMAT('%t', at))",
    "SHA256(CONCAT(CAST(userId AS STRING), '|', CAST(`at` AS STRING)))",
    'SHA512(CAST(at AS STRING))',
    'MD5(SAFE_CAST(at AS STRING))',
  ])('reports the dependence on the time zone in %s', (sql) => {
    expect(verdicts(findings(sql))).toStrictEqual(['Log.shard warning'])
  })

  it.each([
    'spanner.farm_fingerprint((at)::text)',
    'spanner.farm_fingerprint(((at)::character varying)::text)',
    "spanner.farm_fingerprint(to_char(at, 'YYYY'::text))",
    `spanner.farm_fingerprint(("extract"('day'::text, at))::text)`,
    'spanner.farm_fingerprint(((at)::date)::text)',
    "spanner.farm_fingerprint((date_trunc('day'::text, at))::text)",
    'sha256((at::text)::bytea)',
  ])('reports the dependence on the time zone in %s in the PostgreSQL dialect', (sql) => {
    const found = findings(sql, spannerPostgresql)
    expect(verdicts(found)).toStrictEqual(['Log.shard warning'])
    expect(found[0]!.fix).toContain('extract(epoch from at)')
  })

  it.each(['CAST(price AS STRING)', 'CAST(weight AS STRING)', "CONCAT('a', CAST((weight) AS STRING))"])(
    'reports a hash of %s, because engines print the number in different ways',
    (sql) => {
      const [finding] = findings(`FARM_FINGERPRINT(${sql})`)
      expect(finding!.message).toContain('which engines print in different ways')
    },
  )

  it('reports each hashed column once', () => {
    const found = findings(
      'FARM_FINGERPRINT(CONCAT(CAST(at AS STRING), CAST(at AS STRING), CAST(price AS STRING)))',
    )
    expect(found.map(({ message }) => message.split(',')[0])).toStrictEqual([
      'shard hashes the text of at',
      'shard hashes the text of price',
    ])
  })

  it.each([
    'FARM_FINGERPRINT(CAST(UNIX_MICROS(at) AS STRING))',
    "FARM_FINGERPRINT(FORMAT_TIMESTAMP('%F', at, 'UTC'))",
    "FARM_FINGERPRINT(STRING(at, 'UTC'))",
    "FARM_FINGERPRINT(CAST(DATE(at, 'UTC') AS STRING))",
    "FARM_FINGERPRINT(CAST(EXTRACT(DAY FROM at AT TIME ZONE 'UTC') AS STRING))",
    "FARM_FINGERPRINT(CAST(at AS STRING FORMAT 'YYYY' AT TIME ZONE 'UTC'))",
    'FARM_FINGERPRINT(CAST(EXTRACT(MICROSECOND FROM at) AS STRING))',
    'FARM_FINGERPRINT(CAST(day AS STRING))',
    'FARM_FINGERPRINT(CAST(userId AS STRING))',
    'FARM_FINGERPRINT(CAST(CAST(weight AS INT64) AS STRING))',
    'LENGTH(CAST(at AS STRING))',
  ])('reports nothing for the expression %s', (sql) => {
    expect(findings(sql)).toStrictEqual([])
  })

  it.each([
    `spanner.farm_fingerprint((("extract"('epoch'::text, at) * ('1000000'::bigint)::numeric)::bigint)::text)`,
    "spanner.farm_fingerprint((date_trunc('day'::text, at, 'UTC'::text))::date::text)",
    'spanner.farm_fingerprint((day)::text)',
  ])('reports nothing for the expression %s in the PostgreSQL dialect', (sql) => {
    expect(findings(sql, spannerPostgresql)).toStrictEqual([])
  })

  it('checks the expression of a database-computed shard', () => {
    const schema = live({
      Log: {
        columns: {
          shard: {
            type: { kind: 'int64' },
            source: {
              kind: 'shard',
              strategy: 'hash',
              shards: 16,
              of: ['at'],
              computedBy: 'database',
              signed: true,
              expression: 'MOD(FARM_FINGERPRINT(CAST(at AS STRING)), 16)',
            },
          },
          at: 'timestamp',
        },
        key: ['shard', 'at'],
      },
    })
    expect(findingsOf('unstable-shard', schema)).toHaveLength(1)
    expect(findingsOf('spanner/signed-shard', schema)).toStrictEqual([])
  })
})
