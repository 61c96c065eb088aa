import { hashShard } from '../../database/derived.js'
import type { PlainRow } from '../../database/codec.js'
import type { Field, KeyOrder, TableLayout } from '../../dialects/layout.js'
import { bindingOf } from '../../model/bindings.js'
import { shardBounds, type ShardSource } from '../../model/key.js'
import type { Constraints } from './constraints.js'

/** Beyond this many combinations of candidate values, working out their shards costs more than it saves. */
const MAX_COMBINATIONS = 10_000

/** How many shards a table, or an index, has; undefined where it is not sharded. */
export function shardCount(keys: KeyOrder): number | undefined {
  const source = sourceOf(keys.shard)
  if (!source) return undefined
  const { lowest, highest } = shardBounds(source)
  return highest - lowest + 1
}

function sourceOf(shard: Field | undefined): ShardSource | undefined {
  const source = shard?.column.source
  return source?.kind === 'shard' ? source : undefined
}

/** The shards that can hold a matching row, in order; undefined where there are none. */
export function shardsToRead(
  { byProperty }: Pick<TableLayout, 'byProperty'>,
  keys: KeyOrder,
  constraints: Constraints,
): number[] | undefined {
  const source = sourceOf(keys.shard)
  if (!source || !keys.shard) return undefined
  const own = constraints.get(keys.shard)
  const hashed = canPrune(source) ? hashedShards(byProperty, source, constraints) : undefined
  const { lowest, highest } = shardBounds(source)
  const shards: number[] = []
  for (let shard = lowest; shard <= highest; shard++) {
    if (hashed && !hashed.has(shard)) continue
    const value = BigInt(shard)
    if (own?.candidates && !own.candidates.includes(value)) continue
    if (own?.lower && below(value, own.lower.value as bigint, own.lower.open)) continue
    if (own?.upper && below(own.upper.value as bigint, value, own.upper.open)) continue
    shards.push(shard)
  }
  return shards
}

/** What is computed in a way of its own tells nothing here, unless the function is at hand. */
function canPrune(source: ShardSource): boolean {
  const { strategy, expression, ownFunction } = source
  const isOwn = expression !== undefined || ownFunction === true
  return strategy === 'hash' && (!isOwn || bindingOf(source).shard !== undefined)
}

function below(value: bigint, bound: bigint, open: boolean): boolean {
  return open ? value <= bound : value < bound
}

/** Where the filter fixes every hashed column, the shards that those values fall into. */
function hashedShards(
  byProperty: ReadonlyMap<string, Field>,
  source: ShardSource,
  constraints: Constraints,
): Set<number> | undefined {
  let combinations: PlainRow[] = [{}]
  for (const property of source.of) {
    const field = byProperty.get(property)
    const candidates = field && constraints.get(field)?.candidates
    if (!candidates || combinations.length * candidates.length > MAX_COMBINATIONS) return undefined
    combinations = combinations.flatMap((row) => candidates.map((value) => ({ ...row, [property]: value })))
  }
  return new Set(combinations.map((row) => hashShard(source, row)))
}
