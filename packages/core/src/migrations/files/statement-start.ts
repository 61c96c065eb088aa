import type { DialectName } from '../../model/sql-expression.js'
import { isSymbol } from '../../sql/token.js'
import { tokenAt, tokenize } from '../../sql/tokenize.js'

/** Where the first word of a statement stands, and the dialect in which it was found. */
export interface StatementStart {
  readonly at: number
  readonly dialect: DialectName
}

/**
 * Where a statement begins, behind comments and hints; undefined for text that says nothing. Which dialect is meant is not
 * known here: comments nest in one, and each of the others has a kind more, so the reading that passes over more of them is the
 * right one.
 */
export function startOf(sql: string): StatementStart | undefined {
  const [one, other] = [firstToken(sql, 'googlesql'), firstToken(sql, 'spanner-postgresql')]
  const cql = firstToken(sql, 'cql')
  // No other dialect has comments of two slashes, and none has those two in any other place.
  if (cql === undefined || (one !== undefined && sql.startsWith('//', one)))
    return cql === undefined ? undefined : { at: cql, dialect: 'cql' }
  if (one === undefined) return undefined
  // It is a comment with one in it: no statement ends as it does where they do not nest.
  if (other === undefined && isSymbol(tokenize(sql, 'googlesql').at(-1), '/')) return undefined
  return other === undefined || one >= other
    ? { at: one, dialect: 'googlesql' }
    : { at: other, dialect: 'spanner-postgresql' }
}

/**
 * The beginning of a statement, behind comments and hints, on one line: for messages.
 *
 * @param length in characters, at most
 * @example
 * excerpt('-- why\nCREATE TABLE Customer (…)', 40)
 */
export function excerpt(sql: string, length = 120): string {
  const line = sql.slice(startOf(sql)?.at).replace(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

function firstToken(sql: string, dialect: DialectName): number | undefined {
  let hint: { readonly at: number; readonly end: string } | undefined
  for (let at = 0; at < sql.length;) {
    const { length, token } = tokenAt(sql, at, dialect)
    if (hint) {
      if (isSymbol(token, hint.end)) hint = undefined
    } else if (token) {
      const end = endOfHint(sql, at)
      if (end === undefined) return at
      hint = { at, end }
    }
    at += length
  }
  return hint?.at
}

/** What ends the hint that begins here, if one does. */
function endOfHint(sql: string, at: number): string | undefined {
  if (sql.startsWith('/*@', at)) return '*/'
  const googleSql = /@\s*\{/y
  googleSql.lastIndex = at
  return googleSql.test(sql) ? '}' : undefined
}
