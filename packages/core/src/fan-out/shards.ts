import type { TableLayout } from '../dialects/layout.js'
import { shardOf, type Hashable } from '../keys/shard.js'
import type { ShardSource } from '../model/key.js'
import type { Constraints } from './constraints.js'

/** Beyond this many combinations of candidate values, working out their shards costs more than it saves. */
const MAX_COMBINATIONS = 10_000

/** How many shards a table has; undefined where it is not sharded. */
export function shardCount(layout: TableLayout): number | undefined {
  return sourceOf(layout)?.shards
}

function sourceOf({ shard }: TableLayout): ShardSource | undefined {
  const source = shard?.column.source
  return source?.kind === 'shard' ? source : undefined
}

/** The shards that can hold a matching row, in order; undefined where the table is not sharded. */
export function shardsToRead(layout: TableLayout, constraints: Constraints): number[] | undefined {
  const source = sourceOf(layout)
  if (!source || !layout.shard) return undefined
  const own = constraints.get(layout.shard)
  const hashed = source.strategy === 'hash' ? hashedShards(layout, source, constraints) : undefined
  const shards: number[] = []
  for (let shard = 0; shard < source.shards; shard++) {
    if (hashed && !hashed.has(shard)) continue
    const value = BigInt(shard)
    if (own?.candidates && !own.candidates.includes(value)) continue
    if (own?.lower && below(value, own.lower.value as bigint, own.lower.open)) continue
    if (own?.upper && below(own.upper.value as bigint, value, own.upper.open)) continue
    shards.push(shard)
  }
  return shards
}

function below(value: bigint, bound: bigint, open: boolean): boolean {
  return open ? value <= bound : value < bound
}

/** Where the filter fixes every hashed column, the shards that those values fall into. */
function hashedShards(
  layout: TableLayout,
  source: ShardSource,
  constraints: Constraints,
): Set<number> | undefined {
  let combinations: Hashable[][] = [[]]
  for (const property of source.of) {
    const field = layout.byProperty.get(property)
    const candidates = field && constraints.get(field)?.candidates
    if (!candidates || combinations.length * candidates.length > MAX_COMBINATIONS) return undefined
    combinations = combinations.flatMap((head) => candidates.map((value) => [...head, value as Hashable]))
  }
  return new Set(combinations.map((values) => shardOf(values, source.shards)))
}
