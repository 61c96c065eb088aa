import type { CostProfile } from '../../database/driver.js'
import { SELECTIVITY, STATEMENT_CHUNK, streamChunk } from './chunks.js'
import type { QueryShape } from './query-shape.js'

/**
 * How a fan-out can be read.
 *
 * - `read-ranges`: one `read` over a key range of each shard, sorted here. For a bounded window.
 * - `probe-window`: a few rows of one shard show how far the wanted rows reach, then one `read` over that window of all
 *   shards. For the first rows of a key order.
 * - `merge-shards`: a stream per shard, merged here; only shards that are drained are asked for more.
 * - `push-down`: one statement, with the limit pushed into each shard where the key's order allows.
 * - `bounded-range`: one statement over a bounded window of all shards (`shard IN … AND key BETWEEN …`), sorted by the
 *   database.
 * - `back-join`: the order comes from an index that lacks columns: its entries are read and merged, and the rows that win
 *   are looked up by key.
 *
 * Of tables whose rows lie in partitions, which statements cannot read together:
 *
 * - `merge-shards`: the same, a stream per partition.
 * - `walk-buckets`: one time bucket after another, newest or oldest first, each merged like that, and only as far as rows are
 *   wanted.
 * - `sort-here`: all rows of all partitions, filtered and sorted here, of one time bucket after another where the order allows;
 *   of a limit, only the rows that are within it are kept.
 */
export type Strategy =
  | 'read-ranges'
  | 'probe-window'
  | 'merge-shards'
  | 'push-down'
  | 'bounded-range'
  | 'back-join'
  | 'walk-buckets'
  | 'sort-here'

/** Those that are chosen by what they cost. */
export type EstimatedStrategy = Exclude<Strategy, 'walk-buckets' | 'sort-here'>

export const ESTIMATED_STRATEGIES: readonly EstimatedStrategy[] = [
  'read-ranges',
  'probe-window',
  'merge-shards',
  'push-down',
  'bounded-range',
  'back-join',
]

export const STRATEGIES: readonly Strategy[] = [...ESTIMATED_STRATEGIES, 'walk-buckets', 'sort-here']

/** Why a strategy cannot be used for a query; undefined where it can. */
export function obstacle(strategy: Strategy, shape: QueryShape): string | undefined {
  const { ranges, wanted, bounded, keyOrdered, readable, sharded } = shape
  const needsKeyOrder = keyOrdered ? undefined : "needs the key's order"
  switch (strategy) {
    case 'read-ranges':
      return readable ? undefined : 'needs an index with all columns of the rows'
    case 'probe-window':
      if (!readable) return 'needs an index with all columns of the rows'
      if (!sharded || ranges < 2) return 'needs several shards'
      if (wanted === undefined) return 'needs a limit'
      return needsKeyOrder
    case 'bounded-range':
      return bounded ? undefined : 'needs a window that is bounded on both sides'
    case 'back-join':
      if (readable) return 'needs an index that lacks columns of the rows'
      if (!shape.joinable) return 'needs an index that holds what the rows are ordered by'
      return needsKeyOrder
    case 'walk-buckets':
    case 'sort-here':
      return 'needs rows that lie in partitions'
    case 'merge-shards':
    case 'push-down':
      return undefined
  }
}

// Nobody has told the planner how large the table is, so it assumes: large.
export const TABLE_ROWS = 1_000_000
const WINDOW_ROWS = 1_000

/**
 * How many rows of one shard show how far the wanted rows reach: so many that all shards together hold enough of them up to
 * there, nineteen times in twenty. Keys are spread evenly; the distance to the n-th of them varies by its square root.
 */
export function probeRows({ wanted, ranges }: { readonly wanted: number; readonly ranges: number }): number {
  const share = wanted / ranges
  return Math.ceil(share + 1.5 * Math.sqrt(share) + 0.75)
}

/** The estimated time of a strategy, in milliseconds. Infinity where it should not be used unless it is asked for. */
export function estimate(strategy: EstimatedStrategy, shape: QueryShape, costs: CostProfile): number {
  if (obstacle(strategy, shape) !== undefined) return Infinity
  const { ranges, bounded, keyOrdered, readable, statementOrdered, filtered, point } = shape
  const wanted = point ? ranges : shape.wanted
  const inRange = point ? ranges : bounded ? WINDOW_ROWS : TABLE_ROWS
  const looked = wanted === undefined ? inRange : Math.min(inRange, filtered ? wanted / SELECTIVITY : wanted)
  const sent = wanted ?? inRange
  const oneCall = costs.roundTrip + costs.call
  const snapshot = ranges > 1 ? oneCall : 0
  const waves = Math.ceil(ranges / costs.concurrency)
  const merged = snapshot + waves * costs.roundTrip + ranges * costs.call + (looked + ranges) * costs.row
  /** A statement that sorts, or that scans, looks at all of its rows again for each chunk. */
  const scannedBy = (chunks: number, rows: number): number => {
    if (costs.statementsScan) return chunks * TABLE_ROWS
    return statementOrdered ? rows : chunks * rows
  }
  switch (strategy) {
    case 'read-ranges':
      // Everything in the ranges is held in memory: not for a whole table, and not for a stream.
      if (!bounded || wanted === undefined) return Infinity
      return oneCall + ranges * costs.range + inRange * costs.row
    case 'probe-window': {
      // A window that is mostly filtered away would have to be looked for again.
      if (filtered || point) return Infinity
      const probe = probeRows({ wanted: wanted!, ranges })
      return 2 * oneCall + ranges * costs.range + (ranges + 1) * probe * costs.row
    }
    case 'merge-shards': {
      if (keyOrdered && readable) return merged
      const inShard = statementOrdered ? Math.min(inRange, looked) : inRange / ranges
      const chunks = wanted === undefined ? Math.ceil(inRange / ranges / streamChunk(ranges)) : 1
      return (
        snapshot +
        chunks * waves * (costs.roundTrip + costs.statement) +
        ranges * (chunks * costs.call + scannedBy(chunks, inShard) * costs.scannedRow)
      )
    }
    case 'back-join':
      return merged + oneCall + looked * (costs.range + costs.row)
    case 'push-down':
    case 'bounded-range': {
      const pushed = strategy === 'push-down' && statementOrdered ? ranges * looked : inRange
      const chunks = wanted === undefined ? Math.ceil(sent / STATEMENT_CHUNK) : 1
      const scanned = scannedBy(chunks, Math.min(inRange, pushed))
      return chunks * (oneCall + costs.statement) + scanned * costs.scannedRow + sent * costs.row
    }
  }
}
