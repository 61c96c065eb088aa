import { integerOf, remainderOf, parseSql } from '@isotherm/core/tools'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginningOf, namesIn } from '../../src/lint/expressions.js'
import { googleSqlLexicalSyntax } from '../../../spanner/src/googlesql/lexical-syntax.js'
import { spannerPostgreSqlLexicalSyntax } from '../../../spanner/src/postgresql/lexical-syntax.js'

describe('parsed SQL expressions', () => {
  it('namesIn() returns names that may be columns, and no types, fields or sequences', () => {
    const names = (sql: string): string[] => namesIn(parseSql(sql, googleSqlLexicalSyntax))
    expect(names('CONCAT(a, CAST(`b c` AS STRING), EXTRACT(DATE FROM d))')).toStrictEqual(['a', 'b c', 'd'])
    expect(names('INT64(info.id)')).toStrictEqual(['info'])
    expect(names('GET_NEXT_SEQUENCE_VALUE(SEQUENCE s)')).toStrictEqual([])
    expect(names('sequence + 1')).toStrictEqual(['sequence'])
  })

  it('beginningOf() returns the first part of a concatenation that is not a constant', () => {
    const start = (sql: string): unknown => beginningOf(parseSql(sql, spannerPostgreSqlLexicalSyntax))
    expect(start("concat('log-'::text, (a)::text, b)")).toMatchObject([{ text: 'a' }])
    expect(start("((a || '|'::text) || (b)::text)")).toMatchObject([{ text: 'a' }])
    expect(start('a + b')).toHaveLength(3)
  })

  it.each([
    ['MOD(h, 64)', 64],
    ["(h % '64'::bigint)", 64],
    ['CAST(MOD(h, N) AS INT64)', undefined],
  ])('remainderOf() finds dividend and divisor in %s', (sql, divisor) => {
    const remainder = remainderOf(parseSql(sql, spannerPostgreSqlLexicalSyntax))
    expect(remainder?.dividend).toMatchObject([{ text: 'h' }])
    expect(integerOf(remainder!.divisor)).toBe(divisor)
  })

  it('beginningOf() skips GoogleSQL literals of every kind as constants', () => {
    expect(beginningOf(parseSql(`CONCAT(b'x', "y", r'z', a)`, googleSqlLexicalSyntax))).toMatchObject([
      { text: 'a' },
    ])
  })

  it.each(['h % 64 + 64', 'ABS(MOD(h, 64))', 'MOD(h, 64) + 1', 'h'])(
    'remainderOf() returns undefined for %s',
    (sql) => {
      expect(remainderOf(parseSql(sql, spannerPostgreSqlLexicalSyntax))).toBeUndefined()
    },
  )
})

it('the functions that search parsed SQL do not throw for random text', () => {
  const pieces = [
    '(',
    ')',
    '[',
    ']',
    ',',
    '.',
    '::',
    '%',
    '||',
    'CAST(',
    'EXTRACT(',
    ' AS ',
    ' FROM ',
    'AT TIME ZONE',
    'x',
    "'",
    '"',
    '`',
    '1',
  ]
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...pieces)).map((each) => each.join('')),
  )
  fc.assert(
    fc.property(
      text,
      fc.constantFrom(googleSqlLexicalSyntax, spannerPostgreSqlLexicalSyntax),
      (sql, lexicalSyntax) => {
        const parsed = parseSql(sql, lexicalSyntax)
        namesIn(parsed)
        integerOf(parsed)
        beginningOf(parsed)
        remainderOf(parsed)
      },
    ),
  )
})

it('the functions that search parsed SQL do not overflow the stack for deep and long expressions', () => {
  const texts = [
    '('.repeat(3_000),
    `x${'::text'.repeat(3_000)}`,
    `x${' || x'.repeat(20_000)}`,
    `x${'+ f(x)'.repeat(20_000)}`,
  ]
  for (const sql of texts) {
    const parsed = parseSql(sql, spannerPostgreSqlLexicalSyntax)
    expect(beginningOf(parsed).length).toBeGreaterThan(0)
    namesIn(parsed)
    remainderOf(parsed)
  }
})
