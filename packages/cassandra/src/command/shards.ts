import { CommandError, type ShardResult } from '@isotherm/core/command'
import { type ShardLoad, count } from '@isotherm/core/tools'
import type { CqlDialect } from '../dialect/dialect.js'
import { partitionShards } from '../lint/facts/partition-load.js'

export function shardsOnPartitions(load: Required<ShardLoad>, dialect: CqlDialect): ShardResult {
  const { engine } = dialect.cql
  const figures = partitionShards(load, dialect)
  const bare = partitionShards({ ...load, headroom: 0 }, dialect)
  const { largestRow, limit, shards } = figures
  if (largestRow !== undefined && load.rowBytes > largestRow) {
    throw new CommandError(
      'USAGE',
      `--row-bytes is ${count(load.rowBytes)}, and a row of ${engine} has up to ${count(largestRow)}.`,
      { fix: 'Store large values elsewhere, or pass --engine for another engine.' },
    )
  }
  const takes = limit.certain ? 'takes' : 'is assumed to take'
  const writes =
    `${count(load.writesPerSecond)} rows/s × ⌈${count(load.rowBytes)} / 1,024⌉ = ${count(figures.writeUnits)} write units/s; ` +
    `a partition ${takes} ${count(limit.writeUnits)}`
  const reads =
    `${count(load.readsPerSecond)} rows/s × ⌈${count(load.rowBytes)} / 4,096⌉ = ${count(figures.readUnits)} read units/s; ` +
    `a partition ${takes} ${count(limit.readUnits)}`
  return {
    shards,
    figures,
    steps: [
      { of: 'writes', arithmetic: writes, bare: bare.forWrites, withHeadroom: figures.forWrites },
      ...(load.readsPerSecond > 0
        ? [{ of: 'reads', arithmetic: reads, bare: bare.forReads, withHeadroom: figures.forReads } as const]
        : []),
    ],
    ...(engine === 'Keyspaces' && {
      note: `A page of all of them costs at least ${count(shards)} read unit${shards === 1 ? '' : 's'}.`,
    }),
  }
}
