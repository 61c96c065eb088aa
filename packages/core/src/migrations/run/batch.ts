import type { DialectName } from '../../dialects/dialect.js'
import { areWords, isName, isSymbol, isWord, type Token } from '../../sql/token.js'
import { tokenize } from '../../sql/tokenize.js'

/** How many statements of a batch may look at the rows that there are. */
const MOST_OVER_ROWS = 10

/** How many statements a batch may have: each takes a few records, and the answer to how it stands lists them all. */
const MOST = 500

/**
 * How many of these schema changes, from the first, to hand to the database together. It works through them in order, and the
 * fewer versions of the schema that takes, the better. So a new table goes together with the indexes that follow it, which
 * then have nothing to fill; and of what has to be filled or checked, a batch has no more than ten.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-updates-best-practices#large-updates
 */
export function batchLength(statements: readonly string[], dialect: DialectName): number {
  const empty = new Set<string>()
  let overRows = 0
  for (const [at, sql] of statements.slice(0, MOST).entries()) {
    const tokens = tokenize(sql, dialect)
    const table = newTable(tokens)
    // After what looks at rows nothing counts as empty any more: the indexes of this table would be filled.
    if (table !== undefined && overRows > 0) return at
    if (readsRows(tokens, empty)) {
      if (overRows === MOST_OVER_ROWS) return at
      overRows++
      empty.clear()
    }
    if (table !== undefined) empty.add(table)
  }
  return Math.min(statements.length, MOST)
}

/** Whether a statement may have to fill something from the rows that there are, or to check them. */
function readsRows(tokens: readonly Token[], empty: ReadonlySet<string>): boolean {
  if (isWord(tokens[0], 'CREATE')) {
    const isIndex = tokens.slice(1, 5).some((token) => isWord(token, 'INDEX'))
    if (isIndex) return !empty.has(indexedTable(tokens) ?? '')
    return isWord(tokens[1], 'TABLE') && tokens.some((_, at) => areWords(tokens, at, 'FOREIGN', 'KEY'))
  }
  if (isWord(tokens[0], 'ALTER')) return isWord(tokens[1], 'TABLE') || addsToIndex(tokens)
  return isWord(tokens[0], 'ANALYZE')
}

/** A column that an index is to keep is filled in for all rows. */
function addsToIndex(tokens: readonly Token[]): boolean {
  return (
    tokens.slice(1, 3).some((token) => isWord(token, 'INDEX')) &&
    tokens.some(
      (_, at) =>
        areWords(tokens, at, 'ADD', 'STORED', 'COLUMN') || areWords(tokens, at, 'ADD', 'INCLUDE', 'COLUMN'),
    )
  )
}

function newTable(tokens: readonly Token[]): string | undefined {
  if (!areWords(tokens, 0, 'CREATE', 'TABLE')) return undefined
  return nameAt(tokens, areWords(tokens, 2, 'IF', 'NOT', 'EXISTS') ? 5 : 2)
}

function indexedTable(tokens: readonly Token[]): string | undefined {
  const on = tokens.findIndex((token) => isWord(token, 'ON'))
  return on < 0 ? undefined : nameAt(tokens, on + 1)
}

/** A name with its named schema, if it has one; upper and lower case are one to the database. */
function nameAt(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at]
  if (!isName(token)) return undefined
  const name = token.text.toLowerCase()
  return isSymbol(tokens[at + 1], '.') ? `${name}.${nameAt(tokens, at + 2) ?? ''}` : name
}
