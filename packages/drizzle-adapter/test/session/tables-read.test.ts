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

describe.each(DIALECTS)(
  'tablesRead() and tableWritten() in $name',
  ({ lexicalSyntax, toQuery, tables, view }) => {
    const [one, two] = tables as unknown as readonly [Table, Table]
    const readBy = (text: SQL) => tablesRead(toQuery(text), lexicalSyntax)

    test.each([
      ['one table', sql`select 1 from ${one}`, ['one']],
      ['no table', sql`select 1`, []],
      ['an aliased table', sql`select x.id from ${one} as x where x.id in (1, 2)`, ['one']],
      ['a list of tables', sql`select 1 from ${one} a, ${two}, ${one} order by 1, 2`, ['one', 'far.two']],
      ['a join', sql`select a, b from ${one} left join ${two} on f(a, b) and a = 1`, ['one', 'far.two']],
      ['a join in parentheses', sql`select 1 from (${one} cross join (${two}))`, ['one', 'far.two']],
      [
        'a subquery in FROM',
        sql`select 1 from (select 2 from ${one}) x, (${sql`select 1 from ${two}`})`,
        ['one', 'far.two'],
      ],
      [
        'UNION ALL in a subquery',
        sql`select 1 from ((select 2 from ${one}) union all (select 1 from ${two}))`,
        ['one', 'far.two'],
      ],
      [
        'a subquery in WHERE',
        sql`select 1 from ${one} where exists (select 1 from ${two})`,
        ['one', 'far.two'],
      ],
      [
        'a subquery in the select list',
        sql`select (select count(*) from ${two}), 1 from ${one}`,
        ['far.two', 'one'],
      ],
      [
        'UNION ALL',
        sql`select 1, 2 from ${one} union all select 3, 4 from ${two} limit 1`,
        ['one', 'far.two'],
      ],
      ['the word FROM in a function call', sql`select extract(year from x), 1 from ${one}`, ['one']],
      ['the word FROM in an operator', sql`select 1 is distinct from 2, 1 from ${one}`, ['one']],
      ['the word FROM in a string', sql`select ' from bans', 'it''s' from ${one}`, ['one']],
      [
        'the words FROM and JOIN in comments',
        sql`select 1 /* from bans */ from ${one} -- join bans`,
        ['one'],
      ],
      ['UNNEST of an array', sql`select 1 from ${one}, unnest(array[1, 2]) x, ${two}`, ['one', 'far.two']],
    ])('tablesRead() finds all tables of a query with %s', (_, text, names) => {
      expect(readBy(text)).toEqual({ names, areAll: true })
    })

    test.each([
      ['a raw table name', sql`select 1 from bans`],
      ['a table name from sql.identifier()', sql`select 1 from ${sql.identifier('bans')}`],
      ['a raw name in a list of tables', sql`select 1 from ${one}, bans`],
      ['a raw name after an alias in a list of tables', sql`select 1 from ${one} x, bans`],
      ['a raw name after the condition of a join', sql`select 1 from ${one} join ${two} on true, bans`],
      ['a raw name in a join', sql`select 1 from ${one} join bans on true`],
      ['a raw name in parentheses', sql`select 1 from (bans)`],
      ['a table function', sql`select 1 from changes(1)`],
      ['a raw name in a subquery in WHERE', sql`select 1 from ${one} where exists (select 1 from bans)`],
      ['a raw name in a subquery in the select list', sql`select (select count(*) from bans) from ${one}`],
      ['a raw name after UNION ALL', sql`select 1 from ${one} union all select 1 from bans`],
      ['a raw name in a common table expression', sql`with x as (select 1 from bans) select 1 from ${one}`],
      ['a raw name after a string', sql`select 'x' from bans`],
      ['a raw name after a comment', sql`select 1 from /* x */ bans`],
      ['a view without a query', sql`select 1 from ${view}`],
      ['FROM without a table', sql`select 1 from`],
      ['a query without SELECT', sql`(table bans)`],
      ['UNION ALL with a query without SELECT', sql`select 1 from ${one} union all table bans`],
      [
        'a raw name after a column named like a keyword',
        sql`select 1 from ${one} a join ${two} b on a.order = b.id, bans`,
      ],
    ])('tablesRead() reports that its list may be incomplete for %s', (_, text) => {
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
    ])('tableWritten() finds the table that a statement writes: %s', (text, name) => {
      expect(tableWritten(text, lexicalSyntax)).toBe(name)
    })

    test('tableWritten() tokenizes only the beginning of a statement', () => {
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
  },
)

describe('tablesRead() of GoogleSQL with hints', () => {
  const [{ lexicalSyntax, toQuery, tables }] = DIALECTS as [(typeof DIALECTS)[0]]
  const [one, two] = tables as unknown as readonly [Table, Table]

  test('does not return hints as tables', () => {
    const text = sql`@{A=b} select 1 from ${one}@{FORCE_INDEX=x, C=d} join@{E=f} ${two}@{G=h} on true`
    expect(tablesRead(toQuery(text), lexicalSyntax)).toEqual({ names: ['one', 'far.two'], areAll: true })
  })
})
