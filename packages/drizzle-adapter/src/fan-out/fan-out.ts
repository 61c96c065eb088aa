import {
  IsothermError,
  type AsyncRows,
  type Driver,
  type ExplainedPlan,
  type FanOutQuery,
  type MissingShard,
  type Page,
  type Strategy,
} from '@isotherm/core'
import {
  anything,
  callback,
  checkOptions,
  FanOutTables,
  invalidOption,
  objectWith,
  flag,
  oneOf,
  secret,
  text,
  type OpenFanOutOptions,
  type OptionKinds,
} from '@isotherm/core/adapter'
import { entityKind, QueryPromise, type Casing, type Column, type Table } from 'drizzle-orm'
import { fromCore } from '../keys/column-values.js'
import { tableSchema } from '../keys/table-schema.js'
import { qualifiedName } from '../table-kind/table-kind.js'
import { QUERY_OPTIONS, type QueryOptions } from '../session/executor.js'
import { rowMapper } from '../session/rows.js'
import { AggregateQuery } from './aggregates.js'
import { filterOf, orderOf } from './conditions.js'
import { type FanOutSelect, ForeignSession, fanOutSelect } from './select.js'
import type { Session } from '../session/session.js'
import type { FanOutSource } from './source.js'

/** How a fan-out reads, in addition to the options of the database from `$withOptions`. */
export interface FanOutOptions extends QueryOptions, Pick<OpenFanOutOptions, 'cursorSecret'> {
  /**
   * Of PostgreSQL, for a select of `drizzle-orm/node-postgres` or `drizzle-orm/pglite`: `pg(pool)` or `pglite(database)` of
   * `@isotherm/postgresql`, with the client that `drizzle()` was given. A select of this package's own `drizzle()` has its driver.
   */
  readonly driver?: Driver
  /** Forces a strategy; without it the planner chooses by what things cost. */
  readonly strategy?: Strategy
  /** Reads by this index, by its name in the database; without it the planner takes one where its order is the wanted one. */
  readonly index?: string
  /** Pages of the table as it was when the first page was read. */
  readonly consistentPages?: boolean
  /** `partial` goes on without shards that cannot be read, and says which in `missing`. Default: `fail`. */
  readonly onShardError?: 'fail' | 'partial'
  /** Called for each shard that is given up. */
  readonly onMissing?: (missing: MissingShard) => void
}

const FAN_OUT_OPTIONS: OptionKinds<FanOutOptions> = {
  ...QUERY_OPTIONS,
  driver: objectWith('a driver', 'read', 'applyDdl'),
  // The fan-out itself checks these two.
  strategy: anything,
  cursorSecret: secret(anything),
  index: text("'orders_by_time'"),
  consistentPages: flag,
  onShardError: oneOf('fail', 'partial'),
  onMissing: callback,
}

/** A select of Drizzle's that gives these rows. */
export type SelectOf<Row> = PromiseLike<readonly Row[]> & {
  readonly _: { readonly selectedFields: unknown }
}

type CoreQuery = FanOutQuery<Record<string, unknown>>

/** The methods of a fan-out, of rows or of aggregates. */
type FanOutReads = Pick<CoreQuery, 'all' | 'page' | 'count' | 'explain' | typeof Symbol.asyncIterator> & {
  after(cursor: string | undefined): FanOutReads
}

/**
 * Reads all shards of a table as one: filtered, ordered, page by page. A condition on the hashed columns of a shard reads
 * only the shards that can match. Await it for all rows, or iterate it for a stream of them.
 *
 * A select of `count()`, `sum()`, `avg()`, `min()` or `max()`, with `groupBy` or without, is computed by the database over
 * those shards, and awaited or iterated.
 *
 * @throws {IsothermError} `UNSUPPORTED_QUERY`, with what to use instead, for a select that cannot be combined from the shards of
 * one table, and in a read-write transaction; `INVALID_OPTION` for an option that aggregates do not take.
 * @example
 * const recent = fanOut(
 *   db.select().from(accessLog).where(gte(accessLog.at, since)).orderBy(desc(accessLog.at)).limit(50),
 * )
 * const { rows, next } = await recent.page()
 * for await (const row of recent) console.log(row)
 */
export function fanOut<Row>(select: SelectOf<Row>, options: FanOutOptions = {}): FanOut<Row> {
  checkOptions('fanOut', FAN_OUT_OPTIONS, options)
  const selection = fanOutSelect(select)
  const { aggregation, source } = selection
  if (!aggregation)
    return new FanOut<Row>(rowQuery(selection, options), rowsOf(selection) as (row: object) => Row)
  refuseRowOptions(options, source)
  const query = new AggregateQuery(coreQuery(selection, options), aggregation, source)
  return new FanOut<Row>(query, (row) => row as Row)
}

/** Options that say how rows are read have no meaning for aggregates, which the database computes. */
function refuseRowOptions(options: FanOutOptions, { name }: FanOutSource): void {
  const rowOption = (
    ['strategy', 'index', 'consistentPages', 'onShardError', 'onMissing', 'cursorSecret'] as const
  ).find((option) => options[option] !== undefined)
  if (rowOption === undefined) return
  throw new IsothermError(
    'INVALID_OPTION',
    `fanOut: a fan-out of aggregates does not take the option ${rowOption}.`,
    {
      fix: `Remove ${rowOption}: one statement computes the aggregates, over the shards that can match.`,
      table: name,
    },
  )
}

/** A select over all shards of a table. Nothing is read before it is awaited or iterated, or `page` or `count` is called. */
export class FanOut<Row> extends QueryPromise<Row[]> implements AsyncIterable<Row> {
  static override readonly [entityKind]: string = 'SpannerFanOut'
  readonly #query: FanOutReads
  readonly #map: (row: object) => Row

  /** @internal */
  constructor(query: FanOutReads, map: (row: object) => Row) {
    super()
    this.#query = query
    this.#map = map
  }

  /** All rows at once: for results that are known to be small. */
  async execute(): Promise<Row[]> {
    return (await this.#query.all()).map(this.#map)
  }

  /** One page, and the cursor of the next. A page has `limit` rows, by default 100. */
  async page(): Promise<Page<Row>> {
    const { rows, ...rest } = await this.#query.page()
    return { rows: rows.map(this.#map), ...rest }
  }

  /**
   * Only rows after a page's end: `next` of that page. `undefined` begins at the first row.
   *
   * @throws {IsothermError} `INVALID_CURSOR` when it is read, for a cursor that is damaged or another query's.
   */
  after(cursor: string | undefined): FanOut<Row> {
    return new FanOut(this.#query.after(cursor), this.#map)
  }

  /** How many rows match, whatever the limit. */
  count(): Promise<number> {
    return this.#query.count()
  }

  /** The plan, as data; its text is for people. */
  explain(): ExplainedPlan {
    return this.#query.explain()
  }

  /** Rows as they arrive, no faster than they are taken. */
  [Symbol.asyncIterator](): AsyncRows<Row> {
    const rows = this.#query[Symbol.asyncIterator]()
    const map = this.#map
    return {
      async next() {
        const { done, value } = await rows.next()
        return done ? { done: true, value: undefined } : { done: false, value: map(value) }
      },
      async return() {
        await rows.return?.()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }
}

function coreQuery({ source, session, where, casing }: FanOutSelect, options: FanOutOptions): CoreQuery {
  const {
    cursorSecret,
    driver: own,
    strategy: _,
    index: __,
    consistentPages: ___,
    onShardError: ____,
    onMissing: _____,
    ...queryOptions
  } = options
  const {
    driver,
    snapshot,
    telemetry,
    options: call,
  } = session instanceof ForeignSession
    ? foreignTarget(session, own, queryOptions)
    : ownTarget(session, own, queryOptions)
  let query = tablesOf(source.table, driver.dialect, casing).fanOut(qualifiedName(source.table), {
    driver,
    ...(snapshot && { snapshot }),
    ...(telemetry && { telemetry }),
    ...(cursorSecret !== undefined && { cursorSecret }),
  })
  if (where) query = query.where(filterOf(where, source))
  // A read is never a part of a transaction that it is not called on.
  const { at, outsideTransaction: ______, ...others } = call
  // A snapshot has its own timestamp.
  if (at !== undefined && !snapshot) query = query.timestampBound(at)
  return query.options(others)
}

type FanOutTarget = ReturnType<Session['fanOutTarget']>

/** @throws {IsothermError} `INVALID_OPTION` for a driver beside the one of the database. */
function ownTarget(session: Session, driver: Driver | undefined, options: QueryOptions): FanOutTarget {
  if (driver === undefined) return session.fanOutTarget(options)
  throw invalidOption('fanOut', {
    message: 'driver is given, and the database of the select has one.',
    fix: 'Leave it out.',
  })
}

/** @throws {IsothermError} `INVALID_OPTION` without the driver of the select's client. */
function foreignTarget(
  { client }: ForeignSession,
  driver: Driver | undefined,
  options: QueryOptions,
): Omit<FanOutTarget, 'driver'> & { readonly driver: OpenFanOutOptions['driver'] } {
  if (driver === undefined) {
    throw invalidOption('fanOut', {
      message: "driver is missing, and the select comes from Drizzle's own database for PostgreSQL.",
      fix: 'Give the driver of its client: fanOut(select, { driver: pg(pool) }), or pglite(database).',
    })
  }
  if (driver.client !== client) {
    throw invalidOption('fanOut', {
      message: 'the driver is of another client than the select, or the select is of a transaction.',
      fix: 'Build the select with the database that drizzle(client) returned, and the driver with the same client.',
    })
  }
  return { driver, telemetry: undefined, options }
}

function rowQuery(selection: FanOutSelect, options: FanOutOptions): CoreQuery {
  const { source, orderBy, limit } = selection
  const { strategy, index, consistentPages, onShardError, onMissing } = options
  let query = coreQuery(selection, options)
  for (const term of orderBy) {
    const { property, direction } = orderOf(term, source)
    query = query.orderBy(property, direction)
  }
  if (limit !== undefined) query = query.limit(limit)
  if (strategy !== undefined) query = query.strategy(strategy)
  if (index !== undefined) query = query.useIndex(index)
  if (consistentPages) query = query.consistentPages()
  if (onShardError !== undefined) query = query.onShardError(onShardError, onMissing)
  return query
}

function rowsOf({ source, fields = [] }: FanOutSelect): (row: object) => Record<string, unknown> {
  const properties = fields.map(({ field }) => source.propertyOf(field))
  const map = rowMapper(fields, undefined, (column: Column) => ({
    decode: (value) => fromCore(column, value),
  }))
  return (row) => map(properties.map((property) => (row as Readonly<Record<string, unknown>>)[property]))
}

const known = new WeakMap<Table, Map<string, FanOutTables>>()

/** Made once per table. */
function tablesOf(table: Table, dialect: OpenFanOutOptions['driver']['dialect'], casing: Casing | undefined) {
  const own = known.get(table) ?? new Map<string, FanOutTables>()
  known.set(table, own)
  const name = `${dialect.name} ${casing}`
  const before = own.get(name)
  if (before) return before
  const schema = tableSchema(table, casing)
  if (!schema) {
    throw new IsothermError('UNKNOWN_TABLE', `${qualifiedName(table)} is not a table that Isotherm knows.`, {
      fix: 'Declare it with spannerTable, or with pgTable.',
    })
  }
  const made = new FanOutTables(schema, dialect)
  own.set(name, made)
  return made
}
