import type { CqlCapabilities } from '../cql/capabilities.js'
import {
  type EngineLint,
  cappedKey,
  unevenShard,
  unsupportedFeature,
  unusedSuppression,
} from '@isotherm/core/tools'
import { allowFiltering } from './rules/allow-filtering.js'
import { limits } from './rules/limits.js'
import { lowCardinalityPartition } from './rules/low-cardinality-partition.js'
import { shardCount } from './rules/shard-count.js'
import { timePartition } from './rules/time-partition.js'
import { unboundedPartition } from './rules/unbounded-partition.js'
import { uselessBitReversal } from './rules/useless-bit-reversal.js'

/** The rules of Cassandra and Keyspaces, which differ in their limits: hotspots, shards, limits, advice. */
export function cassandraLint(
  engine: string,
  has: Pick<CqlCapabilities, 'limits' | 'partitionLoad'>,
): EngineLint {
  return {
    engine: 'cassandra',
    rules: [
      timePartition(has),
      lowCardinalityPartition(has),
      shardCount(has),
      cappedKey,
      unevenShard,
      limits(engine, has.limits),
      unboundedPartition,
      uselessBitReversal,
      allowFiltering,
      unsupportedFeature,
      unusedSuppression,
    ],
  }
}
