import { type Token, isSymbol, isWord } from './lexical-syntax.js'
import { TokenReader } from './tokens.js'

// The tables that a query reads, as far as its text shows.

interface Parted {
  readonly tokens: readonly Token[]
  /** The tokens of each hint. */
  readonly hints: readonly (readonly Token[])[]
}

/** A query without its hints: braces after an `@`, or a comment that begins with one. */
function partHints(query: readonly Token[]): Parted {
  const tokens: Token[] = []
  const hints: Token[][] = []
  for (let at = 0; at < query.length; at++) {
    const isBraced = isSymbol(query[at], '@') && isSymbol(query[at + 1], '{')
    if (!isBraced && !isSymbol(query[at], '/*@')) {
      tokens.push(query[at]!)
      continue
    }
    const start = at + (isBraced ? 2 : 1)
    const end = query.findIndex(
      (token, position) => position >= start && isSymbol(token, isBraced ? '}' : '*/'),
    )
    at = end < 0 ? query.length : end
    hints.push(query.slice(start, at))
  }
  return { tokens, hints }
}

/** The names, part by part, at positions where a table may be; perhaps some more, such as those of a query's own parts. */
export function tablePaths(query: readonly Token[]): string[][] {
  const reader = new TokenReader(partHints(query).tokens)
  const paths: string[][] = []
  let before: Token | undefined
  while (!reader.done) {
    const path = mayPrecedeTable(before) ? reader.path() : []
    if (path.length > 0) paths.push(path)
    before = path.length > 0 ? undefined : reader.next()
  }
  return paths
}

function mayPrecedeTable(token: Token | undefined): boolean {
  return isWord(token, 'FROM') || isWord(token, 'JOIN') || isSymbol(token, ',') || isSymbol(token, '(')
}

/** The indexes that hints name, with or without their named schema: a query that forces one needs it. */
export function forcedIndexes(query: readonly Token[]): string[] {
  return partHints(query).hints.flatMap((hint) =>
    hint.flatMap((token, at) => {
      if (!isWord(token, 'FORCE_INDEX') || !isSymbol(hint[at + 1], '=')) return []
      const reader = new TokenReader(hint.slice(at + 2))
      const path = reader.path()
      const name = path.length > 0 ? path.join('.') : reader.next()?.text
      return name === undefined ? [] : [name]
    }),
  )
}
