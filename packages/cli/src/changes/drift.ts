import type { Dialect, Schema } from '@isotherm/core'
import type { Migration, MigrationStatus, RecordedSql, SchemaDiff } from '@isotherm/migrations'
import { connect } from '../project/connection.js'
import { checkHistoryTable, migrationTableTest, wholeLiveSchema } from '../project/live-schema.js'
import { type Project, declaredSchema, dialectOf, refuseEmpty } from '../project/project.js'
import { type Output, counted } from '../terminal/output.js'
import { lintErrors } from './lint-first.js'
import { describeRefusal } from './plan-changes.js'

/** One comparison, and its result. */
export interface Drift {
  readonly name: 'models' | 'history' | 'database'
  readonly title: string
  /** The message if there is no drift. */
  readonly agreed: string
  /** A line for each difference. */
  readonly drift: readonly string[]
  readonly fix: string
}

/** Where models, migrations, history and database have drifted apart. */
export async function driftOf(
  project: Project,
  offline: boolean,
  output: Pick<Output, 'warn'>,
): Promise<readonly Drift[]> {
  const { checkSnapshots, readMigrations } = await import('@isotherm/migrations')
  const migrations = await readMigrations(project.settings.migrations, await dialectOf(project))
  checkSnapshots(migrations)
  const models = await modelDrift(project, migrations)
  if (offline) return [models]
  const { migrationStatus, recordedSql } = await import('@isotherm/migrations')
  await using connection = await connect(project, 'empty')
  const { driver } = connection
  await checkHistoryTable(driver, project)
  const states = await migrationStatus(driver, migrations, { table: project.settings.historyTable })
  const live = await wholeLiveSchema(connection, output)
  const recorded = await recordedSql(driver, { dialect: connection.dialect })
  return [models, historyDrift(states), await databaseDrift(project, migrations, states, { live, recorded })]
}

async function modelDrift(project: Project, migrations: readonly Migration[]): Promise<Drift> {
  const { describeChange, diffSchemas } = await import('@isotherm/migrations')
  const snapshots = migrations.flatMap(({ snapshot }) => snapshot ?? [])
  const last = snapshots.at(-1)
  const dialect = await dialectOf(project)
  const declared = await declaredSchema(project)
  if (!last) refuseEmpty(declared, project)
  const errors = await lintErrors(declared, dialect, project)
  const earlier = snapshots.slice(0, -1).map(({ schema }) => schema)
  const diff = diffSchemas(last?.schema ?? (await emptySchema()), declared, { dialect, earlier })
  return {
    name: 'models',
    title: 'the models differ from the last migration:',
    agreed: 'models and migrations',
    drift: [...diff.changes.map(describeChange), ...diff.refusals.map(describeRefusal)],
    fix: modelFix(errors.length, diff.refusals.length),
  }
}

/** The fix for drift of the models: everything that `generate` would refuse has to be fixed first. */
function modelFix(errors: number, refusals: number): string {
  if (errors === 0 && refusals === 0) return 'Write a migration: isotherm generate'
  return [
    ...(errors === 0 ? [] : [`Fix the ${counted(errors, 'error')} that isotherm lint finds in the models.`]),
    ...(refusals === 0
      ? []
      : [
          `${counted(refusals, 'change')} cannot be made in place: follow the instructions after the change.`,
        ]),
    'Then write a migration: isotherm generate',
  ].join('\n')
}

function historyDrift(states: readonly MigrationStatus[]): Drift {
  return {
    name: 'history',
    title: 'the migrations differ from the history:',
    agreed: 'migrations and history',
    drift: states
      .filter(({ state }) => state !== 'applied')
      .map(({ name, state }) => `${name}: ${MEANING[state]}`),
    fix: [...new Set(states.flatMap(({ state, fix }) => fix ?? FIXES[state] ?? []))].join('\n'),
  }
}

const MEANING: Readonly<Record<MigrationStatus['state'], string>> = {
  applied: 'has run',
  pending: 'has not run',
  empty: 'is empty',
  partly: 'has run in part',
  failed: 'failed midway',
  changed: 'was edited after it had run',
  missing: 'has run, and is not in the folder',
}

const APPLY = 'Apply pending migrations: isotherm migrate.'
const FIXES: Readonly<Partial<Record<MigrationStatus['state'], string>>> = {
  pending: APPLY,
  empty: 'Write the empty migration.sql, or delete its folder.',
  partly: APPLY,
  changed:
    'Restore the edited file from version control, and put the new statements into a migration of their own.',
  missing:
    'Restore the missing migration from version control, or give the folder that belongs to this database: --out.',
}

/** The tables as the last migration that has run should have left them. */
async function databaseDrift(
  project: Project,
  migrations: readonly Migration[],
  states: readonly MigrationStatus[],
  { live, recorded }: { readonly live: Schema; readonly recorded: readonly RecordedSql[] },
): Promise<Drift> {
  const { compareWithLive } = await import('@isotherm/migrations')
  const applied = new Set(states.filter(({ state }) => state === 'applied').map(({ name }) => name))
  const ran = migrations.filter(({ name }) => applied.has(name))
  const at = ran.findLastIndex(({ snapshot }) => snapshot)
  const last = ran[at]?.snapshot
  // A migration that was written by hand has no snapshot, so the tables that it leaves are unknown.
  const byHand = ran.slice(at + 1).filter(({ statements }) => statements.some(({ kind }) => kind === 'ddl'))
  const dialect = await dialectOf(project)
  const ignore = await migrationTableTest(project)
  return {
    name: 'database',
    title: 'the database differs from its migrations; to make it match:',
    agreed: 'database and history',
    drift: await linesOf(
      compareWithLive(last?.schema ?? (await emptySchema()), live, { dialect, ignore, recorded }),
    ),
    fix: await driftFix(states, byHand, ran.slice(0, at + 1), dialect),
  }
}

/** @param generated the migrations that have run, up to the last one with a snapshot */
async function driftFix(
  states: readonly MigrationStatus[],
  byHand: readonly Migration[],
  generated: readonly Migration[],
  dialect: Dialect,
): Promise<string> {
  const begun = states.find(({ state, done }) => state === 'partly' || (state === 'failed' && done > 0))
  if (begun)
    return `${begun.name} has run in part, which explains some of these differences. Finish it first: isotherm migrate.`
  if (byHand.length > 0) return fixAfterCustom(byHand.map(({ name }) => name))
  const last = generated.at(-1)
  return last && (await mayBeEdited(generated, dialect))
    ? `${FIX_OF_MANUAL_CHANGE}\n${fixAfterEdit(last.name)}`
    : FIX_OF_MANUAL_CHANGE
}

/**
 * Whether the statements of the last migration differ from those generated for its snapshot. Another version of Isotherm
 * may have written other statements for the same snapshot, and an edit may have changed only their order.
 */
async function mayBeEdited(generated: readonly Migration[], dialect: Dialect): Promise<boolean> {
  const { planMigration, statementHash } = await import('@isotherm/migrations')
  const { snapshot, statements } = generated.at(-1)!
  // Rows move in renames and in changes of a key, which snapshots do not tell from other changes.
  if (!snapshot || statements.some(({ kind }) => kind !== 'ddl')) return false
  const before = generated.slice(0, -1).findLast((migration) => migration.snapshot)?.snapshot
  try {
    const planned = planMigration(before?.schema ?? (await emptySchema()), snapshot.schema, { dialect })
    const hashes = (list: typeof statements): string =>
      list.map((statement) => statementHash(statement, dialect)).join()
    return hashes(planned) !== hashes(statements)
  } catch {
    return false
  }
}

const FIX_OF_MANUAL_CHANGE = steps(
  'If the database was changed by hand, undo the change there, or keep it:',
  [
    'Make the same change in the models.',
    'Run isotherm generate.',
    'Record the new migration as applied on this database only: isotherm migrate --mark-applied --to <name>.',
  ],
)

/** A statement that was removed because the database refuses it is still in the snapshot, and usually in the models. */
function fixAfterEdit(name: string): string {
  return steps(`If the migration.sql of ${name} was edited before it ran, keep the database as it is:`, [
    `Delete the snapshot.json of ${name}.`,
    'Change the models to what the database has.',
    'Run isotherm generate.',
    'Remove the statements that have run from the new migration.sql.',
  ])
}

/** They have run, or will run, on other databases too: a migration that does the same again would fail on all of them. */
function fixAfterCustom(names: readonly string[]): string {
  return steps(`${names.join(', ')} changed tables and left no snapshot. Keep the database as it is:`, [
    'Make the same change in the models.',
    'Run isotherm generate.',
    'Remove the statements that have run from the new migration.sql. Its snapshot.json is what was missing.',
  ])
}

function steps(title: string, list: readonly string[]): string {
  return [title, ...list.map((step, at) => `${at + 1}. ${step}`)].join('\n')
}

async function linesOf({ changes, refusals }: SchemaDiff): Promise<string[]> {
  const { describeChange } = await import('@isotherm/migrations')
  return [
    ...changes.map(describeChange),
    ...refusals.map(
      ({ table, column, message }) => `${column === undefined ? table : `${table}.${column}`}: ${message}`,
    ),
  ]
}

async function emptySchema(): Promise<Schema> {
  const { defineSchema } = await import('@isotherm/core')
  return defineSchema([])
}
