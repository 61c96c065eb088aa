import { IsothermError } from '../../errors.js'
import { snapshotBreaks, type SnapshotBreak } from '../files/check-snapshots.js'
import { hasRun, type MigrationProgress } from './progress.js'

/**
 * Keeps a migration from being begun that was generated from another state than the one it would find. What has run already is
 * not asked.
 *
 * @param open what is to run
 * @throws {IsothermError} `MIGRATION_OUT_OF_ORDER` naming the migrations of branches that were merged, and which of them has run;
 * `MIGRATION_INVALID` for one whose predecessor is gone.
 */
export function refuseBranches(
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
  const allow = 'Or, where the order between them does not matter, allow it (allowOutOfOrder).'
  const ran = namesOf([...beside, migration]).filter((name) => run.has(name))
  if (ran.length === 0) {
    return new IsothermError(
      'MIGRATION_OUT_OF_ORDER',
      `${beside[0]!.name} and ${migration.name} are of branches that were merged, and neither has run on this database.`,
      { fix: `Delete the one that has run nowhere, and generate it again. ${allow}` },
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
