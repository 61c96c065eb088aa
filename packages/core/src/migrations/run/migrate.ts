import { IsothermError } from '../../errors.js'
import type { Database } from '../../database/database.js'
import type { Driver } from '../../database/driver.js'
import type { Migration } from '../files/migration.js'
import { readMigrations } from '../files/read-migrations.js'
import { storeOf } from '../history/store-of.js'
import type { MigrationStore } from '../history/store.js'
import { HISTORY_TABLE } from '../history/tables.js'
import { refuseStopped } from '../pace.js'
import { migrationDriver, type MigrationDriver } from '../migration-driver.js'
import { applyMigration } from './apply.js'
import { guarded, type MigrateListener } from './events.js'
import { compareWithHistory, leftBehind } from './progress.js'
import { heldMigration, selectMigrations, type OpenMigration, type SelectionOptions } from './selection.js'
import type { RunServices } from './session.js'

export interface MigrateOptions extends SelectionOptions {
  /** Tell what would run, and run nothing: no table is made, and nobody is kept waiting. Default: false. */
  readonly dryRun?: boolean
  /** The table of the history. Default: `isotherm_migrations`. */
  readonly table?: string
  /** How long to wait while another migrator is at work, in milliseconds. Default: 0. */
  readonly wait?: number
  /** After which silence another may take over, in milliseconds; this one speaks up three times as often. Default: 60,000. */
  readonly lease?: number
  /**
   * Ends the run at the next safe point. A change of the schema that the database has begun goes on there; the next run finds
   * out what became of it.
   */
  readonly signal?: AbortSignal
  readonly onProgress?: MigrateListener
}

/** What is left to do of one migration. */
export interface PlannedMigration {
  readonly migration: Migration
  /** How many of its statements have run already. */
  readonly done: number
}

export interface MigrateReport {
  /** What there was to do when the run began, oldest first. */
  readonly planned: readonly PlannedMigration[]
  /** The names of the migrations that this run completed. */
  readonly applied: readonly string[]
  /** The step of a change of a key that the run ended before: it has to be asked for with `until`. */
  readonly held?: string
  /** How many statements it completed. */
  readonly statements: number
  /** How many of them an earlier run had begun. */
  readonly resumed: number
  readonly milliseconds: number
}

/**
 * Brings a database up to date with its migrations: those that have not run, oldest first, one migrator at a time. May be
 * called by every process that starts: those that find nothing to do read the history and return.
 *
 * Each statement is written down before it begins and when it has ended, so that a run that is killed, wherever it is, is
 * continued by the next one. A change of the schema is asked for by the id that it was begun under, or looked for in the
 * catalogue where the database knows no such ids; DML in a transaction runs exactly once, and any other DML runs again.
 *
 * @param migrations the folder, or what was read from one
 * @throws {IsothermError} `MIGRATION_FAILED` naming the statement; `MIGRATION_LOCKED` while another migrator is at work;
 * `MIGRATION_CHANGED`, `MIGRATION_OUT_OF_ORDER` and `MIGRATION_INVALID`, all before anything runs.
 * @example
 * const { applied } = await migrate(db, 'migrations', { wait: 60_000 })
 */
export async function migrate(
  db: Database | Driver,
  migrations: string | readonly Migration[],
  options: MigrateOptions = {},
): Promise<MigrateReport> {
  const began = performance.now()
  const driver = migrationDriver(db)
  const { table = HISTORY_TABLE, signal } = options
  const call = { ...(signal && { signal }) }
  const read = typeof migrations === 'string' ? await readMigrations(migrations) : migrations
  const store = storeOf(driver, table)
  const all = compareWithHistory(read, await store.read(call))
  const open = selectMigrations(all, options)
  const held = heldMigration(all, options)
  const outcome: Outcome = { applied: [], statements: 0, resumed: 0 }
  let planned = open
  if (open.length > 0 && options.dryRun !== true) {
    await store.ensure(call)
    planned = await applyUnderLease(driver, store, read, options, outcome)
  }
  return {
    planned: planned.map(({ migration, done }) => ({ migration, done })),
    ...outcome,
    ...(held !== undefined && { held }),
    milliseconds: performance.now() - began,
  }
}

/** What a run has done so far. */
interface Outcome {
  readonly applied: string[]
  statements: number
  resumed: number
}

async function applyUnderLease(
  driver: MigrationDriver,
  store: MigrationStore,
  migrations: readonly Migration[],
  options: MigrateOptions,
  outcome: Outcome,
): Promise<readonly OpenMigration[]> {
  const { signal: wanted, lease: duration, wait, settle } = options
  const tell = guarded(options.onProgress)
  await using lease = await store.acquire({
    ...(duration !== undefined && { lease: duration }),
    ...(wait !== undefined && { wait }),
    ...(wanted && { signal: wanted }),
    onWait: ({ description, since, until }) => tell({ type: 'waiting', description, since, until }),
  })
  const signal = wanted ? AbortSignal.any([wanted, lease.signal]) : lease.signal
  try {
    return await applyAll(
      {
        driver,
        store,
        lease,
        signal,
        tell,
        migrations,
        ...(settle !== undefined && { settle }),
      },
      migrations,
      options,
      outcome,
    )
  } catch (error) {
    // A call that is cancelled does not know why.
    if (error instanceof IsothermError && error.code === 'CANCELLED') refuseStopped(signal)
    throw error
  }
}

async function applyAll(
  services: RunServices,
  migrations: readonly Migration[],
  options: MigrateOptions,
  outcome: Outcome,
): Promise<readonly OpenMigration[]> {
  const { store, lease, signal, tell } = services
  // Another may have been at work until now.
  const records = await store.read({ signal })
  const open = selectMigrations(compareWithHistory(migrations, records), options)
  const left = leftBehind(migrations, records)
  if (left.length > 0) await store.write(lease, [{ to: 'forgotten', records: left }])
  for (const [at, progress] of open.entries()) {
    const { name, done, migration } = progress
    const began = performance.now()
    const place = { number: at + 1, of: open.length }
    tell({
      type: 'migration-started',
      migration: name,
      statements: migration.statements.length,
      done,
      ...place,
    })
    const run = await applyMigration(services, progress)
    outcome.applied.push(name)
    outcome.statements += run.completed
    outcome.resumed += run.resumed
    tell({ type: 'migration-finished', migration: name, milliseconds: performance.now() - began })
  }
  return open
}
