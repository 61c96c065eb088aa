import type { IsothermError } from '../errors.js'
import type { CqlTarget } from '../dialects/cql/capabilities.js'
import type { Consistency } from '../dialects/cql/consistency.js'
import type { DialectName } from '../dialects/dialect.js'
import type { PhysicalColumn, TableLayout } from '../dialects/layout.js'
import type { KeyRange, Mutation } from '../dialects/mutation.js'
import type { Statement } from '../dialects/statement.js'
import type { SqlDialect } from '../model/sql-expression.js'
import type { Wire, WireType } from '../dialects/wire.js'

// What dialects write statements of, too.
export type { KeyRange, Mutation } from '../dialects/mutation.js'
export type { Consistency } from '../dialects/cql/consistency.js'

// What the database and the fan-out reader ask of an engine. `drivers/` answers with a vendor's client.

/** One row as read: a value per column. 64-bit integers are `bigint`, timestamps `PreciseDate`, bytes `Buffer`. */
export type Cells = readonly unknown[]

export interface ReadRequest {
  readonly layout: TableLayout
  /** Read by this index: keys are the index's own parts then, and columns those that it holds. */
  readonly index?: string
  readonly columns: readonly PhysicalColumn[]
  readonly keys?: readonly (readonly Wire[])[]
  readonly ranges?: readonly KeyRange[]
  /** For the whole read, not for each range. */
  readonly limit?: number
  /** Each range from its end to its start. Only for a key that is `reversible`. */
  readonly reversed?: true
}

/** As of when to read. Times are in milliseconds. */
export type ReadAt =
  | 'strong'
  | { readonly exactStaleness: number }
  | { readonly maxStaleness: number }
  | { readonly readTimestamp: Date }

export interface CallOptions {
  /** How long the call may take, in milliseconds. Default: the driver's. */
  readonly deadline?: number
  readonly signal?: AbortSignal
  /** Whose calls the database serves first when it is busy. Default: `high`. */
  readonly priority?: Priority
  /** A name for this kind of call in the database's own statistics; of a transaction, its tag. */
  readonly tag?: string
}

export type Priority = 'low' | 'medium' | 'high'

export interface ReadOptions extends CallOptions {
  /** Default: `strong`. */
  readonly at?: ReadAt
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

/** Of writes. What an engine does not take is refused by name: see `Driver.takes`. */
export interface WriteCallOptions extends CallOptions {
  /** The cells that are written vanish so many seconds later. Default: the table's. Cassandra's. */
  readonly ttl?: number
  /**
   * When the cells were written, in microseconds since 1970: of two writes, the later one stays. Default: when the database
   * takes them. Cassandra's, and only with `check: false`: a condition has a clock of its own.
   */
  readonly writeTime?: bigint
  /** How many replicas have to answer. Cassandra's; default: the driver's. */
  readonly consistency?: Consistency
  /**
   * Whether an insert fails on a row that is there, and an update on one that is not. Engines with transactions always
   * check. Default: wherever it can matter, so not for rows whose UUID this call makes. With `true` those too: then every
   * write of such a row has the clock of the conditions, and an update right after the insert cannot lose against it where
   * the clocks of two servers differ.
   */
  readonly check?: boolean
  /**
   * Write in several commits what does not fit into one. Each commit is atomic, the whole is not. Default: false, and what
   * exceeds one commit is refused before anything is written.
   */
  readonly split?: boolean
}

/** Options of calls that mean something on some engines only. */
export type EngineOption =
  | 'at'
  | 'directedReads'
  | 'priority'
  | 'tag'
  | 'ttl'
  | 'writeTime'
  | 'consistency'
  | 'check'

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
  /** Runs a statement of somebody else's, whose columns only the engine knows. */
  run(statement: Statement, options?: ReadOptions): Promise<ResultSet>
}

/** What a statement gives back. A STRUCT is read as an array of its fields. */
export interface ResultSet {
  /** Those of the result, in order: they may have no name, or one name twice. */
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
  /** One that Isotherm does not know; its values are as the protocol has them. */
  | { readonly kind: 'other'; readonly name: string }

/** Several reads as of one moment. */
export interface Snapshot extends Reader {
  /** The moment; undefined before it has begun. */
  readonly readTimestamp: Date | undefined
  close(): void
}

/** What is read in parts: rows by key, or those of a statement that the engine can split. */
export type PartRequest =
  | { readonly kind: 'read'; readonly read: ReadRequest }
  | { readonly kind: 'query'; readonly statement: Statement; readonly types: readonly WireType[] }

export interface PartitionOptions extends ReadOptions {
  /** How many parts are wished for; the engine may make more, or fewer. */
  readonly parts: number
}

export interface ReadPartOptions extends CallOptions, Pick<ReadOptions, 'directedReads'> {
  /** Read by machines that serve nobody else. */
  readonly dataBoost?: boolean
}

/** A read that other processes run, each a part of it. */
export interface PartitionedReads {
  /**
   * Splits a read as of one moment. Each token stands for one part in any process, until the parts are closed.
   *
   * @throws {IsothermError} `UNSUPPORTED` for a statement that the engine cannot split.
   */
  partition(
    request: PartRequest,
    options: PartitionOptions,
  ): Promise<{ readonly readTimestamp: Date; readonly tokens: readonly string[] }>
  /** The rows of one part in batches, no faster than they are taken. The request is the one that was split. */
  readPart(request: PartRequest, token: string, options?: ReadPartOptions): AsyncIterable<readonly Cells[]>
  /** Ends all parts that were made together with this one. */
  closeParts(token: string, options?: CallOptions): Promise<void>
}

/** @typeParam At `Date` of engines that say when a commit took effect, undefined of those that have no such moment */
export interface Commit<At extends Date | undefined = Date | undefined> {
  readonly commitTimestamp: At
}

/** A write of one row, if the row is as the condition says. */
export interface ConditionalWrite {
  /** Of one row. */
  readonly mutation: Mutation
  /** The values that columns have to have; `null` of an insert: that there is no such row. */
  readonly condition: Readonly<Record<string, Wire>> | null
}

/** Writes of one row that depend on what it holds: lightweight transactions. */
export interface ConditionalWrites {
  /**
   * Writes one row if it is as said; else gives back how it is, cells of NULL where there is none. Those that come after see
   * those that came before.
   *
   * @param columns what to find where it is otherwise
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

/** What is added to the counters of one row. */
export interface CounterChange {
  readonly key: readonly Wire[]
  readonly amounts: ReadonlyMap<PhysicalColumn, bigint>
}

/** Columns that are only ever added to. */
export interface CounterWrites {
  /** @throws {IsothermError} `OUTCOME_UNKNOWN` where the answer was lost: an addition may not be sent twice. */
  add(layout: TableLayout, changes: readonly CounterChange[], options?: WriteCallOptions): Promise<void>
}

export interface TransactionContext extends Reader {
  /** Runs a DML statement that gives rows back. */
  returning(statement: Statement, types: readonly WireType[]): Promise<Cells[]>
  /**
   * Runs DML statements in one round trip, in order, and tells how many rows each touched. None runs after one that fails,
   * whose place the error has as its `statement`.
   */
  execute(statements: readonly Statement[], options?: CallOptions): Promise<number[]>
  /** Keeps mutations until the commit. The transaction's own reads do not see them. */
  buffer(mutations: readonly Mutation[]): void
}

/** What things cost on this engine, in milliseconds: the planner knows no engine by name. */
export interface CostProfile {
  /** One small call and its answer. */
  readonly roundTrip: number
  /** What a call costs this process, however many are in flight. */
  readonly call: number
  /** What the engine adds for a statement over a plain read: parsing, planning. */
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
 * What an engine of a dialect may lack although the dialect has it.
 *
 * - `uuid-type`: the type UUID.
 * - `update-beside-defaults`: an update by mutation of a table whose key, and another column, have values that the database
 *   makes. The emulator takes the column that is left out for one to be filled in.
 * - `numeric-order`: NUMERIC values in an order, and groups of those that are equal.
 * - `nanosecond-extremes`: MIN and MAX of timestamps to the nanosecond.
 * - `concurrent-transactions`: read-write transactions beside each other. Of two that are open, one is aborted.
 * - `partitioned-dml`: an UPDATE or a DELETE over many rows in many transactions. The driver runs it in one.
 */
export type Capability =
  | 'uuid-type'
  | 'update-beside-defaults'
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
  /** Why it ended before its last statement. Those that are complete stay. */
  readonly error?: IsothermError
}

export interface BeginOptions extends CallOptions {
  /**
   * They were begun under this id before, and nobody saw their end. An engine that keeps no account of such operations looks
   * first which of them have taken place. Default: false.
   */
  readonly again?: boolean
}

/** Changes of the schema as operations of the database, which go on without whoever began them. */
export interface SchemaChanges {
  /**
   * Begins statements under an id, and does not wait for them. An id that there is already is no error: whatever was begun
   * under it goes on.
   *
   * @param operationId lower-case letters, digits and underscores, a letter first
   * @throws {IsothermError} for statements that the database refuses at once; none of them has run then.
   */
  begin(statements: readonly string[], operationId: string, options?: BeginOptions): Promise<void>
  /**
   * How an operation stands; undefined for an id that the database does not know. With an error `OUTCOME_UNKNOWN`, nobody
   * knows what became of the statement after those that are complete: it is to be begun `again`.
   */
  state(operationId: string, options?: CallOptions): Promise<SchemaChangeState | undefined>
}

/** @typeParam At whether the engine says when a commit took effect: see {@link Commit} */
export interface Driver<At extends Date | undefined = Date | undefined> extends Reader {
  /** For messages: `Cloud Spanner`. */
  readonly name: string
  /** As OpenTelemetry names it: `gcp.spanner`. */
  readonly system: string
  readonly dialect: DialectName
  /** Which of the engines that speak `cql`. */
  readonly target?: CqlTarget
  /** In which of the engine's keyspaces the tables are. Absent: it has none. */
  readonly keyspace?: string
  /** The vendor's own object, which drivers of the same database have in common. Absent: the driver is alone. */
  readonly client?: object
  readonly costs: CostProfile
  /** What this engine does not have. */
  readonly lacks: readonly Capability[]
  /** Which options of calls mean something here; the others are refused by name. */
  readonly takes: readonly EngineOption[]
  /** Absent where the engine cannot read several things as of one moment. */
  snapshot?(options?: SnapshotOptions): Promise<Snapshot>
  /** Absent where the engine cannot split a read. */
  readonly partitions?: PartitionedReads
  /**
   * Commits mutations, exactly once.
   *
   * @throws {IsothermError} `TOO_MANY_MUTATIONS` for more than one commit takes.
   */
  write(mutations: readonly Mutation[], options?: WriteCallOptions): Promise<Commit<At>>
  /**
   * Runs `work` in a read-write transaction, again from the start when the engine aborts it. Absent where the engine has
   * none.
   */
  transaction?<T>(
    work: (context: TransactionContext) => Promise<T>,
    options?: CallOptions,
  ): Promise<{ readonly value: T; readonly commitTimestamp: Date }>
  /** Absent where the engine has transactions instead. */
  readonly conditional?: ConditionalWrites
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
  /** The schema as the database writes it. */
  readDdl(options?: CallOptions): Promise<string[]>
}

/** A driver of an engine with SQL, transactions and snapshots, which says when a commit took effect. */
export interface TransactionalDriver extends Driver<Date> {
  readonly dialect: SqlDialect
  snapshot: NonNullable<Driver['snapshot']>
  transaction: NonNullable<Driver['transaction']>
}
