import type { ShardSource } from '../model/key.js'

/** The range that a shard is in. */
export type ShardRange = Pick<ShardSource, 'shards' | 'first' | 'signed'>

/** How a dialect spells the two functions that bring a hash into the range of shards. */
export interface RangeFunctions {
  readonly mod: string
  readonly abs: string
}

/**
 * The shard of a hash, as the database computes it: `shardOf` in SQL. The remainder comes before the absolute value, which
 * fails on the smallest integer; without it half of the shards would be negative.
 */
export function shardOfHash(
  hash: string,
  { shards, first = 0, signed }: ShardRange,
  { mod, abs }: RangeFunctions,
): string {
  const remainder = `${mod}(${hash}, ${shards})`
  if (signed) return remainder
  return first === 0 ? `${abs}(${remainder})` : `${first} + ${abs}(${remainder})`
}
