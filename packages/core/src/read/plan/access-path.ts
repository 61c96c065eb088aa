import type { CompiledTable } from '../../rows/compiled-table.js'
import type { CostProfile, KeyRange } from '../../engine/driver.js'
import type { Condition, OrderTerm, Position } from '../../layout/statement.js'
import type { Field, IndexLayout, KeyOrder, TableLayout } from '../../layout/layout.js'
import { type Constraints, fixedValue } from './constraints.js'
import {
  ESTIMATED_STRATEGIES,
  type EstimatedStrategy,
  PARTITION_STRATEGIES,
  type QueryShape,
  type Strategy,
  estimate,
  obstacle,
} from './costs.js'
import {
  type PartitionKey,
  type ReadOrder,
  backwards,
  boundedRange,
  clusteringFields,
  isImplied,
  isKeyOrder,
  rangeUnder,
  readOrder,
  restAfter,
} from './key-ranges.js'
import { invalidQuery } from './order.js'
import { type PartitionGroups, partitionGroups } from './partitions.js'
import type { FanOutRequest } from './request.js'

/** One way to the rows: the table by its own key, or by one of its indexes, and the strategy that is best there. */
export interface AccessPath extends ReadOrder {
  readonly index: IndexLayout | undefined
  readonly groups: PartitionGroups
  readonly shape: QueryShape
  readonly strategy: Strategy
  /** Why the strategy that was asked for is not this one. */
  readonly obstacle: string | undefined
  /** Absent where the choice is not by cost. */
  readonly estimates?: Readonly<Record<EstimatedStrategy, number>>
  readonly cost: number
  /** The keys of a partition that can match. */
  rangeOf(partition: PartitionKey): KeyRange
  /** The range that is left after the query's position; undefined if nothing is left. */
  restOf(partition: PartitionKey): KeyRange | undefined
}

/**
 * The cheapest access path.
 *
 * @throws {IsothermError} `INVALID_QUERY` for partitions that the filter leaves open, and for too many of them; where statements
 * do not read several partitions, for an index, and for a strategy that needs statements.
 */
export function bestPath(
  table: CompiledTable,
  request: FanOutRequest,
  constraints: Constraints,
  costs: CostProfile,
  now: Date,
): AccessPath {
  const { layout, dialect } = table
  const { index, forced } = request
  if (!dialect.sql) {
    if (index) throw noIndex(layout, index.index.name)
    if (forced && !PARTITION_STRATEGIES.includes(forced)) throw noStatements(layout, forced)
  }
  const indexes = index ? [index] : [undefined, ...usefulIndexes(table, request, constraints)]
  return indexes
    .map((each) => pathBy(table, request, constraints, costs, now, each))
    .reduce((best, each) => (each.cost < best.cost ? each : best))
}

/** Indexes whose order is the wanted one, and that leave no row out. */
function usefulIndexes(
  { layout, dialect }: CompiledTable,
  { order }: FanOutRequest,
  constraints: Constraints,
): readonly IndexLayout[] {
  if (!dialect.sql || isKeyOrder(layout, order, constraints)) return []
  return layout.indexes.filter(
    ({ index, ...keys }) =>
      !index.nullFiltered && index.notNull.length === 0 && isKeyOrder(keys, order, constraints),
  )
}

function pathBy(
  { layout, dialect }: CompiledTable,
  request: FanOutRequest,
  constraints: Constraints,
  costs: CostProfile,
  now: Date,
  index: IndexLayout | undefined,
): AccessPath {
  const { condition, order, after, limit } = request
  const stored: KeyOrder = index ?? layout
  const groups = partitionGroups(layout, stored, order, constraints, after, now)
  const found = dialect.sql
    ? wholeOrder(stored, order, constraints)
    : readOrder(stored, groups.terms, constraints)
  const clustering = clusteringFields(stored)
  const keyed = index?.byStatement !== true
  const readable = keyed && (!index || layout.fields.every((field) => index.covered.has(field)))
  const shape: QueryShape = {
    ranges: groups.count * groups.size,
    wanted: limit,
    bounded: boundedRange([], clustering, constraints).bounded,
    keyOrdered: found !== undefined,
    fixedBehind: fixesBehind(stored, order, constraints),
    keyed,
    readable,
    joinable: keyed && !readable && order.every(({ field }) => index?.covered.has(field)),
    // A mirrored table sorts by its mirrors, which no ORDER BY of a statement names.
    statementOrdered: found !== undefined && (index !== undefined || layout.grouped === undefined),
    filtered: !isImplied(condition, stored, constraints),
    point: !index && clustering.every(({ field }) => fixedValue(constraints, field)),
    sharded: groups.shards !== undefined,
    statements: dialect.sql !== undefined,
    bucketed: groups.buckets !== undefined,
    bucketOrdered: groups.ordered,
  }
  const choice = dialect.sql ? cheapest(request, shape, costs) : firstPossible(request, shape, groups.count)
  // A client-side sort reads rows in storage order, and all of them: its order differs from the cursor's.
  const isSorted = choice.strategy === 'client-sort'
  const { keys, reversed } = found && !isSorted ? found : { keys: stored, reversed: false }
  // The same below each partition key.
  const within = boundedRange([], clusteringFields(keys), constraints)
  const turn = (range: KeyRange): KeyRange => (reversed ? backwards(range) : range)
  const rest = after && !isSorted && restAfter(keys, groups.terms, inTerms(groups, order, after), constraints)
  return {
    index,
    keys,
    reversed,
    groups,
    shape,
    ...choice,
    rangeOf: ({ prefix }) => turn(rangeUnder(prefix, within)),
    restOf(partition) {
      const range = rangeUnder(partition.prefix, within)
      const left = rest ? rest(partition, range) : range
      return left && turn(left)
    },
  }
}

/** Statements sort what the key does not: a key that gives a part of the order is of no use. */
function wholeOrder(
  keys: KeyOrder,
  order: readonly OrderTerm[],
  constraints: Constraints,
): ReadOrder | undefined {
  return isKeyOrder(keys, order, constraints) ? { keys, reversed: false } : undefined
}

type Choice = Pick<AccessPath, 'strategy' | 'obstacle' | 'estimates' | 'cost'>

/** Whether the filter fixes what orders rows elsewhere than where their key begins: rows that do not match are elsewhere then. */
function fixesBehind(stored: KeyOrder, order: readonly OrderTerm[], constraints: Constraints): boolean {
  const isFixed = ({ field }: { readonly field: Field }): boolean =>
    fixedValue(constraints, field) !== undefined
  const clustering = clusteringFields(stored)
  const free = clustering.findIndex((part) => !isFixed(part))
  const behind = free < 0 ? [] : clustering.slice(free)
  const beside = order.filter(({ field }) => !stored.key.some((part) => part.field === field))
  return [...behind, ...beside].some(isFixed)
}

function cheapest({ forced, apart }: FanOutRequest, shape: QueryShape, costs: CostProfile): Choice {
  const estimates = Object.fromEntries(
    ESTIMATED_STRATEGIES.map((each) => [each, estimate(each, shape, costs)]),
  ) as Record<EstimatedStrategy, number>
  const chosen = (strategy: EstimatedStrategy, why?: string): Choice => ({
    strategy,
    obstacle: why,
    estimates,
    cost: estimates[strategy],
  })
  // Only there does a shard have calls of its own.
  const possible: readonly EstimatedStrategy[] = apart ? ['merge-shards', 'back-join'] : ESTIMATED_STRATEGIES
  if (!forced)
    return chosen(possible.reduce((best, each) => (estimates[each] < estimates[best] ? each : best)))
  const wish = possible.find((each) => each === forced)
  const why = wish || !apart ? obstacle(forced, shape) : 'has no calls for each shard by itself'
  // If the requested way of reading is not possible, shard by shard still is.
  return wish && why === undefined ? chosen(wish) : chosen('merge-shards', `${forced} ${why}`)
}

/** If the engine reads one partition at a time, the first possible strategy is the best. */
function firstPossible({ forced }: FanOutRequest, shape: QueryShape, groups: number): Choice {
  const why = forced && obstacle(forced, shape)
  const isPossible = (strategy: Strategy): boolean => obstacle(strategy, shape) === undefined
  const isScan = groups > 1 && isPossible('bucket-scan')
  const best = isScan ? 'bucket-scan' : isPossible('merge-shards') ? 'merge-shards' : 'client-sort'
  return {
    strategy: forced && !why ? forced : best,
    obstacle: why && `${forced} ${why}`,
    cost: 0,
  }
}

function inTerms({ terms }: PartitionGroups, order: readonly OrderTerm[], after: Position): Position {
  return terms.map(({ field }) => after[order.findIndex((term) => term.field === field)]!)
}

function noIndex(layout: TableLayout, name: string) {
  return invalidQuery(
    layout,
    `cannot be read by its index ${name}: a fan-out reads partitions, and the index does not have partitions of its own.`,
    'Leave useIndex out; to look rows up by another key, keep a table with that key and write it beside this one.',
  )
}

function noStatements(layout: TableLayout, strategy: Strategy) {
  return invalidQuery(
    layout,
    `cannot be read by the strategy ${strategy}, which needs one order, or statements, over several partitions.`,
    `Use ${PARTITION_STRATEGIES.join(', ')}, or leave strategy out.`,
  )
}

/**
 * An index that leaves out rows with NULL returns the whole result only if the filter leaves them out as well.
 *
 * @throws {IsothermError} `INVALID_QUERY` naming the properties.
 */
export function refusePartialIndex(
  { layout }: CompiledTable,
  { index }: IndexLayout,
  condition: Condition | undefined,
): void {
  const filtered = index.nullFiltered ? index.parts.map((part) => part.property) : index.notNull
  const open = filtered.filter((property) => {
    const field = layout.byProperty.get(property)!
    return field.column.nullable && !excludesNull(condition, field)
  })
  if (open.length === 0) return
  throw invalidQuery(
    layout,
    `cannot be read by ${index.name} alone, which leaves out rows in which ${open.join(' or ')} is NULL.`,
    `Leave them out as well: where({ ${open.map((property) => `${property}: { ne: null }`).join(', ')} }).`,
  )
}

/** Whether every row that matches has a value in this field. */
function excludesNull(condition: Condition | undefined, field: Field): boolean {
  switch (condition?.kind) {
    case 'and':
      return condition.of.some((each) => excludesNull(each, field))
    case 'or':
      return condition.of.length > 0 && condition.of.every((each) => excludesNull(each, field))
    case 'not':
      return condition.of.kind === 'null' && condition.of.field === field
    case 'compare':
    case 'in':
    case 'prefix':
      // A comparison with NULL is unknown, and does not match.
      return condition.field === field
    default:
      return false
  }
}
