import type { EventEmitter } from 'node:events'
import { type MethodArguments, refuseExtraArguments } from '../extra-arguments.js'
import { SCHEMA, checkSchema } from '../model/validate.js'
import { type Model, modelName } from '../model/model.js'
import type { Change, Insert, KeyOf, Row } from '../model/row.js'
import type { Schema } from '../model/schema.js'
import type { DatabaseEvents } from '../observability/events.js'
import { Observer } from '../observability/observer.js'
import { TELEMETRY, type Telemetry } from '../observability/telemetry.js'
import { type OptionKinds, callback, checkArgument, checkOptions, kind, oneOf, required } from '../options.js'
import {
  CALL_OPTIONS,
  type DeleteOptions,
  type IncrementOptions,
  TRANSACTION_OPTIONS,
  type UpsertOptions,
  checkCallOptions,
  checkReadOptions,
  checkWriteOptions,
  refuseToExpire,
} from '../engine/call-options.js'
import {
  type CallOptions,
  type CommitOptions,
  type Driver,
  type OutsideTransaction,
  type ReadOptions,
  type RowWrites,
  type WriteCallOptions,
  type WriteKind,
  refuseLacking,
} from '../engine/driver.js'
import { type PlainRow, keyWires } from '../engine/codec.js'
import { type PreparedRows, completeRows, incrementRows, writeRows } from '../write/write.js'
import {
  type CompiledTable,
  CompiledTables,
  type TableResolver,
  type TableView,
  type TablesOf,
  tablesAsTheyAre,
} from '../rows/compiled-table.js'
import { INPUT_NAMES, asTheyAre, checkInput, checkInputs, completeKey } from '../rows/fill.js'
import { Limits, withRetries } from '../engine/retries.js'
import { refuseInTransaction, transact } from '../transaction/scope.js'
import { Transaction } from '../transaction/transaction.js'
import { Opening } from '../engine/undecided.js'
import { type OneOrMany, type RowOperation, many } from '../write/write.js'

export interface OpenRowsOptions<Used extends Driver = Driver> {
  readonly driver: Used
  readonly schema: Schema
  /**
   * Which tables are read and written: what `dualWrites` of `@isotherm/core/reshard` gives, while a table changes its key. Default: each
   * model is its own table.
   */
  readonly tables?: TablesOf
  /**
   * Where spans and metrics go: `openTelemetry()` of `@isotherm/core/opentelemetry`. Default: none are made. Events of `db.on` do
   * not need it.
   */
  readonly telemetry?: Telemetry
}

export interface InsertOptions extends WriteCallOptions {
  /**
   * Whether values that the database makes (its defaults, generated columns, sequences) come back with the rows. `false`
   * writes mutations, which are cheaper and tell nothing: those fields are `undefined` then. Default: true.
   */
  readonly returning?: boolean
}

/** The inserted rows with their keys, in the order in which they were given. */
export type Inserted<T> = T[] & {
  /** How many commits it took: 1, unless `allowMultipleCommits` was allowed and needed. */
  readonly commits: number
}

/** The options of `openRows`, each as it is checked. */
export const OPEN_ROWS_OPTIONS: OptionKinds<OpenRowsOptions> = {
  driver: required(kind('a driver, as the package of an engine makes it of a client', isDriver)),
  schema: required(SCHEMA),
  tables: kind(
    "the result of dualWrites() of '@isotherm/core/reshard'",
    (value) => typeof value === 'function',
  ),
  telemetry: TELEMETRY,
}

const EVENTS: Readonly<Record<keyof DatabaseEvents, true>> = { fanOut: true, skew: true }
const event = oneOf(...Object.keys(EVENTS))

function checkListener(call: string, name: unknown, listener: unknown): void {
  checkArgument(call, 'event', event, name)
  checkArgument(call, 'listener', callback, listener)
}

function isDriver(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'dialect' in value && 'lacks' in value
}

/** Of a read-write transaction. */
export interface TransactionOptions extends CallOptions, OutsideTransaction {}

type PlainInput = Readonly<Record<string, unknown>>

/**
 * Opens a database for the tables of a schema, without a reader over shards: rows are written, and got by their keys. It is a
 * fourth smaller in the bundle of an application than `openDatabase`, which can do all that it can.
 *
 * @throws {IsothermError} as `openDatabase` does.
 * @example
 * const db = openRows({ driver: spanner(database), schema })
 * const [row] = await db.insert(UserAccessLog, [{ userId: 7n }])
 * await db.get(UserAccessLog, row)
 */
export function openRows<Used extends Driver>(options: OpenRowsOptions<Used>): RowDatabase<Used> {
  checkOptions('openRows', OPEN_ROWS_OPTIONS, options)
  return new RowDatabase(options)
}

/** What a driver returns for a commit: when it took effect, if the engine says so. */
type CommitOf<Used extends Driver> = Pick<Awaited<ReturnType<Used['writes']['commit']>>, 'commitTimestamp'>

/**
 * A database whose rows are written, and got by their keys.
 *
 * @typeParam Used the driver: of Spanner's, a commit tells its timestamp
 */
export class RowDatabase<Used extends Driver = Driver> {
  readonly driver: Used
  readonly schema: Schema
  protected readonly observer: Observer
  protected readonly opening: Opening<Opened>

  constructor(options: OpenRowsOptions<Used>) {
    refuseExtraArguments(RowDatabase, 'db', ARGUMENTS)
    const { driver, schema } = options
    checkSchema(schema)
    this.driver = driver
    this.schema = schema
    this.observer = new Observer(driver.system, options.telemetry)
    this.opening = new Opening(driver, (each) => openedOn(each, options, this.observer))
  }

  /**
   * Asks the database what later calls would have to ask first: its dialect, if you did not give it, and which tables are
   * read and written. Call it once after `openDatabase`, before the first fan-out of a database with `dualWrites`.
   */
  async ready(options?: CallOptions): Promise<void> {
    checkCallOptions(this.driver, 'db.ready', CALL_OPTIONS, options)
    await this.#current(options)
  }

  /**
   * Returns a promise only if something has to be asked first: otherwise the arguments of a call are read before it returns
   * to its caller.
   */
  #current(options?: CallOptions): Current | Promise<Current> {
    const limits = new Limits(options ?? {})
    const { known } = this.opening
    if (!known) return this.#decided(limits)
    const tables = known.resolver.current(limits)
    return tables instanceof Promise
      ? tables.then((view) => ({ opened: known, tables: view, limits }))
      : { opened: known, tables, limits }
  }

  async #decided(limits: Limits): Promise<Current> {
    const opened = await this.opening.decided(limits.options)
    return { opened, tables: await opened.resolver.current(limits), limits }
  }

  /**
   * Inserts rows, all or none, and gives them back with their keys, those made by the database too.
   *
   * @throws {IsothermError} `INVALID_VALUE` before anything is written; `ALREADY_EXISTS`; `TOO_MANY_MUTATIONS` where the
   * rows exceed one commit and `allowMultipleCommits` is not allowed; `PARTLY_WRITTEN` where a later commit of a split insert failed.
   * @example
   * const [row] = await db.insert(UserAccessLog, [{ userId: 7n }])
   * row.lastAccess // made by the clock, and what db.get finds the row by
   */
  async insert<Fields extends object>(
    model: Model<Fields>,
    rows: readonly Insert<Fields>[],
    options: InsertOptions & { readonly returning: false },
  ): Promise<Inserted<Partial<Row<Fields>>>>
  async insert<Fields extends object>(
    model: Model<Fields>,
    rows: readonly Insert<Fields>[],
    options?: InsertOptions,
  ): Promise<Inserted<Row<Fields>>>
  async insert(
    table: string,
    rows: readonly PlainInput[],
    options?: InsertOptions,
  ): Promise<Inserted<PlainRow>>
  async insert(
    model: object | string,
    rows: readonly PlainInput[],
    options?: InsertOptions,
  ): Promise<unknown> {
    const { rows: written, commits } = await this.#write(model, 'insert', rows, options)
    return Object.defineProperty(written, 'commits', { value: commits })
  }

  /**
   * Reads the row with this key, or returns undefined. A hash shard is computed from its hashed columns.
   *
   * @throws {IsothermError} `KEY_INCOMPLETE` naming the missing key part.
   */
  async get<Fields extends object>(
    model: Model<Fields>,
    key: KeyOf<Fields>,
    options?: ReadOptions,
  ): Promise<Row<Fields> | undefined>
  async get(table: string, key: PlainInput, options?: ReadOptions): Promise<PlainRow | undefined>
  async get(model: object | string, key: PlainInput, options?: ReadOptions): Promise<unknown> {
    checkReadOptions(this.driver, options)
    const current = this.#current(options)
    const [input] = current instanceof Promise ? asTheyAre([key]) : [key]
    const { opened, tables, limits } = current instanceof Promise ? await current : current
    const { driver } = opened
    const table = tables.of(model)
    const { layout, codec, skew } = table
    checkInput(layout, 'key', input)
    const complete = completeKey(layout, tables.plain(table, [input!])[0]!)
    const keys = [keyWires(layout, complete)]
    skew?.keys('reads', [complete])
    const request = { layout, columns: codec.columns, keys }
    const [cells] = await withRetries(() => driver.read(request, limits.options), limits)
    return cells && codec.decode(cells)
  }

  /**
   * Changes fields of rows that exist, all or none. Each object holds a row's key and the fields to change.
   *
   * @throws {IsothermError} `NOT_FOUND` where a row does not exist; nothing is changed then.
   */
  async update<Fields extends object>(
    model: Model<Fields>,
    changes: OneOrMany<Change<Fields>>,
    options?: WriteCallOptions,
  ): Promise<CommitOf<Used>>
  async update(
    table: string,
    changes: OneOrMany<PlainInput>,
    options?: WriteCallOptions,
  ): Promise<CommitOf<Used>>
  async update(
    model: object | string,
    changes: OneOrMany<PlainInput>,
    options?: WriteCallOptions,
  ): Promise<unknown> {
    const { commitTimestamp } = await this.#write(model, 'update', many(changes), options)
    return { commitTimestamp }
  }

  /**
   * Inserts rows, or changes those that exist, and returns what was written. Fields that are not given keep their values,
   * except a commit timestamp, which is set. A key value that is left out is made, and the row is a new one.
   *
   * @throws {IsothermError} `UNSUPPORTED_WRITE` if the shard hashes a column outside the key: the same key with another value of
   * that column would be a second row in another shard.
   */
  async upsert<Fields extends object>(
    model: Model<Fields>,
    rows: readonly Insert<Fields>[],
    options?: UpsertOptions,
  ): Promise<Partial<Row<Fields>>[]>
  async upsert(table: string, rows: readonly PlainInput[], options?: UpsertOptions): Promise<PlainRow[]>
  async upsert(
    model: object | string,
    rows: readonly PlainInput[],
    options?: UpsertOptions,
  ): Promise<unknown> {
    return (await this.#write(model, 'upsert', rows, options)).rows
  }

  /** Deletes the rows with these keys; a row that does not exist is ignored. */
  async delete<Fields extends object>(
    model: Model<Fields>,
    keys: OneOrMany<KeyOf<Fields>>,
    options?: DeleteOptions,
  ): Promise<CommitOf<Used>>
  async delete(table: string, keys: OneOrMany<PlainInput>, options?: DeleteOptions): Promise<CommitOf<Used>>
  async delete(
    model: object | string,
    keys: OneOrMany<PlainInput>,
    options?: DeleteOptions,
  ): Promise<unknown> {
    const { commitTimestamp } = await this.#write(model, 'delete', many(keys), options)
    return { commitTimestamp }
  }

  /**
   * Adds to the counters of rows: each object holds a row's key, and how much each counter grows, or shrinks. A row that
   * does not exist begins at zero. Cassandra only.
   *
   * @throws {IsothermError} `OUTCOME_UNKNOWN` if an answer was lost: repeating the addition may count it twice.
   * @example
   * await db.increment(PageHits, { page: '/', day: '2026-11-22', hits: 1n })
   */
  async increment<Fields extends object>(
    model: Model<Fields>,
    amounts: OneOrMany<Change<Fields>>,
    options?: IncrementOptions,
  ): Promise<void>
  async increment(table: string, amounts: OneOrMany<PlainInput>, options?: IncrementOptions): Promise<void>
  async increment(
    model: object | string,
    amounts: OneOrMany<PlainInput>,
    options?: IncrementOptions,
  ): Promise<void> {
    const writing = this.#writing(model, 'increment', many(amounts), options)
    const { driver, table, inputs, limits } = writing instanceof Promise ? await writing : writing
    await incrementRows(table, inputs, driver, limits.options)
  }

  /** Prepares a writing call: its table, its arguments, and the check that this engine supports its options. */
  #writing(
    model: object | string,
    kind: WriteKind,
    rows: readonly PlainInput[],
    options: CommitOptions | undefined,
  ): Writing | Promise<Writing> {
    checkWriteOptions(this.driver, kind, options)
    const current = this.#current(options)
    if (!(current instanceof Promise)) return this.#writingIn(current, model, kind, rows, options)
    const copies = asTheyAre(rows)
    return current.then((then) => this.#writingIn(then, model, kind, copies, options))
  }

  #writingIn(
    { opened, tables, limits }: Current,
    model: object | string,
    kind: WriteKind,
    rows: readonly PlainInput[],
    options: CommitOptions | undefined,
  ): Writing {
    const { driver } = opened
    const table = tables.of(model)
    refuseInTransaction(driver, () => `db.${kind}(${modelName(model)})`, options)
    refuseToExpire(table.layout.table, kind, options)
    checkInputs(table.layout, INPUT_NAMES[kind], rows)
    const inputs = tables.plain(table, rows)
    return { driver, table, inputs, writes: tables.writes, limits }
  }

  async #write(
    model: object | string,
    op: RowOperation,
    rows: readonly PlainInput[],
    options: CommitOptions | undefined,
  ) {
    const writing = this.#writing(model, op, rows, options)
    const { table, inputs, writes, limits } = writing instanceof Promise ? await writing : writing
    return writeRows(op, table, inputs, writes, limits)
  }

  /**
   * Runs `work` in one read-write transaction: its reads see its writes, and all of them are committed or none. The engine
   * may abort it, and then `work` runs again from the start: keep side effects out of it.
   *
   * @throws {IsothermError} `CALL_NOT_AWAITED` where the work ends while a call on `tx` is running: nothing is committed then;
   * `INVALID_OPTION` for work that returns a function or a generator, which has not run; `IN_TRANSACTION` within another; `OUTCOME_UNKNOWN` where the commit's answer was lost.
   * @example
   * await db.transaction(async (tx) => {
   *   const account = await tx.get(Account, { id })
   *   await tx.update(Account, { id, balance: account.balance - 5n })
   * })
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    checkArgument('db.transaction', 'work', callback, work)
    checkCallOptions(this.driver, 'db.transaction', TRANSACTION_OPTIONS, options)
    refuseInTransaction(this.driver, () => 'db.transaction', options)
    const { opened, tables, limits } = await this.#current(options)
    let written: PreparedRows[] = []
    const { value, commitTimestamp } = await transact(
      opened.driver,
      (scope) => work(new Transaction(scope, tables, (written = []))),
      limits.options,
    )
    for (const prepared of written) completeRows(prepared, { made: [], commitTimestamp })
    return value
  }

  /**
   * Listens to events: `fanOut` when a fan-out has ended, `skew` when a shard or a key takes far more than its share, once
   * for each. A listener that throws does not end the query: its error becomes a warning of the process.
   *
   * @example
   * db.on('skew', ({ table, of, shard, keyHash, share }) => log.warn({ table, of, shard, keyHash, share }, 'hot'))
   */
  on<Name extends keyof DatabaseEvents>(
    event: Name,
    listener: (...args: DatabaseEvents[Name]) => void,
  ): this {
    checkListener('db.on', event, listener)
    ;(this.observer.events as EventEmitter).on(event, listener as (...args: unknown[]) => void)
    return this
  }

  /** Takes a listener away again. */
  off<Name extends keyof DatabaseEvents>(
    event: Name,
    listener: (...args: DatabaseEvents[Name]) => void,
  ): this {
    checkListener('db.off', event, listener)
    ;(this.observer.events as EventEmitter).off(event, listener as (...args: unknown[]) => void)
    return this
  }
}

/** The opened database at the begin of a call. */
interface Current {
  readonly opened: Opened
  readonly tables: TableView
  /** Limits of the call as a whole: what has to be asked first takes a part of its time. */
  readonly limits: Limits
}

/** A call that writes, its input checked. */
interface Writing {
  readonly driver: Driver
  readonly table: CompiledTable
  readonly inputs: readonly PlainInput[]
  readonly writes: RowWrites
  readonly limits: Limits
}

/** A schema on a database whose dialect is known. */
export interface Opened {
  readonly driver: Driver
  readonly compiled: CompiledTables
  readonly resolver: TableResolver
}

function openedOn<Used extends Driver>(
  driver: Driver,
  { schema, tables: tablesOf = tablesAsTheyAre }: OpenRowsOptions<Used>,
  observer: Observer,
): Opened {
  refuseLacking(schema, driver)
  const compiled = new CompiledTables(schema, driver.dialect, observer)
  return { driver, compiled, resolver: tablesOf(compiled, driver) }
}

const ARGUMENTS: MethodArguments<RowDatabase> = {
  sync: { on: ['event', 'listener'], off: ['event', 'listener'] },
  async: {
    ready: ['options'],
    insert: ['model', 'rows', 'options'],
    get: ['model', 'key', 'options'],
    update: ['model', 'changes', 'options'],
    upsert: ['model', 'rows', 'options'],
    delete: ['model', 'keys', 'options'],
    increment: ['model', 'amounts', 'options'],
    transaction: ['work', 'options'],
  },
  fix: 'Leave it out. Several rows are one list, and options are the last argument.',
}
