import { statementHash, type Migration } from '../files/migration.js'
import type { MigrationRecord } from '../history/tables.js'

/**
 * - `pending`: nothing of it has run.
 * - `partly`: some statements have run, and nothing is known to have failed: it is running, or was ended from outside.
 * - `failed`: a statement was refused; those before it have run.
 * - `applied`: all of it has run.
 * - `changed`: what has run is not what is in the file now.
 * - `missing`: it has run, wholly or in part, and its folder is gone.
 */
export type MigrationState = 'pending' | 'partly' | 'failed' | 'applied' | 'changed' | 'missing'

/** What is in the folder and what is in the history about one migration. */
export interface MigrationProgress {
  readonly name: string
  readonly state: MigrationState
  /** Absent when missing. */
  readonly migration?: Migration
  /** What is recorded of the migration as a whole; absent when pending. */
  readonly whole?: MigrationRecord
  /** By the number of the statement, from 1. */
  readonly statements: ReadonlyMap<number, MigrationRecord>
  /** How many statements, from the first, are complete. */
  readonly done: number
  /** The first statement that is not what has run, if it is known. */
  readonly changed?: number
}

/** All migrations of a folder and of a history, oldest first. */
export function compareWithHistory(
  migrations: readonly Migration[],
  records: readonly MigrationRecord[],
): readonly MigrationProgress[] {
  const files = new Map(migrations.map((migration) => [migration.name, migration]))
  const recorded = new Map<string, MigrationRecord[]>()
  for (const record of records) {
    const known = recorded.get(record.migration)
    if (known) known.push(record)
    else recorded.set(record.migration, [record])
  }
  const names = [...new Set([...files.keys(), ...recorded.keys()])].sort()
  return names.map((name) => progressOf(name, files.get(name), recorded.get(name) ?? []))
}

function progressOf(
  name: string,
  migration: Migration | undefined,
  records: readonly MigrationRecord[],
): MigrationProgress {
  const whole = records.find(({ statement }) => statement === 0)
  const statements = new Map(
    records.filter(({ statement }) => statement > 0).map((record) => [record.statement, record]),
  )
  let done = 0
  while (statements.get(done + 1)?.state === 'done') done++
  const known = { name, ...(migration && { migration }), ...(whole && { whole }), statements, done }
  if (!whole) return { ...known, state: 'pending' }
  if (!migration) return { ...known, state: 'missing' }
  if (whole.state === 'done' && whole.hash === migration.hash) return { ...known, state: 'applied' }
  const changed = firstChange(migration, whole, statements)
  if (changed !== undefined) return { ...known, state: 'changed', changed }
  const hasFailed = [...statements.values()].some(({ state }) => state === 'failed')
  return { ...known, state: hasFailed ? 'failed' : 'partly' }
}

/**
 * The first statement that has begun to run and is another now. What has not run may be edited: how else could a statement be
 * mended that the database refuses?
 */
function firstChange(
  { statements: inFile }: Migration,
  whole: MigrationRecord,
  recorded: ReadonlyMap<number, MigrationRecord>,
): number | undefined {
  const binding = [...recorded.values()].filter(
    ({ state, kind }) => state === 'done' || (state === 'started' && kind !== 'transaction'),
  )
  const numbers = binding
    .filter(({ statement, hash }) => {
      const now = inFile[statement - 1]
      return now === undefined || statementHash(now) !== hash
    })
    .map(({ statement }) => statement)
  if (numbers.length > 0) return Math.min(...numbers)
  // Nothing may follow what was the end.
  return whole.state === 'done' ? recorded.size + 1 : undefined
}
