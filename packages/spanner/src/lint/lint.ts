import {
  type EngineLint,
  cappedKey,
  monotonicFirstKey,
  monotonicIndex,
  nullableFirstKey,
  redundantIndex,
  storingAdvice,
  unevenShard,
  unstableShard,
  unsupportedFeature,
  unusedSuppression,
} from '@isotherm/core/tools'
import { commitTimestampInShard } from './rules/commit-timestamp-in-shard.js'
import { generatedKeyRestrictions } from './rules/generated-key-restrictions.js'
import { interleavedIndexAdvice } from './rules/interleaved-index-advice.js'
import { interleavingAdvice } from './rules/interleaving-advice.js'
import { keyLimits } from './rules/key-limits.js'
import { rowTreeSize } from './rules/row-tree-size.js'
import { shardCount } from './rules/shard-count.js'
import { signedShard } from './rules/signed-shard.js'
import { unshardedChildOfHotRoot } from './rules/unsharded-child-of-hot-root.js'
import { wideColumnInRowTree } from './rules/wide-column-in-row-tree.js'
import { SPLITS } from './facts/split-shards.js'

/** Where the two dialects of Cloud Spanner differ in the messages or the checks of a rule. */
interface SpannerTerms {
  /** The option of an index that leaves out rows without a value in this column. */
  sparse(property: string): string
  /** Whether a foreign key may be declared that the database does not check, and keeps no index for. */
  readonly unenforcedForeignKeys: boolean
  /** The clause that names the columns that an index keeps copies of. */
  readonly storing: string
  /** SQL that has the microseconds of a timestamp as text. */
  microseconds(column: string): string
  /** SQL of a shard that is never negative; undefined: of any number of shards. */
  shard(shards: number | undefined): string
  /** How many columns of the database a descending part of a key is. */
  readonly descending: number
  /** Whether a part of a key may be NULL. */
  readonly nullableKeys: boolean
}

/** The rules of Cloud Spanner: hotspots, shards, limits, advice. */
export function spannerLint(syntax: SpannerTerms): EngineLint {
  return {
    engine: 'spanner',
    rules: [
      monotonicFirstKey(SPLITS),
      monotonicIndex(SPLITS, syntax),
      unshardedChildOfHotRoot,
      shardCount,
      cappedKey,
      signedShard(syntax.shard),
      unstableShard(syntax.microseconds),
      unevenShard,
      commitTimestampInShard,
      generatedKeyRestrictions,
      keyLimits(syntax.descending),
      rowTreeSize,
      ...(syntax.nullableKeys ? [nullableFirstKey] : []),
      wideColumnInRowTree,
      redundantIndex,
      interleavedIndexAdvice,
      interleavingAdvice,
      storingAdvice(syntax.storing),
      unsupportedFeature,
      unusedSuppression,
    ],
  }
}
