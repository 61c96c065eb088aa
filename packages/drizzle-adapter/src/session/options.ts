import type { CallOptions, DirectedReads, Priority, ReadAt } from '@isotherm/core'

/** How statements are run; `db.$withOptions(options)` gives a database whose statements have them. */
export interface QueryOptions {
  /**
   * As of when to read: `{ exactStaleness: 10_000 }` needs no answer from the leader. For reads outside a transaction.
   * Default: `strong`.
   */
  readonly at?: ReadAt
  /** Which replicas may answer, or may not. For reads outside a read-write transaction. */
  readonly directedReads?: DirectedReads
  /** How long one call may take, in milliseconds. Default: the driver's, 30 seconds. */
  readonly deadline?: number
  readonly signal?: AbortSignal
  /** Whose calls the database serves first when it is busy. Default: `high`. */
  readonly priority?: Priority
  /**
   * A name for these statements in the database's own statistics. A write outside a transaction gives it to the transaction
   * that is made for it as well.
   */
  readonly tag?: string
}

/** A transaction that reads and writes. */
export interface ReadWriteConfig extends CallOptions {
  readonly accessMode?: 'read write'
  /** Spanner's own, which is the strictest that there is. */
  readonly isolationLevel?: 'serializable'
}

/** Several reads as of one moment. They take no locks, and nobody aborts them. */
export interface ReadOnlyConfig extends CallOptions {
  readonly accessMode: 'read only'
  /** Default: `strong`, which is the moment at which it begins. */
  readonly at?: ReadAt
  readonly directedReads?: DirectedReads
  readonly isolationLevel?: 'serializable'
}

export type TransactionConfig = ReadWriteConfig | ReadOnlyConfig
