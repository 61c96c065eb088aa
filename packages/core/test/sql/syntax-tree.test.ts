import { type SqlText, parseSql } from '@isotherm/core/tools'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { googleSqlLexicalSyntax } from '../../../spanner/src/googlesql/lexical-syntax.js'
import { spannerPostgreSqlLexicalSyntax } from '../../../spanner/src/postgresql/lexical-syntax.js'
import { nodesIn, partsOf } from '../../src/tokens/syntax-tree.js'

function depthOf(text: SqlText): number {
  return text.reduce((deepest, node) => Math.max(deepest, 1 + Math.max(0, ...partsOf(node).map(depthOf))), 0)
}

describe('parseSql() on expressions', () => {
  it('parses nested calls into lowercase names, schema paths and arguments', () => {
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

  it('parses parentheses after a keyword, an operator or an expression as a group, not as a call', () => {
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
  ] as const)('parses the operand and the type of the cast %s', (sql, lexicalSyntax, type) => {
    expect(parseSql(sql, lexicalSyntax)).toMatchObject([
      { kind: 'cast', safe: sql.startsWith('safe'), operand: [{ text: 'x' }], type, format: [] },
    ])
  })

  it('keeps the FORMAT and AT TIME ZONE clauses of a cast', () => {
    const [cast] = parseSql("CAST(x AS STRING FORMAT 'YYYY' AT TIME ZONE 'UTC')", googleSqlLexicalSyntax)
    expect(cast).toMatchObject({ type: { name: 'string' } })
    const format = cast?.kind === 'cast' ? cast.format : []
    expect(format.map(({ text }) => text)).toEqual(['FORMAT', 'YYYY', 'AT', 'TIME', 'ZONE', 'UTC'])
  })

  it('takes one operand before ::, earlier casts included, and parses CAST without AS as a call', () => {
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
  ] as const)('parses the date part in %s as the first argument of a call', (sql, lexicalSyntax) => {
    const [node] = parseSql(sql, lexicalSyntax)
    expect(node).toMatchObject({ kind: 'call', name: 'extract', args: [expect.anything(), [{ text: 'x' }]] })
    expect(JSON.stringify(node)).toContain('"year"')
  })

  it('parses the time zone and WEEK(MONDAY) in EXTRACT, and a column with the name at', () => {
    expect(parseSql("EXTRACT(DAY FROM at AT TIME ZONE 'UTC')", spannerPostgreSqlLexicalSyntax)).toMatchObject(
      [{ args: [[{ text: 'day' }], [{ text: 'at' }], [{ text: 'UTC' }]] }],
    )
    expect(parseSql('EXTRACT(WEEK(MONDAY) FROM x)', googleSqlLexicalSyntax)).toMatchObject([
      { args: [[{ name: 'week', args: [[{ text: 'MONDAY' }]] }], [{ text: 'x' }]] },
    ])
  })
})

describe('parseSql() on any text', () => {
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
  ])('parses the invalid SQL %s without an error, into at most one node per character', (sql) => {
    for (const lexicalSyntax of [googleSqlLexicalSyntax, spannerPostgreSqlLexicalSyntax]) {
      expect([...nodesIn(parseSql(sql, lexicalSyntax))].length).toBeLessThanOrEqual(sql.length)
    }
  })

  it('keeps all words of the text in the syntax tree, in their order', () => {
    const pieces = ['(', ')', '[', ']', ',', '.', '%', '||', ' a ', ' b ', ' f(', '1', ' AND ', 'CASE WHEN ']
    const text = fc.array(fc.constantFrom(...pieces)).map((each) => each.join(''))
    fc.assert(
      fc.property(text, (sql) => {
        const words = [...nodesIn(parseSql(sql, googleSqlLexicalSyntax))].flatMap((node) => {
          if (node.kind === 'call') return [...node.path, node.name]
          return node.kind === 'word' ? [node.text] : []
        })
        expect(words).toEqual(sql.match(/[A-Za-z]+/g) ?? [])
      }),
    )
  })

  const broken = ['('.repeat(3_000), 'f('.repeat(3_000), 'CAST('.repeat(3_000), `x${'::t'.repeat(3_000)}`]

  it('keeps the syntax tree less than 500 levels deep for 3,000 nested parentheses, calls or casts', () => {
    for (const lexicalSyntax of [googleSqlLexicalSyntax, spannerPostgreSqlLexicalSyntax]) {
      for (const sql of broken) expect(depthOf(parseSql(sql, lexicalSyntax))).toBeLessThan(500)
    }
  })

  it('parses thousands of unclosed parentheses, calls or casts in less than a second of CPU time', () => {
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
