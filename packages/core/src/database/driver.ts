import type { PhysicalColumn } from '../dialects/layout.js'
import type { DialectName } from '../dialects/dialect.js'
import type { Statement } from '../dialects/statement.js'
import type { Wire, WireType } from '../dialects/wire.js'

// What the database and the fan-out reader ask of an engine. `drivers/` answers with a vendor's client.

/** One row as read: a value per column. 64-bit integers are `bigint`, timestamps `PreciseDate`, bytes `Buffer`. */
export type Cells = readonly unknown[]

/** Keys from `start` to `end`; a bound may be a prefix of a key, and stands for all the keys that start with it. */
export interface KeyRange {
  readonly start: readonly Wire[]
  readonly startOpen: boolean
  readonly end: readonly Wire[]
  readonly endOpen: boolean
}

export interface ReadRequest {
  readonly table: string
  /** Read by this index: keys are the index's own parts then, and columns those that it holds. */
  readonly index?: string
  readonly columns: readonly PhysicalColumn[]
  readonly keys?: readonly (readonly Wire[])[]
  readonly ranges?: readonly KeyRange[]
  /** For the whole read, not for each range. */
  readonly limit?: number
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
}

export interface ReadOptions extends CallOptions {
  /** Default: `strong`. */
  readonly at?: ReadAt
}

export interface Reader {
  /** Rows by key or key range, in key order. */
  read(request: ReadRequest, options?: ReadOptions): Promise<Cells[]>
  query(statement: Statement, types: readonly WireType[], options?: ReadOptions): Promise<Cells[]>
}

/** Several reads as of one moment. */
export interface Snapshot extends Reader {
  readonly readTimestamp: Date | undefined
  close(): void
}

export type Mutation =
  | {
      readonly op: 'insert' | 'update' | 'upsert'
      readonly table: string
      readonly columns: readonly string[]
      readonly rows: readonly (readonly Wire[])[]
    }
  | { readonly op: 'delete'; readonly table: string; readonly keys: readonly (readonly Wire[])[] }

export interface Commit {
  readonly commitTimestamp: Date
}

export interface TransactionContext extends Reader {
  /** Runs a DML statement that gives rows back. */
  returning(statement: Statement, types: readonly WireType[]): Promise<Cells[]>
  /** Runs DML statements in one round trip, in order, and tells how many rows each touched. */
  execute(statements: readonly Statement[]): Promise<number[]>
  /** Keeps mutations until the commit. The transaction's own reads do not see them. */
  buffer(mutations: readonly Mutation[]): void
}

/** What things cost on this engine, in milliseconds: the planner knows no engine by name. */
export interface CostProfile {
  /** One small call and its answer. */
  readonly roundTrip: number
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
}

/**
 * What an engine of a dialect may lack although the dialect has it.
 *
 * - `uuid-type`: the type UUID.
 * - `update-beside-defaults`: an update by mutation of a table whose key, and another column, have values that the database
 *   makes. The emulator takes the column that is left out for one to be filled in.
 */
export type Capability = 'uuid-type' | 'update-beside-defaults'

export interface Driver extends Reader {
  /** For messages: `Cloud Spanner`. */
  readonly name: string
  readonly dialect: DialectName
  readonly costs: CostProfile
  /** What this engine does not have. */
  readonly lacks: readonly Capability[]
  snapshot(options?: ReadOptions): Promise<Snapshot>
  /** Commits mutations, exactly once. */
  write(mutations: readonly Mutation[], options?: CallOptions): Promise<Commit>
  /** Runs `work` in a read-write transaction, again from the start when the engine aborts it. */
  transaction<T>(
    work: (context: TransactionContext) => Promise<T>,
    options?: CallOptions,
  ): Promise<{ readonly value: T; readonly commitTimestamp: Date }>
  /** Runs DDL statements and waits until each is done. */
  applyDdl(statements: readonly string[], options?: CallOptions): Promise<void>
  /** The schema as the database writes it. */
  readDdl(options?: CallOptions): Promise<string[]>
}
