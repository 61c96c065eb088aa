import { isName, isSymbol } from './token.js'
import type { TokenReader } from './token-reader.js'

/** A type as a cast names it. */
export interface SqlType {
  /** In lower case: `string`, `character varying`, `timestamp with time zone`. */
  readonly name: string
  /** What limits it and what it has many of, as it is written: `(36)`, `[]`. */
  readonly size: string
}

/** Some names of types are more than one word: these follow the first. */
const TAIL = ['VARYING', 'PRECISION', 'WITH', 'WITHOUT', 'TIME', 'ZONE']

/** Reads the type that comes next; one without a name if none does. */
export function readType(reader: TokenReader): SqlType {
  const words = isName(reader.peek()) ? [reader.next()!.text] : []
  while (TAIL.some((word) => reader.sees(word))) words.push(reader.next()!.text)
  const limit = reader.group()
  let size = limit ? `(${limit.map(({ text }) => text).join('')})` : ''
  while (isSymbol(reader.peek(), '[') && isSymbol(reader.peek(1), ']')) {
    reader.next()
    reader.next()
    size += '[]'
  }
  return { name: words.join(' ').toLowerCase(), size }
}
