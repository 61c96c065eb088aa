import {
  type LexicalSyntax,
  type PlacedToken,
  TokenReader,
  eachToken,
  isSymbol,
  isWord,
  placedTokens,
} from '@isotherm/core/adapter'
import { type Table, is, View } from 'drizzle-orm'
import type { BuiltQuery } from '../drizzle-internals.js'
import type { TableKind } from '../table-kind/table-kind.js'
import type { Runnable } from './prepared.js'
import { nameInCache } from './rows.js'

// Which tables a statement reads and writes, for a cache of its rows. What a builder puts where a table stands is known; what stands
// there as text alone may be a table, a view or a function, so that nothing is known of it.

/** The tables that a statement reads, at any depth, and those from which a deletion deletes rows of these too. */
export interface TablesRead {
  /** The names that the cache uses. */
  readonly names: readonly string[]
  /** Whether these are all of them. */
  readonly areAll: boolean
}

const known = new WeakMap<BuiltQuery, TablesRead>()

/** @param kind what knows the declarations of its tables; absent: none has a table from which its rows are deleted */
export function tablesRead(query: BuiltQuery, lexicalSyntax: LexicalSyntax, kind?: TableKind): TablesRead {
  let read = known.get(query)
  if (!read) known.set(query, (read = found(query, lexicalSyntax, kind)))
  return read
}

function found(
  { sql, sources }: BuiltQuery,
  lexicalSyntax: LexicalSyntax,
  kind: TableKind | undefined,
): TablesRead {
  const positions = new Set(sources.map(({ at }) => at))
  const text: TablesRead = { names: [], areAll: areSourcesAt(positions, placedTokens(sql, lexicalSyntax)) }
  const reads = sources.map(({ source, viewQuery }) => {
    if (!source) return NOTHING
    if (!is(source, View)) return withDeletingTables(source, kind)
    return viewQuery ? tablesRead(viewQuery(), lexicalSyntax, kind) : UNKNOWN
  })
  return together([text, ...reads])
}

/** The tables that several statements, or parts of one, read. */
export function together(reads: readonly TablesRead[]): TablesRead {
  return {
    names: [...new Set(reads.flatMap(({ names }) => names))],
    areAll: reads.every(({ areAll }) => areAll),
  }
}

const NOTHING: TablesRead = { names: [], areAll: true }
const UNKNOWN: TablesRead = { names: [], areAll: false }

/** The table that DML writes, as the cache calls it; none for other statements. */
export function tablesWritten(
  { kind, query }: Pick<Runnable, 'kind' | 'query'>,
  lexicalSyntax: LexicalSyntax,
): readonly string[] {
  const written = kind === 'dml' ? tableWritten(query.sql, lexicalSyntax) : undefined
  return written === undefined ? [] : [written]
}

export function tableWritten(sql: string, lexicalSyntax: LexicalSyntax): string | undefined {
  const reader = new TokenReader(beginningOfWrite(sql, lexicalSyntax))
  const verb = reader.next()
  if (isWord(verb, 'INSERT')) {
    if (reader.skip('OR')) reader.next()
    reader.skip('INTO')
  } else if (isWord(verb, 'DELETE')) reader.skip('FROM')
  const path = reader.path()
  // In the PostgreSQL dialect, a name without a schema is in this one.
  const inSchema = path[0] === 'public' ? path.slice(1) : path
  return inSchema.length > 0 ? inSchema.join('.') : undefined
}

const WRITES = ['INSERT', 'UPDATE', 'DELETE']

/** As many tokens as `insert or update into "public"."far"."two"` has: the rest may be hundreds of rows. */
const MAX_TOKENS = 9

/** The first tokens of a write, from its verb. */
function beginningOfWrite(sql: string, lexicalSyntax: LexicalSyntax): readonly PlacedToken[] {
  const tokens: PlacedToken[] = []
  for (const token of eachToken(sql, lexicalSyntax)) {
    if (tokens.length > 0 || WRITES.some((verb) => isWord(token, verb))) tokens.push(token)
    if (tokens.length === MAX_TOKENS) break
  }
  return tokens
}

/** A table, and those from which a deletion deletes rows of it too, by interleaving or a foreign key. */
function withDeletingTables(table: Table, kind: TableKind | undefined): TablesRead {
  let read = deleting.get(table)
  if (!read) deleting.set(table, (read = deletingTables(table, kind)))
  return read
}

const deleting = new WeakMap<Table, TablesRead>()

function deletingTables(table: Table, kind: TableKind | undefined): TablesRead {
  const tables = new Set<Table>()
  try {
    addDeleting(table, kind, tables)
  } catch {
    // A table of what Spanner lacks, in a database that has it otherwise: its declarations cannot be relied on.
    return { names: [nameInCache(table)], areAll: false }
  }
  return { names: [...new Set([...tables].map(nameInCache))], areAll: true }
}

function addDeleting(table: Table, kind: TableKind | undefined, tables: Set<Table>): void {
  if (tables.has(table)) return
  tables.add(table)
  if (!kind?.isTable(table)) return
  const { interleaving, foreignKeys } = kind.declarationsOf(table, kind.wordsFor(undefined))
  if (interleaving?.onDelete === 'cascade') addDeleting(interleaving.parent, kind, tables)
  for (const { foreignTable, onDelete } of foreignKeys)
    if (onDelete === 'cascade') addDeleting(foreignTable, kind, tables)
}

/** The keywords that may follow the sources of a query. All are reserved, so none of them is a name. */
const AFTER_SOURCES = new Set([
  'WHERE',
  'GROUP',
  'HAVING',
  'ORDER',
  'LIMIT',
  'UNION',
  'INTERSECT',
  'EXCEPT',
  'WINDOW',
])

/** The keywords that may precede the second query of a set operation. */
const SET_WORDS = ['UNION', 'INTERSECT', 'EXCEPT', 'ALL', 'DISTINCT']

/** The contents of one pair of parentheses, or everything outside of them. */
interface Level {
  isQuery: boolean
  /** Whether a comma parts sources. */
  hasSources: boolean
  /** Whether a source comes next. */
  awaitsSource: boolean
}

const levelOf = (hasSources: boolean): Level => ({
  isQuery: false,
  hasSources,
  awaitsSource: hasSources,
})

/**
 * Whether each source of a text is at one of these positions, or has its own parentheses.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/query-syntax#from_clause
 */
function areSourcesAt(known: ReadonlySet<number>, tokens: readonly PlacedToken[]): boolean {
  const levels: Level[] = [levelOf(false)]
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    const level = levels.at(-1)!
    const before = tokens[at - 1]
    const hint = hintEnd(tokens, at)
    if (hint !== undefined) at = hint
    // Behind a dot a keyword is a name.
    else if (isSymbol(before, '.')) continue
    else if (isSymbol(token, '(') || isSymbol(token, '[')) {
      const isSource = level.awaitsSource
      level.awaitsSource = false
      // A join in parentheses, or a query, which says so by its first word.
      levels.push(levelOf(isSource))
    } else if (isSymbol(token, ')') || isSymbol(token, ']')) {
      if (level.awaitsSource) return false
      if (levels.length > 1) levels.pop()
    } else if (isWord(token, 'SELECT')) {
      Object.assign(level, { isQuery: true, hasSources: false, awaitsSource: false } satisfies Level)
    } else if (isWord(token, 'FROM')) {
      // `extract(year from …)` and `is distinct from` read nothing.
      const isClause = level.isQuery ? !isWord(before, 'DISTINCT') : isBeginning(before)
      if (isClause)
        Object.assign(level, { isQuery: true, hasSources: true, awaitsSource: true } satisfies Level)
    } else if (isWord(token, 'GRAPH') || isWord(token, 'TABLE')) {
      if (isBeginning(before) || SET_WORDS.some((word) => isWord(before, word))) return false
    } else if (isWord(token, 'JOIN')) {
      Object.assign(level, { hasSources: true, awaitsSource: true } satisfies Partial<Level>)
    } else if (level.awaitsSource) {
      if (isWord(token, 'LATERAL')) continue
      else if (known.has(token.start) || (isWord(token, 'UNNEST') && isSymbol(tokens[at + 1], '(')))
        level.awaitsSource = false
      else if (isWord(token, 'WITH') && isBeginning(before)) level.hasSources = level.awaitsSource = false
      else return false
    } else if (level.hasSources) {
      if (isSymbol(token, ',')) level.awaitsSource = true
      else if (token.kind === 'word' && AFTER_SOURCES.has(token.text.toUpperCase())) level.hasSources = false
    }
  }
  return levels.every(({ awaitsSource }) => !awaitsSource)
}

/** Whether nothing, or only an opening parenthesis, is before. */
function isBeginning(before: PlacedToken | undefined): boolean {
  return before === undefined || isSymbol(before, '(') || isSymbol(before, ')') || isSymbol(before, '}')
}

/** The end of the hint that begins here; undefined if there is none. */
function hintEnd(tokens: readonly PlacedToken[], at: number): number | undefined {
  const isBraced = isSymbol(tokens[at], '@') && isSymbol(tokens[at + 1], '{')
  if (!isBraced && !isSymbol(tokens[at], '/*@')) return undefined
  const end = tokens.findIndex((token, position) => position > at && isSymbol(token, isBraced ? '}' : '*/'))
  return end < 0 ? undefined : end
}
