import type { MigrationRecord } from './tables.js'

/** What a record is found by. */
export type RecordKey = Pick<MigrationRecord, 'migration' | 'statement'>

/** What is said of a statement, or of a migration, when it is begun. */
export type Begun = Omit<MigrationRecord, 'state' | 'started' | 'finished' | 'error' | 'runner'>

/** One change of the history. */
export type HistoryChange =
  | { readonly to: 'started'; readonly records: readonly Begun[] }
  | { readonly to: 'done'; readonly records: readonly RecordKey[]; readonly rows?: number }
  /** Done without having been run by us. */
  | { readonly to: 'recorded'; readonly records: readonly Begun[] }
  | { readonly to: 'failed'; readonly records: readonly RecordKey[]; readonly error: string }
  /** They have not run after all. */
  | { readonly to: 'forgotten'; readonly records: readonly RecordKey[] }

export function keyOf({ migration, statement }: RecordKey): RecordKey {
  return { migration, statement }
}

/** Without what a caller's object may have beside it. */
export function plainBegun({ migration, statement, hash, kind, operation, attempt, rows }: Begun): Begun {
  return { migration, statement, hash, kind, operation, attempt, rows }
}
