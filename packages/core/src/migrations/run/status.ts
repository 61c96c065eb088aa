import type { Database } from '../../database/database.js'
import type { CallOptions, Driver } from '../../database/driver.js'
import type { Migration } from '../files/migration.js'
import { readMigrations } from '../files/read-migrations.js'
import { storeOf } from '../history/store-of.js'
import { HISTORY_TABLE } from '../history/tables.js'
import { migrationDriver } from '../migration-driver.js'
import { compareWithHistory, type MigrationProgress, type MigrationState } from './progress.js'

export interface StatusOptions extends CallOptions {
  /** The table of the history. Default: `isotherm_migrations`. */
  readonly table?: string
}

/** How one migration stands. */
export interface MigrationStatus {
  readonly name: string
  readonly state: MigrationState
  /** How many statements are complete, of how many; those of a missing migration as it was when it ran. */
  readonly done: number
  readonly statements: number
  /** When it was begun for the last time, by the database's clock, and by whom. */
  readonly started?: Date
  readonly runner?: string
  readonly finished?: Date
  /** From that beginning to its end. */
  readonly milliseconds?: number
  /** The statement that the database refused, from 1, and what it said. */
  readonly failed?: { readonly statement: number; readonly error: string }
  /** The first statement that is not what has run. */
  readonly changed?: number
}

/**
 * How each migration of a folder, and of a database, stands, oldest first. Reads only: it makes no table and waits for no
 * migrator.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for a folder that holds what is no migration.
 * @example
 * for (const { name, state, done, statements } of await migrationStatus(db, 'migrations')) {
 *   console.log(name, state, `${done}/${statements}`)
 * }
 */
export async function migrationStatus(
  db: Database | Driver,
  migrations: string | readonly Migration[],
  { table = HISTORY_TABLE, ...call }: StatusOptions = {},
): Promise<readonly MigrationStatus[]> {
  const driver = migrationDriver(db)
  const read = typeof migrations === 'string' ? await readMigrations(migrations) : migrations
  return compareWithHistory(read, await storeOf(driver, table).read(call)).map(statusOf)
}

function statusOf({
  name,
  state,
  migration,
  whole,
  statements,
  done,
  changed,
}: MigrationProgress): MigrationStatus {
  const failed = [...statements.values()].find((record) => record.state === 'failed')
  return {
    name,
    state,
    done,
    statements: migration?.statements.length ?? whole?.rows ?? 0,
    ...(whole && { started: whole.started, runner: whole.runner }),
    ...(whole?.finished && {
      finished: whole.finished,
      milliseconds: whole.finished.getTime() - whole.started.getTime(),
    }),
    ...(failed && { failed: { statement: failed.statement, error: failed.error ?? '' } }),
    ...(changed !== undefined && { changed }),
  }
}
