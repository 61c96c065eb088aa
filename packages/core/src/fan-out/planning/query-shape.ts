/** What the planner knows of a query before it has read anything. */
export interface QueryShape {
  /** How many key ranges: one per shard. */
  readonly ranges: number
  /** How many rows are wanted; undefined for all. */
  readonly wanted: number | undefined
  /** Each range has an end on both sides. */
  readonly bounded: boolean
  /** Each shard's key order is the wanted order. */
  readonly keyOrdered: boolean
  /** Rows can be read by key, rather than by statement only: not so where an index lacks some of their columns. */
  readonly readable: boolean
  /** An index lacks columns of the rows, but none that they are ordered by: its entries can be merged before they are rows. */
  readonly joinable: boolean
  /** A statement finds each shard in the wanted order as well: not so where a mirror is what is sorted. */
  readonly statementOrdered: boolean
  /** Rows in the ranges may not match. */
  readonly filtered: boolean
  /** The filter fixes the whole key, the shard aside: one row at most in each range. */
  readonly point: boolean
  readonly sharded: boolean
}
