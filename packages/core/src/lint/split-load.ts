import type { ExpectedLoad } from '../model/table.js'
import { checkedLoad, type ShardLoad } from './shard-load.js'
import { count, limitOf, SPLITS_PER_NODE, strain, WRITES_PER_SPLIT } from './load.js'
import type { Report } from './rule.js'

// What shards are for on Spanner: each ends in one split, which one server writes at a time.

/** How many shards a load takes on Spanner. */
export interface SplitShards {
  /** Of rows, with the headroom. */
  readonly writesPerSecond: number
  /** Assumed: the service promises no such number. */
  readonly writesPerSplit: number
  /** The fewest that carry the load. */
  readonly shards: number
  /** More spread nothing further; absent without a number of nodes. */
  readonly most?: number
}

/**
 * How many shards a load takes on Spanner, by what one split is assumed to take.
 *
 * @param nodes of the instance, if they are known
 * @throws {IsothermError} `INVALID_VALUE` for a load that is none.
 * @example
 * splitShards({ writesPerSecond: 2_000, rowBytes: 1_000 }, 3) // { shards: 2, most: 30, … }
 */
export function splitShards(load: ShardLoad, nodes?: number): SplitShards {
  const { writesPerSecond, headroom } = checkedLoad(load)
  const wanted = writesPerSecond * (1 + headroom)
  const shards = Math.max(1, Math.ceil(wanted / WRITES_PER_SPLIT))
  return {
    writesPerSecond: wanted,
    writesPerSplit: WRITES_PER_SPLIT,
    shards,
    ...(nodes !== undefined && { most: Math.max(shards, nodes * SPLITS_PER_NODE) }),
  }
}

/** Shards of a table, or of an index. */
export interface Shards {
  /** `shardId`, or `the shard of the index ByTime`. */
  readonly what: string
  readonly shards: number
  /** Where the inserts of one moment end: shards, times whatever else stands before the growing part, if there is one. */
  readonly places: number | undefined
  readonly at: { readonly column?: string; readonly index?: string }
}

/** Whether they are too few for the writes, or far more than the nodes have use for. */
export function judgeSplits(found: Shards, expect: ExpectedLoad, report: Report): void {
  const { what, shards, places, at } = found
  const { writesPerSecond, nodes } = expect
  const perShard = places === undefined ? 0 : places / shards
  const needed = perShard === 0 ? 0 : Math.ceil((writesPerSecond ?? 0) / WRITES_PER_SPLIT / perShard)
  if (places !== undefined) tooFew({ ...found, places }, needed, expect, report)
  const enough = nodes === undefined ? Number.POSITIVE_INFINITY : Math.max(nodes * SPLITS_PER_NODE, needed)
  if (shards <= enough) return
  report({
    ...at,
    severity: 'warning',
    message:
      `${what} has ${count(shards)} values for ${count(nodes!)} nodes: more than ${SPLITS_PER_NODE} a node spread ` +
      'writes no further, and each of them is one more place to read.',
    fix: `${count(enough)} are plenty, unless expect.nodes is going to grow.`,
  })
}

function tooFew(
  { what, shards, places, at }: Shards & { readonly places: number },
  needed: number,
  { writesPerSecond, nodes }: ExpectedLoad,
  report: Report,
): void {
  const strained = writesPerSecond === undefined ? 'none' : strain(writesPerSecond / places)
  if (writesPerSecond !== undefined && strained !== 'none') {
    report({
      ...at,
      severity: strained === 'certain' ? undefined : 'warning',
      message:
        `${count(writesPerSecond)} rows a second end in ${count(places)} places, since ${what} has ${count(shards)} ` +
        `values: ${count(writesPerSecond / places)} a second in each, and ${limitOf(strained)}.`,
      fix: `It takes ${count(needed)} values or more. They cannot be changed later without a new table.`,
    })
  }
  if (writesPerSecond === undefined && nodes !== undefined && places < nodes) {
    report({
      ...at,
      severity: 'warning',
      message:
        `${what} has ${count(shards)} values for ${count(nodes)} nodes: at most ${count(places)} of them take inserts ` +
        'at a time.',
      fix: `Use ${count(nodes)} shards, one for each node, or say in expect how many rows are written in a second.`,
    })
  }
}
