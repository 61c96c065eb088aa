import { type Table, columnOf } from '@isotherm/core/engine'
import {
  type KeyPart,
  type Report,
  type Rule,
  type RuleContext,
  count,
  growthOf,
  strain,
} from '@isotherm/core/tools'
import { ancestorsOf, combinations, parentOf, writtenRanges } from '../facts/written-ranges.js'
import { SPLITS, limitOf } from '../facts/split-shards.js'

/**
 * A child whose new rows are all written behind the last rows of few parent rows. Spanner can split a row tree between
 * child rows, but not where a growing key puts all new ones at one end. Without the data, the rule relies on this: the
 * parent rows that take inserts are limited if every part of their key is a shard or a BOOL; if a part grows, they are
 * limited if the newest parents take the inserts; and the writes of one root row are known from `workload.writesPerRootRow`.
 *
 * Source: https://cloud.google.com/spanner/docs/whitepapers/optimizing-schema-design
 */
export const unshardedChildOfHotRoot: Rule = {
  name: 'spanner/unsharded-child-of-hot-root',
  severity: 'error',
  hotspot: true,
  check(table, report, context) {
    const root = ancestorsOf(context.schema, table).at(-1)
    if (!root) return
    judgeRootRow(table, root, report, context)
    judgeParents(table, report, context)
  },
}

/** Checks the writes of the busiest root row, as the table declares them. */
function judgeRootRow(table: Table, root: Table, report: Report, { dialect }: RuleContext): void {
  const writes = table.workload?.writesPerRootRow
  const own = table.primaryKey.slice(root.primaryKey.length)
  const ends = writtenRanges(table, own, dialect)
  if (writes === undefined || ends === undefined) return
  const strained = strain(writes / ends, SPLITS)
  if (strained === 'none') return
  report({
    ...columnIn(own),
    severity: strained === 'certain' ? undefined : 'warning',
    message:
      `${count(writes)} rows a second of one row of ${root.name} end in ${inRanges(ends)}: ` +
      `${ends === 1 ? '' : `${count(writes / ends)} a second in each, and `}${limitOf(strained)}.`,
    fix: rootFix(table, root, own[0], Math.ceil(writes / SPLITS.writesPerSecond)),
  })
}

function rootFix(table: Table, root: Table, first: KeyPart | undefined, shards: number): string {
  const isShard = first && columnOf(table, first.property)?.source?.kind === 'shard'
  return isShard
    ? `Give ${first.property} ${count(shards)} values or more. The number cannot be changed later without a new table.`
    : `Put a shard of ${count(shards)} values or more into the key of ${table.name} before ${first?.property}, or into the key of ${root.name}.`
}

/** Checks the writes of each parent row, if their number is known. */
function judgeParents(table: Table, report: Report, { schema, dialect }: RuleContext): void {
  const writes = table.workload?.writesPerSecond
  const parent = parentOf(schema, table)
  if (!parent || writes === undefined) return
  const above = table.primaryKey.slice(0, parent.primaryKey.length)
  const own = table.primaryKey.slice(above.length)
  const parents = combinations(table, above, dialect)
  const ends = writtenRanges(table, own, dialect)
  if (parents === undefined || ends === undefined) return
  const strained = strain(writes / (parents * ends), SPLITS)
  if (strained === 'none') return

  const newest = above.some(({ property }) => {
    const column = columnOf(table, property)
    return column && growthOf(table, column, dialect)
  })
  const where = newest
    ? `if they belong to the newest rows of ${parent.name}`
    : `behind the last in each of the ${count(parents)} rows that ${parent.name} can have`
  report({
    ...columnIn(own),
    severity: strained === 'certain' && !newest ? undefined : 'warning',
    message:
      `${count(writes)} rows a second end in ${inRanges(parents * ends)}, ${where}: ` +
      `${count(writes / (parents * ends))} a second in each, and ${limitOf(strained)}.`,
    fix:
      `Put a part that does not grow and has many values before ${own[0]?.property}, or interleave ${table.name} in a table ` +
      'that has many rows to write to at a time.',
  })
}

function columnIn(own: readonly KeyPart[]): { readonly column?: string } {
  return own[0] ? { column: own[0].property } : {}
}

function inRanges(number: number): string {
  return `${count(number)} ${number === 1 ? 'key range' : 'key ranges'}`
}
