import { setMaxListeners } from 'node:events'
import pLimit, { type LimitFunction } from 'p-limit'
import { snapshotsOf } from '../../database/capabilities.js'
import { rowCodec, type PlainRow, type RowCodec } from '../../database/codec.js'
import type { CompiledTable } from '../../database/compiled-table.js'
import type { Driver, Reader, ReadOptions, Snapshot } from '../../database/driver.js'
import { predicateOf, type Predicate } from '../../database/predicate.js'
import { Limits, withRetries, type CallLimits } from '../../database/retries.js'
import type { IndexLayout, KeyOrder } from '../../dialects/layout.js'
import { FanOutSpans } from '../../observability/fan-out-spans.js'
import type { Observer } from '../../observability/observer.js'
import type { PlannedCall } from '../planning/calls.js'
import { tableConstraints, type Constraints } from '../planning/constraints.js'
import { laneReading, type LaneReading } from '../planning/lane-reading.js'
import { rowAt, rowOrder, rowRank, type CompareRows, type RankRow } from '../order.js'
import type { FanOutPlan } from '../planning/plan.js'
import { placeKey, type Place } from './place.js'
import type { RunReport } from './report.js'
import type { FanOutRequest } from '../request.js'
import type { FanOutServices } from '../services.js'
import { healthOf, isShardFailure, type ShardHealth } from './shard-health.js'

/**
 * One run of a plan: its snapshot, its calls under one deadline and signal, and what its rows are compared by.
 */
export class Reading {
  readonly driver: Driver
  readonly table: CompiledTable
  readonly request: FanOutRequest
  readonly plan: FanOutPlan
  readonly report: RunReport
  readonly index: IndexLayout | undefined
  /** How partitions are read; undefined where rows do not lie in partitions. */
  readonly lanes: LaneReading | undefined
  /** The order in which rows are read: the table's, that of the index, or that of a partition. */
  readonly keys: KeyOrder
  readonly constraints: Constraints
  /** Of the rows that are read: those of an index may lack columns. */
  readonly codec: RowCodec
  readonly compare: CompareRows
  readonly rank: RankRow
  /** The filter, where it is applied here. */
  readonly matches: Predicate | undefined
  /** The place that all rows come after, as a row. */
  readonly behind: PlainRow | undefined
  readonly #observer: Observer | undefined
  readonly #spans: FanOutSpans
  readonly #startedAt = performance.now()
  readonly #health: ShardHealth
  /** The query's own deadline and signal. */
  readonly #asked: Limits
  readonly #signal: AbortSignal
  readonly #ended = new AbortController()
  readonly #limits: CallLimits
  /** More calls at once would only queue in the client. */
  readonly #throttle: LimitFunction
  #snapshot: Snapshot | undefined

  /** How many places have been asked, where that is not known from the beginning, and how many of them are lost. */
  #asking = 0
  #lost = 0

  constructor(
    { driver, observer }: Pick<FanOutServices, 'driver' | 'observer'>,
    table: CompiledTable,
    request: FanOutRequest,
    plan: FanOutPlan,
    options: ReadOptions,
    report: RunReport,
  ) {
    const { layout, dialect } = table
    this.driver = driver
    this.#throttle = pLimit(driver.costs.inFlight)
    this.#observer = observer
    this.#spans = new FanOutSpans(
      { system: driver.system, table: layout.table.name },
      {
        'isotherm.strategy': plan.strategy,
        ...(plan.shards && { 'isotherm.shards': plan.shards.read.length }),
      },
    )
    this.table = table
    this.request = request
    this.plan = plan
    this.report = report
    this.index = layout.indexes.find((each) => each.index.name === plan.index)
    this.constraints = tableConstraints(layout, request.condition, dialect)
    this.lanes =
      layout.partition === undefined || plan.strategy === 'nothing'
        ? undefined
        : laneReading(table, request, this.constraints)
    this.keys = this.lanes?.keys ?? this.index ?? layout
    this.codec =
      plan.strategy === 'back-join'
        ? rowCodec(layout.fields.filter((field) => this.index!.covered.has(field)))
        : table.codec
    this.compare = rowOrder(dialect, request.order)
    this.rank = rowRank(dialect, request.order)
    this.matches = plan.filteredHere ? predicateOf(request.condition!, dialect) : undefined
    this.behind = request.after && rowAt(request.order, request.after)
    this.#health = healthOf(layout)
    this.#asked = new Limits(options)
    // Ends whatever is still being read ahead when the reader stops early.
    this.#signal = options.signal ? AbortSignal.any([options.signal, this.#ended.signal]) : this.#ended.signal
    // Each call listens to it, and there are as many as shards: no leak, whatever Node would say of more than ten.
    setMaxListeners(0, this.#signal)
    this.#limits = { signal: this.#signal, endsAt: this.#asked.endsAt }
  }

  /** The moment of all its reads, once there has been one; undefined where it reads as of none. */
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
    // A reader that is busy with what it has got comes back much later, if at all.
    this.#asked.signal.addEventListener('abort', () => snapshot.close(), {
      once: true,
      signal: this.#ended.signal,
    })
  }

  /** Rows that are handed on. */
  returned(rows: readonly PlainRow[]): void {
    const { report, plan, request } = this
    const isFirst = report.rowsReturned === 0
    report.rowsReturned += rows.length
    report.hold(-rows.length)
    // Of a query that reads few of the shards, nobody knows what the others would have given.
    if (isFirst && plan.shards && plan.shards.read.length === plan.shards.of)
      this.table.skew?.shards(rows, request.order[0]?.field.column.property)
  }

  /** Ends all calls that are still waited for, gives the session back, and says what has been done. */
  end(error?: unknown): void {
    this.#ended.abort()
    this.#snapshot?.close()
    const { calls, retries, rowsRead, rowsReturned, mostHeld, missing } = this.report
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
      mostHeld,
      missing,
      milliseconds: performance.now() - this.#startedAt,
      ...(error !== undefined && { error }),
    })
  }

  /** The rows of one call, tried again where it fails for the moment. Either all of them or none count. */
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
  count({ shard }: Place, rows: number): void {
    this.report.read(rows)
    this.#spans.rows(shard, rows)
  }

  /** A call of any kind, on the same terms. */
  calling<T>(place: Place, call: (reader: Reader, options: ReadOptions) => Promise<T>): Promise<T> {
    const { shard } = place
    return this.#throttle(() =>
      this.#failing(() =>
        this.#health.call(
          place,
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

  /** These places are asked: with all of those lost that were, there is no part of a result. */
  asks(places: readonly Place[]): void {
    this.#asking += new Set(places.map(placeKey)).size
  }

  /** Goes on without a shard, where that is what was asked for. */
  lose(place: Place, error: unknown): void {
    const { shard, bucket } = place
    if (!this.request.apart || shard === undefined || !isShardFailure(error)) throw error
    if (this.report.missing.some((each) => each.shard === shard && each.bucket === bucket)) return
    const since = this.#health.since(place) ?? new Date()
    this.#lost++
    if (this.#lost === (this.lanes ? this.#asking : this.plan.shards?.read.length)) throw error
    this.report.lose({ shard, ...(bucket !== undefined && { bucket }), since, error })
  }

  /** @throws {IsothermError} `CANCELLED` once the signal has ended the query. */
  refuseAborted(): void {
    this.#asked.refuseAborted(this.table.layout.table.name)
  }

  /** What each call is given: the time that is left for all of them. */
  #call(): ReadOptions {
    return { ...this.#asked.options, signal: this.#signal }
  }

  async #failing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#asked.said(error, this.table.layout.table.name)
    }
  }
}
