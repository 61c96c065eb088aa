import type { ColumnType } from '../model/column-type.js'

/**
 * A value as it is stored and sent: exact, comparable, and plain data. 64-bit integers and decimals are text,
 * timestamps RFC 3339 text with nanoseconds, bytes base64. Keys and cursors carry these.
 */
export type Wire = string | number | boolean | null | readonly Wire[]

export function sameWire(a: Wire, b: Wire): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  return JSON.stringify(a) === JSON.stringify(b)
}

/** The type a parameter is sent with, or a cell is read as. */
export type WireType = ColumnType

/** Written in a timestamp's place, stands for the commit timestamp, which the database fills in. */
export const COMMIT_TIMESTAMP = 'spanner.commit_timestamp()'
