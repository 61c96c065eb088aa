import type { DialectRuntime } from '@isotherm/core/engine'
import { statementHash, type Migration } from '../files/migration.js'
import type { RecordKey } from '../history/store.js'
import type { MigrationRecord } from '../history/tables.js'

/**
 * - `pending`: nothing of it has run.
 * - `empty`: its statements are not written yet. One with a snapshot may be without statements.
 * - `partly`: some statements have run, and nothing is known to have failed: it is running, or was ended from outside.
 * - `failed`: a statement was refused; those before it have run.
 * - `applied`: all of it has run.
 * - `changed`: what has run is not what is in the file now.
 * - `missing`: it has run, wholly or in part, and its folder is gone.
 */
export type MigrationState = 'pending' | 'empty' | 'partly' | 'failed' | 'applied' | 'changed' | 'missing'

/** The state of one migration, in the folder and in the history. */
export interface MigrationProgress {
  readonly name: string
  readonly state: MigrationState
  /** Absent when missing. */
  readonly migration?: Migration
  /** The record of the migration as a whole; absent when pending. */
  readonly whole?: MigrationRecord
  /** By the number of the statement, from 1. */
  readonly statements: ReadonlyMap<number, MigrationRecord>
  /** How many statements, from the first, are complete. */
  readonly done: number
  /** The first statement that differs from what has run, if it is known. */
  readonly changed?: number
}

/**
 * All migrations of a folder and of a history, oldest first. A migration that is not in the folder, and of which nothing
 * has run, is left out: see `leftBehind`.
 */
export function compareWithHistory(
  migrations: readonly Migration[],
  records: readonly MigrationRecord[],
  dialect: DialectRuntime,
): readonly MigrationProgress[] {
  const files = new Map(migrations.map((migration) => [migration.name, migration]))
  const recorded = byMigration(records)
  const ran = [...recorded].filter(([, of]) => of.some(isBinding)).map(([name]) => name)
  const names = [...new Set([...files.keys(), ...ran])].sort()
  return names.map((name) => progressOf(name, files.get(name), recorded.get(name) ?? [], dialect))
}

/**
 * The records of migrations that are not in the folder, and of which nothing has run: their first statement failed, and
 * they were removed.
 */
export function leftBehind(
  migrations: readonly Migration[],
  records: readonly MigrationRecord[],
): readonly RecordKey[] {
  const files = new Set(migrations.map(({ name }) => name))
  return [...byMigration(records)]
    .filter(([name, of]) => !files.has(name) && !of.some(isBinding))
    .flatMap(([, of]) => of)
}

function named(number: number): string {
  return number === 1 ? 'the first one' : `statement ${number}`
}

/** Whether something of it has run, or may have. */
export function hasRun({ state, statements }: MigrationProgress): boolean {
  return state === 'applied' || [...statements.values()].some(isBinding)
}

/**
 * What to do about a migration whose statement the database refused. A generated migration also has a snapshot, which says
 * what the models say: if only its statements are edited, the schema drifts from the snapshot.
 *
 * @param done how many of its statements, from the first, have run
 * @param failedNumber the statement that was refused. Others after `done` may have been undone with it.
 */
export function fixAfterFailure(
  { name, statements, snapshot }: Pick<Migration, 'name' | 'statements' | 'snapshot'>,
  done: number,
  failedNumber = done + 1,
): string {
  const ran =
    done === 0
      ? 'No statement of the migration has run.'
      : `The first ${done === 1 ? 'statement' : `${done} statements`} of ${statements.length} ${done === 1 ? 'has' : 'have'} run.`
  const rows = `If existing rows violate ${named(failedNumber)}, change the rows and run isotherm migrate: it starts with ${named(done + 1)}.`
  if (!snapshot)
    return `${ran} ${rows} If the statement is wrong, edit it in migration.sql and run isotherm migrate.`
  const steps =
    done === 0
      ? ['Change the model.', `Delete the folder ${name}.`, 'Run isotherm generate.']
      : [
          `In the folder ${name}, remove statement ${done + 1} and those after it from migration.sql.`,
          'Delete snapshot.json there.',
          'Run isotherm migrate.',
          'Change the model.',
          'Run isotherm generate.',
          'Remove the statements that have run from the new migration.sql.',
        ]
  return `${ran} ${rows} If the model is wrong:\n${steps.map((step, at) => `${at + 1}. ${step}`).join('\n')}`
}

/** Whether the database may have applied a statement. A transaction whose end was not seen is undone. */
function isBinding({ statement, state, kind }: MigrationRecord): boolean {
  return statement > 0 && (state === 'done' || (state === 'started' && kind !== 'transaction'))
}

function byMigration(records: readonly MigrationRecord[]): ReadonlyMap<string, readonly MigrationRecord[]> {
  const found = new Map<string, MigrationRecord[]>()
  for (const record of records) {
    const known = found.get(record.migration)
    if (known) known.push(record)
    else found.set(record.migration, [record])
  }
  return found
}

function progressOf(
  name: string,
  migration: Migration | undefined,
  records: readonly MigrationRecord[],
  dialect: DialectRuntime,
): MigrationProgress {
  const whole = records.find(({ statement }) => statement === 0)
  const statements = new Map(
    records.filter(({ statement }) => statement > 0).map((record) => [record.statement, record]),
  )
  let done = 0
  while (statements.get(done + 1)?.state === 'done') done++
  const known = { name, ...(migration && { migration }), ...(whole && { whole }), statements, done }
  if (!migration) return { ...known, state: 'missing' }
  if (whole?.state === 'done' && whole.hash === migration.hash) return { ...known, state: 'applied' }
  const changed = firstChange(migration, whole, statements, dialect)
  if (changed !== undefined) return { ...known, state: 'changed', changed }
  if (migration.statements.length === 0 && !migration.snapshot) return { ...known, state: 'empty' }
  // A migration that was empty when it was recorded as applied has not run.
  if (!whole || (whole.state === 'done' && statements.size === 0)) return { ...known, state: 'pending' }
  const hasFailed = [...statements.values()].some(({ state }) => state === 'failed')
  return { ...known, state: hasFailed ? 'failed' : 'partly' }
}

/**
 * The first statement that has begun to run and differs from the file now. Statements that have not run may be edited, so
 * that a statement which the database refuses can be fixed.
 */
function firstChange(
  { statements: inFile }: Migration,
  whole: MigrationRecord | undefined,
  recorded: ReadonlyMap<number, MigrationRecord>,
  dialect: DialectRuntime,
): number | undefined {
  const numbers = [...recorded.values()]
    .filter(isBinding)
    .filter(({ statement, hash }) => {
      const now = inFile[statement - 1]
      return now === undefined || statementHash(now, dialect) !== hash
    })
    .map(({ statement }) => statement)
  if (numbers.length > 0) return numbers.reduce((min, number) => Math.min(min, number))
  // No statement may follow the former last one.
  return whole?.state === 'done' && recorded.size > 0 ? recorded.size + 1 : undefined
}
