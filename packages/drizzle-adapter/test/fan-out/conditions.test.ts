import {
  alias,
  bool,
  customType,
  date,
  int64,
  shardKey,
  spannerTable,
  string,
  timestamp,
} from '@isotherm/drizzle-adapter'
import { ilike, shardKey as pgShardKey } from '@isotherm/drizzle-adapter/postgresql'
import {
  and,
  asc,
  between,
  desc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  lt,
  lte,
  ne,
  not,
  notBetween,
  notInArray,
  notLike,
  or,
  sql,
  type Column,
  type SQL,
} from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'
import { filterOf, orderOf } from '../../src/fan-out/conditions.js'
import { FanOutSource } from '../../src/fan-out/source.js'

const even = customType<{ data: number; driverData: bigint }>({
  dataType: () => 'INT64',
  toDriver: (value) => (value === 0 ? sql`zero()` : BigInt(value * 2)),
})

const pgEven = pg.customType<{ data: number; driverData: string }>({
  dataType: () => 'bigint',
  toDriver: (value) => (value === 0 ? sql`zero()` : String(value * 2)) as never,
})

const own = spannerTable('Log', {
  shard: shardKey({ shards: 4, of: ['user'] }),
  user: int64({ mode: 'number' }).primaryKey(),
  page: string('the_page'),
  at: timestamp({ mode: 'string' }),
  day: date({ mode: 'date' }),
  ok: bool(),
  twice: even(),
})
const ownOther = spannerTable('Other', { user: int64().primaryKey(), page: string('the_page') })

const theirs = pg.pgTable('Log', {
  shard: pgShardKey({ shards: 4, of: ['user'] }),
  user: pg.integer().primaryKey(),
  page: pg.text('the_page'),
  at: pg.timestamp({ mode: 'string', withTimezone: true }),
  day: pg.date({ mode: 'date' }),
  ok: pg.boolean(),
  twice: pgEven(),
})
const theirOther = pg.pgTable('Other', { user: pg.integer().primaryKey(), page: pg.text('the_page') })

const dialects = [
  { name: 'googlesql', t: own, other: ownOther, alias },
  {
    name: 'spanner-postgresql',
    t: theirs as never as typeof own,
    other: theirOther as never as typeof ownOther,
    alias: pg.alias as never as typeof alias,
  },
] as const

describe.each(dialects)('the conditions and the order of a fan-out in $name', ({ t, other, alias }) => {
  const source = new FanOutSource(t)

  describe('filterOf() with a supported condition', () => {
    const TIME = '2026-08-01T00:00:00.000000001Z'
    const cases: readonly (readonly [string, SQL | Column | undefined, object])[] = [
      ['eq', eq(t.user, 1), { user: { eq: 1 } }],
      ['ne', ne(t.user, 1), { user: { ne: 1 } }],
      ['gt', gt(t.user, 1), { user: { gt: 1 } }],
      ['gte', gte(t.user, 1), { user: { gte: 1 } }],
      ['lt', lt(t.user, 1), { user: { lt: 1 } }],
      ['lte', lte(t.user, 1), { user: { lte: 1 } }],
      ['inArray', inArray(t.page, ['a', 'b']), { page: { in: ['a', 'b'] } }],
      ['inArray of one value', inArray(t.page, ['a']), { page: { in: ['a'] } }],
      ['inArray of an empty list', inArray(t.page, []), { OR: [] }],
      ['notInArray', notInArray(t.page, ['a']), { NOT: { page: { in: ['a'] } } }],
      ['notInArray of an empty list', notInArray(t.page, []), {}],
      ['or with a condition that is always true', or(eq(t.user, 1), notInArray(t.page, [])), {}],
      [
        'and with a condition that is always true',
        and(eq(t.user, 1), notInArray(t.page, [])),
        { user: { eq: 1 } },
      ],
      ['not of a condition that is always true', not(notInArray(t.page, [])), { OR: [] }],
      ['isNull', isNull(t.page), { page: null }],
      ['isNotNull', isNotNull(t.page), { page: { ne: null } }],
      ['between', between(t.user, 1, 2), { user: { gte: 1, lte: 2 } }],
      ['notBetween', notBetween(t.user, 1, 2), { NOT: { user: { gte: 1, lte: 2 } } }],
      ['like with a prefix pattern', like(t.page, '/docs%'), { page: { startsWith: '/docs' } }],
      [
        'like with a prefix of escaped characters',
        like(t.page, String.raw`a\%\_\\%`),
        { page: { startsWith: 'a%_\\' } },
      ],
      ['like with a pattern that matches any text', like(t.page, '%'), { page: { startsWith: '' } }],
      ['like with a pattern without wildcards', like(t.page, 'a'), { page: { eq: 'a' } }],
      ['notLike', notLike(t.page, 'a%'), { NOT: { page: { startsWith: 'a' } } }],
      [
        'and',
        and(eq(t.user, 1), undefined, eq(t.page, 'a')),
        { AND: [{ user: { eq: 1 } }, { page: { eq: 'a' } }] },
      ],
      ['and of one condition', and(eq(t.user, 1)), { user: { eq: 1 } }],
      ['or', or(eq(t.user, 1), isNull(t.page)), { OR: [{ user: { eq: 1 } }, { page: null }] }],
      ['not', not(eq(t.user, 1)), { NOT: { user: { eq: 1 } } }],
      [
        'not of or in parentheses',
        not(or(eq(t.user, 1), eq(t.user, 2))!),
        { NOT: { OR: [{ user: { eq: 1 } }, { user: { eq: 2 } }] } },
      ],
      [
        'or inside and',
        and(or(eq(t.user, 1), eq(t.user, 2)), isNull(t.page)),
        { AND: [{ OR: [{ user: { eq: 1 } }, { user: { eq: 2 } }] }, { page: null }] },
      ],
      [
        'between inside and',
        and(between(t.user, 1, 2), isNull(t.page)),
        { AND: [{ user: { gte: 1, lte: 2 } }, { page: null }] },
      ],
      // The filter follows the precedence of SQL, not the nesting in the code.
      [
        'not of raw SQL with OR and without parentheses',
        not(sql`${t.user} = ${1} or ${t.page} is null`),
        { OR: [{ NOT: { user: { eq: 1 } } }, { page: null }] },
      ],
      [
        'raw SQL with OR inside and, without parentheses',
        and(sql`${t.user} = ${1} OR ${t.user} = ${2}`, isNull(t.page)),
        { OR: [{ user: { eq: 1 } }, { AND: [{ user: { eq: 2 } }, { page: null }] }] },
      ],
      [
        'a list of separate parameters',
        sql`${t.user} not in (${1}, ${2})`,
        { NOT: { user: { in: [1, 2] } } },
      ],
      ['a comparison with the value before the column', sql`${1} <= ${t.user}`, { user: { gte: 1 } }],
      [
        'a boolean column as a condition',
        and(sql`${t.ok}`, eq(t.user, 1)),
        { AND: [{ ok: { eq: true } }, { user: { eq: 1 } }] },
      ],
      ['only a boolean column', t.ok, { ok: { eq: true } }],
      ['not of a boolean column', not(t.ok as never), { NOT: { ok: { eq: true } } }],
      ['a timestamp given as text', eq(t.at, TIME), { at: { eq: expect.any(Date) } }],
      ['a date given as a Date', eq(t.day, new Date('2026-08-01T12:00:00Z')), { day: { eq: '2026-08-01' } }],
      ['a value of a custom type', eq(t.twice, 4), { twice: { eq: 8n } }],
    ]
    test.each(cases)('converts %s into a filter', (_, condition, filter) => {
      expect(filterOf(condition!, source)).toEqual(filter)
    })

    test('converts a condition on an alias, and rejects a column of the table without the alias', () => {
      const b = alias(t, 'b')
      expect(filterOf(eq(b.page, 'x'), new FanOutSource(b))).toEqual({ page: { eq: 'x' } })
      expect(() => filterOf(eq(t.page, 'x'), new FanOutSource(b))).toThrow(
        'over b has no column Log.the_page',
      )
    })
  })

  describe('filterOf() with an unsupported condition', () => {
    const cases: readonly (readonly [string, SQL | Column, string])[] = [
      ['a column of another table', eq(other.page, 'x'), 'A fan-out over Log has no column Other.the_page.'],
      ['a comparison of two columns', eq(t.user, t.twice), 'compares user with the column twice'],
      ['a pattern that begins with a wildcard', like(t.page, '%x'), 'compares page with the pattern "%x"'],
      [
        'a pattern with a wildcard for one character',
        like(t.page, 'x_'),
        'compares page with the pattern "x_"',
      ],
      [
        'a comparison with NULL',
        eq(t.page, null as never),
        'compares the_page with null, which matches no row',
      ],
      [
        'a comparison of a string column with undefined',
        eq(t.page, undefined as never),
        'compares the_page with undefined',
      ],
      ['a function call', sql`lower(${t.page}) = ${'x'}`, 'cannot use "lower"'],
      ['a literal in raw SQL', sql`${t.user} = 1`, 'cannot use "1"'],
      ['the operator ILIKE in raw SQL', sql`${t.page} ilike ${'x'}`, 'cannot use "ilike"'],
      ['ilike()', ilike(t.page, 'x%'), 'cannot use "lower"'],
      ['a cast', sql`${t.user} = ${1}::bigint`, 'cannot use ":"'],
      ['ANY of an array', sql`${t.user} = any(${[1]})`, 'cannot use "any"'],
      ['IS DISTINCT FROM', sql`${t.page} is distinct from ${'x'}`, 'cannot use "distinct"'],
      ['BETWEEN SYMMETRIC', sql`${t.user} between symmetric ${2} and ${1}`, 'cannot use "symmetric"'],
      ['SIMILAR TO', sql`${t.page} similar to ${'x'}`, 'cannot use "similar"'],
      ['an ESCAPE clause', sql`${t.page} like ${'x!%'} escape ${'!'}`, 'cannot use "escape"'],
      ['a collation', sql`${t.page} collate "de" = ${'x'}`, 'cannot use "collate"'],
      ['a regular expression', sql`${t.page} ~ ${'x'}`, 'cannot use "~"'],
      ['arithmetic', sql`${t.user} + ${1} > ${2}`, 'cannot use "+"'],
      ['a subquery', exists({ getSQL: () => sql`select 1` } as never), 'cannot use "exists"'],
      ['a placeholder', eq(t.page, sql.placeholder('page')), 'has the placeholder page in its condition'],
      [
        'a placeholder for a list',
        inArray(t.page, sql.placeholder('pages')),
        'has the placeholder pages in its condition',
      ],
      ['a value that a custom type converts to SQL', eq(t.twice, 0), 'cannot use'],
      ['only a column that is not boolean', t.user, 'has user, which is not boolean, as a condition'],
      ['not of a column that is not boolean', not(t.user as never), 'has user, which is not boolean'],
      ['the negation of nothing', sql`${t.ok} not`, 'cannot use a condition that ends too early'],
      ['only a boolean parameter', sql`${true}`, 'cannot use'],
      ['text after its end', sql`${t.page} is null limit 1`, 'cannot use "limit"'],
      ['an unfinished AND', sql`${t.page} is null and`, 'cannot use a condition that ends too early'],
      [
        '20,000 levels of parentheses',
        sql.raw(`${'('.repeat(20_000)}1`),
        'has a condition of more than 100 levels',
      ],
      ['20,000 negations', sql.raw('not '.repeat(20_000)), 'has a condition of more than 100 levels'],
      [
        'a comparison of an integer column with undefined',
        eq(t.user, undefined as never),
        'compares user with undefined, which matches no row',
      ],
      ['undefined in a list', inArray(t.user, [1, undefined as never]), 'compares user with undefined'],
      ['a comment', sql`${t.page} is null -- and more`, 'cannot use "-"'],
    ]
    test.each(cases)('rejects a condition with %s', (_, condition, message) => {
      expect(() => filterOf(condition, source)).toThrow(message)
    })
  })

  test('rejects a UUID in capitals of a uuid(), which Drizzle stores as it is given', () => {
    const tokens = pg.pgTable('Token', { id: pg.uuid().primaryKey(), name: pg.text() })
    const uuid = '66340607-9d45-465b-96e2-67c7fd3f431a'
    const ofTokens = new FanOutSource(tokens)
    expect(filterOf(eq(tokens.id, uuid), ofTokens)).toEqual({ id: { eq: uuid } })
    expect(filterOf(eq(tokens.name, 'X'), ofTokens)).toEqual({ name: { eq: 'X' } })
    const capitals = uuid.toUpperCase()
    for (const condition of [
      eq(tokens.id, capitals),
      inArray(tokens.id, [uuid, capitals]),
      between(tokens.id, uuid, capitals),
      sql`${capitals} < ${tokens.id}`,
    ]) {
      expect(() => filterOf(condition, ofTokens)).toThrow(
        `A fan-out over Token compares id with a UUID in capitals, '${capitals}'.`,
      )
    }
  })

  describe('orderOf()', () => {
    test('converts columns, asc() and desc() into properties with directions', () => {
      expect([t.page, asc(t.user), desc(t.at)].map((term) => orderOf(term, source))).toEqual([
        { property: 'page', direction: 'asc' },
        { property: 'user', direction: 'asc' },
        { property: 'at', direction: 'desc' },
      ])
    })

    test.each([
      ['an expression', sql`lower(${t.page})`],
      ['NULLS LAST', sql`${t.page} desc nulls last`],
      ['an unknown direction', sql`${t.page} sideways`],
    ])('rejects an order by %s', (_, term) => {
      expect(() => orderOf(term, source)).toThrow('cannot order by an expression')
    })
  })
})
