import type { CompiledTable } from '../../rows/compiled-table.js'
import type { Driver } from '../../engine/driver.js'
import type { IndexLayout, TableLayout } from '../../layout/layout.js'
import type { Position, Selection } from '../../layout/statement.js'
import { type AccessPath, bestPath } from './access-path.js'
import { bucketSource, bucketText } from './buckets.js'
import {
  type PlannedCall,
  type PlannedRead,
  partitionCalls,
  partitionReads,
  probeCalls,
  rangesCall,
  rowsAtFirst,
  selectionOf,
  statementCalls,
} from './calls.js'
import { isImpossible, tableConstraints } from './constraints.js'
import {
  type EstimatedStrategy,
  MAX_WINDOWS,
  type Strategy,
  groupsAtOnce,
  groupsNext,
  streamChunk,
} from './costs.js'
import { type DescribedCondition, conditionFrom, describeCondition } from './cursor.js'
import { type PlannedInclude, planIncludes } from './include.js'
import { partitionFields } from './key-ranges.js'
import { invalidQuery, termsOf } from './order.js'
import { type Partition, shardCount, shardsToRead } from './partitions.js'
import type { FanOutRequest } from './request.js'

/**
 * What a fan-out will do, as data: it can be printed, compared and sent elsewhere. An execution gets only the plan, the
 * table and the driver.
 */
export interface FanOutPlan {
  readonly table: string
  /** The index that is read, rather than the table itself. */
  readonly index?: string
  /** `nothing`: the filter leaves no shard that could hold a row. */
  readonly strategy: Strategy | 'nothing'
  readonly reason: string
  /** Estimated milliseconds of each strategy; absent where the choice was not by cost. */
  readonly estimates?: Readonly<Record<EstimatedStrategy, number>>
  /** How many shards the table has, and which of them are read; absent if it has no shards. */
  readonly shards?: { readonly of: number; readonly read: readonly number[] }
  /** How many partitions are read at most; absent if rows are not in partitions. */
  readonly partitions?: number
  /** The time buckets of the partition key, in the order in which they are read; absent if it has no bucket. */
  readonly buckets?: PlannedBuckets
  readonly filter?: DescribedCondition
  /** Whether the filter is a client-side filter, rather than applied by the database. */
  readonly clientFilter: boolean
  readonly order: readonly { readonly property: string; readonly order: 'asc' | 'desc' }[]
  /** Only rows that come after this position: the stored values of each term of the order. */
  readonly after?: Position
  readonly limit?: number
  /** How many of the wanted rows only tell that there are more. */
  readonly lookAhead?: number
  /** All calls read one snapshot. */
  readonly snapshot: boolean
  /** A shard that fails leaves its rows out, and does not end the query. */
  readonly partial?: true
  /** How many calls wait for their answers at once. */
  readonly inFlight: number
  readonly calls: readonly PlannedCall[]
  /** How the rows of the calls become one result; absent where nothing is read. */
  readonly merge?: PlannedMerge
  /** The children that are read with each row; absent if there are none. */
  readonly includes?: readonly PlannedInclude[]
  /** The input of later plans of the same execution, besides the query; absent if there is none. */
  readonly hints?: PlanHints
}

/** The time buckets that are read, in their order. */
export interface PlannedBuckets {
  readonly by: string
  /** The time that they are of. */
  readonly of: string
  readonly first: string
  readonly last: string
  readonly count: number
}

/** How the rows of several calls become one result. */
export interface PlannedMerge {
  /** How many rows are merged at most. Absent: until the reader has enough, since rows get lost after they are merged. */
  readonly limit?: number
  /** How many rows are returned at a time at most. */
  readonly batch: number
  /**
   * How many leading key parts put rows in order; rows that agree in them need a client-side sort. Absent: all parts do.
   */
  readonly grouped?: number
  /** The calls are made in waves, until none can hold a wanted row. Absent: each is a stream that is asked when it is drained. */
  readonly waves?: true
  /** The next rows of a stream are asked for before they are wanted. */
  readonly ahead?: true
}

/** The input of plans, besides the query. */
export interface PlanHints {
  /** The random number, from 0 to 1, that says which shard is probed. */
  readonly seed?: number
  /** The time bucket of the clock, where which buckets there are depends on it. */
  readonly today?: string
  /** How many probe windows were read before. */
  readonly windows?: number
  /** The groups of partitions that the calls read; of a scan that sorts all rows together, others follow. */
  readonly groups?: PlannedGroups
}

/** Groups of partitions: those of the time buckets, numbered from 0 in their order. */
export interface PlannedGroups {
  readonly first: number
  /** The first group that the calls do not read. */
  readonly next: number
  /** How many groups were to be read together, and how many ever are at most. */
  readonly together: number
  readonly max: number
  /** How many groups there are. */
  readonly of: number
  /** All groups that follow are read as well, each made when it is reached: their rows are sorted together. */
  readonly scan?: true
}

/** The properties of an engine for the planner: its costs, and whether it can read a snapshot. */
type PlannedEngine = Pick<Driver, 'costs' | 'snapshot'>

/** What the planner gets besides the query: the same query, clock and seed give the same plan. */
export interface PlanInputs {
  readonly now: Date
  /** A random number, from 0 up to 1. */
  readonly seed: number
}

/** The result of a plan's execution. */
export interface PlanOutcome {
  /** How many rows it gave. */
  readonly found: number
  /** The position of the last row that was scanned; absent if there is none. */
  readonly reached?: Position
  /** The call would have had to hold too many rows, and returned none. */
  readonly tooMany?: true
}

/** How many rows are returned at a time. */
const BATCH = 256

/** How many rows of partitions are looked for in waves at most: for more of them, streams are read ahead. */
const MAX_IN_WAVES = 10_000

/** How many rows a client-side sort holds at most. */
export const MAX_SORTED = 100_000

/**
 * The planner of one query. It does not read, and the same query, engine and inputs give the same plans.
 *
 * @throws {IsothermError} `INVALID_QUERY` for a query that an engine without an order across partitions cannot read.
 */
export class Planner {
  readonly #table: CompiledTable
  readonly #request: FanOutRequest
  readonly #engine: PlannedEngine
  readonly #inputs: PlanInputs
  /** Undefined where no row can match. */
  readonly #path: AccessPath | undefined
  readonly #shards: readonly number[] | undefined

  constructor(table: CompiledTable, request: FanOutRequest, engine: PlannedEngine, inputs: PlanInputs) {
    this.#table = table
    this.#request = request
    this.#engine = engine
    this.#inputs = inputs
    const { layout, dialect } = table
    const constraints = tableConstraints(layout, request.condition, dialect)
    this.#path = isImpossible(constraints)
      ? undefined
      : bestPath(table, request, constraints, engine.costs, inputs.now)
    this.#shards = this.#path
      ? this.#path.groups.shards
      : shardsToRead(layout, request.index ?? layout, constraints)
  }

  /** The plan that an execution begins with. */
  first(): FanOutPlan {
    const { costs, snapshot } = this.#engine
    const { forced, includes, limit, consistentPages } = this.#request
    const path = this.#path
    if (!path || path.groups.count * path.groups.size === 0) return { ...this.#described(), ...NOTHING }
    const { strategy, shape, estimates, groups } = path
    const { calls, hints } = this.#firstCalls(path)
    const byReads = !calls.some((call) => call.kind === 'statement')
    const clientFilter = byReads && shape.filtered
    const plan = {
      ...this.#described(),
      strategy,
      reason: forced ? (path.obstacle ?? 'asked for') : reasonFor(path, limit, costs),
      ...(!forced && estimates && { estimates }),
      ...(!shape.statements && { partitions: shape.ranges, ...bucketsOf(path) }),
      clientFilter,
      snapshot:
        snapshot !== undefined &&
        (consistentPages ||
          // Children are read in the same snapshot as the rows.
          includes.length > 0 ||
          needsSnapshot(path, calls.length, clientFilter || (byReads && path.keys.grouped !== undefined))),
      calls,
      ...(includes.length > 0 && { includes: planIncludes(includes, limit, costs) }),
      ...(hints && { hints: { ...todayOf(groups.buckets), ...hints } }),
    }
    return { ...plan, merge: mergeOf(path, limit, losesRows(plan, this.#table.layout)) }
  }

  /**
   * The plan with which an execution continues if it `goesOn`: undefined if nothing is left to read.
   *
   * @throws {IsothermError} `INVALID_QUERY` for one time bucket with more rows than a client-side sort holds.
   */
  next(plan: FanOutPlan, outcome: PlanOutcome): FanOutPlan | undefined {
    const { groups } = plan.hints ?? {}
    return groups ? this.#nextGroups(plan, groups, outcome) : this.#nextWindow(plan, outcome)
  }

  /** The calls of a plan with a client-side sort, group by group: those of later groups are made as they are reached. */
  *scan({ calls, hints }: FanOutPlan): Generator<readonly PlannedCall[], void, undefined> {
    yield calls
    const { scan, next } = hints!.groups!
    if (!scan) return
    const path = this.#path!
    for (let group = next; group < path.groups.count; group++)
      yield partitionReads(path, path.groups.group(group), this.#scanChunk(path))
  }

  #described() {
    const { layout } = this.#table
    const { condition, order, after, limit, lookAhead, apart } = this.#request
    const index = this.#path ? this.#path.index : this.#request.index
    const count = shardCount(index ?? layout)
    const read = this.#shards
    return {
      table: layout.table.name,
      ...(index && { index: index.index.name }),
      ...(read && count !== undefined && { shards: { of: count, read } }),
      ...(condition && { filter: describeCondition(condition) }),
      order: order.map(({ field, order: direction }) => ({
        property: field.column.property,
        order: direction,
      })),
      ...(after && { after }),
      ...(limit !== undefined && { limit }),
      ...(lookAhead > 0 && { lookAhead }),
      ...(apart && ({ partial: true } as const)),
      inFlight: this.#engine.costs.inFlight,
    }
  }

  #firstCalls(path: AccessPath): { readonly calls: readonly PlannedCall[]; readonly hints?: PlanHints } {
    const { strategy, groups } = path
    const { limit } = this.#request
    const table = this.#table
    switch (strategy) {
      case 'read-ranges':
        return { calls: rangesCall(path) }
      case 'probe-window': {
        const { seed } = this.#inputs
        return { calls: probeCalls(path, limit!, seed), hints: { seed } }
      }
      case 'push-down':
      case 'bounded-range':
        return { calls: statementCalls(table, this.#selection(path), path, this.#engine.costs, limit) }
      case 'merge-shards':
      case 'back-join': {
        const all: Partition[] = []
        for (let group = 0; group < groups.count; group++)
          for (const partition of groups.group(group)) all.push(partition)
        const rows = rowsAtFirst(path, limit, all.length)
        return { calls: partitionCalls(table, this.#selection(path), path, all, rows) }
      }
      case 'bucket-scan':
      case 'client-sort': {
        const isSorted = strategy === 'client-sort'
        const { first, max } = groupsAtOnce(groups)
        if (isSorted && !groups.ordered) {
          const { calls, groups: read } = this.#groupCalls(path, { from: 0, together: 1, max: 1 }, limit)
          return { calls, hints: { groups: { ...read, scan: true } } }
        }
        const { calls, groups: read } = this.#groupCalls(path, { from: 0, together: first, max }, limit)
        return { calls, hints: { groups: read } }
      }
    }
  }

  /** Reads of some groups that have rows left to read. */
  #groupCalls(
    path: AccessPath,
    { from, together, max }: { readonly from: number; readonly together: number; readonly max: number },
    wanted: number | undefined,
  ): { readonly calls: readonly PlannedRead[]; readonly groups: PlannedGroups } {
    const { count, size } = path.groups
    const atOnce = Math.min(together, count - from) * size
    // Each group is asked as if it had all the wanted rows: the first one mostly has.
    const rows =
      path.strategy === 'client-sort' ? this.#scanChunk(path) : rowsAtFirst(path, wanted, size, atOnce)
    const calls: PlannedRead[] = []
    let first = from
    let next = from
    for (; next < count && (next - from < together || calls.length === 0); next++) {
      if (calls.length === 0) first = next
      for (const call of partitionReads(path, path.groups.group(next), rows)) calls.push(call)
    }
    return { calls, groups: { first, next, together, max, of: count } }
  }

  /** How many rows a scan asks one partition for; it reads as many partitions at once as calls may be in flight. */
  #scanChunk({ shape }: AccessPath): number {
    return streamChunk(Math.max(1, Math.min(this.#engine.costs.inFlight, shape.ranges)))
  }

  #selection(path: AccessPath): Selection {
    return selectionOf(this.#table, this.#request, path.index, path.groups.shards)
  }

  #nextGroups(
    plan: FanOutPlan,
    groups: PlannedGroups,
    { found, tooMany }: PlanOutcome,
  ): FanOutPlan | undefined {
    const path = this.#path!
    if (tooMany) {
      const half = Math.ceil((groups.next - groups.first) / 2)
      if (groups.scan || half === groups.next - groups.first) throw tooManyRows(this.#table.layout)
      return this.#withGroups(plan, path, { from: groups.first, together: half, max: half })
    }
    const left = leftAfter(plan, found)
    const { together, max } = groupsNext(groups, left, found)
    return this.#withGroups({ ...plan, ...(left !== undefined && { limit: left }) }, path, {
      from: groups.next,
      together,
      max,
    })
  }

  #withGroups(
    plan: FanOutPlan,
    path: AccessPath,
    groupRange: { readonly from: number; readonly together: number; readonly max: number },
  ): FanOutPlan | undefined {
    const { limit, merge, hints } = plan
    const { calls, groups } = this.#groupCalls(path, groupRange, limit)
    if (calls.length === 0) return undefined
    const isLossy = limit !== undefined && merge!.limit === undefined
    return { ...plan, calls, merge: mergeOf(path, limit, isLossy), hints: { ...hints, groups } }
  }

  /** The next window, or the remaining rows shard by shard if windows are not enough. */
  #nextWindow(plan: FanOutPlan, { found, reached, tooMany }: PlanOutcome): FanOutPlan | undefined {
    const left = plan.limit! - found
    const { estimates: _, hints, ...same } = plan
    const after = reached ?? plan.after
    const windows = (hints!.windows ?? 0) + 1
    const forced = tooMany || windows >= MAX_WINDOWS ? 'merge-shards' : 'probe-window'
    const request = { ...this.#request, after, limit: left, forced } as const
    // Another shard is probed: the one before has no more information.
    const seed = (this.#inputs.seed + SEED_STEP) % 1
    const later = new Planner(this.#table, request, this.#engine, { ...this.#inputs, seed }).first()
    if (later.calls.length === 0) return undefined
    return {
      ...same,
      ...(after && { after }),
      limit: left,
      strategy: later.strategy,
      reason: later.reason,
      calls: later.calls,
      ...(later.merge && { merge: later.merge }),
      ...(later.hints && { hints: { ...later.hints, windows } }),
    }
  }
}

/** Whether a plan is followed by another one: it gave too few rows, or would have had to hold too many. */
export function goesOn(plan: FanOutPlan, { found, reached, tooMany }: PlanOutcome): boolean {
  if (tooMany) return true
  const { groups } = plan.hints ?? {}
  const left = leftAfter(plan, found)
  if (left !== undefined && left <= 0) return false
  return groups ? !groups.scan && hasMoreGroups(plan) : reached !== undefined
}

/** Whether groups of partitions follow those of a plan's calls: in a later plan, or in the same scan. */
export function hasMoreGroups({ hints }: FanOutPlan): boolean {
  const { groups } = hints ?? {}
  return groups !== undefined && groups.next < groups.of
}

/** How many rows are still wanted. Rows that get lost are replaced by the rows that follow. */
function leftAfter({ limit, merge }: FanOutPlan, found: number): number | undefined {
  return limit === undefined || merge?.limit === undefined ? limit : limit - found
}

/** A fraction of a turn whose multiples are far from one another. */
const SEED_STEP = (Math.sqrt(5) - 1) / 2

/** The request that a plan as data was made from, without the children, which are planned once. */
export function requestOf({ layout }: CompiledTable, plan: FanOutPlan): FanOutRequest {
  const { filter, after, limit, strategy, snapshot, partial, lookAhead = 0 } = plan
  return {
    condition: filter && conditionFrom(layout, filter),
    order: termsOf(layout, plan.order),
    after,
    limit,
    forced: strategy === 'nothing' ? undefined : strategy,
    index: layout.indexes.find((each) => each.index.name === plan.index),
    apart: partial === true,
    consistentPages: snapshot,
    includes: [],
    lookAhead,
  }
}

/** The planner that goes on where a plan ends. */
export function plannerAfter(table: CompiledTable, plan: FanOutPlan, engine: PlannedEngine): Planner {
  const { seed = 0, today } = plan.hints ?? {}
  return new Planner(table, requestOf(table, plan), engine, { now: new Date(today ?? 0), seed })
}

/** Whether rows can get lost with their children: where a shard that fails does not end the query. */
export function losesRows(
  { partial, includes = [], index }: Pick<FanOutPlan, 'partial' | 'includes' | 'index'>,
  { shard }: TableLayout,
): boolean {
  // The shards of an index differ from those that the children are in.
  return partial === true && includes.length > 0 && index === undefined && shard !== undefined
}

const NOTHING = {
  strategy: 'nothing',
  reason: 'the filter contradicts itself: no row can match',
  clientFilter: false,
  snapshot: false,
  calls: [],
} as const

function mergeOf(
  { keys, strategy, shape }: AccessPath,
  limit: number | undefined,
  isLossy: boolean,
): PlannedMerge {
  // Entries of an index may not show whether their rows match.
  const isOpen = isLossy || (strategy === 'back-join' && shape.filtered)
  const isInWaves = !shape.statements && limit !== undefined && limit <= MAX_IN_WAVES
  const isAhead = limit === undefined || (!shape.statements && !isInWaves)
  return {
    ...(limit !== undefined && !isOpen && { limit }),
    batch: isLossy ? Math.min(BATCH, limit ?? BATCH) : BATCH,
    ...(keys.grouped !== undefined && { grouped: keys.grouped }),
    ...(isInWaves && !isLossy && { waves: true }),
    ...(isAhead && { ahead: true }),
  }
}

function bucketsOf({ groups: { buckets }, keys }: AccessPath): { readonly buckets?: PlannedBuckets } {
  if (!buckets?.ends) return {}
  const source = partitionFields(keys).map(bucketSource).find(Boolean)!
  const [first, last] = buckets.ends
  return {
    buckets: {
      by: source.by,
      of: source.of,
      first: bucketText(first),
      last: bucketText(last),
      count: buckets.count,
    },
  }
}

function todayOf(buckets: AccessPath['groups']['buckets']): { readonly today?: string } {
  return buckets?.today === undefined ? {} : { today: bucketText(buckets.today) }
}

function tooManyRows(layout: TableLayout) {
  return invalidQuery(
    layout,
    `would have more than ${MAX_SORTED} rows sorted by the client, since its partitions have another order.`,
    `Give a limit of ${MAX_SORTED} or fewer, narrow the filter, or order by what its key is ordered by.`,
  )
}

function needsSnapshot(
  { strategy, shape: { wanted, point } }: AccessPath,
  calls: number,
  mayNeedMore: boolean,
): boolean {
  if (strategy === 'read-ranges') return false
  if (strategy === 'back-join') return true
  // A single call that is known to be enough does not need a snapshot.
  return calls > 1 || (!point && (wanted === undefined || mayNeedMore))
}

/** Why the planner has chosen: each strategy's reason, in one place. */
function reasonFor(
  { index, groups, keys, reversed, shape, strategy }: AccessPath,
  limit: number | undefined,
  costs: PlannedEngine['costs'],
): string {
  const { ranges, statements, statementOrdered, keyOrdered, readable, sharded } = shape
  const ties = keys.grouped === undefined ? '' : ', except for ties, which the client sorts'
  const how = `${reversed ? ', read backwards' : ''}${ties}`
  switch (strategy) {
    case 'back-join':
      return `the index ${index!.index.name} has the wanted order, and the rows that win are looked up by key`
    case 'probe-window':
      return `${probedOrder(index)}, and a few rows of one shard show how far ${shape.wanted} rows reach`
    case 'bucket-scan': {
      const far = limit === undefined ? 'one after another' : 'only as far as rows are wanted'
      return `the time buckets have the wanted order, and are read ${far}; in each partition it is that of the key${how}`
    }
    case 'client-sort':
      return `the order is not that of the key, so that all rows of ${
        groups.ordered && groups.count > 1 ? 'one time bucket after another' : partitionsText(ranges)
      } are read and sorted by the client`
    default:
  }
  if (!statements) {
    return ranges === 1
      ? `the filter leaves one partition, whose key order is the wanted order${how}`
      : `the key order of each partition is the wanted order${how}`
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
      return statementOrdered ? 'one round trip, with the limit pushed into each shard' : SORTED
    case 'merge-shards':
      if (!keyOrdered) return sharded ? 'one statement per shard costs least' : SORTED
      if (!sharded) return 'the table is not sharded, and its key order is the wanted order'
      if (ranges === 1) return 'the filter leaves one shard, whose key order is the wanted order'
      return costs.statementsScan
        ? `${KEY_ORDER_OF_SHARDS}, and statements would scan the whole table`
        : `${KEY_ORDER_OF_SHARDS}, and reads by key cost least`
  }
}

const SORTED = 'the order is not that of the key, so the database sorts'
const KEY_ORDER_OF_SHARDS = 'the key order of each shard is the wanted order'

function probedOrder(index: IndexLayout | undefined): string {
  return index ? `the index ${index.index.name} has the wanted order` : KEY_ORDER_OF_SHARDS
}

function partitionsText(count: number): string {
  return count === 1 ? 'one partition' : `${count} partitions`
}
