import type { DialectName } from '../model/sql-expression.js'
import { cqlLexicon } from './cql-lexicon.js'
import { googleSqlLexicon } from './googlesql-lexicon.js'
import type { Lexicon } from './lexicon.js'
import { spannerPostgreSqlLexicon } from './spanner-postgresql-lexicon.js'
import type { Token } from './token.js'

const LEXICONS: Readonly<Record<DialectName, Lexicon>> = {
  googlesql: googleSqlLexicon,
  'spanner-postgresql': spannerPostgreSqlLexicon,
  cql: cqlLexicon,
}

/**
 * The tokens of any text. What no rule fits, such as a quote that nothing closes, is a symbol of one character: the text
 * comes from a live database or from the author of a model, and is the database's to refuse.
 */
export function tokenize(sql: string, dialect: DialectName): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < sql.length) {
    const { length, token } = tokenAt(sql, at, dialect)
    if (token) tokens.push(token)
    at += length
  }
  return tokens
}

/** What begins at a place of a text, and how long it is; no token for white space and comments. */
export function tokenAt(sql: string, at: number, dialect: DialectName): { length: number; token?: Token } {
  for (const { pattern, token } of LEXICONS[dialect]) {
    pattern.lastIndex = at
    const match = pattern.exec(sql)
    if (match && match[0].length > 0)
      return { length: match[0].length, ...(token && { token: token(match) }) }
  }
  const text = String.fromCodePoint(sql.codePointAt(at)!)
  return { length: text.length, token: { kind: 'symbol', text } }
}
