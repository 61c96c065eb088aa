import { quoted } from '../errors.js'
import type { PlainRow } from '../engine/codec.js'
import { READ_OPTIONS, checkReadOptions } from '../engine/call-options.js'
import { type MethodArguments, refuseExtraArguments } from '../extra-arguments.js'
import { Aggregable, EARLIER_CALLS } from './aggregates/aggregable.js'
import { type OptionKinds, callback, checkArgument, checkOptions, flag } from '../options.js'
import { type CallOptions, type TimestampBound, type ReadOptions } from '../engine/driver.js'
import type { CompiledTable } from '../rows/compiled-table.js'
import { type Where, both, compileWhere } from '../rows/filter.js'
import type { Condition, OrderTerm, Position } from '../layout/statement.js'
import type { IndexLayout } from '../layout/layout.js'
import type { Model } from '../model/model.js'
import type { PropertyOf, Row } from '../model/row.js'
import type { MissingShard } from '../observability/events.js'
import type { AggregateRequest } from './aggregates/aggregate.js'
import { STRATEGIES, type Strategy } from './plan/costs.js'
import { clockOf } from './plan/buckets.js'
import {
  type CursorContent,
  checkMoment,
  decodeCursor,
  encodeCursor,
  momentRefused,
  queryFingerprint,
} from './plan/cursor.js'
import { type ExplainedPlan, explain } from './plan/explain.js'
import { type FanOutPlan, Planner } from './plan/plan.js'
import { type Children, type FreeName, type IncludeOptions, Includes } from './plan/include.js'
import { type WantedOrder, checkedLimit, invalidQuery, positionOf, totalOrder } from './plan/order.js'
import { refusePartialIndex } from './plan/access-path.js'
import { type QueryPartitions, type PartitionsOptions, openQueryPartitions } from './partitions/partitions.js'
import { Execution, ExecutionReport } from './run/execution.js'
import type { FanOutRequest, FanOutServices } from './plan/request.js'
import { type AsyncRows, RowIterator } from './run/row-iterator.js'
import { runPlan } from './run/run.js'

export interface Page<T> {
  readonly rows: T[]
  /** The cursor of the next page; undefined after the last row. */
  readonly next: string | undefined
  /** Shards whose rows may be missing, if `onShardError('partial')` allows that. */
  readonly missing: readonly MissingShard[]
}

interface QueryState {
  readonly services: FanOutServices
  readonly table: CompiledTable
  readonly condition: Condition | undefined
  readonly wanted: readonly WantedOrder[]
  readonly limit: number | undefined
  readonly cursor: string | undefined
  readonly index: IndexLayout | undefined
  readonly includes: Includes<Record<string, unknown>>
  readonly forced: Strategy | undefined
  readonly at: TimestampBound | undefined
  readonly hasConsistentPages: boolean
  readonly isPartial: boolean
  readonly onMissing: ((missing: MissingShard) => void) | undefined
  readonly call: QueryOptions
}

/** Of every call of a query. */
export type QueryOptions = CallOptions & Pick<ReadOptions, 'directedReads' | 'consistency'>

const { at: _, ...QUERY_OPTIONS }: OptionKinds<ReadOptions> = READ_OPTIONS
const PARTITIONS_OPTIONS: OptionKinds<PartitionsOptions> = { dataBoost: flag }

/** How many rows a page has where `limit` does not say. */
const DEFAULT_PAGE = 100

/**
 * A query over all shards of a table, as if it were not sharded. Each method returns a new query; nothing is read before
 * `page`, `all`, `count` or the iteration.
 *
 * @example
 * const recent = db.fanOut(UserAccessLog)
 *   .where({ lastAccess: { gte: since }, page: { startsWith: '/docs' } })
 *   .orderBy('lastAccess', 'desc')
 *   .limit(50)
 * for await (const row of recent) console.log(row)
 * const { rows, next } = await recent.page()
 */
export class FanOutQuery<Fields, Included = unknown>
  extends Aggregable<Fields>
  implements AsyncIterable<Row<Fields> & Included>
{
  readonly #state: QueryState
  /** The random choice of the next plan: `explain` shows what the next execution does. */
  #seed = Math.random()

  private constructor(state: QueryState) {
    super()
    refuseExtraArguments(FanOutQuery, 'fanOut', ARGUMENTS)
    this.#state = state
  }

  /** @internal */
  static over<Fields>(services: FanOutServices, table: CompiledTable): FanOutQuery<Fields> {
    return new FanOutQuery({
      services,
      table,
      condition: undefined,
      wanted: [],
      limit: undefined,
      cursor: undefined,
      index: undefined,
      includes: Includes.of(services.tables, table),
      forced: undefined,
      at: undefined,
      hasConsistentPages: false,
      isPartial: false,
      onMissing: undefined,
      call: {},
    })
  }

  /**
   * Only rows that match. Further calls narrow the result; `{}` does not. Where the filter fixes the hashed columns, only the
   * shards that can match are read.
   *
   * @throws {IsothermError} `INVALID_QUERY` for an unknown property, and for `undefined` anywhere in the filter: leave the
   * property out; `INVALID_VALUE` for a value of another type.
   */
  where(where: Where<Fields>): FanOutQuery<Fields, Included> {
    const { table, condition } = this.#state
    return this.#with({ condition: both(condition, compileWhere(table.layout, where)) })
  }

  /**
   * The order, most significant property first. Ties are broken by the primary key, so that the order is total. Without
   * it: the key's own order, the shard aside.
   */
  orderBy(property: PropertyOf<Fields>, direction: 'asc' | 'desc' = 'asc'): FanOutQuery<Fields, Included> {
    const wanted = [...this.#state.wanted, { property, direction }]
    totalOrder(this.#state.table.layout, wanted)
    return this.#with({ wanted })
  }

  /** At most this many rows; for `page`, the size of a page. */
  limit(limit: number): FanOutQuery<Fields, Included> {
    return this.#with({ limit: checkedLimit(this.#state.table.layout, limit) })
  }

  /**
   * Only rows after a page's end: `next` of that page. `undefined` begins at the first row.
   *
   * @throws {IsothermError} `INVALID_CURSOR` when the query is run, for a cursor that is damaged or belongs to another
   * query; for a cursor of a query with consistent pages in a query without consistent pages, and the other way round.
   */
  after(cursor: string | undefined): FanOutQuery<Fields, Included> {
    return this.#with({ cursor })
  }

  /**
   * The timestamp bound: `strong` (the default), or stale, which can be cheaper. All shards are read at the same timestamp.
   *
   * @throws {IsothermError} `UNSUPPORTED_FEATURE` when the query is run, on an engine that cannot read at a given timestamp.
   */
  timestampBound(bound: TimestampBound): FanOutQuery<Fields, Included> {
    checkArgument('fanOut.timestampBound', 'bound', READ_OPTIONS.at, bound)
    return this.#with({ at: bound })
  }

  /**
   * Reads every page at the timestamp of the first page, which the cursor carries. The timestamp has to be within the
   * database's version retention period, by default one hour.
   *
   * @throws {IsothermError} `UNSUPPORTED_FEATURE` when the query is run, on an engine that cannot read at a given timestamp.
   * @throws {IsothermError} `INVALID_CURSOR` when a page is read whose timestamp is in the future, or whose versions the
   * database does not have any more.
   */
  consistentPages(): FanOutQuery<Fields, Included> {
    return this.#with({ hasConsistentPages: true })
  }

  /**
   * What happens when a shard cannot be read, after retries: `fail` (the default) ends the query with its error; `partial`
   * goes on without the remaining rows of the shard, and reports that in `missing`.
   *
   * @param listener called for each missing shard when it is given up; only a page reports missing shards by itself
   * @example
   * const { rows, missing } = await recent.onShardError('partial').page()
   * for (const { shard, since, error } of missing) console.warn(shard, since, error.message)
   */
  onShardError(
    mode: 'fail' | 'partial',
    listener?: (missing: MissingShard) => void,
  ): FanOutQuery<Fields, Included> {
    if (mode !== 'fail' && mode !== 'partial') {
      throw invalidQuery(
        this.#state.table.layout,
        `cannot treat shard errors as ${quoted(mode)}.`,
        "Use 'fail' or 'partial'.",
      )
    }
    if (listener !== undefined) checkArgument('fanOut.onShardError', 'the listener', callback, listener)
    return this.#with({ isPartial: mode === 'partial', onMissing: listener })
  }

  /** Forces a strategy; without it the planner chooses by the driver's costs. */
  strategy(strategy: Strategy): FanOutQuery<Fields, Included> {
    if (!STRATEGIES.includes(strategy)) {
      throw invalidQuery(
        this.#state.table.layout,
        `cannot be read by the strategy ${quoted(strategy)}.`,
        `Use ${STRATEGIES.join(', ')}.`,
      )
    }
    return this.#with({ forced: strategy })
  }

  /**
   * Reads by this index, as `FORCE_INDEX` does; without it the planner chooses an index if its order is the wanted one.
   *
   * @param name the index's name in the database
   * @throws {IsothermError} `INVALID_QUERY` for an index that the table does not have; when the query is run, for an index
   * that leaves out rows which the filter includes.
   */
  useIndex(name: string): FanOutQuery<Fields, Included> {
    const { layout } = this.#state.table
    const index = layout.indexes.find((each) => each.index.name === name)
    if (!index) {
      const names = layout.indexes.map((each) => each.index.name)
      throw invalidQuery(
        layout,
        `has no index ${quoted(name)}.`,
        names.length === 0 ? 'The table has no index: remove useIndex.' : `Choose from ${names.join(', ')}.`,
      )
    }
    return this.#with({ index })
  }

  /**
   * Returns each row with its children of an interleaved table, in the same snapshot. Several tables can be included.
   *
   * @param name the property that holds the children; it must differ from the row's properties
   * @throws {IsothermError} `INVALID_QUERY` for a name that is taken, and for a table that is not interleaved in this one.
   * @example
   * const customers = db.fanOut(Customer).include('orders', Order, { orderBy: ['placedAt', 'desc'], limit: 3 })
   * for await (const { name, orders } of customers) console.log(name, orders.length)
   */
  include<Name extends string, Child extends object, Nested = unknown>(
    name: FreeName<Name, PropertyOf<Fields> | keyof Included>,
    model: Model<Child>,
    options?: IncludeOptions<Child, Nested>,
  ): FanOutQuery<Fields, Included & Children<Name, Row<Child> & Nested>>
  include<Name extends string, Nested = unknown>(
    name: FreeName<Name, PropertyOf<Fields> | keyof Included>,
    table: string,
    options?: IncludeOptions<Record<string, unknown>, Nested>,
  ): FanOutQuery<Fields, Included & Children<Name, Record<string, unknown> & Nested>>
  include(name: string, model: object | string, options?: IncludeOptions<Record<string, unknown>>): unknown {
    return this.#with({ includes: this.#state.includes.add(name, model, options) })
  }

  /**
   * A timeout in milliseconds and an `AbortSignal` for the whole query, including retries; the priority and tag of its
   * calls; which replicas may answer them, and how many have to.
   *
   * @throws {IsothermError} `UNSUPPORTED_FEATURE` when the query is run, for options that the engine does not support.
   */
  options(call: QueryOptions): FanOutQuery<Fields, Included> {
    checkOptions('fanOut.options', QUERY_OPTIONS, call)
    return this.#with({ call: { ...this.#state.call, ...call } })
  }

  /** One page, and the cursor of the next. A page has `limit` rows, by default 100. */
  async page(): Promise<Page<Row<Fields> & Included>> {
    const size = this.#state.limit ?? DEFAULT_PAGE
    // One row more tells whether there is a next page.
    const execution = this.#execution(this.#request(size + 1, 1))
    const rows = await collected(this.#batches(execution))
    const more = rows.length > size
    if (more) rows.length = size
    const { order } = execution
    const next = more ? this.#cursor(positionOf(order, rows.at(-1)!), order, execution) : undefined
    return { rows: rows as (Row<Fields> & Included)[], next, missing: execution.report.missing }
  }

  /** All rows at once: for results that are known to be small. */
  async all(): Promise<(Row<Fields> & Included)[]> {
    const execution = this.#execution(this.#request(this.#state.limit))
    return (await collected(this.#batches(execution))) as (Row<Fields> & Included)[]
  }

  /**
   * Splits the query into query partitions that other processes read, each with `db.readQueryPartition`. Together they hold every
   * matching row once, in one snapshot, in no order. They exist in the database until they are closed.
   *
   * @param wish how many query partitions; the database may make more, or fewer
   * @throws {IsothermError} `INVALID_QUERY` for options that need the whole result: orderBy, limit, after, include.
   * @example
   * await using scan = await db.fanOut(UserAccessLog).where({ page: '/docs' }).queryPartitions(8, { dataBoost: true })
   * await Promise.all(scan.partitions.map((one) => worker.run(JSON.stringify(one))))
   */
  async queryPartitions(wish: number, options: PartitionsOptions = {}): Promise<QueryPartitions> {
    checkOptions('fanOut.queryPartitions', PARTITIONS_OPTIONS, options)
    return openQueryPartitions(this.#state, wish, options)
  }

  /**
   * The plan that `all` or an iteration of this query begins with, as data; its text is for people to read. A page has the
   * same plan for one row more. If rows lie elsewhere than the first plan expects, more plans follow; the report of the
   * event `fanOut` has them.
   */
  explain(): ExplainedPlan {
    return explain(this.#plan(this.#request(this.#state.limit)))
  }

  [Symbol.asyncIterator](): AsyncRows<Row<Fields> & Included> {
    return new RowIterator(this.#streamed(), this.#state.call.signal)
  }

  async *#streamed(): AsyncGenerator<(Row<Fields> & Included)[], void, undefined> {
    const execution = this.#execution(this.#request(this.#state.limit))
    yield* this.#batches(execution) as AsyncGenerator<(Row<Fields> & Included)[]>
  }

  async *#batches(execution: Execution): AsyncGenerator<PlainRow[], void, undefined> {
    try {
      yield* runPlan(execution)
    } catch (error) {
      const { table, hasConsistentPages, cursor } = this.#state
      throw hasConsistentPages && cursor !== undefined ? momentRefused(table.layout.table.name, error) : error
    }
  }

  #with(change: Partial<QueryState>): FanOutQuery<Fields, Included> {
    return new FanOutQuery({ ...this.#state, ...change })
  }

  #request(limit: number | undefined, lookAhead = 0): FanOutRequest {
    const { table, condition, wanted, forced, index, includes, isPartial, hasConsistentPages } = this.#state
    this.#checkOptions()
    if (index) refusePartialIndex(table, index, condition)
    const order = totalOrder(table.layout, wanted)
    const after = this.#begin(order)?.position
    return {
      condition,
      order,
      after,
      limit,
      forced,
      index,
      apart: isPartial,
      consistentPages: hasConsistentPages,
      includes: includes.list,
      lookAhead,
    }
  }

  #checkOptions(): void {
    const { services, call, hasConsistentPages } = this.#state
    // Later pages are read at the timestamp of the first one.
    const at = this.#state.at ?? (hasConsistentPages ? 'strong' : undefined)
    checkReadOptions(services.driver, { ...call, ...(at !== undefined && { at }) }, 'db.fanOut')
  }

  /** The position at which the cursor begins. */
  #begin(order: readonly OrderTerm[]): CursorContent | undefined {
    const { services, table, condition, cursor, hasConsistentPages } = this.#state
    if (cursor === undefined) return undefined
    const content = decodeCursor(
      cursor,
      queryFingerprint(table.layout, condition, order),
      order,
      services.cursorSecrets,
    )
    checkMoment(content, hasConsistentPages)
    return content
  }

  #cursor(position: Position, order: readonly OrderTerm[], execution: Execution): string {
    const { services, table, condition, hasConsistentPages } = this.#state
    const readTimestamp = hasConsistentPages ? execution.readTimestamp : undefined
    return encodeCursor(
      queryFingerprint(table.layout, condition, order),
      { position, ...(readTimestamp && { readTimestamp }) },
      services.cursorSecrets,
    )
  }

  #plan(request: FanOutRequest): FanOutPlan {
    const { services, table } = this.#state
    const inputs = { now: clockOf(table.layout), seed: this.#seed }
    return new Planner(table, request, services.driver, inputs).first()
  }

  #execution(request: FanOutRequest): Execution {
    const { services, table, at, call, onMissing } = this.#state
    const readTimestamp = request.consistentPages ? this.#begin(request.order)?.readTimestamp : undefined
    const moment = readTimestamp ? { readTimestamp } : at
    const options = { ...call, ...(moment !== undefined && { at: moment }) }
    const plan = this.#plan(request)
    this.#seed = Math.random()
    return new Execution(services, table, plan, options, new ExecutionReport(onMissing))
  }

  /** @internal */
  protected aggregateRequest(): AggregateRequest {
    const { services, table, condition, at, call } = this.#state
    this.#checkOptions()
    this.#refuseOfRows()
    return {
      driver: services.driver,
      telemetry: services.telemetry,
      tables: services.tables,
      table,
      condition,
      options: { ...call, ...(at !== undefined && { at }) },
    }
  }

  /** Options of pages and of shards do not apply to an aggregate of the whole. */
  #refuseOfRows(): void {
    const { table, cursor, hasConsistentPages, isPartial } = this.#state
    const refuse = (what: string, fix: string) => invalidQuery(table.layout, `is not aggregated ${what}`, fix)
    if (cursor !== undefined)
      throw refuse('after a cursor.', 'Leave after out: aggregates are of all rows that match.')
    if (hasConsistentPages)
      throw refuse('as of a page.', 'Remove consistentPages, and use timestampBound({ readTimestamp }).')
    if (isPartial)
      throw refuse('with shards missing.', "Leave onShardError('partial') out: one statement reads them all.")
  }
}

async function collected(batches: AsyncIterable<PlainRow[]>): Promise<PlainRow[]> {
  const rows: PlainRow[] = []
  for await (const batch of batches) for (const row of batch) rows.push(row)
  return rows
}

const ARGUMENTS: MethodArguments<Omit<FanOutQuery<object>, keyof Aggregable<object>>> = {
  sync: {
    where: ['a filter'],
    orderBy: ['property', 'direction'],
    limit: ['limit'],
    after: ['cursor'],
    timestampBound: ['bound'],
    consistentPages: [],
    onShardError: ['mode', 'listener'],
    strategy: ['strategy'],
    useIndex: ['name'],
    include: ['name', 'model', 'options'],
    options: ['options'],
    explain: [],
  },
  async: { page: [], all: [], queryPartitions: ['wish', 'options'] },
  fix: EARLIER_CALLS,
}
