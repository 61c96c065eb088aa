import type { CallOptions } from '@isotherm/core/engine'
import type { Dialect } from '@isotherm/core/tools'
import type { LeaseHolder, LeaseOptions } from './lease-options.js'
import type { HistoryChange, RecordKey } from './history.js'
import type { MigrationRecord } from './tables.js'

export type { Begun, HistoryChange, RecordKey } from './history.js'

/** The migration lease, while this process holds it. */
export interface HeldLease extends AsyncDisposable {
  /** Fires when the lease is lost; its reason is the error that says to whom. */
  readonly signal: AbortSignal
  /**
   * Asks the database whether the lease is still ours, if it may not be: before work that does not ask for it.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` once another has taken over.
   */
  ensureHeld(): Promise<void>
  /** Releases the lease. */
  release(): Promise<void>
}

/** A statement that changes rows, and what to write down once it has run. */
export interface DmlToRun {
  readonly key: RecordKey
  readonly sql: string
  /** Ends a statement on an engine without transactions; a transaction runs to its end. */
  readonly signal: AbortSignal
  /** @param rows how many it has changed; undefined where the engine does not say */
  readonly done: (rows: number | undefined) => readonly HistoryChange[]
}

/** Where a migrator stores the lease and the history: in the database that it migrates. */
export interface MigrationStore {
  /** Whether a statement that changes rows is run exactly once; else at least once, and then it has to be idempotent. */
  readonly runsDmlOnce: boolean
  /** Makes the tables of the store, if they do not exist. @param dialect of the database */
  ensure(dialect: Dialect, call: CallOptions): Promise<void>
  /**
   * Takes the migration lease, or waits for it.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` naming who holds it, and until when.
   */
  acquire(options?: LeaseOptions): Promise<HeldLease>
  /** Who migrates; undefined where no migration runs. */
  holder(call?: CallOptions): Promise<LeaseHolder | undefined>
  /** All records, in order; none of a database without migrations. */
  read(call?: CallOptions): Promise<readonly MigrationRecord[]>
  /**
   * Writes changes, unless another has taken over the lease: all at once, or in an order in which a crash between two is
   * harmless. Writing them twice does no harm.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` once another has taken over.
   */
  write(lease: HeldLease, changes: readonly HistoryChange[]): Promise<void>
  /**
   * Runs a statement that changes rows, and writes down that it has run.
   *
   * @returns how many rows it has changed, where the engine says so
   */
  runDml(lease: HeldLease, dml: DmlToRun): Promise<number | undefined>
}
