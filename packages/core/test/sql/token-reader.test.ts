import { listedNames, splitList } from '@isotherm/core/tools'
import { TokenReader, tokenize, type Token } from '@isotherm/core/engine'
import { describe, expect, it } from 'vitest'
import { googleSqlLexicalSyntax } from '../../../spanner/src/googlesql/lexical-syntax.js'

const reader = (sql: string): TokenReader => new TokenReader(tokenize(sql, googleSqlLexicalSyntax))
const text = (tokens: readonly Token[] | undefined): string | undefined =>
  tokens?.map((token) => token.text).join(' ')

describe('TokenReader', () => {
  it('matches keywords in any case, and does not match a quoted name as a keyword', () => {
    const statement = reader('create Table `IF` not')
    expect(statement.skip('CREATE', 'TABLE')).toBe(true)
    expect(statement.sees('IF')).toBe(false)
    expect(statement.path()).toEqual(['IF'])
    expect(statement.skip('NOT', 'NULL')).toBe(false)
    expect(text(statement.rest())).toBe('not')
  })

  it('seeks keywords only outside parentheses and brackets, and does not move when the keyword is missing', () => {
    const statement = reader('a (b AS c) [d AS e] AS f')
    expect(statement.seek('AS')).toBe(true)
    expect(text(statement.rest())).toBe('f')
    expect(statement.seek('AS')).toBe(false)
    expect(text(statement.rest())).toBe('f')
  })

  it('reads the parts of a dotted name, and returns no parts at the end of the statement', () => {
    const names = reader('a.`b c`.d e')
    expect(names.path()).toEqual(['a', 'b c', 'd'])
    expect(names.path()).toEqual(['e'])
    expect(names.path()).toEqual([])
  })

  it.each([
    ['(a (b) [c]) d', 'a ( b ) [ c ]'],
    ['()', ''],
    ['(', ''],
    ['(a (b)', 'a ( b )'],
    ['(a', 'a'],
    ['[a]', undefined],
    [')', undefined],
  ])(
    'returns the tokens between the parentheses of %s, or undefined without an opening parenthesis',
    (sql, inside) => {
      expect(text(reader(sql).group())).toBe(inside)
    },
  )

  it('returns the tokens between brackets, with the parentheses among them', () => {
    expect(text(reader('[a, (b)]').group('['))).toBe('a , ( b )')
  })
})

describe('lists in tokens', () => {
  it('splitList() splits at commas outside parentheses and brackets, and drops empty items', () => {
    const items = splitList(tokenize('a, f(b, c), ARRAY[d, e], , g', googleSqlLexicalSyntax))
    expect(items.map(text)).toEqual(['a', 'f ( b , c )', 'ARRAY [ d , e ]', 'g'])
  })

  it('listedNames() returns the names at the start of the items, and skips items that start with a number', () => {
    expect(listedNames(tokenize('a, `b` DESC, 1, c', googleSqlLexicalSyntax))).toEqual(['a', 'b', 'c'])
  })
})
