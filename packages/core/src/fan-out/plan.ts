import type { CompiledTable } from '../database/compiled-table.js'
import type { CostProfile, KeyRange } from '../database/driver.js'
import type { Condition, OrderTerm, Position } from '../dialects/condition.js'
import type { IndexLayout, KeyOrder, TableLayout } from '../dialects/layout.js'
import type { Selection, Statement } from '../dialects/statement.js'
import { tableConstraints, fixedValue, isImpossible, type Constraints } from './constraints.js'
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
  /** The index to read by; `undefined` leaves it to the planner. */
  readonly index: IndexLayout | undefined
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
  /** Which of the shards, where one statement cannot name them all. */
  readonly shards?: readonly number[]
  readonly statement: Statement
  readonly limit: number
}

/** What a fan-out will do, as data: it can be printed, compared and sent elsewhere. */
export interface FanOutPlan {
  readonly table: string
  /** The index that is read, rather than the table itself. */
  readonly index?: string
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
  const { layout, dialect } = table
  const { condition, order, limit, forced, index } = request
  const constraints = tableConstraints(layout, condition, dialect)
  const ways = (index ? [index] : [undefined, ...usefulIndexes(layout, order, constraints)]).map((by) =>
    wayBy(table, request, constraints, costs, by),
  )
  const way = ways.reduce((best, each) => (each.cost < best.cost ? each : best))
  const { keys, read, shape, strategy, estimates } = way
  const count = shardCount(keys)
  const described = {
    table: layout.table.name,
    ...(way.index && { index: way.index.index.name }),
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
  const calls = callsOf(table, request, constraints, costs, way)
  const viaReads = calls.some((call) => call.kind === 'read')
  const filteredHere = viaReads && condition !== undefined
  return {
    ...described,
    strategy,
    reason: forced ? 'asked for' : reasonFor(strategy, shape, costs, way.index),
    ...(!forced && { estimates }),
    filteredHere,
    snapshot: needsSnapshot(
      strategy,
      calls.length,
      shape,
      filteredHere || (viaReads && keys.grouped !== undefined),
    ),
    calls,
  }
}

/** One way to read: the table by its own key, or by one of its indexes. */
interface Way {
  readonly index: IndexLayout | undefined
  readonly keys: KeyOrder
  readonly read: readonly number[] | undefined
  readonly ranges: readonly ShardRange[]
  readonly shape: QueryShape
  readonly estimates: Readonly<Record<Strategy, number>>
  readonly strategy: Strategy
  readonly cost: number
}

function wayBy(
  table: CompiledTable,
  { condition, order, limit, forced }: FanOutRequest,
  constraints: Constraints,
  costs: CostProfile,
  index: IndexLayout | undefined,
): Way {
  const { layout } = table
  const keys = index ?? layout
  const read = shardsToRead(layout, keys, constraints)
  const ranges = shardList(read).map((shard) => shardRange(keys, shard, constraints))
  const keyOrdered = isKeyOrder(keys, order, constraints)
  const shape: QueryShape = {
    ranges: ranges.length,
    wanted: limit,
    bounded: ranges.every((range) => range.bounded),
    keyOrdered,
    readable: !index || layout.fields.every((field) => index.covered.has(field)),
    // A mirrored table sorts by its mirrors, which no ORDER BY of a statement names.
    statementOrdered: keyOrdered && (index !== undefined || layout.grouped === undefined),
    filtered: condition !== undefined,
    point:
      !index && layout.key.every(({ field }) => field === layout.shard || fixedValue(constraints, field)),
    sharded: read !== undefined,
  }
  const estimates = Object.fromEntries(
    STRATEGIES.map((each) => [each, estimate(each, shape, costs)]),
  ) as Record<Strategy, number>
  const cheapest = STRATEGIES.reduce((best, each) => (estimates[each] < estimates[best] ? each : best))
  // What cannot be read by key is read shard by shard all the same.
  const strategy = forced === 'read-ranges' && !shape.readable ? 'merge-shards' : (forced ?? cheapest)
  return { index, keys, read, ranges, shape, estimates, strategy, cost: estimates[strategy] }
}

/** Indexes whose order is the wanted one, and that leave no row out. */
function usefulIndexes(
  layout: TableLayout,
  order: readonly OrderTerm[],
  constraints: Constraints,
): readonly IndexLayout[] {
  if (isKeyOrder(layout, order, constraints)) return []
  return layout.indexes.filter(
    ({ index, ...keys }) =>
      !index.nullFiltered && index.notNull.length === 0 && isKeyOrder(keys, order, constraints),
  )
}

function shardList(read: readonly number[] | undefined): readonly (number | undefined)[] {
  return read ?? [undefined]
}

function callsOf(
  table: CompiledTable,
  { condition, order, after }: FanOutRequest,
  constraints: Constraints,
  costs: CostProfile,
  { index, keys, read, ranges, shape, strategy }: Way,
): (PlannedRead | PlannedStatement)[] {
  const { layout } = table
  const selection: Selection = {
    layout,
    ...(index && { index }),
    ...(read && { shards: read }),
    ...(condition && { condition }),
    order,
    ...(after && { after }),
  }
  if (strategy === 'read-ranges') return [{ kind: 'read', ranges: ranges.map(plainRange) }]
  if (strategy === 'push-down') {
    const limit = shape.wanted ?? STATEMENT_CHUNK
    return statementsFor(table, { ...selection, limit }, { shape, costs }).map((statement) => ({
      kind: 'statement',
      ...statement,
      limit,
    }))
  }
  // One row more shows where a group ends.
  const limit = firstChunk(shape) + (keys.grouped === undefined ? 0 : 1)
  return shardList(read).map((shard, at) => {
    const named = shard === undefined ? {} : { shard }
    // An index that lacks columns of the rows is read by statement, which goes back to the table for them.
    if (shape.keyOrdered && shape.readable) {
      const range = after ? rangeAfter(keys, shard, ranges[at]!, order, after, constraints) : ranges[at]!
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

/**
 * Statements over all shards, mostly one: each shard's own limit helps only if the shard need not be sorted for it. Where
 * one statement cannot name all shards, several share them, and their rows are merged like those of shards.
 */
function statementsFor(
  table: CompiledTable,
  selection: Selection,
  { shape, costs }: { readonly shape: Pick<QueryShape, 'statementOrdered'>; readonly costs: CostProfile },
): { readonly statement: Statement; readonly shards?: readonly number[] }[] {
  const { shards } = selection
  if (!shards || !shape.statementOrdered || costs.statementsScan) {
    return [{ statement: statementOver(table, selection) }]
  }
  const { statements } = table.dialect
  const each = statements.shardsPerStatement({ ...selection, shards })
  if (shards.length <= each) return [{ statement: statements.selectPerShard({ ...selection, shards }) }]
  const batches = []
  for (let from = 0; from < shards.length; from += each) {
    const batch = shards.slice(from, from + each)
    batches.push({ statement: statements.selectPerShard({ ...selection, shards: batch }), shards: batch })
  }
  return batches
}

/** One statement over all shards of a selection, sorted by the database. */
export function statementOver({ dialect: { statements } }: CompiledTable, selection: Selection): Statement {
  const { shards, ...unsharded } = selection
  // To name every shard would say nothing and cost a look-up per row.
  const all = shards?.length === shardCount(selection.index ?? selection.layout)
  return statements.select(all ? unsharded : selection)
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
  mayNeedMore: boolean,
): boolean {
  if (strategy === 'read-ranges') return false
  // One call that is known to be enough is a moment of its own.
  return calls > 1 || (!point && (wanted === undefined || mayNeedMore))
}

function plainRange({ start, startOpen, end, endOpen }: ShardRange): KeyRange {
  return { start, startOpen, end, endOpen }
}

function reasonFor(
  strategy: Strategy,
  shape: QueryShape,
  costs: CostProfile,
  index: IndexLayout | undefined,
): string {
  if (index) {
    return shape.readable
      ? `the index ${index.index.name} has the wanted order, and all columns of the rows`
      : `the index ${index.index.name} has the wanted order`
  }
  switch (strategy) {
    case 'read-ranges':
      return `the window is bounded in each of ${shape.ranges} key ranges, and one read takes them all`
    case 'push-down':
      return shape.statementOrdered
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
