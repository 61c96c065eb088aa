import { listedNames, splitList } from '@isotherm/core/tools'
import { TokenReader, tokenize, type Token } from '@isotherm/core/engine'
import { describe, expect, it } from 'vitest'
import { googleSqlLexicalSyntax } from '../../../spanner/src/googlesql/lexical-syntax.js'

const reader = (sql: string): TokenReader => new TokenReader(tokenize(sql, googleSqlLexicalSyntax))
const text = (tokens: readonly Token[] | undefined): string | undefined =>
  tokens?.map((token) => token.text).join(' ')

describe('a reader of tokens', () => {
  it('passes keywords, whatever their case, and no quoted names', () => {
    const statement = reader('create Table `IF` not')
    expect(statement.skip('CREATE', 'TABLE')).toBe(true)
    expect(statement.sees('IF')).toBe(false)
    expect(statement.path()).toEqual(['IF'])
    expect(statement.skip('NOT', 'NULL')).toBe(false)
    expect(text(statement.rest())).toBe('not')
  })

  it('looks for keywords outside parentheses and brackets only, and stays where it is without them', () => {
    const statement = reader('a (b AS c) [d AS e] AS f')
    expect(statement.seek('AS')).toBe(true)
    expect(text(statement.rest())).toBe('f')
    expect(statement.seek('AS')).toBe(false)
    expect(text(statement.rest())).toBe('f')
  })

  it('has the parts of a name', () => {
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
  ])('has what stands between the parentheses of %s', (sql, inside) => {
    expect(text(reader(sql).group())).toBe(inside)
  })

  it('has what stands between brackets', () => {
    expect(text(reader('[a, (b)]').group('['))).toBe('a , ( b )')
  })
})

describe('a list', () => {
  it('is parted by the commas outside parentheses and brackets', () => {
    const items = splitList(tokenize('a, f(b, c), ARRAY[d, e], , g', googleSqlLexicalSyntax))
    expect(items.map(text)).toEqual(['a', 'f ( b , c )', 'ARRAY [ d , e ]', 'g'])
  })

  it('has the names that its items begin with', () => {
    expect(listedNames(tokenize('a, `b` DESC, 1, c', googleSqlLexicalSyntax))).toEqual(['a', 'b', 'c'])
  })
})
