import type { DialectName } from '../model/sql-expression.js'
import { tokenAt } from './tokenize.js'

/**
 * A schema change as the database takes it: GoogleSQL's have no comments. The PostgreSQL dialect's may, and some of them are
 * hints.
 */
export function withoutComments(sql: string, dialect: DialectName): string {
  if (dialect !== 'googlesql') return sql
  let text = ''
  for (let at = 0; at < sql.length;) {
    const { length, token } = tokenAt(sql, at, dialect)
    const piece = sql.slice(at, at + length)
    text += token || piece.trim() === '' ? piece : ' '
    at += length
  }
  return text.trim()
}
