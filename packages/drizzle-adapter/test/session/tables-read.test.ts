import type { LexicalSyntax } from '@isotherm/core/adapter'
import { googlesqlRuntime, spannerPostgresqlRuntime } from '@isotherm/spanner'
import * as google from '@isotherm/drizzle-adapter'
import * as postgres from '@isotherm/drizzle-adapter/postgresql'
import { type SQL, type Table, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'
import { tableWritten, tablesRead } from '../../src/session/tables-read.js'

const ownTable = (name: string) => google.spannerTable(name, { id: google.int64().primaryKey() })
const pgTable = (name: string) => pg.pgTable(name, { id: pg.bigint({ mode: 'bigint' }).primaryKey() })

const DIALECTS = [
  {
    name: 'GoogleSQL',
    lexicalSyntax: googlesqlRuntime.lexicalSyntax,
    toQuery: (text: SQL) => new google.SpannerDialect().toQuery(text),
    tables: [ownTable('one'), google.spannerSchema('far').table('two', { id: google.int64().primaryKey() })],
    view: google.spannerView('seen', { id: google.int64() }).existing(),
  },
  {
    name: 'PostgreSQL',
    lexicalSyntax: spannerPostgresqlRuntime.lexicalSyntax,
    toQuery: (text: SQL) => new postgres.SpannerPgDialect().toQuery(text),
    tables: [
      pgTable('one'),
      pg.pgSchema('far').table('two', { id: pg.bigint({ mode: 'bigint' }).primaryKey() }),
    ],
    view: pg.pgView('seen', { id: pg.bigint({ mode: 'bigint' }) }).existing(),
  },
]

describe.each(DIALECTS)('in $name', ({ lexicalSyntax, toQuery, tables, view }) => {
  const [one, two] = tables as unknown as readonly [Table, Table]
  const readBy = (text: SQL) => tablesRead(toQuery(text), lexicalSyntax)

  test.each([
    ['a table', sql`select 1 from ${one}`, ['one']],
    ['no table', sql`select 1`, []],
    ['one that has a name', sql`select x.id from ${one} as x where x.id in (1, 2)`, ['one']],
    ['a list', sql`select 1 from ${one} a, ${two}, ${one} order by 1, 2`, ['one', 'far.two']],
    ['a join', sql`select a, b from ${one} left join ${two} on f(a, b) and a = 1`, ['one', 'far.two']],
    ['a join in parentheses', sql`select 1 from (${one} cross join (${two}))`, ['one', 'far.two']],
    [
      'a subquery',
      sql`select 1 from (select 2 from ${one}) x, (${sql`select 1 from ${two}`})`,
      ['one', 'far.two'],
    ],
    [
      'a subquery of a subquery',
      sql`select 1 from ((select 2 from ${one}) union all (select 1 from ${two}))`,
      ['one', 'far.two'],
    ],
    ['a condition', sql`select 1 from ${one} where exists (select 1 from ${two})`, ['one', 'far.two']],
    ['a field', sql`select (select count(*) from ${two}), 1 from ${one}`, ['far.two', 'one']],
    [
      'a set operation',
      sql`select 1, 2 from ${one} union all select 3, 4 from ${two} limit 1`,
      ['one', 'far.two'],
    ],
    ['the word in a function', sql`select extract(year from x), 1 from ${one}`, ['one']],
    ['the word in an operator', sql`select 1 is distinct from 2, 1 from ${one}`, ['one']],
    ['the word in a text', sql`select ' from bans', 'it''s' from ${one}`, ['one']],
    ['the word in a comment', sql`select 1 /* from bans */ from ${one} -- join bans`, ['one']],
    ['an array', sql`select 1 from ${one}, unnest(array[1, 2]) x, ${two}`, ['one', 'far.two']],
  ])('knows all tables: %s', (_, text, names) => {
    expect(readBy(text)).toEqual({ names, areAll: true })
  })

  test.each([
    ['a name', sql`select 1 from bans`],
    ['an identifier', sql`select 1 from ${sql.identifier('bans')}`],
    ['in a list', sql`select 1 from ${one}, bans`],
    ['in a list behind a name', sql`select 1 from ${one} x, bans`],
    ['in a list behind a condition', sql`select 1 from ${one} join ${two} on true, bans`],
    ['a join', sql`select 1 from ${one} join bans on true`],
    ['in parentheses', sql`select 1 from (bans)`],
    ['a function', sql`select 1 from changes(1)`],
    ['a condition', sql`select 1 from ${one} where exists (select 1 from bans)`],
    ['a field', sql`select (select count(*) from bans) from ${one}`],
    ['a set operation', sql`select 1 from ${one} union all select 1 from bans`],
    ['a common table expression', sql`with x as (select 1 from bans) select 1 from ${one}`],
    ['behind a text', sql`select 'x' from bans`],
    ['behind a comment', sql`select 1 from /* x */ bans`],
    ['a view without a query', sql`select 1 from ${view}`],
    ['nothing', sql`select 1 from`],
    ['a query without SELECT', sql`(table bans)`],
    ['a second query without SELECT', sql`select 1 from ${one} union all table bans`],
    [
      'behind a column with the name of a keyword',
      sql`select 1 from ${one} a join ${two} b on a.order = b.id, bans`,
    ],
  ])('knows that it does not know all: %s', (_, text) => {
    expect(readBy(text).areAll).toBe(false)
  })

  test.each([
    ['insert into one (id) values (1)', 'one'],
    ['INSERT one (id) VALUES (1)', 'one'],
    ['insert or update into far.two (id) values (1)', 'far.two'],
    ['/* why */ update far.two set id = 1', 'far.two'],
    ['delete from one where id in (select id from two)', 'one'],
    ['delete one', 'one'],
    ['update ignore set x = 1', 'ignore'],
    ['update far /* why */ . two set x = 1', 'far.two'],
    ['update public.one set x = 1', 'one'],
    ['select 1 from one', undefined],
    ['delete', undefined],
  ])('knows the table that is written: %s', (text, name) => {
    expect(tableWritten(text, lexicalSyntax)).toBe(name)
  })

  test('reads only the beginning of a write', () => {
    let tokens = 0
    const counting: LexicalSyntax = {
      ...lexicalSyntax,
      rules: lexicalSyntax.rules.map(({ pattern, token }) => ({
        pattern,
        ...(token && {
          token: (match: RegExpExecArray) => {
            tokens++
            return token(match)
          },
        }),
      })),
    }
    const text = `insert into far.two (id) values ${'(1), '.repeat(100)}(1)`
    expect(tableWritten(text, counting)).toBe('far.two')
    expect(tokens).toBeLessThan(10)
  })
})

describe('hints', () => {
  const [{ lexicalSyntax, toQuery, tables }] = DIALECTS as [(typeof DIALECTS)[0]]
  const [one, two] = tables as unknown as readonly [Table, Table]

  test('are not sources', () => {
    const text = sql`@{A=b} select 1 from ${one}@{FORCE_INDEX=x, C=d} join@{E=f} ${two}@{G=h} on true`
    expect(tablesRead(toQuery(text), lexicalSyntax)).toEqual({ names: ['one', 'far.two'], areAll: true })
  })
})
