import type { ShardResult } from '@isotherm/core/command'
import { type ShardLoad, count } from '@isotherm/core/tools'
import { splitShards } from '../lint/facts/split-shards.js'

/** @param nodes more than ten shards a node spread nothing further */
export function shardsOnSplits(load: Required<ShardLoad>, nodes: number | undefined): ShardResult {
  const figures = splitShards(load, nodes)
  const { shards, writesPerSplit, maxShards } = figures
  return {
    shards,
    figures,
    steps: [
      {
        of: 'writes',
        arithmetic: `${count(load.writesPerSecond)} rows/s; a split is assumed to take ${count(writesPerSplit)}`,
        bare: splitShards({ ...load, headroom: 0 }).shards,
        withHeadroom: shards,
      },
    ],
    ...(nodes !== undefined &&
      maxShards !== undefined &&
      maxShards > shards && {
        note: `Up to ${count(maxShards)} spread them further on ${count(nodes)} node${nodes === 1 ? '' : 's'}, and more do not.`,
      }),
  }
}
