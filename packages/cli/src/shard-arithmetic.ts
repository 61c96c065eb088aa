import type { PartitionShards, ShardLoad, SplitShards } from '@isotherm/core'
import { CommandError } from './command-error.js'

// How many shards a load takes, and the arithmetic in words.

export const shardEngines = ['keyspaces', 'cassandra', 'spanner'] as const

export type ShardEngine = (typeof shardEngines)[number]

export interface EngineShards {
  readonly engine: ShardEngine
  /** For people. */
  readonly name: string
  readonly shards: number
  readonly figures: PartitionShards | SplitShards
  readonly lines: readonly string[]
  readonly sources: readonly string[]
}

type Core = Pick<typeof import('@isotherm/core'), 'partitionShards' | 'splitShards'>
type Load = Required<ShardLoad>

const KEYSPACES_SOURCES = [
  'https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-design.html',
  'https://docs.aws.amazon.com/keyspaces/latest/devguide/ReadWriteCapacityMode.html',
]
const SPANNER_SOURCES = [
  'https://cloud.google.com/spanner/docs/performance',
  'https://cloud.google.com/spanner/docs/cpu-utilization',
]

/** @throws {CommandError} `USAGE` for a row that is larger than the engine's. */
export function onPartitions(
  { partitionShards }: Core,
  engine: 'keyspaces' | 'cassandra',
  load: Load,
): EngineShards {
  const name = engine === 'keyspaces' ? 'Keyspaces' : 'Cassandra'
  const figures = partitionShards(load, engine)
  const bare = partitionShards({ ...load, headroom: 0 }, engine)
  const { largestRow, limit, shards } = figures
  if (largestRow !== undefined && load.rowBytes > largestRow) {
    throw new CommandError(
      'USAGE',
      `--row-bytes is ${count(load.rowBytes)}, and a row of ${name} has up to ${count(largestRow)}.`,
      { fix: 'Keep what is large elsewhere, or give --engine spanner alone.' },
    )
  }
  const takes = limit.certain ? 'takes' : 'is assumed to take'
  const writes =
    `${count(load.writesPerSecond)} rows/s × ⌈${count(load.rowBytes)} / 1,024⌉ = ${count(figures.writeUnits)} write units/s; ` +
    `a partition ${takes} ${count(limit.writeUnits)}: ${counts(bare.forWrites, figures.forWrites, load)}`
  const reads =
    `${count(load.readsPerSecond)} rows/s × ⌈${count(load.rowBytes)} / 4,096⌉ = ${count(figures.readUnits)} read units/s; ` +
    `a partition ${takes} ${count(limit.readUnits)}: ${counts(bare.forReads, figures.forReads, load)}`
  const pages =
    engine === 'keyspaces' ? ` A page of all of them costs at least ${counted(shards, 'read unit')}.` : ''
  return {
    engine,
    name,
    shards,
    figures,
    lines: [
      `writes  ${writes}`,
      ...(load.readsPerSecond > 0 ? [`reads   ${reads}`] : []),
      `${counted(shards, 'shard')}.${pages}`,
    ],
    sources: KEYSPACES_SOURCES,
  }
}

export function onSplits({ splitShards }: Core, load: Load, nodes: number | undefined): EngineShards {
  const figures = splitShards(load, nodes)
  const bare = splitShards({ ...load, headroom: 0 })
  const { shards, writesPerSplit, most } = figures
  const writes =
    `${count(load.writesPerSecond)} rows/s; a split is assumed to take ${count(writesPerSplit)}: ` +
    counts(bare.shards, shards, load)
  const further =
    nodes === undefined || most === undefined || most <= shards
      ? ''
      : ` Up to ${count(most)} spread them further on ${counted(nodes, 'node')}, and more do not.`
  return {
    engine: 'spanner',
    name: 'Spanner',
    shards,
    figures,
    lines: [`writes  ${writes}`, `${counted(shards, 'shard')}.${further}`],
    sources: SPANNER_SOURCES,
  }
}

function counts(bare: number, withHeadroom: number, { headroom }: Load): string {
  return headroom === 0
    ? count(bare)
    : `${count(bare)}, and ${count(withHeadroom)} with ${count(headroom * 100)} % headroom`
}

function counted(number: number, what: string): string {
  return `${count(number)} ${what}${number === 1 ? '' : 's'}`
}

function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 })
}
