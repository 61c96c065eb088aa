import type { CqlTarget } from '../model/cql-target.js'
import { CQL_LIMITS } from './cql-limits.js'
import { count } from './load.js'
import { checkedLoad, type ShardLoad } from './shard-load.js'

// What shards are for on Cassandra and Keyspaces: each is a partition, which the same replicas serve.

/** What one partition takes in a second. */
export interface PartitionLoad {
  /** Of a kilobyte each. */
  readonly writeUnits: number
  /** Of four kilobytes each. */
  readonly readUnits: number
  /** The engine throttles what is more; else it is a rule of thumb. */
  readonly certain: boolean
}

/**
 * Of Keyspaces, as published; Cassandra publishes none, and its nodes differ: a partition is one replica set's there as
 * well, so the same numbers are taken for a guess.
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-design.html
 */
export const PARTITION_LOADS: Readonly<Record<CqlTarget, PartitionLoad>> = Object.freeze({
  cassandra: Object.freeze({ writeUnits: 1_000, readUnits: 3_000, certain: false }),
  keyspaces: Object.freeze({ writeUnits: 1_000, readUnits: 3_000, certain: true }),
})

/** Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/ReadWriteCapacityMode.html */
export const WRITE_UNIT_BYTES = 1_024
export const READ_UNIT_BYTES = 4_096

/** How many shards a load takes on Cassandra or Keyspaces, and why. */
export interface PartitionShards {
  readonly writeUnitsPerRow: number
  /** In a second, without the headroom. */
  readonly writeUnits: number
  readonly forWrites: number
  readonly readUnitsPerRow: number
  readonly readUnits: number
  readonly forReads: number
  /** The fewest that carry both, with the headroom. */
  readonly shards: number
  /** Units that one partition takes in a second. */
  readonly limit: PartitionLoad
  /** In bytes; undefined without a limit of the engine's own. */
  readonly largestRow: number | undefined
}

/**
 * How many shards a load takes on Cassandra or Keyspaces, by what one partition takes. The fewest are the best: each is one
 * more partition that a read of all has to ask.
 *
 * @throws {IsothermError} `INVALID_VALUE` for a load that is none.
 * @example
 * partitionShards({ writesPerSecond: 2_000, rowBytes: 3_000, headroom: 0.5 }).shards // 9
 */
export function partitionShards(load: ShardLoad, target: CqlTarget = 'keyspaces'): PartitionShards {
  const { writesPerSecond, readsPerSecond, rowBytes, headroom } = checkedLoad(load)
  const limit = PARTITION_LOADS[target]
  const writeUnitsPerRow = units(rowBytes, WRITE_UNIT_BYTES)
  const readUnitsPerRow = units(rowBytes, READ_UNIT_BYTES)
  const writeUnits = writesPerSecond * writeUnitsPerRow
  const readUnits = readsPerSecond * readUnitsPerRow
  const forWrites = Math.ceil((writeUnits * (1 + headroom)) / limit.writeUnits)
  const forReads = Math.ceil((readUnits * (1 + headroom)) / limit.readUnits)
  return {
    writeUnitsPerRow,
    writeUnits,
    forWrites,
    readUnitsPerRow,
    readUnits,
    forReads,
    shards: Math.max(1, forWrites, forReads),
    limit,
    largestRow: CQL_LIMITS[target].rowBytes,
  }
}

/** A row takes a unit at least. */
function units(rowBytes: number, unit: number): number {
  return Math.max(1, Math.ceil(rowBytes / unit))
}

/** What a partition takes, in words. */
export function partitionLimit(kind: 'write' | 'read', target: CqlTarget): string {
  const { writeUnits, readUnits, certain } = PARTITION_LOADS[target]
  return `a partition ${certain ? 'takes' : 'is assumed to take'} ${count(kind === 'write' ? writeUnits : readUnits)}`
}
