import { describe, expect, it } from 'vitest'
import type { Language } from '../../support/languages.js'
import { tokensOf } from './tokens.js'

// The other tests in this folder rely on this: the tokenizer shows a name that is not inside its quotes.

const shown = (sql: string, language: Language): string[] =>
  tokensOf(sql, language).map(({ kind, value }) => `${kind} ${value}`)

describe('tokensOf() for GoogleSQL', () => {
  it('returns names, strings and parameters without their quotes', () => {
    expect(
      shown("SELECT `a\\`b`, 'it\\'s', \"x\\n\" FROM t@{FORCE_INDEX=i} WHERE c >= @p1", 'googlesql'),
    ).toEqual([
      'word SELECT',
      'quoted a`b',
      'symbol ,',
      "text it's",
      'symbol ,',
      'text x\n',
      'word FROM',
      'word t',
      'symbol @{',
      'word FORCE_INDEX',
      'symbol =',
      'word i',
      'symbol }',
      'word WHERE',
      'word c',
      'symbol >=',
      'parameter p1',
    ])
  })

  it.each(['`a', '`a\n`', "'a\r'", "'''a'''", '`a`;', '`a` -- b', '`a` /* b */', '# a', "'\\q'", 'a\0'])(
    'rejects the text %j',
    (sql) => {
      expect(() => tokensOf(sql, 'googlesql')).toThrow(Error)
    },
  )
})

describe('tokensOf() for the PostgreSQL dialect', () => {
  it('returns names, strings and parameters without their quotes', () => {
    const sql = `SELECT "a""b\n", 'it''s \\' FROM "t" /*@ FORCE_INDEX="i" */ WHERE c = ANY($1)`
    expect(shown(sql, 'spanner-postgresql')).toEqual([
      'word SELECT',
      'quoted a"b\n',
      'symbol ,',
      "text it's \\",
      'word FROM',
      'quoted t',
      'symbol /*@',
      'word FORCE_INDEX',
      'symbol =',
      'quoted i',
      'symbol */',
      'word WHERE',
      'word c',
      'symbol =',
      'word ANY',
      'symbol (',
      'parameter 1',
      'symbol )',
    ])
  })

  it.each(['"a', "'a", '"a"; b', '"a" -- b', '/* a */', '/*@ FORCE_INDEX="a*/b" */', '$$a$$', '`a`', 'a\0'])(
    'rejects the text %j',
    (sql) => {
      expect(() => tokensOf(sql, 'spanner-postgresql')).toThrow(Error)
    },
  )
})

describe('tokensOf() for CQL', () => {
  it('returns names, strings and parameters without their quotes', () => {
    expect(shown(`SELECT "a""b\n", 'it''s \\' FROM "t" WHERE ("c", "d") > (?, ?) LIMIT 7`, 'cql')).toEqual([
      'word SELECT',
      'quoted a"b\n',
      'symbol ,',
      "text it's \\",
      'word FROM',
      'quoted t',
      'word WHERE',
      'symbol (',
      'quoted c',
      'symbol ,',
      'quoted d',
      'symbol )',
      'symbol >',
      'symbol (',
      'parameter ?',
      'symbol ,',
      'parameter ?',
      'symbol )',
      'word LIMIT',
      'number 7',
    ])
  })

  it.each(['"a', "'a", '"a"; b', '"a" -- b', '"a" // b', '/* a */', '$$a$$', '`a`', '# a', 'a\0'])(
    'rejects the text %j',
    (cql) => {
      expect(() => tokensOf(cql, 'cql')).toThrow(Error)
    },
  )
})
