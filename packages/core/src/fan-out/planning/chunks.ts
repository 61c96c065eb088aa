import type { QueryShape } from './query-shape.js'

// How many rows to ask for at once.

/** How many rows a stream holds at most, those that are read ahead included. */
const STREAM_ROWS = 96_000

/** A call for fewer rows costs more than it brings. */
const LEAST_CHUNK = 16
const MOST_CHUNK = 10_000

/** Which part of the rows matches a filter, where nobody knows. */
export const SELECTIVITY = 0.1

/** More at first would keep the reader waiting for its first row. */
const FIRST_CHUNK = 1_000

/** How many rows a statement over all shards asks for, which has to find the place where it left off each time. */
export const STATEMENT_CHUNK = 5_000

/** How many rows a call to one of several shards asks for at most where no limit says so. */
export function streamChunk(shards: number): number {
  // The next chunk is asked for when half of one is left.
  const share = Math.floor(STREAM_ROWS / 1.5 / shards)
  return Math.min(MOST_CHUNK, Math.max(LEAST_CHUNK, share))
}

/**
 * How many rows to ask each shard for at first. Hashed keys spread evenly, so a shard holds its share of the wanted rows,
 * give or take three standard deviations; a shard that holds more is asked again.
 */
export function firstChunk({ wanted, ranges, filtered, point }: QueryShape): number {
  // One row at most; one more is asked for, so that nobody asks again.
  if (point) return 2
  if (wanted === undefined) return Math.min(FIRST_CHUNK, streamChunk(ranges))
  const most = Math.min(wanted, Math.max(LEAST_CHUNK, Math.floor(STREAM_ROWS / ranges)))
  if (ranges === 1 || filtered) return most
  const share = wanted / ranges
  return Math.min(most, Math.ceil(share + 3 * Math.sqrt(share) + 2))
}

/** How often the first answers of all lanes together may turn out too short. */
const SECOND_WAVE = 0.001

/**
 * How many rows to ask each partition for at first, where all are asked at once. Rows that fall into partitions by a hash, or
 * at random, fill them as Poisson's law says: the least number that a partition of them exceeds in one query of a thousand,
 * so that a second wave is rare, and what is read too much a few rows each. (The newest 100 of 200 partitions: 7 rows each.)
 *
 * @param lanes how many partitions the wanted rows fall into
 * @param atOnce how many are asked together: more, where those of several time buckets are
 */
export function laneChunk(
  { wanted, filtered, point }: Pick<QueryShape, 'wanted' | 'filtered' | 'point'>,
  lanes: number,
  atOnce = lanes,
): number {
  if (point) return 2
  if (wanted === undefined) return Math.min(FIRST_CHUNK, streamChunk(atOnce))
  const looked = Math.ceil(filtered ? wanted / SELECTIVITY : wanted)
  const most = Math.min(looked, Math.max(LEAST_CHUNK, Math.floor(STREAM_ROWS / atOnce)))
  const mean = looked / lanes
  // What is rarely exceeded is more than the mean: nobody has to count up to a mean of billions.
  return lanes === 1 || mean >= most ? most : Math.min(most, rarelyExceeded(mean, SECOND_WAVE / lanes))
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

/** How many rows a window may hold before it is taken for one that reaches too far. */
export function windowRows(probe: number, ranges: number): number {
  return Math.ceil(1.85 * probe * ranges)
}
