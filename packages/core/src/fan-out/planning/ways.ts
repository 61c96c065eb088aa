import type { CompiledTable } from '../../database/compiled-table.js'
import type { CostProfile } from '../../database/driver.js'
import type { IndexLayout, KeyOrder, TableLayout } from '../../dialects/layout.js'
import { fixedValue, type Constraints } from './constraints.js'
import { estimate, ESTIMATED_STRATEGIES, obstacle, type EstimatedStrategy } from './costs.js'
import type { QueryShape } from './query-shape.js'
import { isImplied } from './implied.js'
import { isKeyOrder, shardRange, type ShardRange } from './key-ranges.js'
import type { FanOutRequest } from '../request.js'
import { shardsToRead } from './shards.js'

/** One way to read: the table by its own key, or by one of its indexes. */
export interface Way {
  readonly index: IndexLayout | undefined
  readonly keys: KeyOrder
  readonly read: readonly number[] | undefined
  readonly ranges: readonly ShardRange[]
  readonly shape: QueryShape
  readonly estimates: Readonly<Record<EstimatedStrategy, number>>
  readonly strategy: EstimatedStrategy
  /** Why the strategy that was asked for is not this one. */
  readonly obstacle: string | undefined
  readonly cost: number
}

/** The cheapest way. */
export function bestWay(
  table: CompiledTable,
  request: FanOutRequest,
  constraints: Constraints,
  costs: CostProfile,
): Way {
  const indexes = request.index
    ? [request.index]
    : [undefined, ...usefulIndexes(table.layout, request, constraints)]
  return indexes
    .map((index) => wayBy(table.layout, request, constraints, costs, index))
    .reduce((best, each) => (each.cost < best.cost ? each : best))
}

/** Indexes whose order is the wanted one, and that leave no row out. */
function usefulIndexes(
  layout: TableLayout,
  { order }: FanOutRequest,
  constraints: Constraints,
): readonly IndexLayout[] {
  if (isKeyOrder(layout, order, constraints)) return []
  return layout.indexes.filter(
    ({ index, ...keys }) =>
      !index.nullFiltered && index.notNull.length === 0 && isKeyOrder(keys, order, constraints),
  )
}

function wayBy(
  layout: TableLayout,
  request: FanOutRequest,
  constraints: Constraints,
  costs: CostProfile,
  index: IndexLayout | undefined,
): Way {
  const keys = index ?? layout
  const read = shardsToRead(layout, keys, constraints)
  const ranges = shardList(read).map((shard) => shardRange(keys, shard, constraints))
  const keyOrdered = isKeyOrder(keys, request.order, constraints)
  const readable = !index || layout.fields.every((field) => index.covered.has(field))
  const shape: QueryShape = {
    ranges: ranges.length,
    wanted: request.limit,
    bounded: ranges.every((range) => range.bounded),
    keyOrdered,
    readable,
    joinable: !readable && request.order.every(({ field }) => index.covered.has(field)),
    // A mirrored table sorts by its mirrors, which no ORDER BY of a statement names.
    statementOrdered: keyOrdered && (index !== undefined || layout.grouped === undefined),
    filtered: !isImplied(request.condition, keys, constraints),
    point:
      !index && layout.key.every(({ field }) => field === layout.shard || fixedValue(constraints, field)),
    sharded: read !== undefined,
  }
  const estimates = Object.fromEntries(
    ESTIMATED_STRATEGIES.map((each) => [each, estimate(each, shape, costs)]),
  ) as Record<EstimatedStrategy, number>
  const chosen = choose(request, shape, estimates)
  return { index, keys, read, ranges, shape, estimates, ...chosen, cost: estimates[chosen.strategy] }
}

function choose(
  { forced, apart }: FanOutRequest,
  shape: QueryShape,
  estimates: Readonly<Record<EstimatedStrategy, number>>,
): Pick<Way, 'strategy' | 'obstacle'> {
  // Only there does a shard have calls of its own.
  const possible: readonly EstimatedStrategy[] = apart ? ['merge-shards', 'back-join'] : ESTIMATED_STRATEGIES
  const cheapest = possible.reduce((best, each) => (estimates[each] < estimates[best] ? each : best))
  if (!forced) return { strategy: cheapest, obstacle: undefined }
  const wish = possible.find((each) => each === forced)
  const why = wish || !apart ? obstacle(forced, shape) : 'has no calls for each shard by itself'
  // What cannot be read as asked is read shard by shard all the same.
  return wish && why === undefined
    ? { strategy: wish, obstacle: undefined }
    : { strategy: 'merge-shards', obstacle: `${forced} ${why}` }
}

/** The shards to read; one of no number where there are none. */
export function shardList(read: readonly number[] | undefined): readonly (number | undefined)[] {
  return read ?? [undefined]
}
