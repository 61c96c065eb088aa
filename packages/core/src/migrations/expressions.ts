import type { SqlDialect } from '../model/sql-expression.js'
import { isName, isSymbol, isWord, type Token } from '../sql/token.js'
import { TokenReader } from '../sql/token-reader.js'
import { tokenize } from '../sql/tokenize.js'
import { folded } from './names.js'

// What can be told of SQL without the database that reads it.

/** Whether two expressions, or two queries, say the same. */
export type SameSql = (one: string, other: string) => boolean

/** The same but for white space, comments, and quotes around names. */
export function sameTokens(dialect: SqlDialect): SameSql {
  return (one, other) => {
    if (one === other) return true
    const [a, b] = [tokenize(one, dialect), tokenize(other, dialect)]
    return a.length === b.length && a.every((token, at) => isSameToken(token, b[at]!))
  }
}

function isSameToken(a: Token, b: Token): boolean {
  return a.text === b.text && (a.kind === b.kind || (isName(a) && isName(b)))
}

/** Whether a name stands in an expression, as whatever. */
export function mentions(sql: string, name: string, dialect: SqlDialect): boolean {
  return tokenize(sql, dialect).some((token) => isName(token) && folded(token.text) === folded(name))
}

/** The tables and views that a query reads, folded; perhaps some names more, such as those of its own subqueries. */
export function tablesRead(query: string, dialect: SqlDialect): ReadonlySet<string> {
  const reader = new TokenReader(tokenize(query, dialect))
  const names = new Set<string>()
  let before: Token | undefined
  while (!reader.done) {
    const path = mayPrecedeTable(before) ? reader.path() : []
    if (path.length > 0) names.add(folded((path[0] === 'public' ? path.slice(1) : path).join('.')))
    before = path.length > 0 ? undefined : reader.next()
  }
  return names
}

function mayPrecedeTable(token: Token | undefined): boolean {
  return isWord(token, 'FROM') || isWord(token, 'JOIN') || isSymbol(token, ',') || isSymbol(token, '(')
}
