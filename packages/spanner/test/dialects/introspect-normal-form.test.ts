import { describe, expect, it } from 'vitest'
import { googleSqlNormalForm } from '../../src/googlesql/tools/introspect.js'
import { spannerPostgreSqlNormalForm } from '../../src/postgresql/tools/introspect.js'

describe('googleSqlNormalForm()', () => {
  it.each([
    ['ABS(MOD(FARM_FINGERPRINT(Id), 64))', 'abs( mod(farm_fingerprint( (`id`) ),64) ) -- 64'],
    ['CAST(a AS STRING(36))', 'cast(A as string( 36 ))'],
    ["CONCAT(a, '|', b)", "concat(a, '\\x7c', b)"],
    ['CAST(a AS ARRAY<STRING(36)>)', 'CAST(a AS array<string(36)>)'],
  ])('returns the same normal form for %s and %s', (one, other) => {
    expect(googleSqlNormalForm(one)).toEqual(googleSqlNormalForm(other))
  })

  it.each([
    ['CAST(a AS STRING)', 'SAFE_CAST(a AS STRING)'],
    ['CAST(a AS STRING)', "CAST(a AS STRING FORMAT 'YYYY')"],
    ['CAST(a AS STRING)', 'CAST(a AS STRING(36))'],
    ['CAST(a AS ARRAY<STRING>)', 'CAST(a AS ARRAY<BYTES>)'],
    ['FARM_FINGERPRINT(a)', 'NET.FARM_FINGERPRINT(a)'],
    ['FARM_FINGERPRINT(a)', 'FARM_FINGERPRINT'],
    ['a[0]', 'a(0)'],
    ['f([a])', 'f(a)'],
    ["'a'", "b'a'"],
    ["'a'", '`a`'],
    ['EXTRACT(WEEK(MONDAY) FROM d)', 'EXTRACT(WEEK FROM d)'],
    ["EXTRACT(DAY FROM d AT TIME ZONE 'UTC')", 'EXTRACT(DAY FROM d)'],
    ['a, b', 'a b'],
  ])('returns different normal forms for %s and %s', (one, other) => {
    expect(googleSqlNormalForm(one)).not.toEqual(googleSqlNormalForm(other))
  })
})

describe('spannerPostgreSqlNormalForm()', () => {
  it.each([
    ['mod(x, 64)', `mod(x, '64'::bigint)`],
    ['CAST(a AS text)', '(a)::text'],
    ['a::varchar(36)', 'CAST(a AS character varying(36))'],
    ['a::timestamptz', '(a)::timestamp with time zone'],
    ['EXTRACT(epoch FROM t)', `"extract"('epoch'::text, t)`],
    [`'a'::bytea`, `'\\x61'::bytea`],
    ['-5', `'-5'::bigint`],
    ['spanner.farm_fingerprint("Id")', 'Spanner.FARM_fingerprint(("Id"))'],
    ['a::int8[]', 'a::bigint[]'],
  ])('returns the same normal form for %s and %s', (one, other) => {
    expect(spannerPostgreSqlNormalForm(one)).toEqual(spannerPostgreSqlNormalForm(other))
  })

  it.each([
    ['"Id"', 'Id'],
    ['a::bigint', 'a::bigint[]'],
    ['a::varchar(36)', 'a::varchar(37)'],
    ['spanner.farm_fingerprint(a)', 'farm_fingerprint(a)'],
    ['a - 5', 'a, -5'],
  ])('returns different normal forms for %s and %s', (one, other) => {
    expect(spannerPostgreSqlNormalForm(one)).not.toEqual(spannerPostgreSqlNormalForm(other))
  })
})
