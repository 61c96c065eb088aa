import type { TableLayout } from './layout.js'
import type { Wire } from './wire.js'

/** Keys from `start` to `end`; a bound may be a prefix of a key, and stands for all the keys that start with it. */
export interface KeyRange {
  readonly start: readonly Wire[]
  readonly startOpen: boolean
  readonly end: readonly Wire[]
  readonly endOpen: boolean
}

/**
 * Rows to be written, by the names of their columns. Without a layout the table is one that no model has, which engines
 * take that need no more than its name.
 */
export type Mutation =
  | {
      readonly op: 'insert' | 'update' | 'upsert'
      readonly table: string
      readonly layout?: TableLayout
      readonly columns: readonly string[]
      readonly rows: readonly (readonly Wire[])[]
      /** No row with these keys can be there: their UUIDs were made just now. Such an insert needs no condition. */
      readonly fresh?: true
    }
  | {
      readonly op: 'delete'
      readonly table: string
      readonly layout?: TableLayout
      readonly keys: readonly (readonly Wire[])[]
    }
