import type { CostProfile } from '../../engine/driver.js'
import { MAX_PARTITIONS, type PartitionGroups } from './partitions.js'

/** What the planner knows of a query before anything is read. */
export interface QueryShape {
  /** How many key ranges: one per partition. */
  readonly ranges: number
  /** How many rows are wanted; undefined for all. */
  readonly wanted: number | undefined
  /** Each range has an end on both sides. */
  readonly bounded: boolean
  /** Each partition's key order is the wanted order. */
  readonly keyOrdered: boolean
  /**
   * The filter fixes a column that orders rows but is not at the beginning of their key: rows that do not match are
   * elsewhere than a position with its value says.
   */
  readonly fixedBehind: boolean
  /** The rows are read in the expected order: not from an index that may hold NaN, or its parent's mirrors. */
  readonly keyed: boolean
  /** Rows can be read by key, rather than by statement only: not so where an index lacks some of their columns. */
  readonly readable: boolean
  /** An index lacks columns of the rows, but none that they are ordered by: its entries can be merged before they are rows. */
  readonly joinable: boolean
  /** A statement also finds each shard in the wanted order: not if the order is that of a mirror. */
  readonly statementOrdered: boolean
  /** Rows in the ranges may not match. */
  readonly filtered: boolean
  /** The filter fixes the whole key, the shard aside: one row at most in each range. */
  readonly point: boolean
  readonly sharded: boolean
  /** Statements read several partitions together, and find one order over all of them. */
  readonly statements: boolean
  /** The partitions are in time buckets. */
  readonly bucketed: boolean
  /** The order of the time buckets is the wanted one. */
  readonly bucketOrdered: boolean
}

// How many rows to ask for at once.

/** How many rows a stream holds at most, including those that are read ahead. */
const STREAM_ROWS = 96_000

/** A call for fewer rows costs more than it brings. */
const MIN_CHUNK = 16
const MAX_CHUNK = 10_000

/** The assumed share of rows that matches a filter. */
export const SELECTIVITY = 0.1

/** More at first would keep the reader waiting for its first row. */
const FIRST_CHUNK = 1_000

/** How many rows a statement over all shards asks for, which each time has to find the row where it left off. */
export const STATEMENT_CHUNK = 5_000

/** How many rows a call to one of several shards asks for at most where no limit says so. */
export function streamChunk(shards: number): number {
  // The next chunk is asked for when half of one is left.
  const share = Math.floor(STREAM_ROWS / 1.5 / shards)
  return Math.min(MAX_CHUNK, Math.max(MIN_CHUNK, share))
}

/**
 * How many rows to ask each shard for at first. Hashed keys spread evenly, so a shard holds its share of the wanted rows,
 * with a tolerance of three standard deviations; a shard that holds more is asked again.
 */
export function firstChunk({ wanted, ranges, filtered, point }: QueryShape): number {
  // At most one row matches. Two are asked for, so that the answer is known to be complete without a second request.
  if (point) return 2
  if (wanted === undefined) return Math.min(FIRST_CHUNK, streamChunk(ranges))
  const max = Math.min(wanted, Math.max(MIN_CHUNK, Math.floor(STREAM_ROWS / ranges)))
  if (ranges === 1 || filtered) return max
  const share = wanted / ranges
  return Math.min(max, Math.ceil(share + 3 * Math.sqrt(share) + 2))
}

/** How often the first answers of all partitions together may turn out too short. */
const SECOND_WAVE = 0.001

/**
 * How many rows to ask each partition for at first, where all are asked at once. Rows that fall into partitions by a hash, or
 * at random, fill them as Poisson's law says: the least number that a partition of them exceeds in one query of a thousand,
 * so that a second wave is rare, and what is read too much a few rows each. (The newest 100 of 200 partitions: 7 rows each.)
 *
 * @param partitions how many the wanted rows fall into
 * @param atOnce how many are asked together: more, where those of several time buckets are
 */
export function waveChunk(
  { wanted, filtered, point }: Pick<QueryShape, 'wanted' | 'filtered' | 'point'>,
  partitions: number,
  atOnce = partitions,
): number {
  if (point) return 2
  if (wanted === undefined) return Math.min(FIRST_CHUNK, streamChunk(atOnce))
  const looked = Math.ceil(filtered ? wanted / SELECTIVITY : wanted)
  const max = Math.min(looked, Math.max(MIN_CHUNK, Math.floor(STREAM_ROWS / atOnce)))
  const mean = looked / partitions
  // A number that is rarely exceeded is above the mean, so a mean of `max` or more needs no computation, which would take
  // long for billions.
  return partitions === 1 || mean >= max ? max : Math.min(max, rarelyExceeded(mean, SECOND_WAVE / partitions))
}

/**
 * The least number that a count reaches with at most this probability, where it is `mean` on average by Poisson's law. The
 * tail of its terms is less than a geometric series.
 */
function rarelyExceeded(mean: number, probability: number): number {
  const logarithm = Math.log(probability)
  let term = -mean
  for (let count = 1; ; count++) {
    term += Math.log(mean / count)
    if (count > mean && term - Math.log1p(-mean / (count + 1)) <= logarithm) return count
  }
}

/** How many rows a window may hold before it counts as reaching too far. */
export function windowRows(probe: number, ranges: number): number {
  return Math.ceil(1.85 * probe * ranges)
}

/**
 * How a fan-out can be read.
 *
 * - `read-ranges`: one `read` over a key range of each shard, with a client-side sort. For a bounded window.
 * - `probe-window`: a few rows of one shard show how far the wanted rows reach, then one `read` over that window of all
 *   shards. For the first rows of a key order.
 * - `merge-shards`: a stream per shard, merged by the client; only shards that run out of rows are asked for more.
 * - `push-down`: one statement, with the limit pushed into each shard where the key's order allows.
 * - `bounded-range`: one statement over a bounded window of all shards (`shard IN … AND key BETWEEN …`), sorted by the
 *   database.
 * - `back-join`: the order comes from an index that lacks columns: its entries are read and merged, and the rows of the
 *   result are looked up by key.
 *
 * For tables whose rows are in partitions, which statements cannot read together:
 *
 * - `merge-shards`: the same, a stream per partition.
 * - `bucket-scan`: a bucket scan: one time bucket after another, newest or oldest first, each merged like that, and only
 *   as far as rows are wanted.
 * - `client-sort`: all rows of all partitions, with a client-side filter and sort, one time bucket after another where the
 *   order allows; with a limit, only the rows within it are kept.
 */
export type Strategy =
  | 'read-ranges'
  | 'probe-window'
  | 'merge-shards'
  | 'push-down'
  | 'bounded-range'
  | 'back-join'
  | 'bucket-scan'
  | 'client-sort'

/** The strategies that are chosen by their costs. */
export type EstimatedStrategy = Exclude<Strategy, 'bucket-scan' | 'client-sort'>

export const ESTIMATED_STRATEGIES: readonly EstimatedStrategy[] = [
  'read-ranges',
  'probe-window',
  'merge-shards',
  'push-down',
  'bounded-range',
  'back-join',
]

export const STRATEGIES: readonly Strategy[] = [...ESTIMATED_STRATEGIES, 'bucket-scan', 'client-sort']

/** The strategies of an engine without statements over several partitions. */
export const PARTITION_STRATEGIES: readonly Strategy[] = ['merge-shards', 'bucket-scan', 'client-sort']

/** How many partitions of several groups are asked together at most, though one group may have more. */
const MAX_TOGETHER = 1_024

/** How many groups at most are read at a time, and how many at first: those ahead of the clock take no turn of their own. */
export function groupsAtOnce({ buckets, size }: PartitionGroups): {
  readonly first: number
  readonly max: number
} {
  const max = Math.max(1, Math.floor(MAX_TOGETHER / Math.max(1, size)))
  return { first: Math.min(max, 1 + (buckets?.ahead ?? 0)), max }
}

/** Groups that together give fewer rows than this leave a stream waiting: more of them are asked for next time. */
const FEW = 1_000

/** While groups give too few rows, twice as many are read at a time: a year of empty days takes nine turns. */
export function groupsNext(
  { together, max }: { readonly together: number; readonly max: number },
  left: number | undefined,
  found: number,
): { readonly together: number; readonly max: number } {
  return { together: left === undefined && found >= FEW ? 1 : Math.min(max, together * 2), max }
}

/** How often a window is looked for before the shards are read one by one. */
export const MAX_WINDOWS = 3

const NEEDS_WHOLE_ROWS = 'needs an index with all columns of the rows'
const NEEDS_ORDERED_INDEX =
  'needs an index whose entries lie in their order: this one may hold NaN, or is in a parent with mirrors'

/** Why a strategy cannot be used for a query; undefined where it can. */
export function obstacle(strategy: Strategy, shape: QueryShape): string | undefined {
  const { ranges, wanted, bounded, keyed, keyOrdered, readable, sharded } = shape
  const needsKeyOrder = keyOrdered ? undefined : "needs the key's order"
  switch (strategy) {
    case 'read-ranges':
      if (!keyed) return NEEDS_ORDERED_INDEX
      return readable ? undefined : NEEDS_WHOLE_ROWS
    case 'probe-window':
      if (!keyed) return NEEDS_ORDERED_INDEX
      if (!readable) return NEEDS_WHOLE_ROWS
      if (!sharded || ranges < 2) return 'needs several shards'
      if (wanted === undefined) return 'needs a limit'
      // A probe goes on behind the last row that it has read, whether that one matches or not.
      return shape.fixedBehind
        ? 'needs an order in which the filter fixes only how the key begins'
        : needsKeyOrder
    case 'bounded-range':
      return bounded ? undefined : 'needs a window that is bounded on both sides'
    case 'back-join':
      if (!keyed) return NEEDS_ORDERED_INDEX
      if (readable) return 'needs an index that lacks columns of the rows'
      if (!shape.joinable) return 'needs an index that holds what the rows are ordered by'
      return needsKeyOrder
    case 'bucket-scan':
      if (shape.statements) return 'needs rows that lie in partitions'
      if (!shape.bucketed) return 'needs a time bucket in the partition key'
      return shape.bucketOrdered ? needsKeyOrder : 'needs the order of its time buckets'
    case 'client-sort':
      return shape.statements ? 'needs rows that lie in partitions' : undefined
    case 'merge-shards':
      // Statements sort what the key does not.
      if (shape.statements) return undefined
      return (
        needsKeyOrder ??
        (ranges > MAX_PARTITIONS ? `needs no more than ${MAX_PARTITIONS} partitions` : undefined)
      )
    case 'push-down':
      return undefined
  }
}

// The planner does not know the size of the table, so it assumes a large one.
export const TABLE_ROWS = 1_000_000
const WINDOW_ROWS = 1_000

/**
 * How many rows of one shard show how far the wanted rows reach: enough that in 95 % of cases all shards together have
 * enough rows up to that key. Keys are spread evenly; the distance to the n-th of them varies by its square root.
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
