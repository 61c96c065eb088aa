import type { CompiledTable } from '../database/compiled-table.js'
import type { CostProfile, KeyRange } from '../database/driver.js'
import type { Condition, OrderTerm, Position } from '../dialects/condition.js'
import type { Selection, Statement } from '../dialects/statement.js'
import { constraintsOf, fixedValue, isImpossible } from './constraints.js'
import { estimate, type QueryShape, type Strategy } from './costs.js'
import { describeCondition, type DescribedCondition } from './describe.js'
import { isKeyOrder, rangeAfter, shardRange, type ShardRange } from './key-ranges.js'
import { shardCount, shardsToRead } from './shards.js'

/** What a fan-out is asked for, checked and ready. */
export interface FanOutRequest {
  readonly condition: Condition | undefined
  readonly order: readonly OrderTerm[]
  readonly after: Position | undefined
  /** Rows wanted; undefined for all. */
  readonly limit: number | undefined
  readonly forced: Strategy | undefined
}

export interface PlannedRead {
  readonly kind: 'read'
  readonly shard?: number
  readonly ranges: readonly KeyRange[]
  /** How many rows the first call asks for. */
  readonly limit?: number
}

export interface PlannedStatement {
  readonly kind: 'statement'
  readonly shard?: number
  readonly statement: Statement
  readonly limit: number
}

/** What a fan-out will do, as data: it can be printed, compared and sent elsewhere. */
export interface FanOutPlan {
  readonly table: string
  /** `nothing`: the filter leaves no shard that could hold a row. */
  readonly strategy: Strategy | 'nothing'
  readonly reason: string
  /** Estimated milliseconds of each strategy; absent where the choice was not by cost. */
  readonly estimates?: Readonly<Record<Strategy, number>>
  /** How many shards the table has, and which of them are read; absent where it has none. */
  readonly shards?: { readonly of: number; readonly read: readonly number[] }
  readonly filter?: DescribedCondition
  /** Whether the filter is applied to the rows here, rather than by the database. */
  readonly filteredHere: boolean
  readonly order: readonly { readonly property: string; readonly order: 'asc' | 'desc' }[]
  readonly limit?: number
  /** As of one moment, whatever happens meanwhile. */
  readonly snapshot: boolean
  readonly calls: readonly (PlannedRead | PlannedStatement)[]
}

/** How many rows a call to one shard asks for where no limit says so. */
export const STREAM_CHUNK = 500

/** The same for a statement over all shards, which has to find the place where it left off each time. */
const STATEMENT_CHUNK = 5_000

const STRATEGIES: readonly Strategy[] = ['read-ranges', 'merge-shards', 'push-down']

export function planFanOut(table: CompiledTable, request: FanOutRequest, costs: CostProfile): FanOutPlan {
  const { layout } = table
  const { condition, order, after, limit, forced } = request
  const constraints = constraintsOf(condition)
  const read = shardsToRead(layout, constraints)
  const count = shardCount(layout)
  const described = {
    table: layout.table.name,
    ...(read && count !== undefined && { shards: { of: count, read } }),
    ...(condition && { filter: describeCondition(condition) }),
    order: order.map(({ field, order: direction }) => ({
      property: field.column.property,
      order: direction,
    })),
    ...(limit !== undefined && { limit }),
  }
  if (read?.length === 0 || isImpossible(constraints)) {
    return {
      ...described,
      strategy: 'nothing',
      reason: 'the filter contradicts itself: no row can match',
      filteredHere: false,
      snapshot: false,
      calls: [],
    }
  }

  const shards: readonly (number | undefined)[] = read ?? [undefined]
  const keyOrdered = isKeyOrder(layout, order, constraints)
  const ranges = shards.map((shard) => shardRange(layout, shard, constraints))
  const shape: QueryShape = {
    ranges: ranges.length,
    wanted: limit,
    bounded: ranges.every((range) => range.bounded),
    keyOrdered,
    filtered: condition !== undefined,
    point: layout.key.every(({ field }) => field === layout.shard || fixedValue(constraints, field)),
    sharded: read !== undefined,
  }
  const estimates = Object.fromEntries(
    STRATEGIES.map((each) => [each, estimate(each, shape, costs)]),
  ) as Record<Strategy, number>
  const strategy =
    forced ?? STRATEGIES.reduce((best, each) => (estimates[each] < estimates[best] ? each : best))
  const selection: Selection = {
    layout,
    ...(read && { shards: read }),
    ...(condition && { condition }),
    order,
    ...(after && { after }),
  }
  const calls = callsOf(table, strategy, { selection, shards, ranges, shape, costs })
  const viaReads = calls.some((call) => call.kind === 'read')
  const filteredHere = viaReads && condition !== undefined
  return {
    ...described,
    strategy,
    reason: forced ? 'asked for' : reasonFor(strategy, shape, costs),
    ...(!forced && { estimates }),
    filteredHere,
    snapshot: needsSnapshot(strategy, calls.length, shape, filteredHere),
    calls,
  }
}

interface Planned {
  readonly selection: Selection
  readonly shards: readonly (number | undefined)[]
  readonly ranges: readonly ShardRange[]
  readonly shape: QueryShape
  readonly costs: CostProfile
}

function callsOf(
  table: CompiledTable,
  strategy: Strategy,
  planned: Planned,
): (PlannedRead | PlannedStatement)[] {
  const { selection, shards, ranges, shape } = planned
  switch (strategy) {
    case 'read-ranges':
      return [{ kind: 'read', ranges: ranges.map(plainRange) }]
    case 'push-down': {
      const limit = shape.wanted ?? STATEMENT_CHUNK
      return [{ kind: 'statement', statement: statementFor(table, { ...selection, limit }, planned), limit }]
    }
    case 'merge-shards': {
      const limit = firstChunk(shape)
      return shards.map((shard, at) => {
        const named = shard === undefined ? {} : { shard }
        if (shape.keyOrdered) {
          const { order, after } = selection
          const range = after ? rangeAfter(selection.layout, shard, ranges[at]!, order, after) : ranges[at]!
          return { kind: 'read', ...named, ranges: [plainRange(range)], limit }
        }
        return {
          kind: 'statement',
          ...named,
          statement: shardStatement(table, selection, shard, limit),
          limit,
        }
      })
    }
  }
}

/** A statement over all shards: each shard's own limit helps only if the shard need not be sorted for it. */
export function statementFor(
  table: CompiledTable,
  selection: Selection,
  { shape, costs }: { readonly shape: { readonly keyOrdered: boolean }; readonly costs: CostProfile },
): Statement {
  const { statements } = table.dialect
  if (shape.keyOrdered && !costs.statementsScan) return statements.selectPerShard(selection)
  const { shards, ...unsharded } = selection
  // To name every shard would say nothing and cost a look-up per row.
  return statements.select(shards?.length === shardCount(selection.layout) ? unsharded : selection)
}

/** A statement over one shard. */
export function shardStatement(
  table: CompiledTable,
  selection: Omit<Selection, 'shards' | 'limit'>,
  shard: number | undefined,
  limit: number,
): Statement {
  return table.dialect.statements.select({
    ...selection,
    limit,
    ...(shard !== undefined && { shards: [shard] }),
  })
}

/**
 * How many rows to ask each shard for at first. Hashed keys spread evenly, so a shard holds its share of the wanted rows,
 * give or take three standard deviations; a shard that holds more is asked again.
 */
function firstChunk({ wanted, ranges, filtered, point }: QueryShape): number {
  // One row at most; one more is asked for, so that nobody asks again.
  if (point) return 2
  if (wanted === undefined) return STREAM_CHUNK
  if (ranges === 1 || filtered) return wanted
  const share = wanted / ranges
  return Math.min(wanted, Math.ceil(share + 3 * Math.sqrt(share) + 2))
}

function needsSnapshot(
  strategy: Strategy,
  calls: number,
  { wanted, point }: QueryShape,
  filteredHere: boolean,
): boolean {
  if (strategy === 'read-ranges') return false
  // One call that is known to be enough is a moment of its own.
  return calls > 1 || (!point && (wanted === undefined || filteredHere))
}

function plainRange({ start, startOpen, end, endOpen }: ShardRange): KeyRange {
  return { start, startOpen, end, endOpen }
}

function reasonFor(strategy: Strategy, shape: QueryShape, costs: CostProfile): string {
  switch (strategy) {
    case 'read-ranges':
      return `the window is bounded in each of ${shape.ranges} key ranges, and one read takes them all`
    case 'push-down':
      return shape.keyOrdered
        ? 'one round trip, with the limit pushed into each shard'
        : 'the order is not that of the key, so the database sorts'
    case 'merge-shards':
      if (!shape.keyOrdered) return 'one statement per shard costs least here'
      if (!shape.sharded) return 'the table is not sharded, and its key order is the wanted order'
      if (shape.ranges === 1) return 'the filter leaves one shard, whose key order is the wanted order'
      return costs.statementsScan
        ? 'the key order of each shard is the wanted order, and statements scan the whole table here'
        : 'the key order of each shard is the wanted order, and reads by key cost least'
  }
}
