import type { PlainRow } from '../database/codec.js'
import { checkReadOptions } from '../database/call-options.js'
import { snapshotsOf } from '../database/capabilities.js'
import type { CompiledTable } from '../database/compiled-table.js'
import type { CallOptions, ReadAt, ReadOptions } from '../database/driver.js'
import { compileWhere, type Where } from '../database/filter.js'
import type { Condition, OrderTerm, Position } from '../dialects/condition.js'
import type { IndexLayout } from '../dialects/layout.js'
import type { Model } from '../model/model.js'
import type { PropertyOf, Row } from '../model/row.js'
import type { MissingShard } from '../observability/events.js'
import type { AggregateRequest } from './aggregates/aggregate.js'
import { Aggregable } from './aggregates/aggregable.js'
import { STRATEGIES, type Strategy } from './planning/costs.js'
import { decodeCursor, encodeCursor, queryFingerprint, type CursorContent } from './cursor.js'
import { explain, type ExplainedPlan } from './planning/explain.js'
import { Includes, type Children, type FreeName, type IncludeOptions } from './children/include.js'
import { invalidQuery } from './invalid-query.js'
import { checkedLimit } from './limit.js'
import { positionOf, totalOrder, type WantedOrder } from './order.js'
import { refusePartialIndex } from './planning/partial-index.js'
import { openParts, type FanOutParts, type PartitionsOptions } from './partitions/partitions.js'
import { planFanOut, type FanOutPlan } from './planning/plan.js'
import { Reading } from './reading/reading.js'
import { RunReport } from './reading/report.js'
import type { FanOutRequest } from './request.js'
import { RowIterator } from './reading/row-iterator.js'
import { runPlan } from './reading/run.js'
import type { FanOutServices } from './services.js'

export interface Page<T> {
  readonly rows: T[]
  /** The cursor of the next page; undefined after the last row. */
  readonly next: string | undefined
  /** Shards whose rows may lack, where `onShardError('partial')` lets them. */
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
  readonly at: ReadAt | undefined
  readonly isPinned: boolean
  readonly isPartial: boolean
  readonly onMissing: ((missing: MissingShard) => void) | undefined
  readonly call: QueryOptions
}

/** Of every call of a query. */
export type QueryOptions = CallOptions & Pick<ReadOptions, 'directedReads' | 'consistency'>

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

  private constructor(state: QueryState) {
    super()
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
      isPinned: false,
      isPartial: false,
      onMissing: undefined,
      call: {},
    })
  }

  /**
   * Only rows that match. Further calls narrow the result. Where the filter fixes the hashed columns, only the shards that
   * can match are read.
   *
   * @throws {IsothermError} `INVALID_QUERY` for an unknown property; `INVALID_VALUE` for a value of another type.
   */
  where(where: Where<Fields>): FanOutQuery<Fields, Included> {
    const { table, condition } = this.#state
    const more = compileWhere(table.layout, where)
    return this.#with({ condition: condition ? { kind: 'and', of: [condition, more] } : more })
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
   * @throws {IsothermError} `INVALID_CURSOR` when the query is run, for a cursor that is damaged or another query's.
   */
  after(cursor: string | undefined): FanOutQuery<Fields, Included> {
    return this.#with({ cursor })
  }

  /**
   * As of when: `strong` (the default), or stale, which can be cheaper. All shards are read at the same moment.
   *
   * @throws {IsothermError} `UNSUPPORTED` when the query is run, on an engine that reads nothing as of one moment.
   */
  readAt(at: ReadAt): FanOutQuery<Fields, Included> {
    return this.#with({ at })
  }

  /**
   * Pages of the table as it was when the first page was read: the cursor carries that moment on. It has to be within the
   * database's version retention period, by default one hour.
   *
   * @throws {IsothermError} `UNSUPPORTED` when the query is run, on an engine that reads nothing as of one moment.
   * @throws {IsothermError} `SNAPSHOT_EXPIRED` when a page is read for whose moment the database has no versions any more.
   */
  pinned(): FanOutQuery<Fields, Included> {
    return this.#with({ isPinned: true })
  }

  /**
   * What becomes of a shard that cannot be read, after retries: `fail` (the default) ends the query with its error; `partial`
   * goes on without the rows that it still owes, and says so in `missing`.
   *
   * @param listener is told of each missing shard when it is given up; only a page says so by itself
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
        `cannot treat shard errors as ${JSON.stringify(mode)}.`,
        "Use 'fail' or 'partial'.",
      )
    }
    return this.#with({ isPartial: mode === 'partial', onMissing: listener })
  }

  /** Forces a strategy; without it the planner chooses by what the driver says things cost. */
  via(strategy: Strategy): FanOutQuery<Fields, Included> {
    if (!STRATEGIES.includes(strategy)) {
      throw invalidQuery(
        this.#state.table.layout,
        `cannot be read via ${strategy}.`,
        `Use ${STRATEGIES.join(', ')}.`,
      )
    }
    return this.#with({ forced: strategy })
  }

  /**
   * Reads by this index, as `FORCE_INDEX` does; without it the planner takes an index where its order is the wanted one.
   *
   * @param name the index's name in the database
   * @throws {IsothermError} `INVALID_QUERY` for an index that the table does not have; when the query is run, for one that
   * leaves out rows that the filter does not.
   */
  byIndex(name: string): FanOutQuery<Fields, Included> {
    const { layout } = this.#state.table
    const index = layout.indexes.find((each) => each.index.name === name)
    if (!index) {
      const names = layout.indexes.map((each) => each.index.name)
      throw invalidQuery(
        layout,
        `has no index ${JSON.stringify(name)}.`,
        names.length === 0 ? 'It has none: leave byIndex out.' : `Choose from ${names.join(', ')}.`,
      )
    }
    return this.#with({ index })
  }

  /**
   * Each row with its children in an interleaved table, as of the same moment. Several tables can be included.
   *
   * @param name the property that holds the children, which no property of the row may be called
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
   * A deadline in milliseconds and an `AbortSignal` for the whole query, retries included; the priority and tag of its calls;
   * the replicas that may answer them, and how many have to.
   *
   * @throws {IsothermError} `UNSUPPORTED` when the query is run, for what the engine does not take.
   */
  options(call: QueryOptions): FanOutQuery<Fields, Included> {
    return this.#with({ call: { ...this.#state.call, ...call } })
  }

  /** One page, and the cursor of the next. A page has `limit` rows, by default 100. */
  async page(): Promise<Page<Row<Fields> & Included>> {
    const size = this.#state.limit ?? DEFAULT_PAGE
    // One row more tells whether there is a next page.
    const reading = this.#read(this.#request(size + 1, 1))
    const rows = await collected(reading)
    const more = rows.length > size
    if (more) rows.length = size
    const { order } = reading.request
    const next = more ? this.#cursor(positionOf(order, rows.at(-1)!), order, reading) : undefined
    return { rows: rows as (Row<Fields> & Included)[], next, missing: reading.report.missing }
  }

  /** All rows at once: for results that are known to be small. */
  async all(): Promise<(Row<Fields> & Included)[]> {
    return (await collected(this.#read(this.#request(this.#state.limit)))) as (Row<Fields> & Included)[]
  }

  /**
   * Splits the query into parts that other processes read, each with `db.readPart`. Together they hold every matching row
   * once, as of one moment, in no order. The parts are in the database until they are closed.
   *
   * @param wish how many parts; the database may make more, or fewer
   * @throws {IsothermError} `INVALID_QUERY` for what only a whole result has: orderBy, limit, after, include.
   * @example
   * await using scan = await db.fanOut(UserAccessLog).where({ page: '/docs' }).partitions(8, { dataBoost: true })
   * await Promise.all(scan.parts.map((part) => worker.run(JSON.stringify(part))))
   */
  partitions(wish: number, options: PartitionsOptions = {}): Promise<FanOutParts> {
    return openParts(this.#state, wish, options)
  }

  /** What would be done, as data; printed as text it is for people. */
  explain(): ExplainedPlan {
    return explain(this.#plan(this.#request(this.#state.limit)))
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Row<Fields> & Included, void, undefined> {
    return new RowIterator(this.#batches(), this.#state.call.signal)
  }

  async *#batches(): AsyncGenerator<(Row<Fields> & Included)[], void, undefined> {
    yield* runPlan(this.#read(this.#request(this.#state.limit))) as AsyncGenerator<(Row<Fields> & Included)[]>
  }

  #with(change: Partial<QueryState>): FanOutQuery<Fields, Included> {
    return new FanOutQuery({ ...this.#state, ...change })
  }

  #request(limit: number | undefined, lookAhead = 0): FanOutRequest {
    const { services, table, condition, wanted, forced, index, includes, isPartial, isPinned } = this.#state
    this.#checkOptions()
    if (isPinned) snapshotsOf(services.driver)
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
      pinned: isPinned,
      includes: includes.list,
      lookAhead,
    }
  }

  #checkOptions(): void {
    const { services, table, at, call } = this.#state
    checkReadOptions(services.driver, table.dialect, { ...call, ...(at !== undefined && { at }) })
  }

  /** Where the cursor says to begin. */
  #begin(order: readonly OrderTerm[]): CursorContent | undefined {
    const { services, table, condition, cursor } = this.#state
    if (cursor === undefined) return undefined
    return decodeCursor(
      cursor,
      queryFingerprint(table.layout, condition, order),
      order,
      services.cursorSecrets,
    )
  }

  #cursor(position: Position, order: readonly OrderTerm[], reading: Reading): string {
    const { services, table, condition, isPinned } = this.#state
    const readTimestamp = isPinned ? reading.readTimestamp : undefined
    return encodeCursor(
      queryFingerprint(table.layout, condition, order),
      { position, ...(readTimestamp && { readTimestamp }) },
      services.cursorSecrets,
    )
  }

  #plan(request: FanOutRequest): FanOutPlan {
    const { services, table } = this.#state
    return planFanOut(table, request, services.driver)
  }

  #read(request: FanOutRequest): Reading {
    const { services, table, at, call, onMissing } = this.#state
    const pinned = request.pinned ? this.#begin(request.order)?.readTimestamp : undefined
    const moment = pinned ? { readTimestamp: pinned } : at
    const options = { ...call, ...(moment !== undefined && { at: moment }) }
    return new Reading(services, table, request, this.#plan(request), options, new RunReport(onMissing))
  }

  /** @internal */
  protected aggregateRequest(): AggregateRequest {
    const { services, table, condition, at, call } = this.#state
    this.#checkOptions()
    return {
      driver: services.driver,
      table,
      condition,
      options: { ...call, ...(at !== undefined && { at }) },
    }
  }
}

async function collected(reading: Reading): Promise<PlainRow[]> {
  const rows: PlainRow[] = []
  for await (const batch of runPlan(reading)) rows.push(...batch)
  return rows
}
