import { type LexicalSyntax, tokenize } from '@isotherm/core/engine'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { googleSqlLexicalSyntax } from '../../../spanner/src/googlesql/lexical-syntax.js'
import { spannerPostgreSqlLexicalSyntax } from '../../../spanner/src/postgresql/lexical-syntax.js'

function words(sql: string, lexicalSyntax: LexicalSyntax): string[] {
  return tokenize(sql, lexicalSyntax).map(({ kind, text }) => `${kind}:${text}`)
}

describe('tokenize() in GoogleSQL', () => {
  it.each([
    ['a  b', ['word:a', 'word:b']],
    ['A +\n1.5e3', ['word:A', 'symbol:+', 'number:1.5e3']],
    ['`a b`.`c\\`d`', ['quoted:a b', 'symbol:.', 'quoted:c`d']],
    [`'it\\'s' "say 'no'"`, ["string:it's", "string:say 'no'"]],
    [`'''a'b''c''' """x"y"""`, ["string:a'b''c", 'string:x"y']],
    [`r'a\\n' rb"\\'" b'\\x41'`, ['string:a\\n', "bytes:\\'", 'bytes:A']],
    [`'\\u00e9\\t\\101'`, ['string:é\tA']],
    // Bytes are bytes, however they are written: 0xff is not the UTF-8 of ÿ.
    [`b'\\xff' b'ÿ' rb'ÿ' b'\\xc3\\277'`, ['bytes:ÿ', 'bytes:Ã¿', 'bytes:Ã¿', 'bytes:Ã¿']],
    [`'\\U0001F600 \\UFFFFFFFF \\uD800'`, ['string:😀 \\UFFFFFFFF \uD800']],
    ['1 -- two, `3\n# four "\n /* five \' \n */ 6', ['number:1', 'number:6']],
    ['0xfF 1.5e-3 .5 7', ['number:0xfF', 'number:1.5e-3', 'number:.5', 'number:7']],
    ['rb b r', ['word:rb', 'word:b', 'word:r']],
    ["'never closed", ["symbol:'", 'word:never', 'word:closed']],
    [`b'\\N'`, ['bytes:N']],
    [`'\\\\N'`, ['string:\\N']],
    [
      'a||b<>c>=-1',
      ['word:a', 'symbol:||', 'word:b', 'symbol:<>', 'word:c', 'symbol:>=', 'symbol:-', 'number:1'],
    ],
    ['a ≠ 😀', ['word:a', 'symbol:≠', 'symbol:😀']],
  ])('tokenizes the GoogleSQL text %j', (sql, expected) => {
    expect(words(sql, googleSqlLexicalSyntax)).toEqual(expected)
  })
})

describe("tokenize() in Spanner's PostgreSQL dialect", () => {
  it.each([
    ['Ab "Ab" "say ""no"""', ['word:ab', 'quoted:Ab', 'quoted:say "no"']],
    [`'it''s' '\\N'`, ["string:it's", 'string:\\N']],
    [`E'a\\nb''c\\'d\\\\'`, ["string:a\nb'c'd\\"]],
    [`$$it's$$ $a$x$$y$a$`, ["string:it's", 'string:x$$y']],
    ['a$b $1', ['word:a$b', 'symbol:$', 'number:1']],
    [`a::text`, ['word:a', 'symbol:::', 'word:text']],
    ["a -- 'b'\n/* \" */ c", ['word:a', 'word:c']],
    [
      'a /*@ X=1 */ b /* @ Y */',
      ['word:a', 'symbol:/*@', 'word:x', 'symbol:=', 'number:1', 'symbol:*/', 'word:b'],
    ],
    ['a /* /* b; */ c; */ d', ['word:a', 'word:d']],
    ['2 */* b */ 3', ['number:2', 'symbol:*', 'number:3']],
    ['a /* /* b */ c', ['word:a', 'symbol:/', 'symbol:*', 'word:c']],
    ['$é1$;$é1$ $1$ $1', ['string:;', 'symbol:$', 'number:1', 'symbol:$', 'symbol:$', 'number:1']],
    ['Naïve # ÄB "Ä"', ['word:naïve', 'symbol:#', 'word:Äb', 'quoted:Ä']],
    ['x😀', ['word:x😀']],
    ["'never closed", ["symbol:'", 'word:never', 'word:closed']],
  ])('tokenizes the PostgreSQL text %j', (sql, expected) => {
    expect(words(sql, spannerPostgreSqlLexicalSyntax)).toEqual(expected)
  })
})

/** Of any UTF-16, halves of characters among it. */
const anything = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff })))
  .map((units) => String.fromCharCode(...units))

const lexicalSyntaxes = fc.constantFrom(googleSqlLexicalSyntax, spannerPostgreSqlLexicalSyntax)

describe('tokenize() on any text', () => {
  it('accepts any UTF-16 text and returns at most one token per code unit', () => {
    const pieces = [
      "'",
      '"',
      '`',
      '\\',
      '$$',
      '$a$',
      '--',
      '/*',
      '*/',
      '#',
      "E'",
      'rb"',
      '"""',
      '\\U',
      'F',
      ' ',
      '\n',
      '😀',
    ]
    const text = fc.oneof(
      anything,
      fc.array(fc.constantFrom(...pieces)).map((each) => each.join('')),
    )
    fc.assert(
      fc.property(text, lexicalSyntaxes, (sql, lexicalSyntax) => {
        expect(tokenize(sql, lexicalSyntax).length).toBeLessThanOrEqual(sql.length)
      }),
    )
  })

  it('returns a quoted name unchanged, whatever characters are between its quotes', () => {
    fc.assert(
      fc.property(anything, (name) => {
        const escaped = name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')
        expect(tokenize(`\`${escaped}\``, googleSqlLexicalSyntax)).toEqual([{ kind: 'quoted', text: name }])
        const doubled = name.replaceAll('"', '""')
        expect(tokenize(`"${doubled}"`, spannerPostgreSqlLexicalSyntax)).toEqual([
          { kind: 'quoted', text: name },
        ])
      }),
    )
  })

  it('tokenizes unclosed quotes, unclosed comments and a megabyte of text in less than a second of CPU time', () => {
    const broken = [
      `'''${'\\'.repeat(5_000)}`,
      `""${'"\\a'.repeat(5_000)}`,
      '$a$ '.repeat(2_000),
      '/* '.repeat(5_000),
      `'${'x'.repeat(1_000_000)}'`,
    ]
    for (const lexicalSyntax of [googleSqlLexicalSyntax, spannerPostgreSqlLexicalSyntax]) {
      for (const sql of broken) {
        // Of the processor: the clock goes on while other tests run.
        const before = process.cpuUsage()
        tokenize(sql, lexicalSyntax)
        expect(process.cpuUsage(before).user).toBeLessThan(1_000_000)
      }
    }
  })
})
