import {
  IsothermError,
  type SqlDialectRuntime,
  type Telemetry,
  type TransactionalDriver,
} from '@isotherm/core'
import {
  type Cells,
  type Mutation,
  type ResultSet,
  type Statement,
  type TransactionScope,
  checkOptions,
  partitionedOf,
  refuseUnrun,
  transact,
} from '@isotherm/core/adapter'
import { type Logger, TransactionRollbackError } from 'drizzle-orm'
import type { Cache } from 'drizzle-orm/cache/core'
import type { TableKind } from '../table-kind/table-kind.js'
import type { BuiltQuery } from '../drizzle-internals.js'
import { type BatchItem, type BatchResults, runBatch } from './batch.js'
import {
  DatabaseExecutor,
  type FanOutTarget,
  type Executor,
  QUERY_OPTIONS,
  type QueryOptions,
  READ_ONLY_CONFIG,
  READ_WRITE_CONFIG,
  type ReadOnlyConfig,
  type ReadWriteConfig,
  SnapshotExecutor,
  TRANSACTION_CONFIG,
  type TransactionConfig,
  TransactionExecutor,
  cacheUse,
  isRenewed,
  throughCache,
  warnUncached,
  writeOptions,
} from './executor.js'
import {
  Prepared,
  type PreparedQuery,
  PreparedReads,
  type QueryMeta,
  type Reads,
  type ReadsRunner,
  type RunRead,
  type Runnable,
  type Runner,
  type WriteResult,
  calledBy,
  preparedIn,
  queryError,
  valuesOf,
} from './prepared.js'
import { tablesRead, tablesWritten, together } from './tables-read.js'

interface SessionConfig {
  readonly logger?: Logger | undefined
  readonly cache?: Cache | undefined
  readonly telemetry?: Telemetry | undefined
  /** The access to the declarations of tables. */
  readonly kind?: TableKind | undefined
}

/** Runs the statements of a database: on the database, in one transaction, or in one snapshot. */
export class Session implements Runner, ReadsRunner {
  readonly #executor: Executor
  readonly #config: SessionConfig
  readonly #options: QueryOptions
  readonly dialect: SqlDialectRuntime

  private constructor(
    executor: Executor,
    dialect: SqlDialectRuntime,
    config: SessionConfig,
    options: QueryOptions,
  ) {
    this.#executor = executor
    this.dialect = dialect
    this.#config = config
    this.#options = options
  }

  /** Statements that run by themselves: queries as single-use reads, writes each in a transaction of its own. */
  static of(driver: TransactionalDriver, config: SessionConfig = {}): Session {
    return new Session(new DatabaseExecutor(driver, config.cache), driver.dialect, config, {})
  }

  /** The same session with other options. @throws {IsothermError} `INVALID_OPTION` for an invalid value. */
  withOptions(options: QueryOptions): Session {
    checkOptions('db.$withOptions', QUERY_OPTIONS, options)
    if (options?.outsideTransaction === true && !(this.#executor instanceof DatabaseExecutor)) {
      throw new IsothermError(
        'INVALID_OPTION',
        'A statement of tx is a part of its transaction, and cannot be outside.',
        {
          fix: 'Use db.$withOptions({ outsideTransaction: true }) for writes that must stay when the transaction is rolled back.',
        },
      )
    }
    return new Session(this.#executor, this.dialect, this.#config, { ...this.#options, ...options })
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

  /** Several reads that the caller sees as one query. */
  prepareReads<Result>(reads: Reads): PreparedQuery<Result> {
    return new PreparedReads<Result>(this, reads)
  }

  /**
   * Runs a call of the user's: in a transaction, only before its work has ended.
   *
   * @param what for messages: `insert(orders)`
   */
  call<T>(what: () => string, work: () => Promise<T>): Promise<T> {
    return this.#executor.call(() => `tx.${what()}`, work)
  }

  async run(prepared: Runnable, statement: Statement): Promise<ResultSet> {
    if (prepared.kind !== 'query') this.#checkWrite(calledBy(prepared.meta))
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

  #read(prepared: Runnable, statement: Statement): Promise<ResultSet> {
    return this.#throughCache(
      prepared.meta,
      () => [prepared.query],
      () => statement,
      () => this.#executor.read(statement, this.#options),
    )
  }

  /** Reads that together are one result, in one snapshot. */
  runReads(reads: Reads, values: Readonly<Record<string, unknown>> | undefined): Promise<ResultSet> {
    return this.#throughCache(
      reads.meta,
      () => reads.queries(),
      () => reads.identity(values),
      () => this.#together((run) => reads.read(run, values)),
    )
  }

  async #throughCache(
    meta: QueryMeta,
    queries: () => readonly BuiltQuery[],
    identity: () => Statement,
    read: () => Promise<ResultSet>,
  ): Promise<ResultSet> {
    const { cache } = this.#config
    // The result of a transaction or of a stale read is not for other readers.
    const { at = 'strong' } = this.#options
    if (!cache || meta.kind !== 'select' || at !== 'strong') return read()
    if (!(this.#executor instanceof DatabaseExecutor)) return read()
    const use = cacheUse(cache, meta.cache)
    if (!use) return read()
    const tables = together(
      queries().map((query) => tablesRead(query, this.dialect.lexicalSyntax, this.#config.kind)),
    )
    const statement = identity()
    if (isRenewed(use, tables)) return throughCache(cache, use, tables.names, statement, read)
    if (meta.cache) warnUncached(statement)
    return read()
  }

  #write(prepared: Runnable, statement: Statement): Promise<ResultSet> {
    const tables = this.tablesForCache(prepared)
    return this.#executor.write((context, call) => context.run(statement, call), this.#options, tables)
  }

  tablesForCache(written: Runnable): readonly string[] {
    return this.#config.cache ? tablesWritten(written, this.dialect.lexicalSyntax) : []
  }

  async #changeSchema({ text, parameters }: Statement): Promise<ResultSet> {
    const { driver } = this.#database('A change of the schema')
    if (parameters.length > 0) {
      throw new IsothermError('INVALID_QUERY', 'A change of the schema takes no parameters.', {
        fix: 'Write the values into the text, with sql.raw or inlineParams().',
      })
    }
    const unsupportedOption = (['priority', 'tag'] as const).find((name) => this.#options[name] !== undefined)
    if (unsupportedOption !== undefined) {
      throw new IsothermError(
        'INVALID_OPTION',
        `A change of the schema does not take the option ${unsupportedOption}.`,
        {
          fix: `Run it on a db without ${unsupportedOption}: Spanner does not support it for statements that run in the background.`,
        },
      )
    }
    await driver.applyDdl([text], writeOptions(this.#options))
    return { columns: [], rows: [] }
  }

  /**
   * Runs work in a read-write transaction, again from the start whenever the database aborts it; or, with `accessMode:
   * 'read only'`, reads one snapshot.
   *
   * @throws {IsothermError} `UNSUPPORTED_FEATURE` inside of a transaction.
   */
  async transaction<T>(work: (session: Session) => Promise<T>, config: TransactionConfig = {}): Promise<T> {
    const executor = this.#executor
    if (!(executor instanceof DatabaseExecutor)) {
      throw new IsothermError(
        'UNSUPPORTED_FEATURE',
        'Spanner has no transactions within transactions, and no savepoints.',
        {
          fix: 'Use tx itself: its statements are part of this transaction, and an error ends all of it.',
        },
      )
    }
    checkOptions('db.transaction', TRANSACTION_CONFIG, config)
    refuseIsolation(config)
    return config.accessMode === 'read only'
      ? this.#readOnly(executor, work, config)
      : this.#readWrite(executor, work, config)
  }

  async #readWrite<T>(
    executor: DatabaseExecutor,
    work: (session: Session) => Promise<T>,
    config: ReadWriteConfig,
  ): Promise<T> {
    checkOptions('db.transaction', READ_WRITE_CONFIG, config)
    this.#checkWrite(() => 'transaction', config)
    const options = { ...writeOptions(this.#options), ...optionsIn(config) }
    const tables = new Set<string>()
    return executor.invalidating(tables, async () => {
      const { value } = await transact(
        executor.driver,
        (scope) => {
          // The writes of an earlier attempt are undone.
          tables.clear()
          const attempt = new TransactionExecutor(scope, options)
          scope.beforeCommit(() => {
            for (const table of attempt.tables) tables.add(table)
          })
          return work(this.#within(attempt))
        },
        options,
      )
      return value
    })
  }

  async #readOnly<T>(
    executor: DatabaseExecutor,
    work: (session: Session) => Promise<T>,
    config: ReadOnlyConfig,
  ): Promise<T> {
    checkOptions('db.transaction', READ_ONLY_CONFIG, config)
    const options = { ...this.#options, ...optionsIn(config) }
    const snapshot = await executor.driver.snapshot(options)
    const within = new SnapshotExecutor(executor.driver, snapshot, options)
    try {
      const value = await work(this.#within(within))
      refuseUnrun(value, within.wasCalled)
      return value
    } finally {
      within.end()
      snapshot.close()
    }
  }

  /** The transaction that runs these statements; undefined if there is no transaction that writes. */
  get transactionScope(): TransactionScope | undefined {
    return this.#executor instanceof TransactionExecutor ? this.#executor.scope : undefined
  }

  /** The transaction for generators of numbers. @throws {IsothermError} `UNSUPPORTED_WRITE` in a transaction that only reads. */
  get scope(): TransactionScope {
    const { transactionScope } = this
    if (transactionScope) return transactionScope
    throw new IsothermError(
      'UNSUPPORTED_WRITE',
      'A read-only transaction cannot take numbers of a sequence.',
      {
        fix: "Leave accessMode: 'read only' out.",
      },
    )
  }

  /**
   * The database and options that a fan-out reads with. @throws {IsothermError} `UNSUPPORTED_QUERY` in a read-write transaction.
   */
  fanOutTarget(options: QueryOptions): FanOutTarget & Pick<SessionConfig, 'telemetry'> {
    this.#executor.refuseEnded()
    return { ...this.#executor.fanOut({ ...this.#options, ...options }), telemetry: this.#config.telemetry }
  }

  #within(executor: Executor): Session {
    return new Session(executor, this.dialect, this.#config, {})
  }

  /** Statements in as few round trips as they take; see `runBatch`. */
  batch<const Items extends readonly BatchItem[]>(items: Items): Promise<BatchResults<Items>> {
    return this.call(
      () => 'batch',
      () =>
        runBatch(
          this.#executor,
          this.#options,
          items,
          (runner, where) => this.refuseForeign(runner, where),
          (statement) => this.#log(statement),
        ),
    )
  }

  /**
   * A statement runs where it was built, and with the options that it was built with.
   *
   * @param where for messages: `Statement 1 of the batch`
   * @throws {IsothermError} `INVALID_QUERY` for a statement of another database or transaction, and for one whose options would
   * not hold.
   */
  refuseForeign(runner: Runner | ReadsRunner, where: string): void {
    // Nothing else runs statements.
    const other = runner as Session
    const [builder, executor] = [other.#executor.name, this.#executor.name]
    if (other.#executor !== this.#executor) {
      throw new IsothermError(
        'INVALID_QUERY',
        `${where} was built with a ${builder}, and is run by ${builder === executor ? 'another' : 'a'} ${executor}.`,
        {
          fix: 'Build it with what runs it: db.batch([db.insert(…).values(…)]), or in a transaction tx.batch([tx.insert(…).values(…)]).',
        },
      )
    }
    const own = this.#options as Readonly<Record<string, unknown>>
    const lost = Object.entries(other.#options).find(([name, value]) => own[name] !== value)
    if (!lost) return
    throw new IsothermError(
      'INVALID_QUERY',
      `${where} has an option ${lost[0]} of its own, which would be ignored.`,
      {
        fix: 'Give the options to all statements at once: const tagged = db.$withOptions({ tag }), and tagged.batch([tagged.insert(…).values(…)]).',
      },
    )
  }

  /** Several reads of one snapshot; one may depend on the result of another. */
  #together<T>(work: (run: RunRead) => Promise<T>): Promise<T> {
    return this.#executor.readTogether(
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
   * Runs an UPDATE or a DELETE over any number of rows, in transactions of the database's own: at least once for each row,
   * so the statement has to be idempotent, and the count is a lower bound.
   *
   * Source: https://cloud.google.com/spanner/docs/dml-partitioned
   */
  async partitioned(item: BatchItem): Promise<WriteResult> {
    const executor = this.#database('Partitioned DML')
    this.#checkWrite(() => 'partitioned')
    const where = 'The statement of db.partitioned'
    const prepared = preparedIn(item, where)
    this.refuseForeign(prepared.runner, where)
    const executePartitioned = partitionedOf(executor.driver, prepared.getQuery().sql)
    if (prepared.kind !== 'dml' || prepared.meta.kind === 'insert') {
      throw new IsothermError('UNSUPPORTED_WRITE', 'Only an update or a delete can be partitioned.', {
        fix: 'Insert rows in transactions.',
      })
    }
    const statement = prepared.statement()
    if (!prepared.isPlainWrite && prepared.meta.kind !== 'raw') {
      throw new IsothermError('UNSUPPORTED_WRITE', 'Partitioned DML does not return rows.', {
        fix: 'Leave returning out.',
      })
    }
    this.#log(statement)
    try {
      // Whatever it fails by, some of its transactions may have been committed.
      const rowCount = await executor.invalidating(this.tablesForCache(prepared), () =>
        executePartitioned(statement, writeOptions(this.#options)),
      )
      return { rowCount }
    } catch (error) {
      throw queryError(statement, error)
    }
  }

  /**
   * Keeps mutations until the commit. The transaction's own reads do not see them.
   *
   * @param tables the changed tables, by name, for the cache
   */
  buffer(mutations: readonly Mutation[], tables: readonly string[]): void {
    if (!(this.#executor instanceof TransactionExecutor)) {
      throw new IsothermError(
        'UNSUPPORTED_WRITE',
        'Mutations are kept until a commit, which only a read-write transaction has.',
        {
          fix: 'Use db.transaction(async (tx) => …), and tx.mutate in it.',
        },
      )
    }
    this.#executor.refuseEnded()
    this.#executor.context.buffer(mutations)
    for (const table of tables) this.#executor.tables.add(table)
  }

  /** Ends the transaction without a commit: its writes are undone. */
  rollback(): never {
    throw new TransactionRollbackError()
  }

  #checkWrite(what: () => string, config: QueryOptions = {}): void {
    this.#executor.checkWrite(what, { ...this.#options, ...config })
  }

  #database(what: string): DatabaseExecutor {
    if (this.#executor instanceof DatabaseExecutor) return this.#executor
    throw new IsothermError('UNSUPPORTED_FEATURE', `${what} cannot be part of a transaction.`, {
      fix: 'Run it on db itself, outside.',
    })
  }

  #log({ text, parameters }: Statement): void {
    this.#config.logger?.logQuery(text, valuesOf(parameters))
  }
}

/** The options of a transaction for the driver. */
function optionsIn(config: TransactionConfig): QueryOptions {
  const { accessMode: _, isolationLevel: __, ...options } = config
  return options
}

/** A program without a compiler, or of another dialect, may ask for others. */
function refuseIsolation({ isolationLevel }: TransactionConfig): void {
  if (isolationLevel === undefined || isolationLevel === 'serializable') return
  throw new IsothermError(
    'UNSUPPORTED_FEATURE',
    `The isolation level ${JSON.stringify(isolationLevel)} is not supported.`,
    {
      fix: 'Leave it out: a transaction is serializable.',
    },
  )
}
