import type { Schema } from '@isotherm/core'
import type { Migration, MigrationStatus, SchemaDiff } from '@isotherm/core/migrations'
import { connect } from '../project/connection.js'
import { liveSchema, migrationTableTest } from '../project/live-schema.js'
import { dialectOf, schemaOf, type Project } from '../project/project.js'

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
  const { readMigrations } = await import('@isotherm/core/migrations')
  const migrations = await readMigrations(project.settings.migrations)
  const models = await modelDrift(project, migrations)
  if (offline) return [models]
  const { migrationStatus } = await import('@isotherm/core/migrations')
  await using connection = await connect(project)
  const { driver } = connection
  const states = await migrationStatus(driver, migrations, { table: project.settings.historyTable })
  const live = await liveSchema(driver, project)
  return [models, historyDrift(states), await databaseDrift(project, migrations, states, live)]
}

async function modelDrift(project: Project, migrations: readonly Migration[]): Promise<Drift> {
  const { diffSchemas } = await import('@isotherm/core/migrations')
  const last = migrations.findLast(({ snapshot }) => snapshot)?.snapshot
  const dialect = dialectOf(project)
  return {
    name: 'models',
    title: 'the models are not what the last migration left:',
    agreed: 'models and migrations',
    drift: await linesOf(
      diffSchemas(last?.schema ?? (await emptySchema()), await schemaOf(project), { dialect }),
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
    fix: 'See isotherm status; apply what is pending: isotherm migrate',
  }
}

const MEANING: Readonly<Record<MigrationStatus['state'], string>> = {
  applied: 'has run',
  pending: 'has not run',
  partly: 'has run in part',
  failed: 'failed midway',
  changed: 'was edited after it had run',
  missing: 'has run, and is not in the folder',
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
  const last = migrations.findLast(({ name, snapshot }) => snapshot && applied.has(name))?.snapshot
  const dialect = dialectOf(project)
  const ignore = await migrationTableTest(project)
  return {
    name: 'database',
    title: 'the database is not what its migrations have made; to make it so:',
    agreed: 'database and history',
    drift: await linesOf(compareWithLive(last?.schema ?? (await emptySchema()), live, { dialect, ignore })),
    fix: 'Undo what was done by hand, or put it into the models and a migration, and record that one: isotherm migrate --record',
  }
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
