import type { KeyRange } from '../database/driver.js'
import type { OrderTerm, Position } from '../dialects/condition.js'
import type { PhysicalKeyPart, TableLayout } from '../dialects/layout.js'
import type { Wire } from '../dialects/wire.js'
import { fixedValue, type Bound, type Constraints } from './constraints.js'

/** The key parts that follow the shard. */
function partsInShard(layout: TableLayout): readonly PhysicalKeyPart[] {
  return layout.shard ? layout.key.slice(1) : layout.key
}

/**
 * Whether reading a shard in key order gives the wanted order. Fields that the filter fixes are equal in all rows, so
 * they change no order.
 */
export function isKeyOrder(
  layout: TableLayout,
  terms: readonly OrderTerm[],
  constraints: Constraints,
): boolean {
  const free = (each: { readonly field: OrderTerm['field'] }): boolean =>
    each.field !== layout.shard && !fixedValue(constraints, each.field)
  // Before the end of the order, the shard puts the rows of one shard before or behind all equal rows of another.
  const shardAt = terms.findIndex(({ field }) => field === layout.shard)
  if (shardAt >= 0 && !fixedValue(constraints, layout.shard!) && terms.slice(shardAt + 1).some(free))
    return false
  const wanted = terms.filter(free)
  const given = partsInShard(layout).filter(free)
  return (
    wanted.length === given.length &&
    wanted.every(({ field, order }, at) => given[at]!.field === field && given[at]!.order === order)
  )
}

export interface ShardRange extends KeyRange {
  /** Whether the range has an end on both sides below the shard: a window, not a whole shard. */
  readonly bounded: boolean
}

/** The keys of one shard that can match: those that start with the fixed parts, within the bounds of the next part. */
export function shardRange(
  layout: TableLayout,
  shard: number | undefined,
  constraints: Constraints,
): ShardRange {
  const prefix: Wire[] = shard === undefined ? [] : [String(shard)]
  const parts = partsInShard(layout)
  let at = 0
  for (; at < parts.length; at++) {
    const { field, column } = parts[at]!
    const fixed = fixedValue(constraints, field)
    if (!fixed) break
    prefix.push(fixed.value === null ? null : column.encode(fixed.value))
  }
  const next = parts[at]
  const constraint = next && constraints.get(next.field)
  const ascending = next?.order !== 'desc'
  const first = ascending ? constraint?.lower : constraint?.upper
  const last = ascending ? constraint?.upper : constraint?.lower
  const end = (bound: Bound | undefined): Wire[] =>
    bound ? [...prefix, next!.column.encode(bound.value)] : prefix
  return {
    start: end(first),
    startOpen: first?.open ?? false,
    end: end(last),
    endOpen: last?.open ?? false,
    bounded: next === undefined || (first !== undefined && last !== undefined),
  }
}

/**
 * What is left of a range after a position in key order. A row that equals the position in everything but the shard
 * comes after it if its shard does, since the shard is the last term of the order.
 */
export function rangeAfter(
  layout: TableLayout,
  shard: number | undefined,
  range: ShardRange,
  terms: readonly OrderTerm[],
  position: Position,
): ShardRange {
  const start = layout.key.map(({ field, column }): Wire => {
    if (field === layout.shard) return String(shard)
    const at = terms.findIndex((term) => term.field === field)
    return position[at]![field.physical.indexOf(column)]!
  })
  const shardAt = terms.findIndex((term) => term.field === layout.shard)
  const positionShard = shardAt < 0 ? undefined : Number(position[shardAt]![0])
  const descending = terms[shardAt]?.order === 'desc'
  const startOpen =
    shard === undefined ||
    positionShard === undefined ||
    shard === positionShard ||
    shard < positionShard !== descending
  return { ...range, start, startOpen }
}
