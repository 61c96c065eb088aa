import type { RowDatabase, Schema } from '@isotherm/core'
import {
  type DialectRuntime,
  type Driver,
  IsothermError,
  type OptionKinds,
  anything,
  checkOptions,
  flag,
  numberFrom,
  text,
} from '@isotherm/core/engine'
import { type Dialect, decided, dialectsOption, spokenDialect } from '@isotherm/core/tools'
import { LISTENED, checkArguments, migrationDriver, refuseStopped } from '../options.js'
import { type Migration, statementHash } from '../files/migration.js'
import { readMigrations } from '../files/read-migrations.js'
import { storeOf } from '../history/store-of.js'
import type { Begun } from '../history/store.js'
import { recordRun } from '../history/sql-table.js'
import { HISTORY_TABLE, type MigrationRecord } from '../history/tables.js'
import { applyMigration } from './apply.js'
import { type MigrateListener, guarded } from './events.js'
import { compareWithHistory, leftBehind } from './progress.js'
import { type OpenMigration, type SelectionOptions, heldMigration, selectMigrations } from './selection.js'
import type { RunServices } from './session.js'

export interface MigrateOptions extends SelectionOptions {
  /** The dialect that the database speaks, or a list of all that it may speak. */
  readonly dialect: Dialect | readonly Dialect[]
  /** Report what would run, and run nothing: no table is made, and other migrators do not wait. Default: false. */
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

/** The options of `recordApplied`, which runs nothing. */
type RecordOptions = Omit<MigrateOptions, 'dryRun' | 'onProgress'>

const RECORD_OPTIONS: OptionKinds<RecordOptions> = {
  dialect: dialectsOption,
  signal: LISTENED.signal,
  table: text("'isotherm_migrations'"),
  to: text("'20261121093000_add_orders'"),
  allowOutOfOrder: flag,
  propagationWaitMs: numberFrom(0, 'a number of milliseconds'),
  wait: anything,
  lease: anything,
}

const MIGRATE_OPTIONS: OptionKinds<MigrateOptions> = { ...RECORD_OPTIONS, ...LISTENED, dryRun: flag }

/** The rest of one migration that would run. */
export interface PlannedMigration {
  readonly migration: Migration
  /** How many of its statements have run already. */
  readonly done: number
}

export interface MigrateReport {
  /** The migrations that were pending when the run began, oldest first. */
  readonly planned: readonly PlannedMigration[]
  /** The names of the migrations that this run completed. */
  readonly applied: readonly string[]
  /** The step of a change of a key that the run ended before: it has to be asked for with `to`. */
  readonly held?: string
  /** How many statements it completed. */
  readonly statements: number
  /** How many of them an earlier run had begun. */
  readonly resumed: number
  readonly milliseconds: number
}

/**
 * Brings a database up to date with its migrations: those that have not run, oldest first, one migrator at a time. Every
 * process may call it at its start: if there is nothing to do, it reads the history and returns.
 *
 * Each statement is recorded before it begins and after it has ended, so that the next run continues a run that was killed
 * at any point. The next run asks for a change of the schema by its operation id, or looks for it in the catalogue if the
 * database does not have such ids; DML in a transaction runs exactly once, and any other DML runs again.
 *
 * @param migrations the folder, or the result of reading one
 * @throws {IsothermError} `MIGRATION_FAILED` naming the statement; `MIGRATION_LOCKED` while another migrator is at work;
 * `MIGRATION_CHANGED`, `MIGRATION_OUT_OF_ORDER` and `MIGRATION_INVALID`, all before anything runs; `INVALID_OPTION` if the
 * database speaks another dialect.
 * @example
 * const { applied } = await migrate(db, 'migrations', { dialect: googlesql, wait: 60_000 })
 */
export async function migrate(
  db: RowDatabase | Driver,
  migrations: string | readonly Migration[],
  options: MigrateOptions,
): Promise<MigrateReport> {
  checkArguments('migrate', { database: db, migrations })
  checkOptions('migrate', MIGRATE_OPTIONS, options)
  const began = performance.now()
  const driver = await decided(migrationDriver(db))
  const dialect = spokenDialect('migrate', driver, options.dialect)
  const { table = HISTORY_TABLE, signal } = options
  const call = { ...(signal && { signal }) }
  const read = typeof migrations === 'string' ? await readMigrations(migrations, dialect) : migrations
  const store = storeOf(driver, table)
  const all = compareWithHistory(read, await store.read(call), dialect)
  const open = selectMigrations(all, dialect, options)
  const held = heldMigration(all, options)
  const outcome: Outcome = { applied: [], statements: 0, resumed: 0 }
  let planned = open
  if (open.length > 0 && options.dryRun !== true) {
    await store.ensure(dialect, call)
    planned = await applyUnderLease({ driver, dialect, store, migrations: read }, options, outcome)
  }
  return {
    planned: planned.map(({ migration, done }) => ({ migration, done })),
    ...outcome,
    ...(held !== undefined && { held }),
    milliseconds: performance.now() - began,
  }
}

/** The result of a run so far. */
interface Outcome {
  readonly applied: string[]
  statements: number
  resumed: number
}

async function applyUnderLease(
  on: Pick<RunServices, 'driver' | 'dialect' | 'store' | 'migrations'>,
  options: MigrateOptions,
  outcome: Outcome,
): Promise<readonly OpenMigration[]> {
  const { signal: wanted, lease: duration, wait, propagationWaitMs } = options
  const tell = guarded(options.onProgress)
  await using lease = await on.store.acquire({
    ...(duration !== undefined && { lease: duration }),
    ...(wait !== undefined && { wait }),
    ...(wanted && { signal: wanted }),
    onWait: ({ description, since, until }) => tell({ type: 'waiting', description, since, until }),
  })
  const signal = wanted ? AbortSignal.any([wanted, lease.signal]) : lease.signal
  try {
    return await applyAll(
      { ...on, lease, signal, tell, ...(propagationWaitMs !== undefined && { propagationWaitMs }) },
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
  options: MigrateOptions,
  outcome: Outcome,
): Promise<readonly OpenMigration[]> {
  const { dialect, store, lease, signal, tell, migrations } = services
  // Another may have been at work until now.
  const records = await store.read({ signal })
  const open = selectMigrations(compareWithHistory(migrations, records, dialect), dialect, options)
  const left = leftBehind(migrations, records)
  if (left.length > 0) await store.write(lease, [{ to: 'forgotten', records: left }])
  try {
    for (const [at, progress] of open.entries()) {
      const { name, done, migration } = progress
      const began = performance.now()
      const position = { number: at + 1, of: open.length }
      tell({
        type: 'migration-started',
        migration: name,
        statements: migration.statements.length,
        done,
        ...position,
      })
      const run = await applyMigration(services, progress)
      outcome.applied.push(name)
      outcome.statements += run.completed
      outcome.resumed += run.resumed
      tell({ type: 'migration-finished', migration: name, milliseconds: performance.now() - began })
    }
  } finally {
    if (outcome.applied.length > 0) await recordWords(services, outcome.applied)
  }
  return open
}

/** Records the wording in which the database returns the SQL of the last snapshot that was applied to it. */
async function recordWords(
  { driver, dialect, store, migrations }: Pick<RunServices, 'driver' | 'dialect' | 'store' | 'migrations'>,
  applied: readonly string[],
): Promise<void> {
  try {
    const { done, target } = reached(migrations, await store.read())
    if (!target) return
    const [now, before] = [true, false].map((isNow) =>
      done
        .filter(({ name }) => applied.includes(name) === isNow)
        .flatMap(({ statements }) => statements.map(({ sql }) => sql)),
    ) as [string[], string[]]
    await recordRun(driver, { target, dialect, ran: { now, before } }, {})
  } catch (error) {
    // The driver has no way to read the schema, or no transactions. There is no cause to fix, and a warning would come at every
    // run; without the schema, there is no drift to report either.
    if (error instanceof IsothermError && error.code === 'UNSUPPORTED_FEATURE') return
    // The migrations have run, so the call does not fail. Without the record, `check` would report a drift that is none.
    process.emitWarning(
      `The migrations have run, but the database's form of their expressions could not be recorded: ${(error as Error).message} ` +
        'Fix the cause, then record it: isotherm migrate --mark-applied.',
      { type: 'IsothermMigrationWarning' },
    )
  }
}

/** The migrations that have run, and the schema that they have come to, if a snapshot says it. */
function reached(
  migrations: readonly Migration[],
  records: readonly MigrationRecord[],
): { readonly done: readonly Migration[]; readonly target: Schema | undefined } {
  const names = new Set(
    records.flatMap(({ migration, statement, state }) =>
      statement === 0 && state === 'done' ? [migration] : [],
    ),
  )
  const done = migrations.filter(({ name }) => names.has(name))
  return { done, target: done.findLast(({ snapshot }) => snapshot)?.snapshot?.schema }
}

/**
 * Records that migrations have run, without running them: those of a database that existed before its migrations, or whose
 * last statements were run by hand.
 *
 * @returns the names of the migrations that this call has recorded
 * @throws {IsothermError} as `migrate` does.
 * @example
 * await recordApplied(db, 'migrations', { dialect: googlesql, to: '20261121093000_first' })
 */
export async function recordApplied(
  db: RowDatabase | Driver,
  migrations: string | readonly Migration[],
  options: RecordOptions,
): Promise<readonly string[]> {
  checkArguments('recordApplied', { database: db, migrations })
  checkOptions('recordApplied', RECORD_OPTIONS, options)
  const driver = await decided(migrationDriver(db))
  const dialect = spokenDialect('recordApplied', driver, options.dialect)
  const { table = HISTORY_TABLE, signal } = options
  const read = typeof migrations === 'string' ? await readMigrations(migrations, dialect) : migrations
  const call = { ...(signal && { signal }) }
  const store = storeOf(driver, table)
  await store.ensure(dialect, call)
  await using lease = await store.acquire(options)
  // Nothing runs, so there is nothing to wait for between two steps.
  const selection = { ...options, propagationWaitMs: 0 }
  const records = await store.read(call)
  const open = selectMigrations(compareWithHistory(read, records, dialect), dialect, selection)
  const left = leftBehind(read, records)
  if (left.length > 0) await store.write(lease, [{ to: 'forgotten', records: left }])
  for (const { migration, statements, done } of open) {
    const missing = recordsOf(migration, dialect).filter(
      ({ statement }) => statement === 0 || statement > done,
    )
    const gone = [...statements.keys()].filter((at) => at > migration.statements.length)
    await store.write(lease, [
      { to: 'recorded', records: missing },
      { to: 'forgotten', records: gone.map((statement) => ({ migration: migration.name, statement })) },
    ])
  }
  // Also where all of them are recorded: a run that was killed may not have come to that.
  const { target } = reached(read, await store.read(call))
  if (target) await recordRun(driver, { target, dialect, ran: { now: [] } }, call)
  return open.map(({ name }) => name)
}

function recordsOf(
  { name: migration, hash, statements }: Migration,
  dialect: DialectRuntime,
): readonly Begun[] {
  // No attempt was made.
  const known = { migration, operation: null, attempt: 0 }
  return [
    { ...known, statement: 0, hash, kind: 'migration', rows: statements.length },
    ...statements.map((statement, at): Begun => ({
      ...known,
      statement: at + 1,
      hash: statementHash(statement, dialect),
      kind: statement.kind,
      rows: null,
    })),
  ]
}
