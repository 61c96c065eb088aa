import type { DialectName } from '../model/sql-expression.js'
import { isSymbol } from './token.js'
import { tokenAt } from './tokenize.js'
import { withoutComments } from './without-comments.js'

/**
 * The statements of a script, as a database takes them: without comments, where it has none. Semicolons inside texts, quoted
 * names and comments part nothing.
 *
 * @example
 * splitStatements("CREATE TABLE T (Id INT64) PRIMARY KEY (Id); -- done;", 'googlesql') // one statement
 */
export function splitStatements(script: string, dialect: DialectName): string[] {
  const statements: string[] = []
  let start: number | undefined
  let end = 0
  const finish = (): void => {
    if (start !== undefined) statements.push(withoutComments(script.slice(start, end), dialect))
    start = undefined
  }
  for (let at = 0; at < script.length;) {
    const { length, token } = tokenAt(script, at, dialect)
    if (isSymbol(token, ';')) finish()
    else if (token) {
      start ??= at
      end = at + length
    }
    at += length
  }
  finish()
  return statements
}
