import { type SqlText, parseSql } from '@isotherm/core/tools'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { googleSqlLexicalSyntax } from '../../../spanner/src/googlesql/lexical-syntax.js'
import { spannerPostgreSqlLexicalSyntax } from '../../../spanner/src/postgresql/lexical-syntax.js'
import { nodesIn, partsOf } from '../../src/tokens/syntax-tree.js'

function depthOf(text: SqlText): number {
  return text.reduce((deepest, node) => Math.max(deepest, 1 + Math.max(0, ...partsOf(node).map(depthOf))), 0)
}

describe('an expression', () => {
  it('has its calls with their arguments, whatever the case and the schema', () => {
    expect(parseSql('Abs(spanner.FARM_Fingerprint(x), 2)', googleSqlLexicalSyntax)).toMatchObject([
      {
        kind: 'call',
        name: 'abs',
        path: [],
        args: [
          [
            {
              kind: 'call',
              name: 'farm_fingerprint',
              path: ['spanner'],
              args: [[{ kind: 'word', text: 'x' }]],
            },
          ],
          [{ text: '2' }],
        ],
      },
    ])
  })

  it('has no calls where parentheses follow a keyword, an operator or another expression', () => {
    const kinds = parseSql('a IN (b, c) AND (d) + (e) * f(g)(h)', googleSqlLexicalSyntax).map(
      ({ kind }) => kind,
    )
    expect(kinds).toEqual([
      'word',
      'word',
      'group',
      'word',
      'group',
      'symbol',
      'group',
      'symbol',
      'call',
      'group',
    ])
    expect(parseSql('(a).f(b)', googleSqlLexicalSyntax)).toMatchObject([
      { kind: 'group' },
      { text: '.' },
      { name: 'f', path: [] },
    ])
  })

  it.each([
    ['CAST(x AS STRING)', googleSqlLexicalSyntax, { name: 'string', size: '' }],
    ['safe_cast(x AS STRING(36))', googleSqlLexicalSyntax, { name: 'string', size: '(36)' }],
    ['x::character varying(36)', spannerPostgreSqlLexicalSyntax, { name: 'character varying', size: '(36)' }],
    ['x::varchar(36)[]', spannerPostgreSqlLexicalSyntax, { name: 'varchar', size: '(36)[]' }],
    [
      'cast(x as timestamp with time zone)',
      spannerPostgreSqlLexicalSyntax,
      { name: 'timestamp with time zone' },
    ],
  ] as const)('has the cast %s', (sql, lexicalSyntax, type) => {
    expect(parseSql(sql, lexicalSyntax)).toMatchObject([
      { kind: 'cast', safe: sql.startsWith('safe'), operand: [{ text: 'x' }], type, format: [] },
    ])
  })

  it('has what a cast says after the type', () => {
    const [cast] = parseSql("CAST(x AS STRING FORMAT 'YYYY' AT TIME ZONE 'UTC')", googleSqlLexicalSyntax)
    expect(cast).toMatchObject({ type: { name: 'string' } })
    const format = cast?.kind === 'cast' ? cast.format : []
    expect(format.map(({ text }) => text)).toEqual(['FORMAT', 'YYYY', 'AT', 'TIME', 'ZONE', 'UTC'])
  })

  it('has what is cast: the one thing before the colons, casts included', () => {
    expect(parseSql('a || (b)::text::bytea', spannerPostgreSqlLexicalSyntax)).toMatchObject([
      { text: 'a' },
      { text: '||' },
      { type: { name: 'bytea' }, operand: [{ type: { name: 'text' }, operand: [{ kind: 'group' }] }] },
    ])
    expect(parseSql('::text', spannerPostgreSqlLexicalSyntax)).toMatchObject([{ kind: 'cast', operand: [] }])
    expect(parseSql('CAST(x)', spannerPostgreSqlLexicalSyntax)).toMatchObject([
      { kind: 'call', name: 'cast' },
    ])
  })

  it.each([
    ['EXTRACT(YEAR FROM x)', googleSqlLexicalSyntax],
    [`"extract"('year'::text, x)`, spannerPostgreSqlLexicalSyntax],
  ] as const)('has the part that %s extracts', (sql, lexicalSyntax) => {
    const [node] = parseSql(sql, lexicalSyntax)
    expect(node).toMatchObject({ kind: 'call', name: 'extract', args: [expect.anything(), [{ text: 'x' }]] })
    expect(JSON.stringify(node)).toContain('"year"')
  })

  it('has the zone of an extraction, though a column may be called at', () => {
    expect(parseSql("EXTRACT(DAY FROM at AT TIME ZONE 'UTC')", spannerPostgreSqlLexicalSyntax)).toMatchObject(
      [{ args: [[{ text: 'day' }], [{ text: 'at' }], [{ text: 'UTC' }]] }],
    )
    expect(parseSql('EXTRACT(WEEK(MONDAY) FROM x)', googleSqlLexicalSyntax)).toMatchObject([
      { args: [[{ name: 'week', args: [[{ text: 'MONDAY' }]] }], [{ text: 'x' }]] },
    ])
  })
})

describe('any text', () => {
  it.each([
    "'never ends",
    '`',
    '"""',
    '$$',
    '/*',
    '(((',
    '))) a',
    '::',
    'CAST(',
    'CAST(a AS',
    'EXTRACT(',
    '%',
    '[(]',
  ])('of %s fails nobody', (sql) => {
    for (const lexicalSyntax of [googleSqlLexicalSyntax, spannerPostgreSqlLexicalSyntax]) {
      expect([...nodesIn(parseSql(sql, lexicalSyntax))].length).toBeLessThanOrEqual(sql.length)
    }
  })

  it('has its words in the tree, in their order', () => {
    const pieces = ['(', ')', '[', ']', ',', '.', '%', '||', ' a ', ' b ', ' f(', '1', ' AND ', 'CASE WHEN ']
    const text = fc.array(fc.constantFrom(...pieces)).map((each) => each.join(''))
    fc.assert(
      fc.property(text, (sql) => {
        const told = [...nodesIn(parseSql(sql, googleSqlLexicalSyntax))].flatMap((node) => {
          if (node.kind === 'call') return [...node.path, node.name]
          return node.kind === 'word' ? [node.text] : []
        })
        expect(told).toEqual(sql.match(/[A-Za-z]+/g) ?? [])
      }),
    )
  })

  const broken = ['('.repeat(3_000), 'f('.repeat(3_000), 'CAST('.repeat(3_000), `x${'::t'.repeat(3_000)}`]

  it('is not a deeper than can be scanned, however deep it is meant', () => {
    for (const lexicalSyntax of [googleSqlLexicalSyntax, spannerPostgreSqlLexicalSyntax]) {
      for (const sql of broken) expect(depthOf(parseSql(sql, lexicalSyntax))).toBeLessThan(500)
    }
  })

  it('is read in no time, however it is broken', () => {
    for (const lexicalSyntax of [googleSqlLexicalSyntax, spannerPostgreSqlLexicalSyntax]) {
      for (const sql of [...broken, '(a), '.repeat(3_000)]) {
        // Of the processor: the clock goes on while other tests run.
        const before = process.cpuUsage()
        parseSql(sql, lexicalSyntax)
        expect(process.cpuUsage(before).user).toBeLessThan(1_000_000)
      }
    }
  })
})
