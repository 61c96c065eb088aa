import type { RowDatabase } from '@isotherm/core'
import { type CallOptions, type Driver, type OptionKinds, checkOptions, text } from '@isotherm/core/engine'
import { CALL_OPTIONS, decided } from '@isotherm/core/tools'
import { checkArguments, migrationDriver } from '../options.js'
import type { Migration } from '../files/migration.js'
import { readMigrations } from '../files/read-migrations.js'
import { storeOf } from '../history/store-of.js'
import { HISTORY_TABLE } from '../history/tables.js'
import {
  type MigrationProgress,
  type MigrationState,
  compareWithHistory,
  fixAfterFailure,
} from './progress.js'

export interface StatusOptions extends CallOptions {
  /** The table of the history. Default: `isotherm_migrations`. */
  readonly table?: string
}

const STATUS_OPTIONS: OptionKinds<StatusOptions> = {
  ...CALL_OPTIONS,
  table: text("'isotherm_migrations'"),
}

/** The state of one migration. */
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
  /** The statement that the database refused, from 1, and its error. */
  readonly failed?: { readonly statement: number; readonly error: string }
  /** The fix for a statement that failed. */
  readonly fix?: string
  /** The first statement that differs from what has run. */
  readonly changed?: number
}

/**
 * The state of each migration of a folder, and of a database, oldest first. Reads only: it makes no table and does not wait
 * for a migrator.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for a folder with something that is not a migration.
 * @example
 * for (const { name, state, done, statements } of await migrationStatus(db, 'migrations')) {
 *   console.log(name, state, `${done}/${statements}`)
 * }
 */
export async function migrationStatus(
  db: RowDatabase | Driver,
  migrations: string | readonly Migration[],
  options: StatusOptions = {},
): Promise<readonly MigrationStatus[]> {
  checkArguments('migrationStatus', { database: db, migrations })
  checkOptions('migrationStatus', STATUS_OPTIONS, options)
  const { table = HISTORY_TABLE, ...call } = options
  const driver = await decided(migrationDriver(db))
  const read = typeof migrations === 'string' ? await readMigrations(migrations, driver.dialect) : migrations
  return compareWithHistory(read, await storeOf(driver, table).read(call), driver.dialect).map(statusOf)
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
    ...(state === 'failed' && migration && { fix: fixAfterFailure(migration, done, failed?.statement) }),
    ...(changed !== undefined && { changed }),
  }
}
