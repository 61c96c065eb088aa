import { IsothermError, itemAt } from '@isotherm/core/engine'
import type { Dialect } from '@isotherm/core/tools'
import { type Migration, excerpt, statementHash } from '../files/migration.js'
import { fixAfterFailure } from './progress.js'
import type { Begun, HeldLease, HistoryChange, MigrationStore } from '../history/store.js'
import type { MigrationDriver } from '../options.js'
import type { MigrationStatement } from '../statement.js'
import type { MigrateListener, StatementPosition } from './events.js'

/** The context for applying migrations. */
export interface RunServices {
  readonly driver: MigrationDriver
  readonly dialect: Dialect
  readonly store: MigrationStore
  readonly lease: HeldLease
  /** Fires when the user, or the loss of the lease, ends the run. */
  readonly signal: AbortSignal
  readonly tell: MigrateListener
  /** The migrations of the folder, oldest first. */
  readonly migrations: readonly Migration[]
  /** See `SelectionOptions`. */
  readonly propagationWaitMs?: number
}

/** One migration while it is being applied. Statements have their numbers, from 1. */
export class MigrationRun {
  readonly services: RunServices
  readonly migration: Migration
  /** The number of the migration's next attempt. */
  readonly #attempt: number
  #finished: number
  #begun = false
  /** How many statements this run has completed, and how many of them an earlier one had begun. */
  completed = 0
  resumed = 0

  constructor(services: RunServices, migration: Migration, attempt: number, finished: number) {
    this.services = services
    this.migration = migration
    this.#attempt = attempt
    this.#finished = finished
  }

  /** How many statements, from the first, are complete. */
  get finished(): number {
    return this.#finished
  }

  /** Records changes that belong together in one write. */
  async write(...changes: readonly HistoryChange[]): Promise<void> {
    await this.services.store.write(this.services.lease, changes)
  }

  /** The migration as a whole has begun, or goes on: recorded once in a run, since each record sets another start. */
  begun(): readonly HistoryChange[] {
    if (this.#begun) return []
    this.#begun = true
    const { name: migration, hash, statements } = this.migration
    const whole = { migration, statement: 0, hash, kind: 'migration', operation: null } as const
    return [{ to: 'started', records: [{ ...whole, attempt: this.#attempt, rows: statements.length }] }]
  }

  record(number: number, attempt: number, operation: string | null): Begun {
    const statement = this.statement(number)
    const mayRunTwice = statement.kind === 'transaction' && !this.services.store.runsDmlOnce
    return {
      migration: this.migration.name,
      statement: number,
      hash: statementHash(statement, this.services.dialect),
      // Recorded as it is run: a transaction whose end was not seen is undone.
      kind: mayRunTwice ? 'partitioned' : statement.kind,
      operation,
      attempt,
      rows: null,
    }
  }

  /** What to write once these statements, and so all before them, are complete: with the last one the migration is done. */
  done(from: number, to: number, rows?: number): readonly HistoryChange[] {
    const last = to === this.migration.statements.length
    return [
      { to: 'done', records: this.keys(from, to), ...(rows !== undefined && { rows }) },
      ...(last ? [{ to: 'done', records: this.keys(0, 0) } as const] : []),
    ]
  }

  /** Reports that these statements are complete, once that is recorded. */
  reportDone(from: number, to: number, rows?: number): void {
    for (let number = from; number <= to; number++) {
      this.services.tell({
        type: 'statement-finished',
        ...this.position(number),
        ...(rows !== undefined && { rows }),
      })
    }
    this.completed += to - from + 1
    this.#finished = to
  }

  keys(from: number, to: number): { readonly migration: string; readonly statement: number }[] {
    return Array.from({ length: to - from + 1 }, (_, at) => ({
      migration: this.migration.name,
      statement: from + at,
    }))
  }

  statement(number: number): MigrationStatement {
    return itemAt(this.migration.statements, number - 1)
  }

  position(number: number): StatementPosition {
    const { kind, sql } = this.statement(number)
    return {
      migration: this.migration.name,
      statement: number,
      of: this.migration.statements.length,
      kind,
      sql,
    }
  }

  /** Writes down that the database refused a statement, and that those begun with it did not run. @param last of these */
  async fail(number: number, last: number, cause: unknown): Promise<never> {
    const error = (cause as Error).message
    await this.write(
      { to: 'failed', records: this.keys(number, number), error },
      { to: 'failed', records: this.keys(0, 0), error },
      {
        to: 'forgotten',
        records: [...this.keys(this.#finished + 1, number - 1), ...this.keys(number + 1, last)],
      },
    )
    throw new IsothermError(
      'MIGRATION_FAILED',
      `${this.#where(number)} failed: ${error}${/[.!?]$/.test(error) ? '' : '.'}`,
      {
        fix: fixAfterFailure(this.migration, this.#finished, number),
        cause,
      },
    )
  }

  /** For a failure that leaves open what became of a statement; the next run finds out. */
  unknown(number: number, cause: unknown): IsothermError {
    return new IsothermError(
      'MIGRATION_FAILED',
      `${this.#where(number)} has an unknown outcome: ${(cause as Error).message}`,
      {
        fix: 'Run the migration again: it first looks up the outcome.',
        retryable: cause instanceof IsothermError && cause.retryable,
        cause,
      },
    )
  }

  #where(number: number): string {
    const { name, statements } = this.migration
    const text = excerpt(this.statement(number).sql, this.services.dialect)
    return `Statement ${number} of ${statements.length} of the migration ${name} (${text})`
  }
}

/** Whether an error says that the run has ended, rather than that a statement failed. */
export function isEnd(error: unknown, signal: AbortSignal): boolean {
  if (!(error instanceof IsothermError)) return true
  return signal.aborted || error.code === 'MIGRATION_LOCKED' || error.code === 'MIGRATION_FAILED'
}

const UNANSWERED: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'CANCELLED',
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'ABORTED',
])

/** Whether the database has refused something for good, rather than not been heard. */
export function isRefusal(error: unknown): error is IsothermError {
  return error instanceof IsothermError && !UNANSWERED.has(error.code)
}
