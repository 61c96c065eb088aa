import type { CqlCapabilities, PartitionLoad } from '../../cql/capabilities.js'
import { type CqlDialectRuntime, isCqlRuntime } from '../../cql/statement.js'
import { checkArgument, kind } from '@isotherm/core/engine'
import { type Workload, type ShardLoad, checkedLoad, count } from '@isotherm/core/tools'

// The purpose of shards on Cassandra and Keyspaces: each is a partition, which the same replicas serve.

/** Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/ReadWriteCapacityMode.html */
const WRITE_UNIT_BYTES = 1_024
const READ_UNIT_BYTES = 4_096

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
 * How many shards a load takes on Cassandra or Keyspaces, by what one partition takes. Use the fewest: each is one more
 * partition that a read of all rows has to ask.
 *
 * @throws {IsothermError} `INVALID_VALUE` for an invalid load.
 * @example
 * partitionShards({ writesPerSecond: 2_000, rowBytes: 3_000, headroom: 0.5 }, keyspacesCql).shards // 9
 */
export function partitionShards(load: ShardLoad, dialect: CqlDialectRuntime): PartitionShards {
  checkArgument('partitionShards', 'dialect', CQL, dialect)
  return shardsFor(load, dialect.cql.has)
}

const CQL = kind('a dialect of CQL', isCqlRuntime)

/** The limits of a partition and of a row. */
export type PartitionLimits = Pick<CqlCapabilities, 'partitionLoad' | 'limits'>

export function shardsFor(
  load: ShardLoad,
  { partitionLoad: limit, limits }: PartitionLimits,
): PartitionShards {
  const { writesPerSecond, readsPerSecond, rowBytes, headroom } = checkedLoad('partitionShards', load)
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
    largestRow: limits.rowBytes,
  }
}

/** A row takes a unit at least. */
function units(rowBytes: number, unit: number): number {
  return Math.max(1, Math.ceil(rowBytes / unit))
}

/** The limit of a partition, in words. */
export function partitionLimit(
  kind: 'write' | 'read',
  { writeUnits, readUnits, certain }: PartitionLoad,
): string {
  return `a partition ${certain ? 'takes' : 'is assumed to take'} ${count(kind === 'write' ? writeUnits : readUnits)}`
}

/** Whether one partition can take the writes beside its other work. */
export function isLightOn(load: Workload | undefined, limits: PartitionLimits): boolean {
  if (load?.writesPerSecond === undefined) return false
  const { writesPerSecond, rowBytes = 0 } = load
  const { writeUnits } = shardsFor({ writesPerSecond, rowBytes }, limits)
  return writeUnits <= limits.partitionLoad.writeUnits / 10
}

/** The end of a message if one partition is enough for a table's writes. */
export function lightlyOn(load: Workload | undefined, limits: PartitionLimits): string {
  return isLightOn(load, limits) && load?.writesPerSecond !== undefined
    ? `, which take the ${count(load.writesPerSecond)} rows a second that workload states`
    : ''
}
