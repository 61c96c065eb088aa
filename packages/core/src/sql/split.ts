import { type DialectRuntime, checkRuntime } from '../engine/dialect.js'
import { checkArgument, text } from '../options.js'
import { type Token, isSymbol, isWord } from '../tokens/lexical-syntax.js'
import { tokenAt, withoutComments } from '../tokens/tokens.js'

/**
 * The statements of a script, as a database accepts them: without comments, if it does not support them. Semicolons inside
 * strings, quoted names, comments and the body of a function, BEGIN ATOMIC … END, do not separate statements.
 *
 * @example
 * splitStatements("CREATE TABLE T (Id INT64) PRIMARY KEY (Id); -- done;", googlesql) // one statement
 */
export function splitStatements(script: string, dialect: DialectRuntime): string[] {
  checkArgument('splitStatements', 'script', SCRIPT, script)
  checkRuntime('splitStatements', dialect)
  const { lexicalSyntax } = dialect
  const statements: string[] = []
  let start: number | undefined
  let end = 0
  let before: Token | undefined
  let isCreate = false
  /** Within the body of a function. Each of its statements ends with a semicolon: an END behind anything else is not the body's. */
  let isBody = false
  const finish = (): void => {
    if (start !== undefined) statements.push(withoutComments(script.slice(start, end), lexicalSyntax))
    start = undefined
  }
  for (let at = 0; at < script.length;) {
    const { length, token } = tokenAt(script, at, lexicalSyntax)
    if (isSymbol(token, ';') && !isBody) finish()
    else if (token) {
      if (start === undefined) isCreate = isWord(token, 'CREATE')
      start ??= at
      end = at + length
      if (isCreate && isWord(token, 'ATOMIC') && isWord(before, 'BEGIN')) isBody = true
      else if (isWord(token, 'END') && (isSymbol(before, ';') || isWord(before, 'ATOMIC'))) isBody = false
    }
    before = token ?? before
    at += length
  }
  finish()
  return statements
}

const SCRIPT = text("'CREATE TABLE …; CREATE INDEX …;'")
