import type { DialectRuntime, SqlDialectRuntime } from './dialect.js'
import type { Field, PhysicalColumn, TableLayout, Wire, WireType } from '../layout/layout.js'
import type { KeyRange, Mutation, Statement } from '../layout/statement.js'
import { IsothermError } from '../errors.js'
import { bindingOf } from '../model/bindings.js'
import type { Schema } from '../model/schema.js'

// Also used by dialects to write statements.
export type { KeyRange, Mutation } from '../layout/statement.js'

// What the database and the fan-out reader require of an engine. The driver of an engine's package implements it with a
// vendor's client.

/** One row as read: a value per column. 64-bit integers are `bigint`, timestamps `PreciseDate`, bytes `Buffer`. */
export type Cells = readonly unknown[]

export interface ReadRequest {
  readonly layout: TableLayout
  /** Read by this index: keys are then the index's own parts, and columns those that it holds. */
  readonly index?: string
  readonly columns: readonly PhysicalColumn[]
  readonly keys?: readonly (readonly Wire[])[]
  readonly ranges?: readonly KeyRange[]
  /** For the whole read, not for each range. */
  readonly limit?: number
  /** Each range from its end to its start. Only for a key that is `reversible`. */
  readonly reversed?: true
}

/** The timestamp bound of a read. Times are in milliseconds; a timestamp is a `Date`, or ISO text with an offset. */
export type TimestampBound =
  | 'strong'
  | { readonly exactStaleness: number }
  | { readonly maxStaleness: number }
  | { readonly readTimestamp: Date | string }

export interface CallOptions {
  /** How long the call may take, in milliseconds. Default: the driver's. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Whose calls the database serves first when it is busy. Default: `high`. */
  readonly priority?: Priority
  /** A name for this kind of call in the database's own statistics; of a transaction, its tag. */
  readonly tag?: string
}

/**
 * How many replicas have to answer before a call has.
 *
 * Source: https://cassandra.apache.org/doc/stable/cassandra/architecture/dynamo.html#tunable-consistency
 */
export type Consistency =
  | 'one'
  | 'two'
  | 'three'
  | 'quorum'
  | 'all'
  | 'local-one'
  | 'local-quorum'
  | 'each-quorum'
  | 'serial'
  | 'local-serial'
  | 'any'

export type Priority = 'low' | 'medium' | 'high'

export interface ReadOptions extends CallOptions {
  /** Default: `strong`. */
  readonly at?: TimestampBound
  /** How many replicas have to answer. Cassandra's; default: the driver's. */
  readonly consistency?: Consistency
  /** Which replicas may answer, or may not. Not for reads inside a read-write transaction. */
  readonly directedReads?: DirectedReads
}

/**
 * Which replicas answer reads, by preference; or which must not.
 *
 * Source: https://cloud.google.com/spanner/docs/directed-reads
 */
export type DirectedReads =
  | {
      readonly include: readonly Replicas[]
      /** Whether others may answer where these cannot. Default: true. */ readonly failover?: boolean
    }
  | { readonly exclude: readonly Replicas[] }

/** Replicas in a location, of a type, or both. */
export interface Replicas {
  /** A region, as in `us-east1`. */
  readonly location?: string
  readonly type?: 'read-write' | 'read-only'
}

/** Of calls on a database that commit by themselves, also in the work of a transaction on the same database. */
export interface OutsideTransaction {
  /**
   * Commit this call by itself even in the work of a transaction on the same database: it stays if that transaction is
   * rolled back, and is repeated if that runs again. Default: false, and such a call is refused.
   */
  readonly outsideTransaction?: boolean
}

/** Options of writes. An option that the engine does not support is refused by name: see `Driver.takes`. */
export interface WriteCallOptions extends CallOptions, OutsideTransaction {
  /** The written cells expire this many seconds later. Default: the table's. Cassandra only. */
  readonly ttlSeconds?: number
  /**
   * When the cells were written, in microseconds since 1970: of two writes, the later one stays. Default: when the database
   * takes them. Cassandra's, and only with `conditional: false`: a condition has a clock of its own.
   */
  readonly writeTime?: bigint
  /** How many replicas have to answer. Cassandra's; default: the driver's. */
  readonly consistency?: Consistency
  /**
   * Whether an insert fails on a row that exists, and an update on one that does not. Engines with transactions always
   * check. Default: wherever it can matter, so not for rows whose UUID this call makes. With `true`, those too: then every
   * write of such a row has the clock of the conditions, and an update right after the insert cannot lose against it if the
   * clocks of two servers differ.
   */
  readonly conditional?: boolean
  /**
   * Write in several commits what does not fit into one. Each commit is atomic, the whole is not. Default: false, and what
   * exceeds one commit is refused before anything is written.
   */
  readonly allowMultipleCommits?: boolean
}

/** Options of calls that mean something on some engines only. */
export type EngineOption =
  | 'at'
  | 'directedReads'
  | 'priority'
  | 'tag'
  | 'ttlSeconds'
  | 'writeTime'
  | 'consistency'
  | 'conditional'

export type WriteKind = 'insert' | 'update' | 'upsert' | 'delete' | 'increment'

/** Checks the values of options that mean something on one engine only. Each throws `INVALID_VALUE` with what to give instead. */
export interface OptionValues {
  checkRead(options: ReadOptions): void
  checkWrite(kind: WriteKind, options: WriteCallOptions): void
}

export interface SnapshotOptions extends ReadOptions {
  /**
   * Begin with the first call, which saves a round trip; that call has to be answered before there is another. Default:
   * begin at once.
   */
  readonly lazily?: boolean
}

export interface Reader {
  /** Rows by key or key range, in key order. */
  read(request: ReadRequest, options?: ReadOptions): Promise<Cells[]>
  query(statement: Statement, types: readonly WireType[], options?: ReadOptions): Promise<Cells[]>
  /** Runs a statement of the application, whose columns only the engine knows. */
  run(statement: Statement, options?: ReadOptions): Promise<ResultSet>
}

/** The result of a statement. A STRUCT is read as an array of its fields. */
export interface ResultSet {
  /** The columns of the result, in order: they may have no name, or one name twice. */
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly Cells[]
  /** How many rows a DML statement touched; undefined for a query. */
  readonly rowCount?: number
}

export interface ResultColumn {
  readonly name: string
  readonly type: ResultType
}

export type ResultType =
  | WireType
  | { readonly kind: 'array' | 'set'; readonly of: ResultType }
  | { readonly kind: 'map'; readonly key: ResultType; readonly of: ResultType }
  | { readonly kind: 'tuple'; readonly of: readonly ResultType[] }
  | { readonly kind: 'struct'; readonly fields: readonly ResultColumn[] }
  /** A type that Isotherm does not know; its values are as the protocol has them. */
  | { readonly kind: 'other'; readonly name: string }

/** Several reads at one timestamp. */
export interface Snapshot extends Reader {
  /** The timestamp; undefined before the snapshot has begun. */
  readonly readTimestamp: Date | undefined
  close(): void
}

/** A read that can be split into query partitions: rows by key, or those of a statement that the engine can split. */
export type QueryPartitionRequest =
  | { readonly kind: 'read'; readonly read: ReadRequest }
  | { readonly kind: 'query'; readonly statement: Statement; readonly types: readonly WireType[] }

export interface PartitionOptions extends ReadOptions {
  /** How many parts are wished for; the engine may make more, or fewer. */
  readonly parts: number
}

export interface ReadQueryPartitionOptions extends CallOptions, Pick<ReadOptions, 'directedReads'> {
  /** Read with Data Boost, on machines that do not serve the application. */
  readonly dataBoost?: boolean
}

/** A read that other processes run, each a part of it. */
export interface PartitionedReads {
  /**
   * Splits a read of one snapshot. Each token stands for one query partition in any process, until the session is closed.
   *
   * @throws {IsothermError} `UNSUPPORTED_QUERY` for a statement that the engine cannot split.
   */
  partition(
    request: QueryPartitionRequest,
    options: PartitionOptions,
  ): Promise<{ readonly readTimestamp: Date; readonly tokens: readonly string[] }>
  /** The rows of one query partition in batches, no faster than they are taken. The request is the one that was split. */
  readQueryPartition(
    request: QueryPartitionRequest,
    token: string,
    options?: ReadQueryPartitionOptions,
  ): AsyncIterable<readonly Cells[]>
  /** Ends all parts that were made together with this one. */
  closeQueryPartitions(token: string, options?: CallOptions): Promise<void>
}

/** @typeParam At `Date` of engines that say when a commit took effect, undefined of engines that do not */
export interface Commit<At extends Date | undefined = Date | undefined> {
  readonly commitTimestamp: At
}

/** A write of one row, if the row is as the condition says. */
export interface ConditionalWrite {
  /** A write of one row. */
  readonly mutation: Mutation
  /** The values that columns have to have; `null` for an insert: that the row does not exist. */
  readonly condition: Readonly<Record<string, Wire>> | null
}

/** Read-write transactions over rows. */
export interface Transactions {
  readonly kind: 'transactions'
  /** A transaction holds a connection from its beginning. Absent: it begins with the first call of its work. */
  readonly beginsAtOnce?: true
  /** Runs `work` in a read-write transaction, again from the start when the engine aborts it. */
  run<T>(
    work: (context: TransactionContext) => Promise<T>,
    options?: CallOptions,
  ): Promise<{ readonly value: T; readonly commitTimestamp: Date }>
}

/** Writes of one row that depend on its current values: lightweight transactions. */
export interface ConditionalWrites {
  readonly kind: 'conditional-writes'
  /**
   * Writes one row if the condition holds; otherwise returns its current cells, NULL if there is no row. Later calls see
   * the effects of earlier ones.
   *
   * @param columns the columns to return if the condition does not hold
   * @throws {IsothermError} `OUTCOME_UNKNOWN` where the answer was lost.
   */
  writeIf(
    write: ConditionalWrite,
    columns: readonly PhysicalColumn[],
    options?: WriteCallOptions,
  ): Promise<{ readonly applied: boolean; readonly found?: Cells }>
  /** Reads what conditional writes have settled. */
  read(request: ReadRequest, options?: ReadOptions): Promise<Cells[]>
}

/** The additions to the counters of one row. */
export interface CounterChange {
  readonly key: readonly Wire[]
  readonly amounts: ReadonlyMap<PhysicalColumn, bigint>
}

/** Columns that are only ever added to. */
export interface CounterWrites {
  /**
   * @throws {IsothermError} `OUTCOME_UNKNOWN` where the answer was lost: an addition may not be sent twice; `TOO_MANY_MUTATIONS` for
   * more rows than a commit takes, where `allowMultipleCommits` does not allow several.
   * @throws {CommitsFailed} where one of several commits failed.
   */
  add(layout: TableLayout, changes: readonly CounterChange[], options?: WriteCallOptions): Promise<void>
}

export interface TransactionContext extends Reader {
  /** Runs a DML statement that gives rows back. */
  returning(statement: Statement, types: readonly WireType[]): Promise<Cells[]>
  /**
   * Runs DML statements in one round trip, in order, and returns how many rows each affected. After a statement that fails,
   * no other runs; the error has its index as `statement`.
   */
  execute(statements: readonly Statement[], options?: CallOptions): Promise<number[]>
  /** Keeps mutations until the commit. The transaction's own reads do not see them. */
  buffer(mutations: readonly Mutation[]): void
  /**
   * Writes rows so that the transaction's own reads see them. If a call fails after a part of it was written, the
   * transaction cannot be committed.
   *
   * @throws {IsothermError} `ALREADY_EXISTS`, `NOT_FOUND`.
   */
  write(writes: readonly RowWrite[], options?: WriteInTransactionOptions): Promise<readonly MadeCells[]>
}

export interface WriteInTransactionOptions {
  /** Keep the rows until the commit, as `buffer` does: nothing that the database makes comes back. Default: false. */
  readonly buffered?: boolean
  /** Whether `made` is to come back. Default: true. */
  readonly returning?: boolean
}

/**
 * Rows of one table that are written alike, as they are stored. Only what core prepares has `positions` and `values`: rows without
 * them are written as they stand.
 */
export type RowWrite = Mutation & {
  /** For each row, its index among the rows of the call, ascending. Absent: they are counted through all writes of a commit. */
  readonly positions?: readonly number[]
  /** For each row, its known values by property; of an update and a delete, its key and the columns that find it. */
  readonly values?: readonly Readonly<Record<string, unknown>>[]
  /** Values that the database makes for these rows, and that are to come back. */
  readonly made?: readonly Field[]
}

/** Values of one row that the database has made. */
export interface MadeCells {
  /** The index of the row in the call. */
  readonly position: number
  readonly fields: readonly Field[]
  /** The columns that were read, and what each holds. */
  readonly columns: readonly PhysicalColumn[]
  readonly cells: Cells
}

/** @typeParam At `Date` of engines that say when a commit took effect, undefined of engines that do not */
export interface Written<At extends Date | undefined = Date | undefined> {
  /** When the last commit took effect. */
  readonly commitTimestamp: At
  /** How many commits it took. */
  readonly commits: number
  /** By the positions of rows, when each was committed. Absent: all of them with the last commit. */
  readonly timestamps?: readonly At[]
  readonly made: readonly MadeCells[]
}

export interface CommitOptions extends WriteCallOptions {
  /** Whether `made` is to come back. Default: true. */
  readonly returning?: boolean
  /** Is asked before every commit after the first, and may refuse to go on. */
  readonly beforeNext?: () => Promise<void> | undefined
  /**
   * Writes the rows of each commit in a transaction, for a caller that writes something else with them. Default: the engine
   * does.
   */
  readonly inTransaction?: {
    /** The tables of the additional rows, one for each row. */
    readonly beside: readonly TableLayout[]
    write(context: TransactionContext, writes: readonly RowWrite[]): Promise<readonly MadeCells[]>
  }
}

/** How an engine commits rows. */
export interface RowWrites<At extends Date | undefined = Date | undefined> {
  /**
   * Commits rows, exactly once: all or none, or in several commits where `allowMultipleCommits` allows it.
   *
   * @throws {IsothermError} `TOO_MANY_MUTATIONS` where they are more than a commit takes; `ALREADY_EXISTS`, `NOT_FOUND`; `OUTCOME_UNKNOWN`
   * where the answer was lost.
   * @throws {CommitsFailed} where one of several commits failed.
   */
  commit(writes: readonly RowWrite[], options?: CommitOptions): Promise<Written<At>>
  /**
   * How many rows of each of these tables one commit takes.
   *
   * @throws {IsothermError} `UNSUPPORTED_FEATURE` where a commit does not take rows from anywhere.
   */
  maxRows(tables: readonly TableLayout[]): number
}

/** The costs of this engine in milliseconds: the planner does not know engines by name. */
export interface CostProfile {
  /** One small call and its answer. */
  readonly roundTrip: number
  /** The cost of a call for this process, however many are in flight. */
  readonly call: number
  /** The additional cost of a statement over a plain read: parsing, planning. */
  readonly statement: number
  /** Each further key range in one read. */
  readonly range: number
  /** Each row that is sent back. */
  readonly row: number
  /** Each row that a statement looks at. */
  readonly scannedRow: number
  /** Whether a statement looks at the whole table, whatever its WHERE says. */
  readonly statementsScan: boolean
  /** How many calls in flight still run side by side. */
  readonly concurrency: number
  /** How many calls of one query may wait for their answers at once. */
  readonly inFlight: number
}

/**
 * The features that an engine may lack although its dialect has them.
 *
 * - `uuid-type`: the type UUID.
 * - `write-beside-defaults`: an update or an upsert by mutation that leaves out a column with a default, in a table where the
 *   database makes a part of the key. The emulator refuses the update, and an upsert sets the column to its default.
 * - `numeric-order`: NUMERIC values in an order, and groups of equal values.
 * - `nanosecond-extremes`: MIN and MAX of timestamps to the nanosecond.
 * - `concurrent-transactions`: several read-write transactions at a time. Of two, one is aborted, or waits for the other one.
 * - `partitioned-dml`: an UPDATE or a DELETE over many rows in many transactions. The driver runs it in one.
 */
export type Capability =
  | 'uuid-type'
  | 'write-beside-defaults'
  | 'numeric-order'
  | 'nanosecond-extremes'
  | 'concurrent-transactions'
  | 'partitioned-dml'

/** A change of the schema that the database works through by itself, as it stands. */
export interface SchemaChangeState {
  readonly statements: readonly string[]
  /** Whether it has ended, well or not. */
  readonly done: boolean
  /** How many statements, from the first, are complete. */
  readonly applied: number
  /** How far each statement is, in percent, as far as the database tells. */
  readonly progress: readonly number[]
  /** Why it ended before its last statement. The effects of complete statements stay. */
  readonly error?: IsothermError
}

export interface BeginOptions extends CallOptions {
  /**
   * The statements were begun under this id before, and their end was not seen. An engine that does not store such
   * operations first looks which of them have been applied. Default: false.
   */
  readonly again?: boolean
}

/** Changes of the schema as operations of the database, which go on when the process that began them ends. */
export interface SchemaChanges {
  /**
   * Begins statements under an id, and does not wait for them. An id that exists already is not an error: the operation
   * with that id goes on.
   *
   * @param operationId lower-case letters, digits and underscores, a letter first
   * @throws {IsothermError} for statements that the database refuses at once; none of them has run then.
   */
  begin(statements: readonly string[], operationId: string, options?: BeginOptions): Promise<void>
  /**
   * The state of an operation; undefined for an id that the database does not know. With an error `OUTCOME_UNKNOWN`, the
   * outcome of the statement after the complete ones is unknown: begin it `again`.
   */
  state(operationId: string, options?: CallOptions): Promise<SchemaChangeState | undefined>
}

/** A database that may speak one of several dialects, and has not been asked yet. */
interface Undecided {
  /** A driver for each dialect. */
  readonly candidates: readonly [Driver, ...Driver[]]
  /** Asks the database, once in a process, and returns the driver for its dialect. */
  decide(options?: CallOptions): Promise<Driver>
}

/** @typeParam At whether the engine says when a commit took effect: see {@link Commit} */
export interface Driver<At extends Date | undefined = Date | undefined> extends Reader {
  /** For messages: `Cloud Spanner`. */
  readonly name: string
  /** As OpenTelemetry names it: `gcp.spanner`. */
  readonly system: string
  /**
   * The part of the dialect that runs: what wants its tools, as `lint` and `introspect` do, is given the dialect.
   *
   * @throws {IsothermError} `INVALID_QUERY` while the driver is `undecided`.
   */
  readonly dialect: DialectRuntime
  /** Present until the database has reported its dialect. */
  readonly undecided?: Undecided | undefined
  /** The engine's keyspace in which the tables are. Absent: the engine has no keyspaces. */
  readonly keyspace?: string
  /** The vendor's own object, which drivers of the same database have in common. Absent: the driver is alone. */
  readonly client?: object
  readonly costs: CostProfile
  /** The features that this engine does not have. */
  readonly lacks: readonly Capability[]
  /** The call options that this engine supports; others are refused by name. */
  readonly takes: readonly EngineOption[]
  /** Checks the values of the engine's own options. Absent: no option needs a check. */
  readonly optionValues?: OptionValues
  /** Absent if the engine cannot read several calls at one timestamp. */
  snapshot?(options?: SnapshotOptions): Promise<Snapshot>
  /** Absent where the engine cannot split a read. */
  readonly queryPartitions?: PartitionedReads
  readonly writes: RowWrites<At>
  /** How a read and the write that depends on it become one. */
  readonly atomic: Transactions | ConditionalWrites
  /** Absent where the engine has no counters. */
  readonly counters?: CounterWrites
  /** Runs DDL statements and waits until each is done. */
  applyDdl(statements: readonly string[], options?: CallOptions): Promise<void>
  /** Absent where the engine has no operations that can be asked for. */
  readonly schemaChanges?: SchemaChanges
  /**
   * Runs an UPDATE or a DELETE over as many rows as there are, in transactions of the engine's own: at least once for each
   * row, so the statement has to be idempotent. Absent where the engine has no such way.
   *
   * @returns how many rows, at least
   */
  readonly executePartitioned?: (statement: Statement, options?: CallOptions) => Promise<number>
  /** The schema as the database writes it. Absent where the engine does not keep it as statements. */
  readDdl?(options?: CallOptions): Promise<string[]>
}

/** A driver of an engine with SQL, transactions and snapshots, which says when a commit took effect and keeps its schema as DDL. */
export interface TransactionalDriver extends Driver<Date> {
  readonly dialect: SqlDialectRuntime
  snapshot: NonNullable<Driver['snapshot']>
  readonly atomic: Transactions
  readDdl: NonNullable<Driver['readDdl']>
}

// A feature that an engine lacks is refused by name, each in one function.

/**
 * A schema may use what its dialect has and this engine does not.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` naming the table and the column.
 */
export function refuseLacking(schema: Schema, { name, lacks, atomic }: Driver): void {
  if (atomic.kind !== 'transactions') refuseTransactionCounters(schema, name)
  if (!lacks.includes('uuid-type')) return
  for (const table of schema.tables) {
    const column = table.columns.find(({ type }) => {
      const scalar = type.kind === 'array' ? type.of : type
      return scalar.kind === 'uuid' && scalar.storage === 'native'
    })
    if (!column) continue
    throw new IsothermError(
      'UNSUPPORTED_MODEL',
      `${table.name}.${column.property} is stored as the type UUID, which this ${name} does not have.`,
      {
        fix: "Use storage 'text', 'int64-pair' or 'bytes', or an engine that has the type; the emulator does not have it.",
        table: table.name,
        column: column.property,
      },
    )
  }
}

/** A number that is taken in the transaction of its insert wants one. */
function refuseTransactionCounters(schema: Schema, engine: string): void {
  for (const table of schema.tables) {
    const column = table.columns.find(({ source }) => {
      const counter = source && bindingOf(source).counter
      return counter !== undefined && 'takeIn' in counter
    })
    if (!column) continue
    throw new IsothermError(
      'UNSUPPORTED_MODEL',
      `${table.name}.${column.property} is numbered in the transaction of its insert, and ${engine} has no transactions over rows.`,
      {
        fix: 'Number it with asynchronous, which leaves a gap where an insert fails; or with batch or asynchronousBatch.',
        table: table.name,
        column: column.property,
      },
    )
  }
}

/** @throws {IsothermError} `UNSUPPORTED_FEATURE` where the engine has no transactions over rows. */
export function transactionsOf({ name, atomic }: Driver): Transactions {
  if (atomic.kind === 'transactions') return atomic
  throw new IsothermError('UNSUPPORTED_FEATURE', `${name} has no transactions over rows.`, {
    fix: 'Write one partition with db.insert, or one row conditionally: conditional is on by default.',
  })
}

/** @throws {IsothermError} `UNSUPPORTED_FEATURE` if the engine cannot read several calls at one timestamp. */
export function snapshotsOf(driver: Driver): TransactionalDriver['snapshot'] {
  if (driver.snapshot) return driver.snapshot.bind(driver)
  throw new IsothermError(
    'UNSUPPORTED_FEATURE',
    `${driver.name} reads each partition at its own timestamp.`,
    {
      fix: 'Read without a snapshot. The option consistency of a read sets how many replicas answer.',
    },
  )
}

/**
 * @param statement the statement to run, for the message
 * @throws {IsothermError} `UNSUPPORTED_FEATURE` if the engine does not support partitioned DML.
 */
export function partitionedOf(driver: Driver, statement: string): NonNullable<Driver['executePartitioned']> {
  if (driver.executePartitioned) return driver.executePartitioned.bind(driver)
  const { name, atomic } = driver
  throw new IsothermError(
    'UNSUPPORTED_FEATURE',
    `${name} has no partitioned DML, and cannot run ${statement}.`,
    {
      fix:
        atomic.kind === 'transactions'
          ? 'Leave the statement out, and change its rows in transactions, a range of keys in each.'
          : 'Leave the statement out, and change its rows in the application, a partition at a time.',
    },
  )
}

/** @throws {IsothermError} `UNSUPPORTED_FEATURE` where the engine has no counters. */
export function countersOf({ name, counters }: Driver): CounterWrites {
  if (counters) return counters
  throw new IsothermError(
    'UNSUPPORTED_FEATURE',
    `${name} has no counter columns, so db.increment cannot be used.`,
    {
      fix: 'Read and write in one transaction: db.transaction(async (tx) => …).',
    },
  )
}

/** The message for an option that an engine does not support: the missing feature, and what to do instead. */
const UNSUPPORTED_OPTIONS: Readonly<Record<EngineOption, readonly [lacks: string, fix: string]>> = {
  at: ['cannot read at a given timestamp', 'Leave out at, timestampBound and consistentPages.'],
  directedReads: [
    'cannot choose replicas for one call',
    'Leave directedReads out, or let the client choose replicas.',
  ],
  priority: ['does not support priorities', 'Leave priority out.'],
  tag: ['does not support request tags', 'Leave tag out.'],
  ttlSeconds: [
    'has no lifetime of cells',
    'Leave ttlSeconds out; a row deletion policy of the table deletes old rows.',
  ],
  writeTime: ['gives writes the times of their commits', 'Leave writeTime out.'],
  consistency: ['has no levels of consistency: every read is of what is committed', 'Leave consistency out.'],
  conditional: ['always checks whether a row is there', 'Use upsert for rows that may be there.'],
}
const ENGINE_OPTIONS = Object.keys(UNSUPPORTED_OPTIONS) as readonly EngineOption[]

/** Whether an option means something on some engines only. */
export function isEngineOption(name: string): name is EngineOption {
  return Object.hasOwn(UNSUPPORTED_OPTIONS, name)
}

/**
 * A call option that would have no effect on this engine is refused.
 *
 * @throws {IsothermError} `UNSUPPORTED_FEATURE` naming the option.
 */
export function refuseUnsupportedOptions(
  { name, takes }: Pick<Driver, 'name' | 'takes'>,
  options: { readonly [Option in EngineOption]?: unknown } | undefined,
): void {
  if (!options) return
  for (const option of ENGINE_OPTIONS) {
    const value = options[option]
    // `conditional: true` has no effect on an engine that always checks, so it is accepted.
    if (value === undefined || takes.includes(option) || (option === 'conditional' && value === true))
      continue
    const [lacks, fix] = UNSUPPORTED_OPTIONS[option]
    throw new IsothermError('UNSUPPORTED_FEATURE', `${name} ${lacks}.`, { fix })
  }
}
