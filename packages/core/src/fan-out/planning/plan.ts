import type { CompiledTable } from '../../database/compiled-table.js'
import type { CostProfile, Driver } from '../../database/driver.js'
import type { IndexLayout, KeyOrder } from '../../dialects/layout.js'
import { plannedCalls, type PlannedCall } from './calls.js'
import { isImpossible, tableConstraints, type Constraints } from './constraints.js'
import type { EstimatedStrategy, Strategy } from './costs.js'
import { laneReading } from './lane-reading.js'
import { planLanes, type PlannedBuckets } from './plan-lanes.js'
import type { QueryShape } from './query-shape.js'
import { describeCondition, type DescribedCondition } from '../describe.js'
import { planIncludes, type PlannedInclude } from '../children/include-plan.js'
import type { FanOutRequest } from '../request.js'
import { shardCount, shardsToRead } from './shards.js'
import { bestWay, type Way } from './ways.js'

/** What a fan-out will do, as data: it can be printed, compared and sent elsewhere. */
export interface FanOutPlan {
  readonly table: string
  /** The index that is read, rather than the table itself. */
  readonly index?: string
  /** `nothing`: the filter leaves no shard that could hold a row. */
  readonly strategy: Strategy | 'nothing'
  readonly reason: string
  /** Estimated milliseconds of each strategy; absent where the choice was not by cost. */
  readonly estimates?: Readonly<Record<EstimatedStrategy, number>>
  /** How many shards the table has, and which of them are read; absent where it has none. */
  readonly shards?: { readonly of: number; readonly read: readonly number[] }
  /** How many partitions are read at most; absent where rows do not lie in partitions. */
  readonly partitions?: number
  /** The time buckets of the partition key, as they are walked; absent where it has none. */
  readonly buckets?: PlannedBuckets
  readonly filter?: DescribedCondition
  /** Whether the filter is applied to the rows here, rather than by the database. */
  readonly filteredHere: boolean
  readonly order: readonly { readonly property: string; readonly order: 'asc' | 'desc' }[]
  readonly limit?: number
  /** As of one moment, whatever happens meanwhile. */
  readonly snapshot: boolean
  readonly calls: readonly PlannedCall[]
  /** The children that each row brings with it; absent where there are none. */
  readonly includes?: readonly PlannedInclude[]
}

/** An engine as the planner knows it: what things cost, and whether it reads several of them as of one moment. */
export type PlannedEngine = Pick<Driver, 'costs' | 'snapshot'>

/** @throws {IsothermError} `INVALID_QUERY` for what an engine that has no order across partitions cannot read. */
export function planFanOut(table: CompiledTable, request: FanOutRequest, engine: PlannedEngine): FanOutPlan {
  const { layout, dialect } = table
  const constraints = tableConstraints(layout, request.condition, dialect)
  return layout.partition === undefined
    ? planOneOrder(table, request, constraints, engine.costs)
    : planPartitions(table, request, constraints, engine.costs)
}

/** Where the engine has one order over all shards. */
function planOneOrder(
  table: CompiledTable,
  request: FanOutRequest,
  constraints: Constraints,
  costs: CostProfile,
): FanOutPlan {
  const { limit, forced } = request
  const way = bestWay(table, request, constraints, costs)
  const { keys, read, shape, strategy, estimates } = way
  const described = describedQuery(table, request, keys, read, way.index)
  if (read?.length === 0 || isImpossible(constraints)) return { ...described, ...NOTHING }
  const calls = plannedCalls(table, request, constraints, costs, way)
  const viaReads = calls.some((call) => call.kind === 'read')
  const filteredHere = viaReads && shape.filtered
  return {
    ...described,
    strategy,
    reason: forced ? (way.obstacle ?? 'asked for') : reasonFor(way, costs),
    ...(!forced && { estimates }),
    filteredHere,
    snapshot:
      request.pinned ||
      // Children are those of the rows' own moment.
      request.includes.length > 0 ||
      needsSnapshot(strategy, calls.length, shape, filteredHere || (viaReads && keys.grouped !== undefined)),
    calls,
    ...(request.includes.length > 0 && { includes: planIncludes(request.includes, limit, costs) }),
  }
}

/** Where each partition has an order of its own, and is as of its own moment. */
function planPartitions(
  table: CompiledTable,
  request: FanOutRequest,
  constraints: Constraints,
  costs: CostProfile,
): FanOutPlan {
  const { layout } = table
  const read = shardsToRead(layout, layout, constraints)
  const described = describedQuery(table, request, layout, read)
  if (isImpossible(constraints)) return { ...described, ...NOTHING }
  const reading = laneReading(table, request, constraints)
  const { groups } = reading.lanes
  if (groups.count * groups.lanes === 0) return { ...described, ...NOTHING }
  return {
    ...described,
    ...planLanes(reading, request),
    snapshot: false,
    ...(request.includes.length > 0 && { includes: planIncludes(request.includes, request.limit, costs) }),
  }
}

const NOTHING = {
  strategy: 'nothing',
  reason: 'the filter contradicts itself: no row can match',
  filteredHere: false,
  snapshot: false,
  calls: [],
} as const

function describedQuery(
  { layout }: CompiledTable,
  { condition, order, limit }: FanOutRequest,
  keys: KeyOrder,
  read: readonly number[] | undefined,
  index?: IndexLayout,
) {
  const count = shardCount(keys)
  return {
    table: layout.table.name,
    ...(index && { index: index.index.name }),
    ...(read && count !== undefined && { shards: { of: count, read } }),
    ...(condition && { filter: describeCondition(condition) }),
    order: order.map(({ field, order: direction }) => ({
      property: field.column.property,
      order: direction,
    })),
    ...(limit !== undefined && { limit }),
  }
}

function needsSnapshot(
  strategy: Strategy,
  calls: number,
  { wanted, point }: QueryShape,
  mayNeedMore: boolean,
): boolean {
  if (strategy === 'read-ranges') return false
  if (strategy === 'back-join') return true
  // One call that is known to be enough is a moment of its own.
  return calls > 1 || (!point && (wanted === undefined || mayNeedMore))
}

/** Why the planner has chosen: each strategy's reason, in one place. */
function reasonFor({ index, shape, strategy }: Way, costs: CostProfile): string {
  const { ranges, statementOrdered, keyOrdered, readable, sharded } = shape
  switch (strategy) {
    case 'back-join':
      return `the index ${index!.index.name} has the wanted order, and the rows that win are looked up by key`
    case 'probe-window':
      return `${probedOrder(index)}, and a few rows of one shard show how far ${shape.wanted} rows reach`
    default:
  }
  if (index) {
    return readable
      ? `the index ${index.index.name} has the wanted order, and all columns of the rows`
      : `the index ${index.index.name} has the wanted order`
  }
  switch (strategy) {
    case 'read-ranges':
      return `the window is bounded in each of ${ranges} key ranges, and one read takes them all`
    case 'bounded-range':
      return `the window is bounded in each of ${ranges} key ranges, and one statement takes them all`
    case 'push-down':
      return statementOrdered
        ? 'one round trip, with the limit pushed into each shard'
        : 'the order is not that of the key, so the database sorts'
    case 'merge-shards':
      if (!keyOrdered) return 'one statement per shard costs least here'
      if (!sharded) return 'the table is not sharded, and its key order is the wanted order'
      if (ranges === 1) return 'the filter leaves one shard, whose key order is the wanted order'
      return costs.statementsScan
        ? 'the key order of each shard is the wanted order, and statements scan the whole table here'
        : 'the key order of each shard is the wanted order, and reads by key cost least'
  }
}

function probedOrder(index: Way['index']): string {
  return index
    ? `the index ${index.index.name} has the wanted order`
    : 'the key order of each shard is the wanted order'
}
