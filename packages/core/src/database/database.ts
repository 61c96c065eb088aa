import type { EventEmitter } from 'node:events'
import { sqlOf } from '../dialects/dialect.js'
import { dialectNamed } from '../dialects/registry.js'
import { closeParts, readPart, type PartOptions } from '../fan-out/partitions/part-reading.js'
import type { FanOutPart } from '../fan-out/partitions/part.js'
import { FanOutQuery } from '../fan-out/query.js'
import { secretsOf, type Secret } from '../fan-out/seal.js'
import type { FanOutServices } from '../fan-out/services.js'
import type { DatabaseEvents } from '../observability/events.js'
import { Observer } from '../observability/observer.js'
import type { Severity } from '../lint/rule.js'
import { refuseHotspots } from '../lint/run.js'
import { checkSchema } from '../model/checked.js'
import type { Model } from '../model/model.js'
import type { Change, Insert, KeyOf, Row } from '../model/row.js'
import type { Schema } from '../model/schema.js'
import { refuseLacking, refuseUntaken } from './capabilities.js'
import { keyWires, type PlainRow } from './codec.js'
import { CompiledTables, type CompiledTable } from './compiled-table.js'
import type { CallOptions, Driver, ReadOptions, WriteCallOptions } from './driver.js'
import { deleteRows, insertRows, updateRows, upsertRows, type WriteTarget } from './commits.js'
import { completeKey } from './fill.js'
import { DualWrites, type DualWrite, type TableView } from './dual-writes.js'
import { incrementRows } from './increment.js'
import { Limits, withRetries } from './retries.js'
import { Transaction } from './transaction.js'
import { transact } from './transaction-scope.js'
import {
  checkReadOptions,
  checkWriteOptions,
  type DeleteOptions,
  type IncrementOptions,
  type UpsertOptions,
  type WriteKind,
} from './call-options.js'
import { many, type OneOrMany } from './writes.js'

export interface OpenDatabaseOptions<Used extends Driver = Driver> {
  readonly driver: Used
  readonly schema: Schema
  /** Another severity for lint rules, by their names: for a database that is as it is. */
  readonly severity?: Readonly<Record<string, Severity>>
  /**
   * Signs the cursors of pages, and the parts of fan-outs (HMAC-SHA-256), so that nobody else can make one: at least 32
   * bytes, the same in all processes that share them. Of several, the first signs and all are taken, so that secrets can
   * be changed. Default: they have a checksum only.
   */
  readonly cursorSecret?: Secret | readonly Secret[]
  /** Tables whose rows are kept in a second one as well, which takes their place under another key. */
  readonly dualWrites?: readonly DualWrite[]
  /** How often the phases of `dualWrites` are read again, in milliseconds, up to 10,000. Default: 5,000. */
  readonly phaseRefresh?: number
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
  /** How many commits it took: 1, unless `split` was allowed and needed. */
  readonly commits: number
}

type Given = Readonly<Record<string, unknown>>

/**
 * Opens a database for the tables of a schema.
 *
 * @throws {HotspotError} where the schema would run hot on this engine and carries no exception.
 * @example
 * const db = openDatabase({ driver: spanner(database), schema })
 * const [row] = await db.insert(UserAccessLog, [{ userId: 7n }])
 */
export function openDatabase<Used extends Driver>(options: OpenDatabaseOptions<Used>): Database<Used> {
  return new Database(options)
}

const WRITE_BOTH = 'Leave dualWrites out, and let the application write each row to both tables.'

/** What a driver gives back for a commit: when it took effect, where the engine says so. */
type CommitOf<Used extends Driver> = Awaited<ReturnType<Used['write']>>

/** @typeParam Used the driver: of Spanner's, a commit tells its timestamp */
export class Database<Used extends Driver = Driver> {
  readonly driver: Used
  readonly schema: Schema
  readonly #tables: CompiledTables
  readonly #services: FanOutServices
  readonly #observer: Observer
  readonly #dualWrites: DualWrites | undefined

  constructor({
    driver,
    schema,
    severity = {},
    cursorSecret,
    dualWrites,
    phaseRefresh,
  }: OpenDatabaseOptions<Used>) {
    checkSchema(schema)
    refuseHotspots(schema, { dialect: driver.dialect, target: driver.target, severity })
    const dialect = dialectNamed(driver.dialect, driver.target)
    // What is beside the tables, views say, may be there already in a database that has such things.
    if (dialect.cql) dialect.refuseUnsupported(schema, [])
    refuseLacking(schema, driver)
    this.driver = driver
    this.schema = schema
    this.#observer = new Observer(driver.system)
    this.#tables = new CompiledTables(schema, dialect, this.#observer)
    this.#services = {
      observer: this.#observer,
      driver,
      tables: this.#tables,
      ...(cursorSecret !== undefined && { cursorSecrets: secretsOf(cursorSecret) }),
    }
    if (dualWrites) sqlOf(dialect, 'A second table that is written beside the first', WRITE_BOTH)
    this.#dualWrites = dualWrites && new DualWrites(dualWrites, this.#tables, driver, phaseRefresh)
  }

  /**
   * Reads the phases of `dualWrites`. Call it once after `openDatabase`, before the first fan-out; there is nothing to wait
   * for without them.
   */
  async ready(): Promise<void> {
    await this.#dualWrites?.current()
  }

  async #current(): Promise<TableView> {
    return this.#dualWrites?.current() ?? this.#tables
  }

  /**
   * Inserts rows, all or none, and gives them back with their keys, those made by the database too.
   *
   * @throws {IsothermError} `INVALID_VALUE` before anything is written; `ALREADY_EXISTS`; `TOO_MANY_MUTATIONS` where the
   * rows exceed one commit and `split` is not allowed; `PARTLY_WRITTEN` where a later commit of a split insert failed.
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
  async insert(table: string, rows: readonly Given[], options?: InsertOptions): Promise<Inserted<PlainRow>>
  async insert(
    model: object | string,
    rows: readonly Given[],
    options: InsertOptions = {},
  ): Promise<unknown> {
    const { tables, target, given } = await this.#writing(model, 'insert', rows, options)
    const { rows: written, commits } = await insertRows(target, given, options, () =>
      this.#dualWrites?.refuseChanged(tables),
    )
    return Object.defineProperty(written, 'commits', { value: commits })
  }

  /**
   * The row with this key, or undefined. A hash shard is computed from what it hashes.
   *
   * @throws {IsothermError} `KEY_INCOMPLETE` naming the missing part.
   */
  async get<Fields extends object>(
    model: Model<Fields>,
    key: KeyOf<Fields>,
    options?: ReadOptions,
  ): Promise<Row<Fields> | undefined>
  async get(table: string, key: Given, options?: ReadOptions): Promise<PlainRow | undefined>
  async get(model: object | string, key: Given, options: ReadOptions = {}): Promise<unknown> {
    const tables = await this.#current()
    const table = tables.of(model)
    const { layout, codec, skew, dialect } = table
    checkReadOptions(this.driver, dialect, options)
    const complete = completeKey(layout, tables.plain?.(table, key) ?? key)
    const keys = [keyWires(layout, complete)]
    skew?.keys('reads', [complete])
    const request = { layout, columns: codec.columns, keys }
    const limits = new Limits(options)
    const [cells] = await withRetries(() => this.driver.read(request, limits.options), limits)
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
  async update(table: string, changes: OneOrMany<Given>, options?: WriteCallOptions): Promise<CommitOf<Used>>
  async update(
    model: object | string,
    changes: OneOrMany<Given>,
    options?: WriteCallOptions,
  ): Promise<unknown> {
    const { target, given } = await this.#writing(model, 'update', many(changes), options)
    return updateRows(target, given, options)
  }

  /**
   * Inserts rows, or changes those that exist, and gives back what was written. Fields that are not given keep their
   * values, but for a commit timestamp, which is set. A key value that is left out is made, and the row is a new one.
   *
   * @throws {IsothermError} `UNSUPPORTED` where the shard hashes a column outside the key: the same key with another
   * value of it would be a second row in another shard.
   */
  async upsert<Fields extends object>(
    model: Model<Fields>,
    rows: readonly Insert<Fields>[],
    options?: UpsertOptions,
  ): Promise<Partial<Row<Fields>>[]>
  async upsert(table: string, rows: readonly Given[], options?: UpsertOptions): Promise<PlainRow[]>
  async upsert(model: object | string, rows: readonly Given[], options?: UpsertOptions): Promise<unknown> {
    const { target, given } = await this.#writing(model, 'upsert', rows, options)
    return upsertRows(target, given, options)
  }

  /** Deletes the rows with these keys; a row that does not exist is none to delete. */
  async delete<Fields extends object>(
    model: Model<Fields>,
    keys: OneOrMany<KeyOf<Fields>>,
    options?: DeleteOptions,
  ): Promise<CommitOf<Used>>
  async delete(table: string, keys: OneOrMany<Given>, options?: DeleteOptions): Promise<CommitOf<Used>>
  async delete(model: object | string, keys: OneOrMany<Given>, options?: DeleteOptions): Promise<unknown> {
    const { target, given } = await this.#writing(model, 'delete', many(keys), options)
    return deleteRows(target, given, options)
  }

  /**
   * Adds to the counters of rows: each object holds a row's key, and how much each counter grows, or shrinks. A row that is
   * not there begins at zero. Cassandra's.
   *
   * @throws {IsothermError} `OUTCOME_UNKNOWN` where an answer was lost: what is added again counts again.
   * @example
   * await db.increment(PageHits, { page: '/', day: '2026-11-22', hits: 1n })
   */
  async increment<Fields extends object>(
    model: Model<Fields>,
    amounts: OneOrMany<Change<Fields>>,
    options?: IncrementOptions,
  ): Promise<void>
  async increment(table: string, amounts: OneOrMany<Given>, options?: IncrementOptions): Promise<void>
  async increment(
    model: object | string,
    amounts: OneOrMany<Given>,
    options?: IncrementOptions,
  ): Promise<void> {
    const { target, given } = await this.#writing(model, 'increment', many(amounts), options)
    await incrementRows(target, given, options)
  }

  /** Where a call writes, what it was given, and that its options are some of this engine's. */
  async #writing<Each extends Given>(
    model: object | string,
    kind: WriteKind,
    rows: readonly Each[],
    options: WriteCallOptions | undefined,
  ) {
    const tables = await this.#current()
    const table = tables.of(model)
    checkWriteOptions(this.driver, table.dialect, kind, options)
    const target: WriteTarget = { driver: this.driver, table, dual: tables.dual?.(table) }
    return { tables, target, given: plainly(tables, table, rows) }
  }

  /**
   * Runs `work` in one read-write transaction: its reads see its writes, and all of them are committed or none. The engine
   * may abort it, and then `work` runs again from the start: keep side effects out of it.
   *
   * @throws {IsothermError} `OUTCOME_UNKNOWN` where the commit's answer was lost.
   * @example
   * await db.transaction(async (tx) => {
   *   const account = await tx.get(Account, { id })
   *   await tx.update(Account, { id, balance: account.balance - 5n })
   * })
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, options?: CallOptions): Promise<T> {
    refuseUntaken(this.driver, options)
    const tables = await this.#current()
    let last: Transaction | undefined
    const { value, commitTimestamp } = await transact(
      this.driver,
      async (scope) => {
        last = new Transaction(scope, tables)
        const done = await work(last)
        last.beforeCommit()
        await this.#dualWrites?.refuseChanged(tables)
        return done
      },
      options,
    )
    last?.committed(commitTimestamp)
    return value
  }

  /**
   * Reads all shards of a table as one: filtered, ordered, page by page.
   *
   * @example
   * const { rows, next } = await db.fanOut(UserAccessLog).orderBy('lastAccess', 'desc').limit(50).page()
   */
  fanOut<Fields extends object>(model: Model<Fields>): FanOutQuery<Fields>
  fanOut(table: string): FanOutQuery<Record<string, unknown>>
  fanOut(model: object | string): unknown {
    const tables = this.#dualWrites?.now ?? this.#tables
    return FanOutQuery.over({ ...this.#services, tables }, tables.of(model))
  }

  /**
   * The rows of one part of a fan-out, in whatever process it was split: as they arrive, no faster than they are taken.
   *
   * @throws {IsothermError} `INVALID_PART` for a part of another table or of other columns; while it is read,
   * `SNAPSHOT_EXPIRED` once the parts are gone.
   * @example
   * for await (const row of db.readPart(UserAccessLog, JSON.parse(message))) write(row)
   */
  readPart<Fields extends object>(
    model: Model<Fields>,
    part: FanOutPart,
    options?: PartOptions,
  ): AsyncIterableIterator<Row<Fields>, void, undefined>
  readPart(
    table: string,
    part: FanOutPart,
    options?: PartOptions,
  ): AsyncIterableIterator<PlainRow, void, undefined>
  readPart(model: object | string, part: FanOutPart, options: PartOptions = {}): unknown {
    const tables = this.#dualWrites?.now ?? this.#tables
    return readPart({ ...this.#services, tables }, tables.of(model), part, options)
  }

  /** Ends a part and all that were made together with it, wherever they are being read. */
  closeParts(part: FanOutPart, options: CallOptions = {}): Promise<void> {
    return closeParts(this.#services, part, options)
  }

  /**
   * Tells of what happens: `fanOut` when a fan-out has ended, `skew` when a shard or a key is seen to take far more than its
   * share, once for each. A listener that throws ends nothing: its error becomes a warning of the process.
   *
   * @example
   * db.on('skew', ({ table, of, shard, keyHash, share }) => log.warn({ table, of, shard, keyHash, share }, 'hot'))
   */
  on<Name extends keyof DatabaseEvents>(
    event: Name,
    listener: (...told: DatabaseEvents[Name]) => void,
  ): this {
    ;(this.#observer.events as EventEmitter).on(event, listener as (...told: unknown[]) => void)
    return this
  }

  /** Takes a listener away again. */
  off<Name extends keyof DatabaseEvents>(
    event: Name,
    listener: (...told: DatabaseEvents[Name]) => void,
  ): this {
    ;(this.#observer.events as EventEmitter).off(event, listener as (...told: unknown[]) => void)
    return this
  }
}

/** What was given, without hashes that may be those of the other table of a pair. */
function plainly<Each extends Given>(
  { plain }: TableView,
  table: CompiledTable,
  given: readonly Each[],
): readonly Each[] {
  return plain && Array.isArray(given) ? given.map((each) => plain(table, each)) : given
}
