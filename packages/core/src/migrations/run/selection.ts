import { IsothermError } from '../../errors.js'
import type { Migration } from '../files/migration.js'
import { invalid } from '../files/invalid.js'
import { runsUnasked } from '../reshard/command.js'
import { hasRun, type MigrationProgress } from './progress.js'
import { refuseBranches } from './refuse-branches.js'
import { refuseDifference, refuseEmpty } from './refuse-difference.js'

export interface SelectionOptions {
  /**
   * The last migration to apply: its name, or what the name of one alone starts with. A run ends before each step of a change of
   * a key that is not named here, since people have something to do between those; one without a snapshot, as a way back is
   * written by hand, runs by itself, before what is still to come.
   */
  readonly until?: string
  /**
   * Apply a migration that is older than one that has been applied, or was generated without it, as a branch that was merged late
   * leaves it.
   */
  readonly allowOutOfOrder?: boolean
  /**
   * How long a step of a change of a key waits until all processes of the application go by it, in milliseconds. Less than the
   * default is for an application that does not run: with 0 and a later migration in `until`, such steps run as any others,
   * since there is nobody to do anything between them. Default: 91,000.
   */
  readonly settle?: number
}

/** A migration of the folder that has not run to its end. */
export type OpenMigration = MigrationProgress & { readonly migration: Migration }

/**
 * What is to be applied, in order.
 *
 * @throws {IsothermError} `MIGRATION_CHANGED` for what has run and is not in the folder as it was; `MIGRATION_OUT_OF_ORDER`;
 * `MIGRATION_INVALID` for an `until` that names no migration, or several, and for a migration that nobody has written yet.
 */
export function selectMigrations(
  all: readonly MigrationProgress[],
  options: SelectionOptions,
): readonly OpenMigration[] {
  for (const progress of all) refuseDifference(progress)
  const { open, held } = openMigrations(all, options)
  refuseBranches(all, open, options.allowOutOfOrder === true)
  const latest = all.findLast((progress) => hasRun(progress) && !isByHand(progress))?.name
  const selected = held < 0 ? open : open.slice(0, held)
  const early = open.find(
    (progress) =>
      progress.state === 'pending' && latest !== undefined && progress.name < latest && !isByHand(progress),
  )
  if (early && options.allowOutOfOrder !== true) {
    throw new IsothermError(
      'MIGRATION_OUT_OF_ORDER',
      `${early.name} has not run, and the later ${latest!} has.`,
      {
        fix: 'Give it a time stamp after that one; or, where the order between them does not matter, allow it (allowOutOfOrder).',
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

/** What has not run, up to the last one that is wanted. @returns `held` -1 where nothing keeps it from running */
function openMigrations(
  all: readonly MigrationProgress[],
  { until, settle }: SelectionOptions,
): { readonly open: readonly OpenMigration[]; readonly held: number } {
  const last = until === undefined ? undefined : nameOf(until, all)
  const open = all.filter(
    (progress): progress is OpenMigration =>
      progress.migration !== undefined &&
      progress.state !== 'applied' &&
      (last === undefined || progress.name <= last),
  )
  const named = open.find(({ name }) => name === last)
  if (named && isByHand(named)) return { open: [named], held: -1 }
  if (last !== undefined && settle === 0) return { open, held: -1 }
  return { open, held: open.findIndex((progress) => progress.name !== last && isStepOfReshard(progress)) }
}

/** A step that wants people to have done something before it. */
function isStepOfReshard({ migration }: MigrationProgress): boolean {
  return migration?.statements.some(({ kind, sql }) => kind === 'reshard' && !runsUnasked(sql)) === true
}

/**
 * A way back, or a step that is run once more: written while the rest of the change was there already, so that its place among
 * the migrations says nothing.
 */
function isByHand({ migration }: MigrationProgress): boolean {
  return (
    migration !== undefined &&
    migration.snapshot === undefined &&
    migration.statements.length > 0 &&
    migration.statements.every(({ kind }) => kind === 'reshard')
  )
}

function nameOf(until: string, all: readonly MigrationProgress[]): string {
  const found = all.filter(({ name }) => name.startsWith(until)).map(({ name }) => name)
  const exact = found.find((name) => name === until)
  if (exact !== undefined) return exact
  if (found.length === 1 && until !== '') return found[0]!
  const where = `until: ${JSON.stringify(until)}`
  if (found.length > 1) {
    throw invalid(where, `stands for several migrations: ${found.join(', ')}.`, 'Give more of the name.')
  }
  const names = all.map(({ name }) => name).join(', ') || 'none'
  throw invalid(where, 'stands for no migration.', `There are ${names}.`)
}
