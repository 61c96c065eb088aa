import { IsothermError } from '@isotherm/core'
import { Column, Param, Placeholder, SQL, type SQLChunk, StringChunk, is } from 'drizzle-orm'

/** The tokens of a condition: words and signs in lower case, columns, and values. */
export type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'column'; readonly column: Column }
  | { readonly kind: 'value'; readonly value: unknown; readonly encoder: Column | undefined }
  /** Any other chunk, and its name for messages. */
  | { readonly kind: 'other'; readonly name: string }

const WORDS = /\s+|<>|!=|<=|>=|[\w.]+|./gsu

/** Deeper SQL comes from a mistake, such as SQL that holds itself, or from an attack. */
const MAX_LEVELS = 1000

/** SQL as a flat list, read as the database reads its text: what Drizzle has nested has parentheses only where it wrote them. */
export function tokensOf(sql: SQLChunk): Token[] {
  const tokens: Token[] = []
  addChunk(tokens, sql, 0)
  return tokens
}

function addChunk(tokens: Token[], chunk: SQLChunk, level: number): void {
  if (level > MAX_LEVELS) {
    throw new IsothermError(
      'UNSUPPORTED_QUERY',
      `SQL of more than ${MAX_LEVELS} levels cannot be fanned out.`,
      {
        fix: 'Nest fewer conditions: and(…) and or(…) take any number.',
      },
    )
  }
  if (is(chunk, StringChunk)) addWords(tokens, chunk.value.join(''))
  else if (is(chunk, SQL)) for (const each of chunk.queryChunks) addChunk(tokens, each, level + 1)
  else if (is(chunk, Column)) tokens.push({ kind: 'column', column: chunk })
  else if (is(chunk, Placeholder)) tokens.push({ kind: 'other', name: `the placeholder ${chunk.name}` })
  else if (is(chunk, Param)) addParam(tokens, chunk, level)
  else if (Array.isArray(chunk)) addList(tokens, chunk as SQLChunk[], level)
  else if (chunk === undefined) return
  else if (isValue(chunk)) tokens.push({ kind: 'value', value: chunk, encoder: undefined })
  else tokens.push({ kind: 'other', name: 'a subquery' })
}

function addWords(tokens: Token[], text: string): void {
  for (const word of text.match(WORDS) ?? []) {
    if (word.trim() !== '') tokens.push({ kind: 'word', text: word.toLowerCase() })
  }
}

function addParam(tokens: Token[], { value, encoder }: Param, level: number): void {
  if (is(value, Placeholder)) tokens.push({ kind: 'other', name: `the placeholder ${value.name}` })
  else if (is(value, SQL)) addChunk(tokens, value, level + 1)
  else tokens.push({ kind: 'value', value, encoder: is(encoder, Column) ? encoder : undefined })
}

function addList(tokens: Token[], items: readonly SQLChunk[], level: number): void {
  tokens.push({ kind: 'word', text: '(' })
  items.forEach((item, at) => {
    if (at > 0) tokens.push({ kind: 'word', text: ',' })
    addChunk(tokens, item, level + 1)
  })
  tokens.push({ kind: 'word', text: ')' })
}

/** Drizzle makes a parameter of every value that is not SQL. */
function isValue(chunk: unknown): boolean {
  if (typeof chunk !== 'object' || chunk === null) return typeof chunk !== 'function'
  return chunk instanceof Date || chunk instanceof Uint8Array
}
