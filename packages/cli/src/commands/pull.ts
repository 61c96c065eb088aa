import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Dialect, Schema } from '@isotherm/core'
import type { NewMigration } from '@isotherm/migrations'
import { CommandError, exitCodes, failureOf } from '../command-error.js'
import {
  type CommandContext,
  type ProjectOptions,
  connectionOptions,
  defineCommand,
} from '../definition/command.js'
import { type ModelStyle, modelStyles } from '../project/first-project.js'
import { type Connection, connect } from '../project/connection.js'
import { checkHistoryTable, liveSchema } from '../project/live-schema.js'
import { drizzleModel } from '../project/drizzle.js'
import { usesDrizzle } from '../project/installed.js'
import { type Project, openProject } from '../project/project.js'
import { counted } from '../terminal/output.js'

interface PullOptions extends ProjectOptions {
  readonly style?: ModelStyle
  readonly force?: boolean
  readonly baseline?: boolean
}

const BASELINE = 'baseline'

export const pull = defineCommand<PullOptions>({
  name: 'pull',
  summary: 'write models for the tables of a database',
  description:
    'Reads the database and writes a module for each table, and index.ts with the whole schema. Drizzle tables are written to one ' +
    'schema.ts, with their relations. With --baseline, also writes a first migration that creates this database, records it as ' +
    'applied, so that the next migration contains only your changes, and suppresses the existing lint errors in the models, so ' +
    'that only new ones are refused.',
  arguments: [],
  options: [
    {
      flags: '--out <folder>',
      description: 'where to write the models',
      otherwise: './src/models, or ./src/db for Drizzle',
    },
    {
      flags: '--style <style>',
      description: 'how the models are written',
      choices: modelStyles,
      otherwise: 'decorators; drizzle if package.json has drizzle-orm',
    },
    { flags: '--baseline', description: 'start migrations with this database; the folder must not have any' },
    { flags: '--force', description: 'overwrite existing files' },
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm pull', what: 'write classes to ./src/models' },
    {
      command: 'isotherm pull --out src/tables --style tables',
      what: 'write defineTable calls to another folder',
    },
    { command: 'isotherm pull --style drizzle', what: 'write Drizzle tables to ./src/db' },
    { command: 'isotherm pull --baseline', what: 'also start migrations' },
  ],
  async run(context) {
    const { options, output, directory } = context
    // In this command, `--out` is the folder of the models, not that of the migrations.
    const { out, ...rest } = options
    const project = await openProject({ ...context, options: rest })
    const { modelSchema, writeModels } = await import('../pull/write-models.js')
    const { ADOPTED } = await import('../pull/adopted-findings.js')
    await using connection = await connect(project, 'refuse')
    const { driver, dialect, description } = connection
    if (options.baseline === true) await checkHistoryTable(driver, project)
    output.line(description)
    const schema = await liveSchema(connection, project, output)
    if (options.baseline === true) await seeNoMigrations(project, dialect)
    const usual =
      usesDrizzle(directory) && drizzleModel(dialect.name) !== undefined ? 'drizzle' : 'decorators'
    const style = options.style ?? usual
    const folder = resolve(directory, out ?? (style === 'drizzle' ? './src/db' : './src/models'))
    const { casing } = project.settings.drizzle
    const { severity } = project.settings.lint
    const adopts = options.baseline === true
    const { files: written, errors } = writeModels(schema, {
      dialect,
      style,
      adopts,
      ...(severity && { severity }),
      ...(casing && { casing }),
    })
    const files = written.map(({ path, text }) => ({
      path: join(folder, path),
      text,
    }))
    // Everything that can be refused is refused before anything is written.
    const models = modelSchema(schema, dialect)
    const first = await firstMigration(models, dialect)
    if (options.force !== true) refuseExisting(files, directory)
    for (const { path, text } of files) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
      output.line(`${output.style.good('wrote')} ${relative(directory, path)}`)
    }
    const recorded =
      options.baseline === true ? await writeBaseline(first, connection, project, context) : undefined
    output.line(`${counted(schema.tables.length, 'table')}.`)
    const adopted = adopts ? errors : []
    if (adopted.length > 0) {
      output.line(
        `${counted(adopted.length, 'lint error')} of the existing database ${adopted.length === 1 ? 'is' : 'are'} suppressed in ` +
          `the models, with the reason '${ADOPTED}'. isotherm lint --live lists ${adopted.length === 1 ? 'it' : 'them'}.`,
      )
    }
    output.result({
      tables: schema.tables.map(({ name }) => name),
      files: files.map(({ path }) => path),
      ...(recorded !== undefined && { baseline: recorded, adopted }),
    })
    return exitCodes.ok
  },
})

function refuseExisting(files: readonly { readonly path: string }[], directory: string): void {
  const existing = files.filter(({ path }) => existsSync(path)).map(({ path }) => relative(directory, path))
  if (existing.length === 0) return
  throw new CommandError(
    'USAGE',
    `${existing.join(', ')} already ${existing.length === 1 ? 'exists' : 'exist'}.`,
    {
      fix: 'Write to another folder with --out, or overwrite them with --force.',
    },
  )
}

/** @throws {CommandError} for a folder with migrations in it. */
async function seeNoMigrations({ settings }: Project, dialect: Dialect): Promise<void> {
  const { readMigrations } = await import('@isotherm/migrations')
  const [first] = await readMigrations(settings.migrations, dialect)
  if (!first) return
  throw new CommandError('USAGE', `A migration already exists: ${first.name}.`, {
    fix: 'A baseline must be the first migration. Leave --baseline out.',
  })
}

/**
 * What would make the database from nothing.
 *
 * @throws {CommandError} `REFUSED` for names that a database has and models cannot: every other command would refuse them.
 */
async function firstMigration(schema: Schema, dialect: Dialect): Promise<NewMigration> {
  const { randomUUID } = await import('node:crypto')
  const { defineSchema } = await import('@isotherm/core')
  const { planMigration } = await import('@isotherm/migrations')
  try {
    return {
      name: BASELINE,
      dialect,
      statements: planMigration(defineSchema([]), schema, { dialect }),
      snapshot: { version: 1, dialect: dialect.name, id: randomUUID(), previous: null, schema },
    }
  } catch (cause) {
    const { code, message, details } = failureOf(cause)
    if (code !== 'SCHEMA_INVALID') throw cause
    const [, ...findings] = message.split('\n')
    throw new CommandError(
      'REFUSED',
      `Models cannot declare everything in this database:\n${findings.join('\n')}`,
      {
        fix: 'Nothing was written. Change it in the database, or declare the tables that you need as models by hand.',
        cause,
        ...(details && { details }),
      },
    )
  }
}

async function writeBaseline(
  migration: NewMigration,
  { driver, dialect }: Connection,
  { settings }: Project,
  { output, directory }: CommandContext<PullOptions>,
): Promise<string> {
  const { recordApplied, writeMigration } = await import('@isotherm/migrations')
  const { name, path } = await writeMigration(settings.migrations, migration)
  const shown = relative(directory, path)
  try {
    await recordApplied(driver, settings.migrations, {
      dialect,
      table: settings.historyTable,
    })
  } catch (cause) {
    throw new CommandError(
      'DATABASE',
      `${shown} was written, but could not be recorded as applied: ${failureOf(cause).message}`,
      { fix: `Once that is fixed, record it: isotherm migrate --mark-applied --to ${name}`, cause },
    )
  }
  output.line(`${output.style.good('wrote')} ${shown}, recorded as applied`)
  return name
}
