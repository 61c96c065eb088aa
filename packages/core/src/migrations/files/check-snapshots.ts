import { join } from 'node:path'
import type { IsothermError } from '../../errors.js'
import { invalid } from './invalid.js'
import type { Migration } from './migration.js'

export const SNAPSHOT_FILE = 'snapshot.json'

/** A migration whose snapshot does not continue the one before it. */
export interface SnapshotBreak {
  readonly migration: Migration
  /** Those of another branch, oldest first, which it was generated without; none where it is no branch. */
  readonly beside: readonly Migration[]
  /** What is wrong, for who does not know what has run. */
  readonly error: IsothermError
}

/**
 * Sees that each snapshot continues the one before it, so that the last one is what all migrations together lead to: before the
 * next one is generated from it. What has run can be told, and applied, without.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for the migrations of branches that were merged, naming them; for a snapshot whose
 * predecessor is gone, or that was copied.
 * @example
 * const migrations = await readMigrations('migrations')
 * checkSnapshots(migrations)
 */
export function checkSnapshots(migrations: readonly Migration[]): void {
  const [first] = snapshotBreaks(migrations)
  if (first) throw first.error
}

/** All places where a snapshot does not continue the one before it, oldest first. */
export function snapshotBreaks(migrations: readonly Migration[]): readonly SnapshotBreak[] {
  const chain = migrations.filter(({ snapshot }) => snapshot)
  return chain.flatMap((migration, at) => breakAt(migration, chain.slice(0, at)) ?? [])
}

function breakAt(migration: Migration, earlier: readonly Migration[]): SnapshotBreak | undefined {
  const { id, previous } = migration.snapshot!
  const file = join(migration.path, SNAPSHOT_FILE)
  const same = earlier.find(({ snapshot }) => snapshot!.id === id)
  if (same) {
    const what = `has the id of the snapshot of ${same.name}.`
    return { migration, beside: [], error: invalid(file, what, 'Generate this migration again.') }
  }
  const last = earlier.at(-1)
  if (previous === (last?.snapshot!.id ?? null)) return undefined
  const from = earlier.findLastIndex(({ snapshot }) => snapshot!.id === previous)
  if (from < 0 && previous !== null) {
    const expected = last ? `that of ${last.name}` : 'no other'
    const error = invalid(
      file,
      `continues that of a migration that is not here, where it should continue ${expected}.`,
      'Take the missing one from version control; or, if this one has run nowhere, delete it and generate it again.',
    )
    return { migration, beside: [], error }
  }
  const beside = earlier.slice(from + 1)
  return { migration, beside, error: mergedBranches(migration, beside, earlier[from]) }
}

function mergedBranches(
  { name, path }: Migration,
  beside: readonly Migration[],
  common: Migration | undefined,
): IsothermError {
  const [other] = beside
  const continues = `continues ${common ? `that of ${common.name}` : 'no other snapshot'}`
  return invalid(
    join(path, SNAPSHOT_FILE),
    `${continues}, where it should continue that of ${beside.at(-1)!.name}: ${other!.name} and ${name} are of branches that were merged.`,
    `Of ${other!.name} and ${name}, delete the one that has run nowhere, and generate it again; the status of the migrations says which that is. ` +
      'Where both have run, delete this snapshot.json, generate, and take out of the new migration.sql what has run.',
  )
}
