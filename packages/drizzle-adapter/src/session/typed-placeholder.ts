import { Column, Param, Placeholder, type SQLChunk, StringChunk, is } from 'drizzle-orm'

// Drizzle gives a value with a column the column's type, but a placeholder no type: `eq(users.born,
// sql.placeholder('born'))`. PostgreSQL infers the type, Spanner needs it.

/** The operators between a column and a value that is compared with it. */
const COMPARISON = /^\s*(?:=|<>|!=|<=|>=|<|>|(?:not\s+)?(?:like|in|between))\s*$/i
const BETWEEN = /^\s*(?:not\s+)?between\s*$/i
/** The AND between the bounds of BETWEEN. */
const AND = /^\s*and\s*$/i

/** One chunk of SQL; where it is a placeholder, or a list of some, that is compared with a column, it is of its type. */
export function typedPlaceholder(chunks: readonly SQLChunk[], at: number): SQLChunk {
  const chunk = chunks[at]
  if (!Array.isArray(chunk) && !is(chunk, Placeholder)) return chunk
  const column = comparedWith(chunks, at)
  if (!column) return chunk
  const typed = (each: SQLChunk): SQLChunk => (is(each, Placeholder) ? new Param(each, column) : each)
  return Array.isArray(chunk) ? chunk.map(typed) : typed(chunk)
}

function comparedWith(chunks: readonly SQLChunk[], at: number): Column | undefined {
  const operator = textOf(chunks[at - 1])
  const isSecondBound = AND.test(operator) && BETWEEN.test(textOf(chunks[at - 3]))
  const other = chunks[isSecondBound ? at - 4 : at - 2]
  return (isSecondBound || COMPARISON.test(operator)) && is(other, Column) ? other : undefined
}

function textOf(chunk: SQLChunk | undefined): string {
  return is(chunk, StringChunk) ? chunk.value.join('') : ''
}
