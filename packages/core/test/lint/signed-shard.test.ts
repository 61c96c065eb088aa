import type { ColumnSchema, SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { findingsOf, generated, live, verdicts, type LiveColumn } from './support/live.js'

function findings(shard: LiveColumn, dialect: SqlDialect = googlesql) {
  const schema = live({ Log: { columns: { shard, userId: 'int64' }, key: ['shard', 'userId'] } })
  return findingsOf('spanner/signed-shard', schema, dialect)
}

describe('spanner/signed-shard', () => {
  it.each([
    'MOD(FARM_FINGERPRINT(CAST(userId AS STRING)), 2048)',
    '(mod(farm_fingerprint(CAST(`userId` AS STRING)), 2048))',
    'CAST(MOD((FARM_FINGERPRINT(CAST(userId AS STRING))), 2048) AS INT64)',
  ])('reports the signed remainder %s with its range of values', (sql) => {
    expect(findings(generated(sql))).toStrictEqual([
      {
        rule: 'spanner/signed-shard',
        severity: 'error',
        table: 'Log',
        column: 'shard',
        message:
          'shard is the remainder of a signed hash and runs from -2047 to 2047: half of all rows have a negative ' +
          'shard, which a reader of shards from 0 misses.',
        fix:
          'Take the absolute value of the remainder: ABS(MOD(FARM_FINGERPRINT(…), 2048)). The key of a table that ' +
          'exists cannot change: declare its shard with signed: true, and all of its values are read.',
        link: 'docs/lint/spanner/signed-shard.md',
      },
    ])
  })

  it.each([
    `mod(spanner.farm_fingerprint(("userId")::text), '2048'::bigint)`,
    `(spanner.farm_fingerprint(("userId")::text) % '2048'::bigint)`,
    'spanner.farm_fingerprint(userId::text) % 2048',
  ])('reports the signed remainder %s in the PostgreSQL dialect', (sql) => {
    const [finding] = findings(generated(sql), spannerPostgresql)
    expect(finding!.message).toContain('from -2047 to 2047')
    expect(finding!.fix).toContain('abs(mod(spanner.farm_fingerprint(…), 2048))')
  })

  it('reports a signed remainder whose modulus is an expression, without the range of values', () => {
    const [finding] = findings(generated('MOD(FARM_FINGERPRINT(CAST(userId AS STRING)), 4 * 16)'))
    expect(finding!.message).toContain('runs below 0 as well')
  })

  it('reports a signed remainder in a column default', () => {
    const column = {
      type: { kind: 'int64' },
      default: { sql: 'MOD(FARM_FINGERPRINT(GENERATE_UUID()), 16)' },
    } as const
    expect(verdicts(findings(column))).toStrictEqual(['Log.shard error'])
  })

  it('reports a signed remainder as the first column of an index, and not as a later column', () => {
    const columns = {
      id: 'int64',
      shard: generated('MOD(FARM_FINGERPRINT(CAST(id AS STRING)), 16)', { kind: 'int64' }, false),
    } as const
    const schema = (on: readonly string[]) =>
      live({ Log: { columns, key: ['id'], indexes: [{ name: 'I', on }] } })
    expect(findingsOf('spanner/signed-shard', schema(['shard', 'id']))).toHaveLength(1)
    expect(findingsOf('spanner/signed-shard', schema(['id', 'shard']))).toStrictEqual([])
  })

  it.each([
    'MOD(ABS(FARM_FINGERPRINT(CAST(userId AS STRING))), 64)',
    'ABS(FARM_FINGERPRINT(CAST(userId AS STRING)))',
    'MOD(ABS((FARM_FINGERPRINT(CAST(userId AS STRING)))), 64)',
  ])('warns about the expression %s, because ABS fails for the smallest INT64', (sql) => {
    const [finding] = findings(generated(sql))
    expect(finding).toMatchObject({ severity: 'warning' })
    expect(finding!.message).toContain('-9223372036854775808')
  })

  it.each([
    'ABS(MOD(FARM_FINGERPRINT(CAST(userId AS STRING)), 64))',
    'MOD(MOD(FARM_FINGERPRINT(CAST(userId AS STRING)), 64) + 64, 64)',
    'MOD(FARM_FINGERPRINT(CAST(userId AS STRING)), 64) + 64',
    'MOD(FARM_FINGERPRINT(CAST(userId AS STRING)) >> 1, 64)',
    'IF(MOD(FARM_FINGERPRINT(CAST(userId AS STRING)), 64) < 0, 1, 0)',
    'MOD(userId, 64)',
    'FARM_FINGERPRINT(CAST(userId AS STRING))',
    "'MOD(FARM_FINGERPRINT(x), 64)'",
  ])('reports nothing for the expression %s', (sql) => {
    expect(findings(generated(sql))).toStrictEqual([])
  })

  it.each([
    `abs(mod(spanner.farm_fingerprint(("userId")::text), '64'::bigint))`,
    `abs((spanner.farm_fingerprint(("userId")::text) % '64'::bigint))`,
  ])('reports nothing for the expression %s in the PostgreSQL dialect', (sql) => {
    expect(findings(generated(sql), spannerPostgresql)).toStrictEqual([])
  })

  it('accepts a signed remainder in a shard with signed: true, and reports the same shard without signed', () => {
    const shard = (signed?: true): Partial<ColumnSchema> & { type: { kind: 'int64' } } => ({
      type: { kind: 'int64' },
      source: {
        kind: 'shard',
        strategy: 'hash',
        shards: 16,
        of: ['userId'],
        computedBy: 'database',
        expression: 'MOD(FARM_FINGERPRINT(CAST(userId AS STRING)), 16)',
        ...(signed && { signed }),
      },
    })
    expect(findings(shard(true))).toStrictEqual([])
    expect(verdicts(findings(shard()))).toStrictEqual(['Log.shard error'])
  })

  it('reports the signed shard of the parent table only, not of an interleaved child', () => {
    const shard = generated('MOD(FARM_FINGERPRINT(CAST(id AS STRING)), 16)')
    const schema = live({
      Root: { columns: { shard, id: 'int64' }, key: ['shard', 'id'] },
      Child: {
        columns: {
          shard: { ...shard, inherited: true },
          id: { type: { kind: 'int64' }, inherited: true },
          no: 'int64',
        },
        key: ['shard', 'id', 'no'],
        parent: 'Root',
      },
    })
    expect(verdicts(findingsOf('spanner/signed-shard', schema))).toStrictEqual(['Root.shard error'])
  })
})
