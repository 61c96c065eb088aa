import { inspect } from 'node:util'
import type { LeaseHolder } from '../history/lease-options.js'
import type { StatementKind } from '../statement.js'

/** Identifies a statement of a migration. */
export interface StatementPosition {
  readonly migration: string
  /** From 1. */
  readonly statement: number
  /** How many the migration has. */
  readonly of: number
  readonly kind: StatementKind
  readonly sql: string
}

/** The events of a run. */
export type MigrateEvent =
  /** Another migrator is at work, and this one waits. Reported repeatedly. */
  | ({ readonly type: 'waiting' } & LeaseHolder)
  | {
      readonly type: 'migration-started'
      readonly migration: string
      /** How many statements it has, and how many of them had run before. */
      readonly statements: number
      readonly done: number
      /** Its number in this run, from 1, and how many there are. */
      readonly number: number
      readonly of: number
    }
  /**
   * `resumed`: an earlier run began it, and its end was not recorded. If it changes the schema, this run waits for its end;
   * any other statement is run once more. Statements that go together start together.
   */
  | ({ readonly type: 'statement-started'; readonly resumed: boolean } & StatementPosition)
  | ({ readonly type: 'statement-progress'; readonly percent: number } & StatementPosition)
  /** The number of rows of DML, at least. */
  | ({ readonly type: 'statement-finished'; readonly rows?: number } & StatementPosition)
  | { readonly type: 'migration-finished'; readonly migration: string; readonly milliseconds: number }

export type MigrateListener = (event: MigrateEvent) => void

/** A listener that fails ends no migration: its error becomes a warning of the process. */
export function guarded(listener: MigrateListener | undefined): MigrateListener {
  return (event) => {
    try {
      listener?.(event)
    } catch (error) {
      // An Error as the warning itself would lose the type and the detail.
      process.emitWarning(`onProgress of a migration failed: ${String(error)}`, {
        type: 'IsothermListenerWarning',
        detail: inspect(error),
      })
    }
  }
}
