import { checkArgument, numberFrom } from '@isotherm/core/engine'
import { type KeyRanges, type ShardLoad, checkedLoad, count } from '@isotherm/core/tools'

/**
 * The assumed capacity of one split and one server. The service does not publish such numbers: they are assumptions, and
 * every message that rests on one says so.
 *
 * Source: https://cloud.google.com/spanner/docs/performance, https://cloud.google.com/spanner/docs/cpu-utilization,
 * https://cloud.google.com/spanner/docs/pre-splitting-overview
 */
export const SPLITS: KeyRanges = {
  name: 'split',
  // A node's published peak is 2,700 single-row writes of 1 KB a second (multi-region) at all of its CPU, and 45 % of the
  // CPU may be used for long: 1,215, rounded down. One server at a time writes a split.
  writesPerSecond: 1_000,
  // The highest published peak, batched by throughput-optimized writes.
  peakWritesPerNode: 22_500,
  perNode: 10,
}

/** The limit that the writes of one key range are compared with, in words. */
export function limitOf(strained: 'assumed' | 'certain'): string {
  return strained === 'certain'
    ? `the highest published peak of a whole node is ${count(SPLITS.peakWritesPerNode)}`
    : `one split is assumed to take ${count(SPLITS.writesPerSecond)}`
}

/** How many shards a load takes on Spanner. */
export interface SplitShards {
  /** Of rows, with the headroom. */
  readonly writesPerSecond: number
  /** Assumed: the service promises no such number. */
  readonly writesPerSplit: number
  /** The fewest that carry the load. */
  readonly shards: number
  /** More spread nothing further; absent without a number of nodes. */
  readonly maxShards?: number
}

const NODES = numberFrom(0, 'a number of nodes')

/**
 * How many shards a load takes on Spanner, by what one split is assumed to take.
 *
 * @param nodes of the instance, if they are known
 * @throws {IsothermError} `INVALID_VALUE` for an invalid load.
 * @example
 * splitShards({ writesPerSecond: 2_000, rowBytes: 1_000 }, 3) // { shards: 2, maxShards: 30, … }
 */
export function splitShards(load: ShardLoad, nodes?: number): SplitShards {
  const { writesPerSecond, headroom } = checkedLoad('splitShards', load)
  if (nodes !== undefined) checkArgument('splitShards', 'nodes', NODES, nodes)
  const wanted = writesPerSecond * (1 + headroom)
  const shards = Math.max(1, Math.ceil(wanted / SPLITS.writesPerSecond))
  return {
    writesPerSecond: wanted,
    writesPerSplit: SPLITS.writesPerSecond,
    shards,
    ...(nodes !== undefined && { maxShards: Math.max(shards, nodes * SPLITS.perNode) }),
  }
}
