import type { CostProfile } from '../database/driver.js'

/**
 * How a fan-out can be read.
 *
 * - `read-ranges`: one `read` over a key range of each shard, sorted here. For a bounded window.
 * - `merge-shards`: a stream per shard, merged here; only shards that are drained are asked for more.
 * - `push-down`: one statement, with the limit pushed into each shard where the key's order allows.
 */
export type Strategy = 'read-ranges' | 'merge-shards' | 'push-down'

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
  /** A statement finds each shard in the wanted order as well: not so where a mirror is what is sorted. */
  readonly statementOrdered: boolean
  readonly filtered: boolean
  /** The filter fixes the whole key, the shard aside: one row at most in each range. */
  readonly point: boolean
  readonly sharded: boolean
}

// Nobody has told the planner how large the table is, so it assumes: large.
const TABLE_ROWS = 1_000_000
const WINDOW_ROWS = 1_000
const SELECTIVITY = 0.1

/** The estimated time of a strategy, in milliseconds. Infinity where it should not be used unless it is asked for. */
export function estimate(strategy: Strategy, shape: QueryShape, costs: CostProfile): number {
  const { ranges, bounded, keyOrdered, readable, statementOrdered, filtered, point } = shape
  const wanted = point ? ranges : shape.wanted
  const inRange = point ? ranges : bounded ? WINDOW_ROWS : TABLE_ROWS
  const looked = wanted === undefined ? inRange : Math.min(inRange, filtered ? wanted / SELECTIVITY : wanted)
  const sent = wanted ?? inRange
  switch (strategy) {
    case 'read-ranges':
      // Everything in the ranges is held in memory: not for a whole table, and not for a stream.
      if (!readable || !bounded || wanted === undefined) return Infinity
      return costs.roundTrip + ranges * costs.range + inRange * costs.row
    case 'merge-shards': {
      const snapshot = ranges > 1 ? costs.roundTrip : 0
      const waves = Math.ceil(ranges / costs.concurrency)
      if (keyOrdered && readable) return snapshot + waves * costs.roundTrip + (looked + ranges) * costs.row
      const inShard = statementOrdered ? Math.min(inRange, looked) : inRange / ranges
      const scanned = costs.statementsScan ? TABLE_ROWS : inShard
      return snapshot + waves * (costs.roundTrip + costs.statement) + ranges * scanned * costs.scannedRow
    }
    case 'push-down': {
      const scanned = costs.statementsScan
        ? TABLE_ROWS
        : statementOrdered
          ? Math.min(inRange, ranges * looked)
          : inRange
      return costs.roundTrip + costs.statement + scanned * costs.scannedRow + sent * costs.row
    }
  }
}
