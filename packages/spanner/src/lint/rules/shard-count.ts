import {
  type Workload,
  type Report,
  type Rule,
  count,
  shardColumnOf,
  shardCountOf,
  strain,
} from '@isotherm/core/tools'
import { writtenRanges } from '../facts/written-ranges.js'
import { SPLITS, limitOf } from '../facts/split-shards.js'

/**
 * Too few shards for the writes that a table expects, or far more than its instance can use. If a growing column follows
 * it, a shard ends in one split that takes all its inserts. Every read of all rows asks each shard.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-design#fix_hash_the_key
 */
export const shardCount: Rule = {
  name: 'spanner/shard-count',
  severity: 'error',
  hotspot: true,
  check(table, report, { dialect }) {
    const { workload, primaryKey } = table
    if (!workload) return
    const column = table.parent ? undefined : shardColumnOf(table)
    if (column?.source?.kind === 'shard') {
      const shards = shardCountOf(column.source)
      const keyRanges = writtenRanges(table, primaryKey, dialect)
      const at = { column: column.property }
      judgeSplits({ what: column.property, shards, keyRanges, at }, workload, report)
    }
    for (const { name, shard, parts } of table.indexes) {
      if (!shard) continue
      const ends = writtenRanges(table, [...parts, ...primaryKey], dialect)
      const keyRanges = ends === undefined ? undefined : shard.shards * ends
      judgeSplits(
        { what: `the shard of the index ${name}`, shards: shard.shards, keyRanges, at: { index: name } },
        workload,
        report,
      )
    }
  },
}

/** Shards of a table, or of an index. */
interface Shards {
  /** `shardId`, or `the shard of the index ByTime`. */
  readonly what: string
  readonly shards: number
  /**
   * The key ranges that inserts at one time go to: shards, times the values of other parts before the growing one, if there
   * is one.
   */
  readonly keyRanges: number | undefined
  readonly at: { readonly column?: string; readonly index?: string }
}

/** Whether they are too few for the writes, or far more than the nodes have use for. */
function judgeSplits(found: Shards, workload: Workload, report: Report): void {
  const { what, shards, keyRanges, at } = found
  const { writesPerSecond, nodes } = workload
  const perShard = keyRanges === undefined ? 0 : keyRanges / shards
  const needed = perShard === 0 ? 0 : Math.ceil((writesPerSecond ?? 0) / SPLITS.writesPerSecond / perShard)
  if (keyRanges !== undefined) tooFew({ ...found, keyRanges }, needed, workload, report)
  const enough = nodes === undefined ? Number.POSITIVE_INFINITY : Math.max(nodes * SPLITS.perNode, needed)
  if (shards <= enough) return
  report({
    ...at,
    severity: 'warning',
    message:
      `${what} has ${count(shards)} values for ${count(nodes!)} nodes: more than ${SPLITS.perNode} a node spread ` +
      'writes no further, and each of them is one more key range to read.',
    fix: `${count(enough)} are enough, unless workload.nodes will grow.`,
  })
}

function tooFew(
  { what, shards, keyRanges, at }: Shards & { readonly keyRanges: number },
  needed: number,
  { writesPerSecond, nodes }: Workload,
  report: Report,
): void {
  const strained = writesPerSecond === undefined ? 'none' : strain(writesPerSecond / keyRanges, SPLITS)
  if (writesPerSecond !== undefined && strained !== 'none') {
    report({
      ...at,
      severity: strained === 'certain' ? undefined : 'warning',
      message:
        `${count(writesPerSecond)} rows a second end in ${count(keyRanges)} key ranges, since ${what} has ${count(shards)} ` +
        `values: ${count(writesPerSecond / keyRanges)} a second in each, and ${limitOf(strained)}.`,
      fix: `Use ${count(needed)} values or more. The number cannot be changed later without a new table.`,
    })
  }
  if (writesPerSecond === undefined && nodes !== undefined && keyRanges < nodes) {
    report({
      ...at,
      severity: 'warning',
      message:
        `${what} has ${count(shards)} values for ${count(nodes)} nodes: at most ${count(keyRanges)} of them take inserts ` +
        'at a time.',
      fix: `Use ${count(nodes)} shards, one for each node, or state workload.writesPerSecond.`,
    })
  }
}
