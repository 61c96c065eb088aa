import type { Database } from '../../database/database.js'
import type { Driver } from '../../database/driver.js'
import { statementHash, type Migration } from '../files/migration.js'
import { readMigrations } from '../files/read-migrations.js'
import { storeOf } from '../history/store-of.js'
import type { Begun } from '../history/store.js'
import { HISTORY_TABLE } from '../history/tables.js'
import { migrationDriver } from '../migration-driver.js'
import type { MigrateOptions } from './migrate.js'
import { compareWithHistory, leftBehind } from './progress.js'
import { selectMigrations } from './selection.js'

/**
 * Writes down that migrations have run, without running them: those of a database that was there before them, or whose last
 * statements somebody has run by hand.
 *
 * @returns the names of those that are recorded now and were not before
 * @throws {IsothermError} as `migrate` does.
 * @example
 * await recordApplied(db, 'migrations', { until: '20261121093000_first' })
 */
export async function recordApplied(
  db: Database | Driver,
  migrations: string | readonly Migration[],
  options: Omit<MigrateOptions, 'dryRun' | 'onProgress'> = {},
): Promise<readonly string[]> {
  const driver = migrationDriver(db)
  const { table = HISTORY_TABLE, signal } = options
  const read = typeof migrations === 'string' ? await readMigrations(migrations) : migrations
  const call = { ...(signal && { signal }) }
  const store = storeOf(driver, table)
  await store.ensure(call)
  await using lease = await store.acquire(options)
  // Nothing runs, so that nobody has to do anything between two steps.
  const selection = { ...options, settle: 0 }
  const records = await store.read(call)
  const open = selectMigrations(compareWithHistory(read, records), selection)
  const left = leftBehind(read, records)
  if (left.length > 0) await store.write(lease, [{ to: 'forgotten', records: left }])
  for (const { migration, statements, done } of open) {
    const missing = recordsOf(migration).filter(({ statement }) => statement === 0 || statement > done)
    const gone = [...statements.keys()].filter((at) => at > migration.statements.length)
    await store.write(lease, [
      { to: 'recorded', records: missing },
      { to: 'forgotten', records: gone.map((statement) => ({ migration: migration.name, statement })) },
    ])
  }
  return open.map(({ name }) => name)
}

function recordsOf({ name: migration, hash, statements }: Migration): readonly Begun[] {
  // No attempt was made.
  const known = { migration, operation: null, attempt: 0 }
  return [
    { ...known, statement: 0, hash, kind: 'migration', rows: statements.length },
    ...statements.map((statement, at): Begun => ({
      ...known,
      statement: at + 1,
      hash: statementHash(statement),
      kind: statement.kind,
      rows: null,
    })),
  ]
}
