import type { Driver } from '@isotherm/core'
import type { MigrationStatement } from '@isotherm/core/migrations'
import { lintFirst } from '../changes/lint-first.js'
import type { ChangeOptions } from '../changes/change-request.js'
import { changeOptions, planChanges } from '../changes/plan-changes.js'
import { CommandError } from '../command-error.js'
import { defineCommand } from '../command.js'
import { exitCodes } from '../exit-codes.js'
import { connect } from '../project/connection.js'
import { languageOfDriver } from '../project/language.js'
import { migrationTableTest, wholeLiveSchema } from '../project/live-schema.js'
import { openProject, schemaOf } from '../project/project.js'
import { connectionOptions, schemaOption, type ProjectOptions } from '../shared-options.js'
import { counted } from '../terminal/findings.js'
import { EXCERPT } from '../terminal/migrate-progress.js'

interface PushOptions extends ProjectOptions, ChangeOptions {
  readonly dryRun?: boolean
}

export const push = defineCommand<PushOptions>({
  name: 'push',
  summary: 'bring a database of your own to the models, without a migration',
  description:
    'For development: compares the database with the models and makes the difference at once. Writes no migration and no history. ' +
    'Refuses what a migration would refuse, and asks before it drops data.',
  arguments: [],
  options: [
    { flags: '--dry-run', description: 'print what would run, and run nothing' },
    ...changeOptions,
    schemaOption,
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm push', what: 'make the difference' },
    { command: 'isotherm push --dry-run', what: 'print it' },
  ],
  exits: [
    '0    the database has what the models say',
    '1    a change is refused, or the lint found an error',
  ],
  endsItself: 'Ending after what has begun. Ctrl+C again ends at once.',
  async run(context) {
    const { options, output, signal } = context
    const project = await openProject(context)
    const schema = await schemaOf(project)
    await using connection = await connect(project)
    const { driver, description } = connection
    const language = languageOfDriver(driver)
    await lintFirst(schema, language, project, output)
    output.line(description)
    const { described, statements } = await planChanges({
      from: await wholeLiveSchema(driver),
      to: schema,
      ...language,
      ignore: await migrationTableTest(project),
      live: true,
      options,
      output,
    })
    if (options.dryRun === true) for (const { sql } of statements) output.line(`${sql};`)
    else {
      for (const line of described) output.line(`  ${line}`)
      const { excerpt } = await import('@isotherm/core/migrations')
      await apply(statements, driver, signal, (sql) =>
        output.line(`  ${output.style.good('done')} ${excerpt(sql, EXCERPT)}`),
      )
    }
    const what = `${counted(statements.length, 'statement')}${options.dryRun === true ? ' would run' : ''}`
    output.line(statements.length === 0 ? 'No changes: the database has what the models say.' : `${what}.`)
    output.result({ dryRun: options.dryRun === true, changes: described, statements })
    return exitCodes.ok
  },
})

async function apply(
  statements: readonly MigrationStatement[],
  driver: Driver,
  signal: AbortSignal,
  done: (sql: string) => void,
): Promise<void> {
  for (const { kind, sql } of statements) {
    if (signal.aborted) throw new CommandError('CANCELLED', 'Ended. What is listed is done, the rest is not.')
    if (kind === 'ddl') await driver.applyDdl([sql])
    else await driver.executePartitioned!({ text: sql, parameters: [] })
    done(sql)
  }
}
