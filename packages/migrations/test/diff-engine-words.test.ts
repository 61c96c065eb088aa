import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { sameInDatabase, sameQueryInDatabase } from '../src/engine-words.js'

// The second of each pair is what the PostgreSQL dialect was seen to give back for the first.

const same = sameInDatabase(spannerPostgresql)
const sameQuery = sameQueryInDatabase(spannerPostgresql)

describe('an expression in the words of the PostgreSQL dialect', () => {
  it.each([
    ["s IN ('a', 'b')", "(s = ANY (ARRAY['a'::text, 'b'::text]))"],
    ['n IN (1, 2)', "(n = ANY (ARRAY['1'::bigint, '2'::bigint]))"],
    ["s NOT IN ('a')", "(s <> 'a'::text)"],
    ['n NOT IN (1,2)', "(n <> ALL (ARRAY['1'::bigint, '2'::bigint]))"],
    ['n BETWEEN 1 AND 3', "((n >= '1'::bigint) AND (n <= '3'::bigint))"],
    ['t.n BETWEEN 1 AND 3 AND b', "((t.n >= '1'::bigint) AND (t.n <= '3'::bigint) AND b)"],
    ["s != 'x'", "(s <> 'x'::text)"],
    ["s LIKE 'a%'", "(s ~~ 'a%'::text)"],
    ["s NOT LIKE 'b%'", "(NOT (s ~~ 'b%'::text))"],
    ['n > -5', "(n > '-5'::bigint)"],
    ['n - 5 > 0', "((n - '5'::bigint) > '0'::bigint)"],
    ["d > DATE '2020-01-01'", "(d > '2020-01-01'::date)"],
    ["t > '2020-01-01T00:00:00Z'", "(t > '2019-12-31 16:00:00-08'::timestamp with time zone)"],
    ['length(s) > 3 OR f > 1.5', "((length(s) > '3'::bigint) OR (f > (1.5)::double precision))"],
    ['CAST(n AS text)', '(n)::text'],
    ['COALESCE(n, 0)', "COALESCE(n, '0'::bigint)"],
    ['x > 1', "(x > ('1'::bigint)::numeric)"],
  ])('%s is %s', (one, other) => {
    expect(same(one, other)).toBe(true)
    expect(same(other, one)).toBe(true)
  })

  it.each([
    ["s IN ('a', 'b')", "(s = ANY (ARRAY['a'::text, 'c'::text]))"],
    ["s IN ('a', 'b')", "(s <> ALL (ARRAY['a'::text, 'b'::text]))"],
    ['n BETWEEN 1 AND 3', "((n >= '1'::bigint) AND (m <= '3'::bigint))"],
    ["s NOT LIKE 'b%'", "(s ~~ 'b%'::text)"],
    ['n > -5', "(n > '5'::bigint)"],
    ['n - 5', "n, '-5'::bigint"],
    ['lower(s)', 'upper(s)'],
    ['"N" > 1', "(n > '1'::bigint)"],
  ])('%s is not %s', (one, other) => {
    expect(same(one, other)).toBe(false)
  })
})

describe('a query in the words of the PostgreSQL dialect', () => {
  it.each([
    [
      'SELECT t.n AS m, t.s AS s FROM "C" AS t WHERE t.n > 3 ORDER BY t.n ASC',
      `SELECT n AS m, s FROM "C" t WHERE (n > '3'::bigint) ORDER BY n`,
    ],
    [
      'SELECT count(*) AS many, a.s FROM "C" a INNER JOIN "C" AS b ON a.n = b.n GROUP BY a.s',
      'SELECT count(*) AS many, a.s FROM ("C" a JOIN "C" b ON ((a.n = b.n))) GROUP BY a.s',
    ],
    ['SELECT * FROM "C" AS t WHERE n > 3', `SELECT id, n, s FROM "C" t WHERE (n > '3'::bigint)`],
    [
      'SELECT c.n FROM "C" /*@ FORCE_INDEX="ByN", GROUPBY_SCAN_OPTIMIZATION=TRUE */ AS c',
      `SELECT n FROM "C" /*@ force_index='ByN'::text, groupby_scan_optimization=true */ c`,
    ],
    [
      'SELECT t.id FROM t JOIN /*@ JOIN_METHOD=HASH_JOIN */ "B" AS b ON t.id = b.id',
      `SELECT t.id FROM (t JOIN  /*@ join_method='hash_join'::text */"B" b ON ((t.id = b.id)))`,
    ],
  ])('%s is %s', (one, other) => {
    expect(sameQuery(one, other)).toBe(true)
  })

  it.each([
    ['SELECT n FROM "C"', 'SELECT s FROM "C"'],
    ['SELECT n FROM "C"', 'SELECT n FROM "D"'],
    ['SELECT * FROM "C"', `SELECT id, n FROM "C" WHERE (n > '3'::bigint)`],
    ['SELECT n FROM "C" ORDER BY n', 'SELECT n FROM "C" ORDER BY n DESC'],
    ['SELECT n FROM c /*@ FORCE_INDEX=x */', `SELECT n FROM c /*@ force_index='y'::text */`],
    ['SELECT n FROM c /*@ FORCE_INDEX=x */', 'SELECT n FROM c'],
    ['SELECT * FROM c /*@ FORCE_INDEX=x */', `SELECT n FROM c /*@ force_index='y'::text */`],
    [
      'SELECT 1 FROM a JOIN /*@ J=x */ b ON true JOIN c ON true',
      `SELECT 1 FROM ((a JOIN b ON (true)) JOIN /*@ j='x'::text */c ON (true))`,
    ],
  ])('%s is not %s', (one, other) => {
    expect(sameQuery(one, other)).toBe(false)
  })
})

it('GoogleSQL gives back what was written', () => {
  const written = sameInDatabase(googlesql)
  expect(written('`n`  > 1 -- one', 'n > 1')).toBe(true)
  expect(written('(n + 1) * 2', 'n + 1 * 2')).toBe(false)
  expect(sameQueryInDatabase(googlesql)('SELECT t.n FROM C AS t', 'SELECT n FROM C AS t')).toBe(false)
})
