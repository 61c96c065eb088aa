import pLimit, { type LimitFunction } from 'p-limit'
import type { LaterPlan, MissingShard } from '../../observability/events.js'
import {
  type Driver,
  type ReadOptions,
  type Reader,
  type Snapshot,
  snapshotsOf,
} from '../../engine/driver.js'
import { onAbort } from '../../engine/calls.js'
import { type PlainRow, type RowCodec, rowCodec } from '../../engine/codec.js'
import type { CompiledTable } from '../../rows/compiled-table.js'
import { type Predicate, predicateOf } from '../../rows/predicate.js'
import type { OrderTerm, Selection } from '../../layout/statement.js'
import { type CallLimits, Limits, withRetries } from '../../engine/retries.js'
import type { IndexLayout, KeyOrder } from '../../layout/layout.js'
import { FanOutSpans } from '../../observability/spans.js'
import type { Observer } from '../../observability/observer.js'
import { type PlannedCall, selectionOf } from '../plan/calls.js'
import { conditionFrom } from '../plan/cursor.js'
import { type Include, includesFrom } from '../plan/include.js'
import { type CompareRows, type RankRow, rowAt, rowOrder, rowRank, termsOf } from '../plan/order.js'
import {
  type FanOutPlan,
  type PlanOutcome,
  type Planner,
  goesOn,
  hasMoreGroups,
  losesRows,
  plannerAfter,
  requestOf,
} from '../plan/plan.js'
import {
  type ReadTarget,
  type ReadTargetKey,
  type ShardHealth,
  healthOf,
  isShardFailure,
  targetKey,
} from './shard-health.js'
import type { FanOutServices } from '../plan/request.js'

/** How many later plans a report lists. */
const MAX_LISTED = 16

/** The progress of one execution. */
export class ExecutionReport {
  calls = 0
  retries = 0
  /** Rows that came from the database. */
  rowsRead = 0
  rowsReturned = 0
  /** The most rows that were held at once, read ahead or waiting to be merged. */
  maxRowsHeld = 0
  readonly missing: MissingShard[] = []
  /** How many plans it used, and the first of the later ones. */
  plans = 1
  readonly laterPlans: LaterPlan[] = []
  readonly #onMissing: ((missing: MissingShard) => void) | undefined
  #held = 0

  constructor(onMissing?: (missing: MissingShard) => void) {
    this.#onMissing = onMissing
  }

  lose(missing: MissingShard): void {
    this.missing.push(missing)
    this.#onMissing?.(missing)
  }

  planned({ strategy, calls, limit, hints }: FanOutPlan): void {
    this.plans++
    if (this.laterPlans.length >= MAX_LISTED) return
    const { groups } = hints ?? {}
    this.laterPlans.push({
      strategy,
      calls: calls.length,
      ...(limit !== undefined && { limit }),
      ...(groups && { groups: [groups.first, groups.next - 1] }),
    })
  }

  read(rows: number): void {
    this.calls++
    this.rowsRead += rows
    this.hold(rows)
  }

  hold(rows: number): void {
    this.#held += rows
    if (this.#held > this.maxRowsHeld) this.maxRowsHeld = this.#held
  }
}

/**
 * One execution of a plan: its snapshot, its calls under one timeout and signal, and what its rows are compared by. All of
 * it follows from the plan, the table and the driver.
 */
export class Execution {
  readonly driver: Driver
  readonly table: CompiledTable
  /** The first plan. */
  readonly plan: FanOutPlan
  readonly report: ExecutionReport
  readonly index: IndexLayout | undefined
  readonly order: readonly OrderTerm[]
  /** The keys that are read: the table's, or those of the index. */
  readonly keys: KeyOrder
  /** The codec of the rows that are read: entries of an index may lack columns. */
  readonly codec: RowCodec
  readonly compare: CompareRows
  readonly rank: RankRow
  /** The filter, where it is applied here. */
  readonly matches: Predicate | undefined
  /** Whether rows can get lost with their children. */
  readonly losesRows: boolean
  readonly #tables: FanOutServices['tables']
  readonly #observer: Observer | undefined
  readonly #spans: FanOutSpans
  readonly #startedAt = performance.now()
  readonly #health: ShardHealth
  /** The query's own timeout and signal. */
  readonly #queryLimits: Limits
  readonly #signal: AbortSignal
  readonly #ended = new AbortController()
  readonly #limits: CallLimits
  /** More calls at once would only queue in the client. */
  readonly #throttle: LimitFunction
  #snapshot: Snapshot | undefined
  #forget: (() => void) | undefined
  /** The current plan: the first one, or a later one. */
  #running: FanOutPlan
  #planner: Planner | undefined
  #selection: Selection | undefined
  #includes: readonly Include[] | undefined

  /** How many partitions have been read so far, and which of them are lost. */
  #asking = 0
  readonly #lost = new Set<ReadTargetKey>()
  /** The last of them, while all that have been asked are lost, but others follow, which may not be. */
  #lastLost: MissingShard | undefined

  constructor(
    { driver, observer, tables, telemetry }: FanOutServices,
    table: CompiledTable,
    plan: FanOutPlan,
    options: ReadOptions,
    report: ExecutionReport,
  ) {
    const { layout, dialect } = table
    this.driver = driver
    this.#tables = tables
    this.#throttle = pLimit(plan.inFlight)
    this.#observer = observer
    this.#spans = new FanOutSpans(
      { telemetry, system: driver.system, table: layout.table.name },
      {
        'isotherm.strategy': plan.strategy,
        ...(plan.shards && { 'isotherm.shards': plan.shards.read.length }),
      },
    )
    this.table = table
    this.plan = plan
    this.#running = plan
    this.report = report
    this.index = layout.indexes.find((each) => each.index.name === plan.index)
    this.keys = keysOf(this.index ?? layout, plan)
    this.codec =
      plan.strategy === 'back-join'
        ? rowCodec(layout.fields.filter((field) => this.index!.covered.has(field)))
        : table.codec
    this.order = termsOf(layout, plan.order)
    this.compare = rowOrder(dialect, this.order)
    this.rank = rowRank(dialect, this.order)
    this.matches = plan.clientFilter ? predicateOf(conditionFrom(layout, plan.filter!), dialect) : undefined
    this.losesRows = losesRows(plan, layout)
    this.#health = healthOf(layout)
    this.#queryLimits = new Limits(options)
    // Ends whatever is still being read ahead when the reader stops early.
    this.#signal = options.signal ? AbortSignal.any([options.signal, this.#ended.signal]) : this.#ended.signal
    this.#limits = { signal: this.#signal, endsAt: this.#queryLimits.endsAt }
  }

  /** The timestamp of all its reads, once there is one; undefined without a snapshot. */
  get readTimestamp(): Date | undefined {
    return this.#snapshot?.readTimestamp
  }

  async begin(): Promise<void> {
    if (!this.plan.snapshot) return
    // The first call is answered before there is another.
    const lazily = this.plan.strategy === 'probe-window' || this.plan.calls.length === 1
    const snapshot = await this.#failing(() =>
      withRetries((attempt) => {
        if (attempt > 0) {
          this.report.retries++
          this.#spans.retry(attempt)
        }
        return this.#spans.within(() => snapshotsOf(this.driver)({ ...this.#call(), lazily }))
      }, this.#limits),
    )
    this.#snapshot = snapshot
    // A reader that is busy with the rows that it has may come back much later, or never.
    this.#forget = onAbort(this.#queryLimits.signal, () => snapshot.close())
  }

  /** The position from which a plan begins, as a row: all rows of the plan come after it. */
  behind({ after }: FanOutPlan): PlainRow | undefined {
    return after && rowAt(this.order, after)
  }

  /** The plan that follows another one: the planner is called again, with the request that the plan contains. */
  next(plan: FanOutPlan, outcome: PlanOutcome): FanOutPlan | undefined {
    if (!goesOn(plan, outcome)) return undefined
    const next = this.#planAfter(plan).next(plan, outcome)
    if (!next) return undefined
    this.report.planned(next)
    this.#running = next
    return next
  }

  /** The calls of a plan that sorts all rows, group by group. */
  scan(plan: FanOutPlan): Iterable<readonly PlannedCall[]> {
    return this.#planAfter(plan).scan(plan)
  }

  /** A window begins at its own position; groups are counted from where the first plan begins. */
  #planAfter(plan: FanOutPlan): Planner {
    if (plan.strategy === 'probe-window') return plannerAfter(this.table, plan, this.driver)
    this.#planner ??= plannerAfter(this.table, this.plan, this.driver)
    return this.#planner
  }

  /** The parts of its statements without position and limit. */
  get selection(): Selection {
    const { table, plan, index } = this
    this.#selection ??= selectionOf(table, requestOf(table, plan), index, plan.shards?.read)
    return this.#selection
  }

  /** The children of its rows. */
  get includes(): readonly Include[] {
    this.#includes ??= includesFrom(this.#tables, this.table.layout, this.plan.includes ?? [])
    return this.#includes
  }

  /** Records returned rows. */
  returned(rows: readonly PlainRow[]): void {
    const { report, plan, order } = this
    const isFirst = report.rowsReturned === 0
    report.rowsReturned += rows.length
    report.hold(-rows.length)
    // If a query reads only some of the shards, how many rows the others would have given is unknown.
    if (isFirst && plan.shards && plan.shards.read.length === plan.shards.of)
      this.table.skew?.shards(rows, order[0]?.field.column.property)
  }

  /** Ends all pending calls, releases the session, and reports the execution. */
  end(error?: unknown): void {
    this.#ended.abort()
    this.#forget?.()
    this.#snapshot?.close()
    const { calls, retries, rowsRead, rowsReturned, maxRowsHeld, missing, plans, laterPlans } = this.report
    this.#spans.end(
      {
        'isotherm.rows_read': rowsRead,
        'isotherm.rows_returned': rowsReturned,
        'isotherm.retries': retries,
        'isotherm.missing_shards': missing.length,
      },
      error,
    )
    this.#observer?.fanOut({
      table: this.table.layout.table.name,
      strategy: this.plan.strategy,
      shards: this.plan.shards?.read.length,
      calls,
      retries,
      rowsRead,
      rowsReturned,
      maxRowsHeld,
      missing,
      plans,
      laterPlans,
      milliseconds: performance.now() - this.#startedAt,
      ...(error !== undefined && { error }),
    })
  }

  /** The rows of one call, repeated after a temporary failure. Either all of them or none count. */
  fetch(call: PlannedCall): Promise<PlainRow[]> {
    const { codec } = this
    return this.calling(call, async (reader, options) => {
      const cells =
        call.kind === 'read'
          ? await reader.read(
              {
                layout: this.table.layout,
                ...(this.index && { index: this.index.index.name }),
                columns: codec.columns,
                ranges: call.ranges,
                ...(call.limit !== undefined && { limit: call.limit }),
                ...(call.reversed && { reversed: true }),
              },
              options,
            )
          : await reader.query(call.statement, codec.types, options)
      this.count(call, cells.length)
      return cells.map(codec.decode)
    })
  }

  /** Rows have come. */
  count({ shard }: ReadTarget, rows: number): void {
    this.report.read(rows)
    this.#spans.rows(shard, rows)
  }

  /** A call of any kind, on the same terms. */
  calling<T>(target: ReadTarget, call: (reader: Reader, options: ReadOptions) => Promise<T>): Promise<T> {
    const { shard } = target
    return this.#throttle(() =>
      this.#failing(() =>
        this.#health.call(
          target,
          (attempt) => {
            if (attempt > 0) this.report.retries++
            return this.#spans.withinShard(shard, attempt, () =>
              call(this.#snapshot ?? this.driver, this.#call()),
            )
          },
          this.#limits,
        ),
      ).catch((error: unknown) => {
        this.#spans.failShard(shard, error)
        throw error
      }),
    )
  }

  /** These partitions are read: once all of those that were asked are lost, there is no partial result. */
  asks(targets: readonly ReadTarget[]): void {
    this.#asking += new Set(targets.map(targetKey)).size
    const missing = this.#lastLost
    if (!missing || targets.length === 0) return
    this.#lastLost = undefined
    this.report.lose(missing)
  }

  /** Goes on without a shard, if the query allows that. */
  lose(target: ReadTarget, error: unknown): void {
    const { shard, bucket } = target
    if (!this.plan.partial || shard === undefined || !isShardFailure(error)) throw error
    const key = targetKey(target)
    if (this.#lost.has(key)) return
    this.#lost.add(key)
    const since = this.#health.since(target) ?? new Date()
    const missing = { shard, ...(bucket !== undefined && { bucket }), since, error }
    if (this.#lost.size < this.#asking) this.report.lose(missing)
    else if (hasMoreGroups(this.#running)) this.#lastLost = missing
    else throw error
  }

  /** Once nothing more is asked. @throws the error of the last partition, where all of them are lost. */
  refuseAllLost(): void {
    if (this.#lastLost) throw this.#lastLost.error
  }

  /** @throws {IsothermError} `CANCELLED` once the signal has ended the query. */
  refuseAborted(): void {
    this.#queryLimits.refuseAborted(this.table.layout.table.name)
  }

  /** The options of each call: the time that is left for all of them. */
  #call(): ReadOptions {
    return { ...this.#queryLimits.options, signal: this.#signal }
  }

  async #failing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#queryLimits.said(error, this.table.layout.table.name)
    }
  }
}

function keysOf({ key, partition, shard }: KeyOrder, { merge }: FanOutPlan): KeyOrder {
  const grouped = merge?.grouped
  return {
    key,
    shard,
    ...(partition !== undefined && { partition }),
    ...(grouped !== undefined && { grouped }),
  }
}
