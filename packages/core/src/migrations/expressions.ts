import type { SqlDialect } from '../model/sql-expression.js'
import { forcedIndexes, tablePaths } from '../sql/query-sources.js'
import { isName, type Token } from '../sql/token.js'
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
  const paths = tablePaths(tokenize(query, dialect))
  return new Set(paths.map((path) => folded((path[0] === 'public' ? path.slice(1) : path).join('.'))))
}

/** The indexes that a query cannot do without, folded; a name may lack its named schema. */
export function indexesForced(query: string, dialect: SqlDialect): readonly string[] {
  return forcedIndexes(tokenize(query, dialect)).map(folded)
}
