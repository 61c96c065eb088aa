import { IsothermError } from '../../errors.js'
import type { Migration } from '../files/migration.js'
import { invalid } from '../files/invalid.js'
import type { MigrationProgress } from './progress.js'

export interface SelectionOptions {
  /**
   * The last migration to apply: its name, or what the name of one alone starts with. Without it, a run ends before a step of a
   * change of a key, since people have something to do between those.
   */
  readonly until?: string
  /** Apply a migration that is older than one that has been applied, as a branch that was merged late leaves it. */
  readonly allowOutOfOrder?: boolean
}

/** A migration of the folder that has not run to its end. */
export type OpenMigration = MigrationProgress & { readonly migration: Migration }

/**
 * What is to be applied, in order.
 *
 * @throws {IsothermError} `MIGRATION_CHANGED` for what has run and is not in the folder as it was; `MIGRATION_OUT_OF_ORDER`;
 * `MIGRATION_INVALID` for an `until` that names no migration, or several.
 */
export function selectMigrations(
  all: readonly MigrationProgress[],
  { until, allowOutOfOrder = false }: SelectionOptions,
): readonly OpenMigration[] {
  for (const progress of all) refuseDifference(progress)
  const last = until === undefined ? undefined : nameOf(until, all)
  const latest = all.findLast(({ state }) => state !== 'pending')?.name
  const open = all.filter(
    (progress): progress is OpenMigration =>
      progress.migration !== undefined &&
      progress.state !== 'applied' &&
      (last === undefined || progress.name <= last),
  )
  const early = open.find(({ name, state }) => state === 'pending' && latest !== undefined && name < latest)
  if (early && !allowOutOfOrder) {
    throw new IsothermError(
      'MIGRATION_OUT_OF_ORDER',
      `${early.name} has not run, and the later ${latest!} has.`,
      {
        fix: 'Give it a time stamp after that one; or, where the order between them does not matter, allow it (allowOutOfOrder).',
      },
    )
  }
  const held = until === undefined ? open.findIndex(isStepOfReshard) : -1
  return held < 0 ? open : open.slice(0, held)
}

/** The migration that a run ends before, since it has to be asked for by its name. */
export function heldMigration(
  all: readonly MigrationProgress[],
  { until }: SelectionOptions,
): string | undefined {
  if (until !== undefined) return undefined
  return all.find((progress) => progress.state !== 'applied' && isStepOfReshard(progress))?.name
}

function isStepOfReshard({ migration }: MigrationProgress): boolean {
  return migration?.statements.some(({ kind }) => kind === 'reshard') === true
}

function refuseDifference({ name, state, changed, migration, statements }: MigrationProgress): void {
  if (state === 'missing') {
    throw new IsothermError(
      'MIGRATION_CHANGED',
      `${name} has run on this database, and is not in the folder.`,
      {
        fix: 'Take it from version control, or give the folder that belongs to this database.',
      },
    )
  }
  if (state !== 'changed') return
  const now = migration!.statements[changed! - 1]
  const what = !now
    ? `its statement ${changed} is gone`
    : statements.has(changed!)
      ? `its statement ${changed} is not the one that ran: ${excerpt(now.sql)}`
      : `statement ${changed} was added: ${excerpt(now.sql)}`
  throw new IsothermError('MIGRATION_CHANGED', `${name} was edited after it had run: ${what}.`, {
    fix: 'Take it from version control as it was, and put what is new into a migration of its own.',
  })
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

/** The beginning of a statement, on one line. */
export function excerpt(sql: string): string {
  const line = sql.replace(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}
