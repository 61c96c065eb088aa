import { type DialectRuntime, IsothermError, itemAt } from '@isotherm/core/engine'
import { type Migration, type SnapshotBreak, excerpt, invalid, snapshotBreaks } from '../files/migration.js'
import { type MigrationProgress, hasRun } from './progress.js'
import { runsAutomatically } from '../reshard/command.js'

/**
 * Refuses a migration that was generated from another state than the one that it would find. Migrations that have run are
 * not checked.
 *
 * @param open the migrations to run
 * @throws {IsothermError} `MIGRATION_OUT_OF_ORDER` naming the migrations of branches that were merged, and which of them
 * has run; `MIGRATION_INVALID` for a migration whose predecessor is gone.
 */
function refuseBranches(
  all: readonly MigrationProgress[],
  open: readonly MigrationProgress[],
  allowOutOfOrder: boolean,
): void {
  const run = new Set(all.filter(hasRun).map(({ name }) => name))
  const begins = new Set(open.map(({ name }) => name).filter((name) => !run.has(name)))
  for (const found of snapshotBreaks(all.flatMap(({ migration }) => migration ?? []))) {
    const { migration, beside, error } = found
    if (beside.length === 0 && begins.has(migration.name)) throw error
    if (beside.length === 0 || allowOutOfOrder) continue
    const late = run.has(migration.name)
      ? beside.filter(({ name }) => begins.has(name))
      : begins.has(migration.name)
        ? [migration]
        : []
    if (late.length > 0) throw mergedBranches(found, namesOf(late), run)
  }
}

function mergedBranches(
  { migration, beside }: SnapshotBreak,
  late: readonly string[],
  run: ReadonlySet<string>,
): IsothermError {
  const allow = 'Or, if their order does not matter, allow it (allowOutOfOrder).'
  const ran = namesOf([...beside, migration]).filter((name) => run.has(name))
  if (ran.length === 0) {
    return new IsothermError(
      'MIGRATION_OUT_OF_ORDER',
      `${itemAt(beside, 0).name} and ${migration.name} come from branches that were merged, and neither has run on this database.`,
      { fix: `Delete the one that was never applied, and generate it again. ${allow}` },
    )
  }
  const [isOne, hasOne] = [late.length === 1, ran.length === 1]
  return new IsothermError(
    'MIGRATION_OUT_OF_ORDER',
    `${late.join(', ')} ${isOne ? 'has' : 'have'} not run on this database, and ${ran.join(', ')}, of another branch that was merged, ${hasOne ? 'has' : 'have'}.`,
    { fix: `Delete ${late.join(', ')}, and generate ${isOne ? 'it' : 'them'} again. ${allow}` },
  )
}

function namesOf(migrations: readonly { readonly name: string }[]): string[] {
  return migrations.map(({ name }) => name)
}

/** @throws {IsothermError} `MIGRATION_CHANGED` for a migration that has run and differs from the folder. */
function refuseDifference(progress: MigrationProgress, dialect: DialectRuntime): void {
  const { name, state, changed, migration, statements } = progress
  if (state === 'missing') throw missing(progress)
  if (state !== 'changed') return
  const now = changed === undefined ? undefined : migration?.statements[changed - 1]
  const what = !now
    ? `its statement ${changed} was removed`
    : changed !== undefined && statements.has(changed)
      ? `its statement ${changed} is not the one that ran: ${excerpt(now.sql, dialect)}`
      : `statement ${changed} was added: ${excerpt(now.sql, dialect)}`
  throw new IsothermError('MIGRATION_CHANGED', `${name} was edited after it had run: ${what}.`, {
    fix: 'Restore it from version control, and put new statements into a new migration.',
  })
}

function missing({ name, whole, statements, done }: MigrationProgress): IsothermError {
  const fix = 'Restore it from version control, or use the folder that belongs to this database.'
  const isWhole = whole === undefined || whole.state === 'done'
  if (isWhole) {
    const what = `${name} has run on this database, but is not in the folder.`
    return new IsothermError('MIGRATION_CHANGED', what, { fix })
  }
  const next = statements.get(done + 1)?.state === 'started' ? ', and the next one was started' : ''
  return new IsothermError(
    'MIGRATION_CHANGED',
    `${name} has run in part on this database (${done} of ${whole.rows ?? 0} statements${next}), but is not in the folder.`,
    {
      fix: `${fix} If it is lost, undo by hand what ran, and then delete its rows from the history table.`,
    },
  )
}

/**
 * Refuses an empty migration: once it counts as applied, statements added to it would never run.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for a migration whose statements are not written yet.
 */
export function refuseEmpty({ name, state }: MigrationProgress): void {
  if (state !== 'empty') return
  throw invalid(name, 'has no statements.', 'Write its migration.sql, or delete its folder.')
}

export interface SelectionOptions {
  /**
   * The last migration to apply: its name, or a prefix that matches only one. A run ends before each step of a change of a
   * key that is not named here, since people have something to do between the steps; a step without a snapshot, which was
   * written by hand to go back, runs by itself, before the remaining steps.
   */
  readonly to?: string
  /**
   * Apply a migration that is older than one that has been applied, or was generated without it, for example after a branch
   * was merged late.
   */
  readonly allowOutOfOrder?: boolean
  /**
   * How long a step of a change of a key waits until all processes of the application follow it, in milliseconds. Use less
   * than the default only while the application does not run: with 0 and a later migration in `until`, such steps run like
   * any others, since nothing has to happen between them. Default: 91,000.
   */
  readonly propagationWaitMs?: number
}

/** A migration of the folder that has not run to its end. */
export type OpenMigration = MigrationProgress & { readonly migration: Migration }

/**
 * The migrations to apply, in order.
 *
 * @throws {IsothermError} `MIGRATION_CHANGED` for a migration that has run and differs from the folder;
 * `MIGRATION_OUT_OF_ORDER`; `MIGRATION_INVALID` for an `until` that matches no migration, or several, and for a migration
 * whose statements are not written yet.
 */
export function selectMigrations(
  all: readonly MigrationProgress[],
  dialect: DialectRuntime,
  options: SelectionOptions,
): readonly OpenMigration[] {
  for (const progress of all) refuseDifference(progress, dialect)
  const { open, held } = openMigrations(all, options)
  refuseBranches(all, open, options.allowOutOfOrder === true)
  const latest = all.findLast((progress) => hasRun(progress) && !isByHand(progress))?.name
  const selected = held < 0 ? open : open.slice(0, held)
  const early = open.find(
    (progress) =>
      progress.state === 'pending' && latest !== undefined && progress.name < latest && !isByHand(progress),
  )
  if (early && latest !== undefined && options.allowOutOfOrder !== true) {
    throw new IsothermError(
      'MIGRATION_OUT_OF_ORDER',
      `${early.name} has not run, but the later ${latest} has.`,
      {
        fix: 'Give it a later time stamp; or, if their order does not matter, allow it (allowOutOfOrder).',
      },
    )
  }
  for (const progress of selected) refuseEmpty(progress)
  return selected
}

/** The migration that a run ends before, since it has to be asked for by its name. */
export function heldMigration(
  all: readonly MigrationProgress[],
  options: SelectionOptions,
): string | undefined {
  const { open, held } = openMigrations(all, options)
  return open[held]?.name
}

/** The migrations that have not run, up to the last wanted one. @returns `held` -1 if nothing prevents them from running */
function openMigrations(
  all: readonly MigrationProgress[],
  { to, propagationWaitMs }: SelectionOptions,
): { readonly open: readonly OpenMigration[]; readonly held: number } {
  const last = to === undefined ? undefined : nameOf(to, all)
  const open = all.filter(
    (progress): progress is OpenMigration =>
      progress.migration !== undefined &&
      progress.state !== 'applied' &&
      (last === undefined || progress.name <= last),
  )
  const named = open.find(({ name }) => name === last)
  if (named && isByHand(named)) return { open: [named], held: -1 }
  if (last !== undefined && propagationWaitMs === 0) return { open, held: -1 }
  return { open, held: open.findIndex((progress) => progress.name !== last && isStepOfReshard(progress)) }
}

/** A step that wants people to have done something before it. */
function isStepOfReshard({ migration }: MigrationProgress): boolean {
  return migration?.statements.some(({ kind, sql }) => kind === 'reshard' && !runsAutomatically(sql)) === true
}

/**
 * A step back, or a step that is run once more: it was written while the rest of the change existed already, so its
 * position among the migrations does not matter.
 */
function isByHand({ migration }: MigrationProgress): boolean {
  return (
    migration !== undefined &&
    migration.snapshot === undefined &&
    migration.statements.length > 0 &&
    migration.statements.every(({ kind }) => kind === 'reshard')
  )
}

function nameOf(to: string, all: readonly MigrationProgress[]): string {
  const found = all.filter(({ name }) => name.startsWith(to)).map(({ name }) => name)
  const exact = found.find((name) => name === to)
  if (exact !== undefined) return exact
  const [only, ...others] = found
  if (only !== undefined && others.length === 0 && to !== '') return only
  const where = `to: ${JSON.stringify(to)}`
  if (found.length > 1) {
    throw invalid(where, `matches several migrations: ${found.join(', ')}.`, 'Give more of the name.')
  }
  const names = all.map(({ name }) => name).join(', ') || 'none'
  throw invalid(where, 'matches no migration.', `The migrations are ${names}.`)
}
