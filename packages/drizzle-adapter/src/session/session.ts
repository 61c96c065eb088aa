import { IsothermError, type SqlDialect, type TransactionalDriver } from '@isotherm/core'
import { transact } from '@isotherm/core/adapter'
import type { Cells, Mutation, ResultSet, Statement, TransactionScope } from '@isotherm/core/adapter'
import { TransactionRollbackError, type Logger } from 'drizzle-orm'
import type { Cache } from 'drizzle-orm/cache/core'
import type { BuiltQuery } from '../drizzle-internals.js'
import { runBatch, type BatchItem, type BatchResults } from './batch.js'
import type { QueryOptions, ReadOnlyConfig, ReadWriteConfig, TransactionConfig } from './options.js'
import { DatabasePlace, SnapshotPlace, TransactionPlace, withoutReadOptions } from './place.js'
import type { FanOutPlace, Place } from './place.js'
import { preparedIn, Prepared, queryError, valuesOf, type PreparedQuery, type QueryMeta } from './prepared.js'
import type { Runnable, Runner, WriteResult } from './prepared.js'
import { PreparedReads, type Reads, type ReadsRunner, type RunRead } from './prepared-reads.js'
import { cacheUse, throughCache } from './query-cache.js'

export interface SessionConfig {
  readonly logger?: Logger | undefined
  readonly cache?: Cache | undefined
}

/** Where a database's statements run, and how: on the database, in one transaction, or in one snapshot. */
export class Session implements Runner, ReadsRunner {
  readonly #place: Place
  readonly #config: SessionConfig
  readonly #options: QueryOptions
  readonly dialect: SqlDialect

  private constructor(place: Place, dialect: SqlDialect, config: SessionConfig, options: QueryOptions) {
    this.#place = place
    this.dialect = dialect
    this.#config = config
    this.#options = options
  }

  /** Statements that run by themselves: queries as single-use reads, writes each in a transaction of its own. */
  static of(driver: TransactionalDriver, config: SessionConfig = {}): Session {
    return new Session(new DatabasePlace(driver, config.cache), driver.dialect, config, {})
  }

  /** The same, with other options. */
  withOptions(options: QueryOptions): Session {
    return new Session(this.#place, this.dialect, this.#config, { ...this.#options, ...options })
  }

  /**
   * @param map makes a row of cells. Undefined: a write gives `{ rowCount }`, and other statements objects by column name.
   */
  prepare<Result>(
    query: BuiltQuery,
    meta: QueryMeta,
    map?: (cells: Cells) => unknown,
    // Spanner keeps a statement by its text; the name is there since every Drizzle dialect takes one.
    _name?: string,
  ): PreparedQuery<Result> {
    return new Prepared<Result>(this, query, meta, map)
  }

  /** Reads that are one query to whoever asks. */
  prepareReads<Result>(reads: Reads): PreparedQuery<Result> {
    return new PreparedReads<Result>(this, reads)
  }

  async run(prepared: Runnable, statement: Statement): Promise<ResultSet> {
    this.#place.refuseEnded()
    this.#log(statement)
    try {
      switch (prepared.kind) {
        case 'query':
          return await this.#read(prepared, statement)
        case 'dml':
          return await this.#write(prepared, statement)
        case 'ddl':
          return await this.#changeSchema(statement)
      }
    } catch (error) {
      throw queryError(statement, error)
    }
  }

  #read({ meta }: Runnable, statement: Statement): Promise<ResultSet> {
    return this.#throughCache(
      meta,
      () => statement,
      () => this.#place.read(statement, this.#options),
    )
  }

  /** Reads that together are one result, as of one moment. */
  runReads(reads: Reads, values: Readonly<Record<string, unknown>> | undefined): Promise<ResultSet> {
    this.#place.refuseEnded()
    return this.#throughCache(
      reads.meta,
      () => reads.identity(values),
      () => this.#together((run) => reads.read(run, values)),
    )
  }

  async #throughCache(
    meta: QueryMeta,
    identity: () => Statement,
    read: () => Promise<ResultSet>,
  ): Promise<ResultSet> {
    const { cache } = this.#config
    // What a transaction or an old moment reads is not what the next reader should see.
    const { at = 'strong' } = this.#options
    if (!cache || meta.kind !== 'select' || at !== 'strong') return read()
    if (!(this.#place instanceof DatabasePlace)) return read()
    const use = cacheUse(cache, meta.cache)
    return use ? throughCache(cache, use, meta.tables, identity(), read) : read()
  }

  async #write({ meta }: Runnable, statement: Statement): Promise<ResultSet> {
    const result = await this.#place.write((context, call) => context.run(statement, call), this.#options)
    await this.#place.wrote(meta.tables)
    return result
  }

  async #changeSchema({ text, parameters }: Statement): Promise<ResultSet> {
    const { driver } = this.#database('A change of the schema')
    if (parameters.length > 0) {
      throw new IsothermError('INVALID_QUERY', 'A change of the schema takes no parameters.', {
        fix: 'Write the values into the text, with sql.raw or inlineParams().',
      })
    }
    await driver.applyDdl([text], withoutReadOptions(this.#options))
    return { columns: [], rows: [] }
  }

  /**
   * Runs work in a read-write transaction, again from the start whenever the database aborts it; or, with `accessMode: 'read
   * only'`, reads as of one moment.
   *
   * @throws {IsothermError} `UNSUPPORTED` inside of a transaction.
   */
  async transaction<T>(work: (session: Session) => Promise<T>, config: TransactionConfig = {}): Promise<T> {
    const place = this.#place
    if (!(place instanceof DatabasePlace)) {
      throw new IsothermError(
        'UNSUPPORTED',
        'Spanner has no transactions within transactions, and no savepoints.',
        {
          fix: 'Use tx itself: its statements are part of this transaction, and an error ends all of it.',
        },
      )
    }
    refuseIsolation(config)
    return config.accessMode === 'read only'
      ? this.#readOnly(place, work, config)
      : this.#readWrite(place, work, config)
  }

  async #readWrite<T>(
    place: DatabasePlace,
    work: (session: Session) => Promise<T>,
    config: ReadWriteConfig,
  ): Promise<T> {
    const options = { ...withoutReadOptions(this.#options), ...optionsIn(config) }
    let tables: readonly string[] = []
    const { value } = await transact(
      place.driver,
      async (scope) => {
        const attempt = new TransactionPlace(scope, options)
        try {
          return await work(this.#within(attempt))
        } finally {
          attempt.end()
          tables = [...attempt.tables]
        }
      },
      options,
    )
    await place.wrote(tables)
    return value
  }

  async #readOnly<T>(
    place: DatabasePlace,
    work: (session: Session) => Promise<T>,
    config: ReadOnlyConfig,
  ): Promise<T> {
    const options = { ...this.#options, ...optionsIn(config) }
    const snapshot = await place.driver.snapshot(options)
    const within = new SnapshotPlace(place.driver, snapshot, options)
    try {
      return await work(this.#within(within))
    } finally {
      within.end()
      snapshot.close()
    }
  }

  /** The transaction whose statements these are; undefined where there is none that writes. */
  get transactionScope(): TransactionScope | undefined {
    return this.#place instanceof TransactionPlace ? this.#place.scope : undefined
  }

  /** What generators of numbers count by. @throws {IsothermError} `UNSUPPORTED` in a transaction that only reads. */
  get scope(): TransactionScope {
    const { transactionScope } = this
    if (transactionScope) return transactionScope
    throw new IsothermError('UNSUPPORTED', 'A transaction that only reads takes no numbers.', {
      fix: "Leave accessMode: 'read only' out.",
    })
  }

  /** Where a fan-out reads, and how. @throws {IsothermError} `UNSUPPORTED` in a read-write transaction. */
  fanOutPlace(options: QueryOptions): FanOutPlace {
    this.#place.refuseEnded()
    return this.#place.fanOut({ ...this.#options, ...options })
  }

  #within(place: Place): Session {
    return new Session(place, this.dialect, this.#config, {})
  }

  /** Statements in as few round trips as they take; see `runBatch`. */
  async batch<const Items extends readonly BatchItem[]>(items: Items): Promise<BatchResults<Items>> {
    this.#place.refuseEnded()
    return runBatch(this.#place, this.#options, items, (statement) => this.#log(statement))
  }

  /** Several reads as of one moment, of which one may depend on what another has given. */
  #together<T>(work: (run: RunRead) => Promise<T>): Promise<T> {
    return this.#place.readTogether(
      (reader, call) =>
        work(async (statement) => {
          this.#log(statement)
          try {
            return await reader.run(statement, call)
          } catch (error) {
            throw queryError(statement, error)
          }
        }),
      this.#options,
    )
  }

  /**
   * Runs an UPDATE or a DELETE over as many rows as there are, in transactions of the database's own: at least once for each
   * row, so the statement has to be idempotent, and the count is of at least so many.
   *
   * Source: https://cloud.google.com/spanner/docs/dml-partitioned
   */
  async partitioned(item: BatchItem): Promise<WriteResult> {
    const { driver } = this.#database('Partitioned DML')
    const prepared = preparedIn(item)
    const { executePartitioned } = driver
    if (!executePartitioned) {
      throw new IsothermError('UNSUPPORTED', `${driver.name} has no partitioned DML.`, {
        fix: 'Run the statement in transactions, a range of keys in each.',
      })
    }
    if (prepared.kind !== 'dml' || prepared.meta.kind === 'insert') {
      throw new IsothermError('UNSUPPORTED', 'Only an update or a delete can be partitioned.', {
        fix: 'Insert rows in transactions.',
      })
    }
    const statement = prepared.statement()
    if (!prepared.isPlainWrite && prepared.meta.kind !== 'raw') {
      throw new IsothermError('UNSUPPORTED', 'Partitioned DML gives no rows back.', {
        fix: 'Leave returning out.',
      })
    }
    this.#log(statement)
    try {
      const rowCount = await executePartitioned(statement, withoutReadOptions(this.#options))
      await this.#place.wrote(prepared.meta.tables)
      return { rowCount }
    } catch (error) {
      throw queryError(statement, error)
    }
  }

  /**
   * Keeps mutations until the commit. The transaction's own reads do not see them.
   *
   * @param tables those that they change, by name, for the cache
   */
  buffer(mutations: readonly Mutation[], tables: readonly string[]): void {
    if (!(this.#place instanceof TransactionPlace)) {
      throw new IsothermError('UNSUPPORTED', 'Mutations are kept until a commit, and here there is none.', {
        fix: 'Use db.transaction(async (tx) => …), and tx.mutate in it.',
      })
    }
    this.#place.refuseEnded()
    this.#place.context.buffer(mutations)
    for (const table of tables) this.#place.tables.add(table)
  }

  /** Ends the transaction without a commit: what it has done is undone. */
  rollback(): never {
    throw new TransactionRollbackError()
  }

  #database(what: string): DatabasePlace {
    if (this.#place instanceof DatabasePlace) return this.#place
    throw new IsothermError('UNSUPPORTED', `${what} cannot be part of a transaction.`, {
      fix: 'Run it on db itself, outside.',
    })
  }

  #log({ text, parameters }: Statement): void {
    this.#config.logger?.logQuery(text, valuesOf(parameters))
  }
}

/** What the driver is told of a transaction. */
function optionsIn(config: TransactionConfig): QueryOptions {
  const { accessMode: _, isolationLevel: __, ...options } = config
  return options
}

/** A program without a compiler, or of another dialect, may ask for others. */
function refuseIsolation({ isolationLevel }: TransactionConfig): void {
  if (isolationLevel === undefined || isolationLevel === 'serializable') return
  throw new IsothermError(
    'UNSUPPORTED',
    `There is no isolation level ${JSON.stringify(isolationLevel)} here.`,
    {
      fix: 'Leave it out: a transaction is serializable.',
    },
  )
}
