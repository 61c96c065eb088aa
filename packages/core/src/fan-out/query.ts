import type { PlainRow } from '../database/codec.js'
import type { CompiledTable } from '../database/compiled-table.js'
import type { CallOptions, Driver, ReadAt } from '../database/driver.js'
import { compileWhere, type Where } from '../database/filter.js'
import type { Condition } from '../dialects/condition.js'
import type { IndexLayout } from '../dialects/layout.js'
import type { PropertyOf, Row } from '../model/row.js'
import { countRows, GroupedFanOut } from './aggregate.js'
import type { Strategy } from './costs.js'
import { decodeCursor, encodeCursor, queryFingerprint } from './cursor.js'
import { explain, type ExplainedPlan } from './explain.js'
import { invalidQuery } from './invalid-query.js'
import { positionOf, totalOrder, type WantedOrder } from './order.js'
import { refusePartialIndex } from './partial-index.js'
import { planFanOut, type FanOutPlan, type FanOutRequest } from './plan.js'
import { runPlan } from './run.js'

export interface Page<T> {
  readonly rows: T[]
  /** The cursor of the next page; undefined after the last row. */
  readonly next: string | undefined
}

interface QueryState {
  readonly driver: Driver
  readonly table: CompiledTable
  readonly condition: Condition | undefined
  readonly wanted: readonly WantedOrder[]
  readonly limit: number | undefined
  readonly cursor: string | undefined
  readonly index: IndexLayout | undefined
  readonly forced: Strategy | undefined
  readonly at: ReadAt | undefined
  readonly call: CallOptions
}

const STRATEGIES: readonly string[] = ['read-ranges', 'merge-shards', 'push-down'] satisfies Strategy[]

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
export class FanOutQuery<Fields> implements AsyncIterable<Row<Fields>> {
  readonly #state: QueryState

  private constructor(state: QueryState) {
    this.#state = state
  }

  /** @internal */
  static over<Fields>(driver: Driver, table: CompiledTable): FanOutQuery<Fields> {
    return new FanOutQuery({
      driver,
      table,
      condition: undefined,
      wanted: [],
      limit: undefined,
      cursor: undefined,
      index: undefined,
      forced: undefined,
      at: undefined,
      call: {},
    })
  }

  /**
   * Only rows that match. Further calls narrow the result. Where the filter fixes the hashed columns, only the shards that
   * can match are read.
   *
   * @throws {IsothermError} `INVALID_QUERY` for an unknown property; `INVALID_VALUE` for a value of another type.
   */
  where(where: Where<Fields>): FanOutQuery<Fields> {
    const { table, condition } = this.#state
    const more = compileWhere(table.layout, where)
    return this.#with({ condition: condition ? { kind: 'and', of: [condition, more] } : more })
  }

  /**
   * The order, most significant property first. Ties are broken by the primary key, so that the order is total. Without
   * it: the key's own order, the shard aside.
   */
  orderBy(property: PropertyOf<Fields>, direction: 'asc' | 'desc' = 'asc'): FanOutQuery<Fields> {
    const wanted = [...this.#state.wanted, { property, direction }]
    totalOrder(this.#state.table.layout, wanted)
    return this.#with({ wanted })
  }

  /** At most this many rows; for `page`, the size of a page. */
  limit(limit: number): FanOutQuery<Fields> {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw invalidQuery(
        this.#state.table.layout,
        `has the limit ${limit}.`,
        'A limit is a whole number from 1.',
      )
    }
    return this.#with({ limit })
  }

  /**
   * Only rows after a page's end: `next` of that page. `undefined` begins at the first row.
   *
   * @throws {IsothermError} `INVALID_CURSOR` when the query is run, for a cursor that is damaged or another query's.
   */
  after(cursor: string | undefined): FanOutQuery<Fields> {
    return this.#with({ cursor })
  }

  /** As of when: `strong` (the default), or stale, which can be cheaper. All shards are read at the same moment. */
  readAt(at: ReadAt): FanOutQuery<Fields> {
    return this.#with({ at })
  }

  /** Forces a strategy; without it the planner chooses by what the driver says things cost. */
  via(strategy: Strategy): FanOutQuery<Fields> {
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
  byIndex(name: string): FanOutQuery<Fields> {
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

  /** A deadline in milliseconds and an `AbortSignal`, for each call to the database. */
  options(call: CallOptions): FanOutQuery<Fields> {
    return this.#with({ call: { ...this.#state.call, ...call } })
  }

  /** One page, and the cursor of the next. A page has `limit` rows, by default 100. */
  async page(): Promise<Page<Row<Fields>>> {
    const { table } = this.#state
    const size = this.#state.limit ?? DEFAULT_PAGE
    // One row more tells whether there is a next page.
    const request = this.#request(size + 1)
    const rows: PlainRow[] = []
    for await (const batch of this.#run(request)) rows.push(...batch)
    const more = rows.length > size
    if (more) rows.length = size
    const fingerprint = queryFingerprint(table.layout, request.condition, request.order)
    const next = more ? encodeCursor(fingerprint, positionOf(request.order, rows.at(-1)!)) : undefined
    return { rows: rows as Row<Fields>[], next }
  }

  /** All rows at once: for results that are known to be small. */
  async all(): Promise<Row<Fields>[]> {
    const rows: PlainRow[] = []
    for await (const batch of this.#run(this.#request(this.#state.limit))) rows.push(...batch)
    return rows as Row<Fields>[]
  }

  /** How many rows match; limit and cursor do not count. */
  count(): Promise<number> {
    return countRows(this.#aggregate())
  }

  /**
   * Counts per value of a property.
   *
   * @example
   * await db.fanOut(Request).groupBy('status').count() // [{ status: 200n, count: 9126 }, …]
   */
  groupBy<Property extends PropertyOf<Fields>>(
    property: Property,
  ): GroupedFanOut<Pick<Row<Fields>, Property>> {
    return new GroupedFanOut(this.#aggregate(), property)
  }

  /** What would be done, as data; printed as text it is for people. */
  explain(): ExplainedPlan {
    return explain(this.#plan(this.#request(this.#state.limit)))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row<Fields>, void, undefined> {
    for await (const batch of this.#run(this.#request(this.#state.limit))) yield* batch as Row<Fields>[]
  }

  #with(change: Partial<QueryState>): FanOutQuery<Fields> {
    return new FanOutQuery({ ...this.#state, ...change })
  }

  #request(limit: number | undefined): FanOutRequest {
    const { table, condition, wanted, cursor, forced, index } = this.#state
    if (index) refusePartialIndex(table, index, condition)
    const order = totalOrder(table.layout, wanted)
    const after =
      cursor === undefined
        ? undefined
        : decodeCursor(cursor, queryFingerprint(table.layout, condition, order), order)
    return { condition, order, after, limit, forced, index }
  }

  #plan(request: FanOutRequest): FanOutPlan {
    const { driver, table } = this.#state
    return planFanOut(table, request, driver.costs)
  }

  #run(request: FanOutRequest): AsyncGenerator<PlainRow[], void, undefined> {
    const { driver, table, at, call } = this.#state
    return runPlan(driver, table, request, this.#plan(request), { ...call, ...(at !== undefined && { at }) })
  }

  #aggregate() {
    const { driver, table, condition, at, call } = this.#state
    return { driver, table, condition, options: { ...call, ...(at !== undefined && { at }) } }
  }
}
