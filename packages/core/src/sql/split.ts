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
  /** Words that an END closes: the BEGIN ATOMIC of a function, and each CASE in it. */
  let open = 0
  const finish = (): void => {
    if (start !== undefined) statements.push(withoutComments(script.slice(start, end), lexicalSyntax))
    start = undefined
  }
  for (let at = 0; at < script.length;) {
    const { length, token } = tokenAt(script, at, lexicalSyntax)
    if (isSymbol(token, ';') && open === 0) finish()
    else if (token) {
      start ??= at
      end = at + length
      if (isWord(token, 'ATOMIC') && isWord(before, 'BEGIN')) open = 1
      // Any word that follows these two is a name.
      else if (open > 0 && !isWord(before, 'AS') && !isSymbol(before, '.')) open += levelsOf(token)
    }
    before = token ?? before
    at += length
  }
  finish()
  return statements
}

/** By how much a word of a function's body goes deeper. */
function levelsOf(token: Token): -1 | 0 | 1 {
  return isWord(token, 'CASE') ? 1 : isWord(token, 'END') ? -1 : 0
}

const SCRIPT = text("'CREATE TABLE …; CREATE INDEX …;'")
