import { relative } from 'node:path'
import type { LintStatement, Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import { defineCommand, type CommandContext } from '../command.js'
import { exitCodes } from '../exit-codes.js'
import { connect } from '../project/connection.js'
import { languageOf, languageOfDriver, type Language } from '../project/language.js'
import { liveSchema } from '../project/live-schema.js'
import { dialectOf, openProject, schemaOf, withExceptions, type Project } from '../project/project.js'
import { connectionOptions, schemaOption, type ProjectOptions } from '../shared-options.js'
import { counted, countText, printFindings } from '../terminal/findings.js'

interface LintCommandOptions extends ProjectOptions {
  readonly live?: boolean
}

export const lint = defineCommand<LintCommandOptions>({
  name: 'lint',
  summary: 'find what would run hot, be refused, or be dear',
  description:
    'Judges the keys, indexes and row trees of the models, and in CQL the statements of the migrations; with --live, those of a ' +
    'database that is there; with a file, those of the DDL in it, which is applied to an emulator of its own. Needs no ' +
    'database otherwise.',
  arguments: [{ name: '[file]', description: 'a file of DDL statements, parted by semicolons' }],
  options: [
    { flags: '--live', description: 'the database rather than the models' },
    schemaOption,
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm lint', what: 'the models' },
    { command: 'isotherm lint --live', what: 'the configured database' },
    { command: 'isotherm lint --dialect cql --target keyspaces', what: 'the models, on Keyspaces' },
    { command: 'isotherm lint schema.sql --dialect googlesql', what: 'a file; needs no configuration' },
  ],
  exits: ['0    nothing, or warnings only', '1    an error was found'],
  async run(context) {
    const { options, output } = context
    const [file] = context.args
    if (file !== undefined && options.live === true) {
      throw new CommandError('USAGE', 'A file and --live were given.', { fix: 'Leave one of them out.' })
    }
    const project = await openProject(context)
    const { schema, dialect, target } = await subject(context, project, file)
    const core = await import('@isotherm/core')
    const findings = core.lint(schema, {
      dialect,
      target,
      severity: project.settings.lint.severity,
      statements: dialect === 'cql' ? await migrationStatements(project) : [],
    })
    printFindings(findings, output)
    const isRefused = findings.some((finding) => finding.severity === 'error')
    // What the dialect has not at all is no matter of heat, and models of it would come to nothing.
    if (file === undefined && options.live !== true && !isRefused)
      core.compileDdl(schema, { dialect, ...(target && { target }) })
    const tables = counted(schema.tables.length, 'table')
    output.line(findings.length === 0 ? `${tables}, nothing found.` : `${tables}, ${countText(findings)}.`)
    output.result({
      dialect,
      ...(target && { target }),
      tables: schema.tables.map(({ name }) => name),
      findings,
    })
    return isRefused ? exitCodes.findings : exitCodes.ok
  },
})

interface Subject extends Language {
  readonly schema: Schema
}

/** What the migrations of the project run. */
async function migrationStatements({ settings }: Project): Promise<readonly LintStatement[]> {
  const { readMigrations } = await import('@isotherm/core/migrations')
  const migrations = await readMigrations(settings.migrations)
  return migrations.flatMap(({ path, statements }) =>
    statements.map(({ sql }) => ({ name: relative(settings.directory, path), text: sql })),
  )
}

async function subject(
  { options, directory }: CommandContext<LintCommandOptions>,
  project: Project,
  file: string | undefined,
): Promise<Subject> {
  if (file !== undefined) {
    const { schemaOfDdlFile } = await import('../project/ddl-file.js')
    const dialect = dialectOf(project)
    return { schema: await schemaOfDdlFile(directory, file, dialect), dialect }
  }
  if (options.live === true) {
    await using connection = await connect(project)
    const { driver } = connection
    return { schema: withExceptions(await liveSchema(driver, project), project), ...languageOfDriver(driver) }
  }
  return { schema: await schemaOf(project), ...languageOf(project) }
}
