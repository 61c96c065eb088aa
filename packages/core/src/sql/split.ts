import { type DialectRuntime, checkRuntime } from '../engine/dialect.js'
import { checkArgument, text } from '../options.js'
import { isSymbol } from '../tokens/lexical-syntax.js'
import { tokenAt, withoutComments } from '../tokens/tokens.js'

/**
 * The statements of a script, as a database accepts them: without comments, if it does not support them. Semicolons inside
 * strings, quoted names and comments do not separate statements.
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
  const finish = (): void => {
    if (start !== undefined) statements.push(withoutComments(script.slice(start, end), lexicalSyntax))
    start = undefined
  }
  for (let at = 0; at < script.length;) {
    const { length, token } = tokenAt(script, at, lexicalSyntax)
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

const SCRIPT = text("'CREATE TABLE …; CREATE INDEX …;'")
