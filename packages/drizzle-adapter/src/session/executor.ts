import {
  type OptionKinds,
  type OutsideTransaction,
  READ_OPTIONS,
  type Reader,
  type ResultColumn,
  type ResultSet,
  type ResultType,
  type Snapshot,
  type Statement,
  TRANSACTION_OPTIONS,
  type TransactionContext,
  type TransactionScope,
  anything,
  leaveOut,
  oneOf,
  preciseDate,
  refuseInTransaction,
  transactionEnded,
} from '@isotherm/core/adapter'
import {
  type CallOptions,
  type DirectedReads,
  IsothermError,
  type Priority,
  type TimestampBound,
  type ReadOptions,
  type TransactionalDriver,
} from '@isotherm/core'
import { type Cache, hashQuery } from 'drizzle-orm/cache/core'
import type { WithCacheConfig } from 'drizzle-orm/cache/core/types'
import type { TablesRead } from './tables-read.js'
import { inspect } from 'node:util'

/** A result as plain JSON, which every cache can keep: cells hold 64-bit integers, exact times and bytes, which JSON lacks. */
interface CachedResult {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly (readonly unknown[])[]
}

function toCached({ columns, rows }: ResultSet): CachedResult {
  return { columns, rows: rows.map((cells) => columns.map(({ type }, at) => plain(cells[at], type))) }
}

/** The cached result; undefined for an invalid one, for example from another version of the program. */
function fromCached(kept: unknown): ResultSet | undefined {
  if (!Array.isArray(kept)) return undefined
  const [result] = kept as readonly (Partial<CachedResult> | undefined)[]
  const { columns, rows } = result ?? {}
  if (!Array.isArray(columns) || !Array.isArray(rows)) return undefined
  const types = columns as readonly ResultColumn[]
  return {
    columns: types,
    rows: (rows as CachedResult['rows']).map((cells) => types.map(({ type }, at) => cellOf(cells[at], type))),
  }
}

function plain(cell: unknown, type: ResultType): unknown {
  if (cell === null) return null
  switch (type.kind) {
    case 'int64':
      return (cell as bigint).toString()
    case 'float32':
    case 'float64':
      return Number.isFinite(cell) ? signed(cell) : (cell as number).toString()
    case 'timestamp':
      return (cell as Date).toISOString()
    case 'bytes':
      return (cell as Buffer).toString('base64')
    case 'array':
      return (cell as unknown[]).map((item) => plain(item, type.of))
    case 'struct':
      return type.fields.map((field, at) => plain((cell as unknown[])[at], field.type))
    default:
      return cell
  }
}

/** JSON has no −0. */
function signed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(signed)
  return Object.is(value, -0) ? '-0' : value
}

function cellOf(kept: unknown, type: ResultType): unknown {
  if (kept === null) return null
  switch (type.kind) {
    case 'int64':
      return BigInt(kept as string)
    case 'float32':
    case 'float64':
      return Number(kept)
    case 'timestamp':
      return preciseDate(kept as string)
    case 'bytes':
      return Buffer.from(kept as string, 'base64')
    case 'array':
      return (kept as unknown[]).map((item) => cellOf(item, type.of))
    case 'struct':
      return type.fields.map((field, at) => cellOf((kept as unknown[])[at], field.type))
    default:
      return kept
  }
}

/** How statements are run; `db.$withOptions(options)` gives a database whose statements have them. */
export interface QueryOptions {
  /**
   * The timestamp bound: `{ exactStaleness: 10_000 }` needs no answer from the leader. For reads, and transactions that
   * only read; others are refused. Default: `strong`.
   */
  readonly at?: TimestampBound
  /** Which replicas may answer, or may not. For reads, and transactions that only read; others are refused. */
  readonly directedReads?: DirectedReads
  /** How long one call may take, in milliseconds. Default: the driver's, 30 seconds. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Whose calls the database serves first when it is busy. Default: `high`. */
  readonly priority?: Priority
  /**
   * A name for these statements in the database's own statistics. A write outside a transaction gives it to the transaction
   * that is made for it as well.
   */
  readonly tag?: string
  /** Of writes: as `outsideTransaction` of `db.transaction`. Reads of `db` are never a part of a transaction. */
  readonly outsideTransaction?: boolean
}

/** A transaction that reads and writes. */
export interface ReadWriteConfig extends CallOptions, OutsideTransaction {
  readonly accessMode?: 'read write'
  /** Spanner's own, which is the strictest that there is. */
  readonly isolationLevel?: 'serializable'
}

/** Several reads at one timestamp. They take no locks, and are never aborted. */
export interface ReadOnlyConfig extends CallOptions {
  readonly accessMode: 'read only'
  /** Default: `strong`, the timestamp at which it begins. */
  readonly at?: TimestampBound
  readonly directedReads?: DirectedReads
  readonly isolationLevel?: 'serializable'
}

export type TransactionConfig = ReadWriteConfig | ReadOnlyConfig

const { at, directedReads } = READ_OPTIONS

export const QUERY_OPTIONS: OptionKinds<QueryOptions> = { ...TRANSACTION_OPTIONS, at, directedReads }

const COMMON = {
  accessMode: oneOf('read write', 'read only'),
  // What Spanner has of them, the session says.
  isolationLevel: anything,
  // A program without a compiler may ask for it, as Drizzle's own PostgreSQL takes it.
  deferrable: leaveOut(
    "Remove it: Spanner does not support deferrable transactions, and a transaction with { accessMode: 'read only' } never waits.",
  ),
}

export const READ_WRITE_CONFIG: OptionKinds<ReadWriteConfig> = {
  ...TRANSACTION_OPTIONS,
  ...COMMON,
}

/** Of both kinds: which one it is can be read once it has been checked. */
export const TRANSACTION_CONFIG: OptionKinds<TransactionConfig> = { ...QUERY_OPTIONS, ...COMMON }

export const READ_ONLY_CONFIG: OptionKinds<TransactionConfig> = {
  ...TRANSACTION_CONFIG,
  outsideTransaction: leaveOut('Leave it out: a read-only transaction is never part of another one.'),
}

/** How a statement uses the cache: as `$withCache` says, or always where that is the cache's strategy; undefined: not at all. */
export function cacheUse(cache: Cache, withCache: WithCacheConfig | undefined): WithCacheConfig | undefined {
  const config =
    withCache ?? (cache.strategy() === 'all' ? { enable: true, autoInvalidate: true } : { enable: false })
  return config.enable ? config : undefined
}

/** Whether something can invalidate the cached result: a write to any table that is read, a tag, or an expiry. */
export function isRenewed({ tag, autoInvalidate }: WithCacheConfig, { areAll }: TablesRead): boolean {
  return areAll || tag !== undefined || !autoInvalidate
}

const MAX_WARNINGS = 100
const warned = new Set<string>()

/** Says, once for each text, that a select is not cached which asks for it. */
export function warnUncached({ text }: Statement): void {
  if (warned.size >= MAX_WARNINGS || warned.has(text)) return
  warned.add(text)
  process.emitWarning(
    'A select with $withCache is not cached: its tables are known as text only, so that writes would not invalidate it. ' +
      "Put the table itself into the SQL: sql`… from ${table}`. Or give it a tag: $withCache({ tag: 'mine' }), and db.$cache.invalidate({ tags: 'mine' }).",
    { type: 'IsothermCacheWarning', detail: text },
  )
}

/**
 * The result of a query from the cache, or else from the database, for the cache to keep.
 *
 * @param read the tables that it reads, by name
 */
export async function throughCache(
  cache: Cache,
  { tag, autoInvalidate, config }: WithCacheConfig,
  read: readonly string[],
  { text, parameters }: Statement,
  run: () => Promise<ResultSet>,
): Promise<ResultSet> {
  // The same text may have parameters of another type.
  const key =
    tag ??
    (await hashQuery(
      text,
      parameters.map(({ type, value }) => [type, signed(value)]),
    ))
  const tables = [...read]
  const isTag = tag !== undefined
  const kept = fromCached(await cache.get(key, tables, isTag, autoInvalidate))
  if (kept) return kept
  const result = await run()
  await cache.put(key, [toCached(result)], autoInvalidate ? tables : [], isTag, config)
  return result
}

/**
 * Tells the cache that rows of these tables have changed, or may have. Never rejects: a caller that sees an error repeats the
 * write, which is committed already.
 */
async function invalidate(cache: Cache | undefined, tables: Iterable<string>): Promise<void> {
  const changed = [...new Set(tables)]
  if (!cache || changed.length === 0) return
  try {
    await cache.onMutate({ tables: changed })
  } catch (error) {
    process.emitWarning(
      `Cached selects of ${changed.join(', ')} may be stale: the cache failed after a write. ` +
        `When the cache works again, call db.$cache.invalidate(${inspect({ tables: changed })}).`,
      { type: 'IsothermCacheWarning', detail: inspect(error) },
    )
  }
}

/** Where statements run: on the database, each by itself; or in one transaction or snapshot. */
export interface Executor {
  /** For messages: `database`, `transaction`. */
  readonly name: string
  read(statement: Statement, options: QueryOptions): Promise<ResultSet>
  /** Several reads of one snapshot. */
  readTogether<T>(work: ReadWork<T>, options: QueryOptions): Promise<T>
  /**
   * Writes in a transaction: in one of its own, which may run again from the start, or in this transaction.
   *
   * @param tables the written tables, by name, for the cache
   */
  write<T>(work: WriteWork<T>, options: QueryOptions, tables: readonly string[]): Promise<T>
  /**
   * Runs a call of the user's.
   *
   * @param name for messages: `tx.insert(orders)`
   */
  call<T>(name: () => string, work: () => Promise<T>): Promise<T>
  /** @throws {IsothermError} `TRANSACTION_ENDED` once it has ended. */
  refuseEnded(): void
  /**
   * @param what the call that commits by itself, for messages: `insert(orders)`
   * @throws {IsothermError} `IN_TRANSACTION` in the work of a transaction on the same database; `INVALID_OPTION` for an
   * option of reads.
   */
  checkWrite(what: () => string, options: QueryOptions): void
  /** The database and options that a fan-out reads with. @throws {IsothermError} `UNSUPPORTED_QUERY` if it cannot read. */
  fanOut(options: QueryOptions): FanOutTarget
}

/** Where a fan-out reads, and what each of its calls is given. */
export interface FanOutTarget {
  readonly driver: TransactionalDriver
  /** Absent: each fan-out reads its own snapshot. */
  readonly snapshot?: Snapshot
  readonly options: QueryOptions
}

/** @param call what each of its calls is given */
type ReadWork<T> = (reader: Reader, call: ReadOptions) => Promise<T>
type WriteWork<T> = (context: TransactionContext, call: CallOptions) => Promise<T>

/** The options of a write that `checkWrite` has accepted: `at` can only be `strong`, which every write is. */
export function writeOptions(options: QueryOptions): CallOptions {
  const { at: _, directedReads: __, outsideTransaction: ___, ...call } = options
  return call
}

/** Timestamp bounds and replicas are options of reads only. */
function refuseReadOptions(what: () => string, { at = 'strong', directedReads }: QueryOptions): void {
  const option = at !== 'strong' ? 'at' : directedReads !== undefined ? 'directedReads' : undefined
  if (option === undefined) return
  throw new IsothermError(
    'INVALID_OPTION',
    `db.${what()} has the option ${option} of db.$withOptions, which is for reads only.`,
    {
      fix: `Call it on a db without ${option}; a read-only transaction accepts it, with accessMode: 'read only'.`,
    },
  )
}

export class DatabaseExecutor implements Executor {
  readonly name = 'database'
  readonly driver: TransactionalDriver
  readonly #cache: Cache | undefined

  constructor(driver: TransactionalDriver, cache: Cache | undefined) {
    this.driver = driver
    this.#cache = cache
  }

  read(statement: Statement, options: QueryOptions): Promise<ResultSet> {
    return this.driver.run(statement, options)
  }

  async readTogether<T>(work: ReadWork<T>, options: QueryOptions): Promise<T> {
    const snapshot = await this.driver.snapshot(options)
    try {
      return await work(snapshot, options)
    } finally {
      snapshot.close()
    }
  }

  write<T>(work: WriteWork<T>, options: QueryOptions, tables: readonly string[]): Promise<T> {
    const call = writeOptions(options)
    const written = new Set<string>()
    return this.invalidating(written, async () => {
      const { value } = await this.driver.atomic.run(async (context) => {
        const result = await work(context, call)
        // A statement that fails is rolled back. From here on, the error may come from a commit that took effect.
        for (const table of tables) written.add(table)
        return result
      }, call)
      return value
    })
  }

  /**
   * Runs a write, and then tells the cache, even if the write fails: it may have taken effect all the same.
   *
   * @param tables the tables that it may have written when it ends
   */
  async invalidating<T>(tables: Iterable<string>, write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } finally {
      await invalidate(this.#cache, tables)
    }
  }

  call<T>(_name: () => string, work: () => Promise<T>): Promise<T> {
    return work()
  }

  refuseEnded(): void {}

  checkWrite(what: () => string, options: QueryOptions): void {
    refuseReadOptions(what, options)
    refuseInTransaction(this.driver, () => `db.${what()}`, options)
  }

  fanOut(options: QueryOptions): FanOutTarget {
    return { driver: this.driver, options }
  }
}

/** The common part of transactions and snapshots: options of their own. */
abstract class InnerExecutor {
  readonly name: string
  readonly #options: CallOptions

  constructor(name: string, options: CallOptions) {
    this.name = name
    this.#options = options
  }

  /** It is a part of the transaction. */
  checkWrite(): void {}

  protected callOptions(options: QueryOptions): CallOptions {
    if (options.at === undefined && options.directedReads === undefined) {
      return { ...this.#options, ...options }
    }
    throw new IsothermError('INVALID_QUERY', `A ${this.name} reads everything at one timestamp.`, {
      fix: 'Give at and directedReads to db.transaction, with an accessMode of `read only`; or use db.$withOptions outside.',
    })
  }
}

/** The tag is the transaction's, not that of each call. */
function withoutTag(options: CallOptions): CallOptions {
  const { tag: _, ...others } = options
  return others
}

/** A read-write transaction, in one of its attempts. */
export class TransactionExecutor extends InnerExecutor implements Executor {
  /** The tables that the transaction writes. Other transactions do not see these writes before the commit. */
  readonly tables = new Set<string>()
  readonly scope: TransactionScope

  constructor(scope: TransactionScope, options: CallOptions) {
    super('transaction', withoutTag(options))
    this.scope = scope
  }

  get context(): TransactionContext {
    return this.scope.context
  }

  call<T>(name: () => string, work: () => Promise<T>): Promise<T> {
    return this.scope.call(name, work)
  }

  refuseEnded(): void {
    this.scope.refuseEnded()
  }

  read(statement: Statement, options: QueryOptions): Promise<ResultSet> {
    return this.context.run(statement, this.callOptions(options))
  }

  readTogether<T>(work: ReadWork<T>, options: QueryOptions): Promise<T> {
    return work(this.context, this.callOptions(options))
  }

  write<T>(work: WriteWork<T>, options: QueryOptions, tables: readonly string[]): Promise<T> {
    // Before its end: a statement may have run although it failed, and the transaction may commit all the same.
    for (const table of tables) this.tables.add(table)
    return work(this.context, this.callOptions(options))
  }

  fanOut(): never {
    throw new IsothermError('UNSUPPORTED_QUERY', 'A fan-out cannot be part of a read-write transaction.', {
      fix: 'It would lock what it reads in every shard. Run it on db, or in a transaction of accessMode `read only`; in this one, await the select itself.',
    })
  }
}

export class SnapshotExecutor extends InnerExecutor implements Executor {
  readonly #driver: TransactionalDriver
  readonly #snapshot: Snapshot
  #hasEnded = false
  #wasCalled = false

  constructor(driver: TransactionalDriver, snapshot: Snapshot, options: CallOptions) {
    super('read-only transaction', options)
    this.#driver = driver
    this.#snapshot = snapshot
  }

  end(): void {
    this.#hasEnded = true
  }

  /** Whether the work has made any call of its transaction. */
  get wasCalled(): boolean {
    return this.#wasCalled
  }

  async call<T>(_name: () => string, work: () => Promise<T>): Promise<T> {
    this.refuseEnded()
    this.#wasCalled = true
    return work()
  }

  refuseEnded(): void {
    if (this.#hasEnded) throw transactionEnded('read-only transaction')
  }

  read(statement: Statement, options: QueryOptions): Promise<ResultSet> {
    return this.#snapshot.run(statement, this.callOptions(options))
  }

  readTogether<T>(work: ReadWork<T>, options: QueryOptions): Promise<T> {
    return work(this.#snapshot, this.callOptions(options))
  }

  fanOut(options: QueryOptions): FanOutTarget {
    return { driver: this.#driver, snapshot: this.#snapshot, options: this.callOptions(options) }
  }

  write(): Promise<never> {
    throw new IsothermError('UNSUPPORTED_WRITE', 'A read-only transaction cannot write.', {
      fix: 'Leave accessMode out to have one that reads and writes.',
    })
  }
}
