import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSql, type SqlText } from '../../src/sql/syntax-tree.js'
import { nodesIn, partsOf } from '../../src/sql/walk.js'

function depthOf(text: SqlText): number {
  return text.reduce((deepest, node) => Math.max(deepest, 1 + Math.max(0, ...partsOf(node).map(depthOf))), 0)
}

describe('an expression', () => {
  it('has its calls with their arguments, whatever the case and the schema', () => {
    expect(parseSql('Abs(spanner.FARM_Fingerprint(x), 2)', 'googlesql')).toMatchObject([
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
    const kinds = parseSql('a IN (b, c) AND (d) + (e) * f(g)(h)', 'googlesql').map(({ kind }) => kind)
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
    expect(parseSql('(a).f(b)', 'googlesql')).toMatchObject([
      { kind: 'group' },
      { text: '.' },
      { name: 'f', path: [] },
    ])
  })

  it.each([
    ['CAST(x AS STRING)', 'googlesql', { name: 'string', size: '' }],
    ['safe_cast(x AS STRING(36))', 'googlesql', { name: 'string', size: '(36)' }],
    ['x::character varying(36)', 'spanner-postgresql', { name: 'character varying', size: '(36)' }],
    ['x::varchar(36)[]', 'spanner-postgresql', { name: 'varchar', size: '(36)[]' }],
    ['cast(x as timestamp with time zone)', 'spanner-postgresql', { name: 'timestamp with time zone' }],
  ] as const)('has the cast %s', (sql, dialect, type) => {
    expect(parseSql(sql, dialect)).toMatchObject([
      { kind: 'cast', safe: sql.startsWith('safe'), operand: [{ text: 'x' }], type, format: [] },
    ])
  })

  it('has what a cast says after the type', () => {
    const [cast] = parseSql("CAST(x AS STRING FORMAT 'YYYY' AT TIME ZONE 'UTC')", 'googlesql')
    expect(cast).toMatchObject({ type: { name: 'string' } })
    const format = cast?.kind === 'cast' ? cast.format : []
    expect(format.map(({ text }) => text)).toEqual(['FORMAT', 'YYYY', 'AT', 'TIME', 'ZONE', 'UTC'])
  })

  it('has what is cast: the one thing before the colons, casts included', () => {
    expect(parseSql('a || (b)::text::bytea', 'spanner-postgresql')).toMatchObject([
      { text: 'a' },
      { text: '||' },
      { type: { name: 'bytea' }, operand: [{ type: { name: 'text' }, operand: [{ kind: 'group' }] }] },
    ])
    expect(parseSql('::text', 'spanner-postgresql')).toMatchObject([{ kind: 'cast', operand: [] }])
    expect(parseSql('CAST(x)', 'spanner-postgresql')).toMatchObject([{ kind: 'call', name: 'cast' }])
  })

  it.each([
    ['EXTRACT(YEAR FROM x)', 'googlesql'],
    [`"extract"('year'::text, x)`, 'spanner-postgresql'],
  ] as const)('has the part that %s extracts', (sql, dialect) => {
    const [node] = parseSql(sql, dialect)
    expect(node).toMatchObject({ kind: 'call', name: 'extract', args: [expect.anything(), [{ text: 'x' }]] })
    expect(JSON.stringify(node)).toContain('"year"')
  })

  it('has the zone of an extraction, though a column may be called at', () => {
    expect(parseSql("EXTRACT(DAY FROM at AT TIME ZONE 'UTC')", 'spanner-postgresql')).toMatchObject([
      { args: [[{ text: 'day' }], [{ text: 'at' }], [{ text: 'UTC' }]] },
    ])
    expect(parseSql('EXTRACT(WEEK(MONDAY) FROM x)', 'googlesql')).toMatchObject([
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
    for (const dialect of ['googlesql', 'spanner-postgresql'] as const) {
      expect([...nodesIn(parseSql(sql, dialect))].length).toBeLessThanOrEqual(sql.length)
    }
  })

  it('has its words in the tree, in their order', () => {
    const pieces = ['(', ')', '[', ']', ',', '.', '%', '||', ' a ', ' b ', ' f(', '1', ' AND ', 'CASE WHEN ']
    const text = fc.array(fc.constantFrom(...pieces)).map((each) => each.join(''))
    fc.assert(
      fc.property(text, (sql) => {
        const told = [...nodesIn(parseSql(sql, 'googlesql'))].flatMap((node) => {
          if (node.kind === 'call') return [...node.path, node.name]
          return node.kind === 'word' ? [node.text] : []
        })
        expect(told).toEqual(sql.match(/[A-Za-z]+/g) ?? [])
      }),
    )
  })

  const broken = ['('.repeat(3_000), 'f('.repeat(3_000), 'CAST('.repeat(3_000), `x${'::t'.repeat(3_000)}`]

  it('is no deeper than can be walked, however deep it is meant', () => {
    for (const dialect of ['googlesql', 'spanner-postgresql'] as const) {
      for (const sql of broken) expect(depthOf(parseSql(sql, dialect))).toBeLessThan(500)
    }
  })

  it('is read in no time, however it is broken', () => {
    for (const dialect of ['googlesql', 'spanner-postgresql'] as const) {
      for (const sql of [...broken, '(a), '.repeat(3_000)]) {
        const started = performance.now()
        parseSql(sql, dialect)
        expect(performance.now() - started).toBeLessThan(1_000)
      }
    }
  })
})
