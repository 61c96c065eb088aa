import type { Schema } from '@isotherm/core'
import type { Migration, MigrationStatus, SchemaDiff } from '@isotherm/core/migrations'
import { connect } from '../project/connection.js'
import { checkHistoryTable } from '../project/history-table.js'
import { migrationTableTest, wholeLiveSchema } from '../project/live-schema.js'
import { languageOf } from '../project/language.js'
import { schemaOf, type Project } from '../project/project.js'

/** One comparison, and what came of it. */
export interface Drift {
  readonly name: 'models' | 'history' | 'database'
  readonly title: string
  /** What can be said where there is none. */
  readonly agreed: string
  /** A line for each difference. */
  readonly drift: readonly string[]
  readonly fix: string
}

/** Where models, migrations, history and database have drifted apart. */
export async function driftOf(project: Project, offline: boolean): Promise<readonly Drift[]> {
  const { checkSnapshots, readMigrations } = await import('@isotherm/core/migrations')
  const migrations = await readMigrations(project.settings.migrations)
  checkSnapshots(migrations)
  const models = await modelDrift(project, migrations)
  if (offline) return [models]
  const { migrationStatus } = await import('@isotherm/core/migrations')
  await using connection = await connect(project)
  const { driver } = connection
  await checkHistoryTable(driver, project)
  const states = await migrationStatus(driver, migrations, { table: project.settings.historyTable })
  const live = await wholeLiveSchema(driver)
  return [models, historyDrift(states), await databaseDrift(project, migrations, states, live)]
}

async function modelDrift(project: Project, migrations: readonly Migration[]): Promise<Drift> {
  const { diffSchemas } = await import('@isotherm/core/migrations')
  const last = migrations.findLast(({ snapshot }) => snapshot)?.snapshot
  const language = languageOf(project)
  return {
    name: 'models',
    title: 'the models are not what the last migration left:',
    agreed: 'models and migrations',
    drift: await linesOf(
      diffSchemas(last?.schema ?? (await emptySchema()), await schemaOf(project), language),
    ),
    fix: 'Write a migration: isotherm generate',
  }
}

function historyDrift(states: readonly MigrationStatus[]): Drift {
  return {
    name: 'history',
    title: 'the migrations are not what has run:',
    agreed: 'migrations and history',
    drift: states
      .filter(({ state }) => state !== 'applied')
      .map(({ name, state }) => `${name}: ${MEANING[state]}`),
    fix: [...new Set(states.flatMap(({ state }) => WAYS[state] ?? []))].join(' '),
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

const APPLY = 'Apply what is pending: isotherm migrate.'
const WAYS: Readonly<Partial<Record<MigrationStatus['state'], string>>> = {
  pending: APPLY,
  empty: 'Write the migration.sql of what is empty, or delete its folder.',
  partly: APPLY,
  failed: 'See in isotherm status what failed, mend it, and go on: isotherm migrate.',
  changed:
    'Take what was edited from version control as it was, and put what is new into a migration of its own.',
  missing:
    'Take what is missing from version control, or give the folder that belongs to this database: --out.',
}

/** The tables as the last migration that has run should have left them. */
async function databaseDrift(
  project: Project,
  migrations: readonly Migration[],
  states: readonly MigrationStatus[],
  live: Schema,
): Promise<Drift> {
  const { compareWithLive } = await import('@isotherm/core/migrations')
  const applied = new Set(states.filter(({ state }) => state === 'applied').map(({ name }) => name))
  const ran = migrations.filter(({ name }) => applied.has(name))
  const at = ran.findLastIndex(({ snapshot }) => snapshot)
  const last = ran[at]?.snapshot
  // What was written by hand has no snapshot, so that nobody knows what tables it leaves.
  const byHand = ran.slice(at + 1).filter(({ statements }) => statements.some(({ kind }) => kind === 'ddl'))
  const language = languageOf(project)
  const ignore = await migrationTableTest(project)
  return {
    name: 'database',
    title: 'the database is not what its migrations have made; to make it so:',
    agreed: 'database and history',
    drift: await linesOf(
      compareWithLive(last?.schema ?? (await emptySchema()), live, { ...language, ignore }),
    ),
    fix: wayBack(states, byHand),
  }
}

function wayBack(states: readonly MigrationStatus[], byHand: readonly Migration[]): string {
  const begun = states.find(({ state }) => state === 'partly' || state === 'failed')
  if (begun) return `First end what was begun: what ${begun.name} has done is among this.`
  return byHand.length > 0 ? wayAfter(byHand.map(({ name }) => name)) : UNKNOWN_HAND
}

const UNKNOWN_HAND =
  'Undo what was done by hand. Or say it in the models, write isotherm generate, and record here alone what it has written: ' +
  'isotherm migrate --record --until and its name. Other databases run it.'

/** They have run, or will run, on other databases too: a migration that does the same again would fail on all of them. */
function wayAfter(names: readonly string[]): string {
  return (
    `${names.join(', ')} changed tables by hand, and left no snapshot of them. Undo nothing: say the same in the models, write ` +
    'isotherm generate, and take out of its migration.sql what is done already. Its snapshot.json is what was missing.'
  )
}

async function linesOf({ changes, refusals }: SchemaDiff): Promise<string[]> {
  const { describeChange } = await import('@isotherm/core/migrations')
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
