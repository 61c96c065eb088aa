import { relative } from 'node:path'
import type { Dialect, LintStatement, Schema } from '@isotherm/core'
import { CommandError, exitCodes, failureOf } from '../command-error.js'
import {
  type CommandContext,
  type ProjectOptions,
  connectionOptions,
  defineCommand,
  schemaOption,
  tsconfigOption,
} from '../definition/command.js'
import { databaseForms, dialectNames } from '../engines.js'
import { connect } from '../project/connection.js'
import { liveSchema } from '../project/live-schema.js'
import { type Project, dialectOf, openProject, schemaOf, withSuppressions } from '../project/project.js'
import { type Output, countText, counted, printFindings } from '../terminal/output.js'

interface LintCommandOptions extends ProjectOptions {
  readonly live?: boolean
}

export const lint = defineCommand<LintCommandOptions>({
  name: 'lint',
  summary: 'find hotspots, what the database would refuse, and what is expensive',
  description:
    'Checks the keys, indexes and row trees of the models, and the statements of the migrations if the engine has rules for them. ' +
    'With --live or --database, checks a database. With a file, applies its DDL to an emulator and checks the result. Otherwise ' +
    'needs no database.',
  arguments: [{ name: '[file]', description: 'a file of DDL statements, separated by semicolons' }],
  options: [
    { flags: '--live', description: 'check the configured database, not the models' },
    schemaOption,
    tsconfigOption,
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm lint', what: 'check the models' },
    { command: 'isotherm lint --live', what: 'check the configured database' },
    { command: `isotherm lint --database '${databaseForms.at(1)!}'`, what: 'check this database' },
    {
      command: `isotherm lint --dialect ${dialectNames.at(-1)!}`,
      what: 'check the models for another dialect',
    },
    {
      command: `isotherm lint schema.sql --dialect ${dialectNames[0]}`,
      what: 'check a file; needs no configuration',
    },
  ],
  exits: ['0    no errors; there may be warnings', '1    errors were found'],
  async run(context) {
    const { options, output } = context
    const [file] = context.args
    refuseTwoSubjects(file, options)
    const project = await openProject(context)
    const { schema, dialect } = await subject(context, project, file)
    const { lint } = await import('@isotherm/core')
    const findings = lint(schema, {
      dialect,
      severity: project.settings.lint.severity,
      statements: dialect.lint.rules.some(({ checkStatement }) => checkStatement)
        ? await migrationStatements(project, dialect, output)
        : [],
    })
    printFindings(findings, output)
    const isRefused = findings.some((finding) => finding.severity === 'error')
    const tables = counted(schema.tables.length, 'table')
    output.line(findings.length === 0 ? `${tables}, nothing found.` : `${tables}, ${countText(findings)}.`)
    output.result({
      dialect: dialect.name,
      tables: schema.tables.map(({ name }) => name),
      findings,
    })
    return isRefused ? exitCodes.findings : exitCodes.ok
  },
})

/** A database that is named for this one call is linted, even without `--live`. */
function isLive({ live, database }: LintCommandOptions): boolean {
  return live === true || database !== undefined
}

/** @throws {CommandError} `USAGE` where several things are to be judged. */
function refuseTwoSubjects(file: string | undefined, options: LintCommandOptions): void {
  const subjects = [
    ...(file === undefined ? [] : ['a file']),
    ...(options.schema === undefined ? [] : ['--schema']),
    ...(isLive(options) ? [options.live === true ? '--live' : '--database'] : []),
  ]
  if (subjects.length < 2) return
  throw new CommandError('USAGE', `Lint checks one thing, but ${subjects.join(' and ')} were given.`, {
    fix: 'Leave one of them out.',
  })
}

interface Subject {
  readonly dialect: Dialect
  readonly schema: Schema
}

/** The statements of the project's migrations; none if they are of another dialect than the requested one. */
async function migrationStatements(
  { settings }: Project,
  dialect: Dialect,
  output: Pick<Output, 'warn'>,
): Promise<readonly LintStatement[]> {
  const { readMigrations } = await import('@isotherm/migrations')
  const migrations = await readMigrations(settings.migrations, dialect).catch((error: unknown) => {
    const { code, message } = failureOf(error)
    if (code !== 'MIGRATION_DIALECT') throw error
    output.warn(`The statements of the migrations are not linted: ${message}`)
    return []
  })
  return migrations.flatMap(({ path, statements }) =>
    statements.map(({ sql }) => ({ name: relative(settings.directory, path), text: sql })),
  )
}

async function subject(
  { options, output, directory }: CommandContext<LintCommandOptions>,
  project: Project,
  file: string | undefined,
): Promise<Subject> {
  if (file !== undefined) {
    const { schemaOfDdlFile } = await import('../project/ddl-file.js')
    const dialect = await dialectOf(project)
    return {
      schema: await schemaOfDdlFile({ directory, file, engines: project.settings.engines }, dialect),
      dialect,
    }
  }
  if (isLive(options)) {
    await using connection = await connect(project, 'refuse')
    return {
      schema: withSuppressions(await liveSchema(connection, project, output), project),
      dialect: connection.dialect,
    }
  }
  return { schema: await schemaOf(project), dialect: await dialectOf(project) }
}
