import type { Driver } from '@isotherm/core'
import type { SchemaStatement } from '@isotherm/core/tools'
import type { ChangeOptions } from '../changes/renames.js'
import { lintFirst } from '../changes/lint-first.js'
import { changeOptions, planChanges } from '../changes/plan-changes.js'
import { CommandError, exitCodes } from '../command-error.js'
import {
  type ProjectOptions,
  connectionOptions,
  defineCommand,
  schemaOption,
  tsconfigOption,
} from '../definition/command.js'
import { connect } from '../project/connection.js'
import { migrationTableTest, wholeLiveSchema } from '../project/live-schema.js'
import { declaredSchema, dialectOf, openProject, refuseEmpty } from '../project/project.js'
import { counted } from '../terminal/output.js'
import { EXCERPT } from '../terminal/progress.js'

interface PushOptions extends ProjectOptions, ChangeOptions {
  readonly dryRun?: boolean
}

export const push = defineCommand<PushOptions>({
  name: 'push',
  summary: 'make a development database match the models, without a migration',
  description:
    'For development: compares the database with the models and applies the difference at once. Writes no migration and no ' +
    'history. Refuses what generate refuses. A change that loses data needs --allow-data-loss, or you confirm it by typing the ' +
    'name.',
  arguments: [],
  options: [
    { flags: '--dry-run', description: 'print the statements that would run, and run nothing' },
    ...changeOptions,
    schemaOption,
    tsconfigOption,
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm push', what: 'apply the difference' },
    { command: 'isotherm push --dry-run', what: 'print the statements' },
  ],
  exits: [
    '0    the database matches the models',
    '1    a change was refused, or lint found an error',
    '2    a change would lose data, and --allow-data-loss was not given',
  ],
  endsItself: 'Stopping after the current statement. Press Ctrl+C again to stop at once.',
  async run(context) {
    const { options, output, signal } = context
    const project = await openProject(context)
    const schema = await declaredSchema(project)
    const isDialectKnown = project.settings.dialect !== undefined
    // A schema that is refused must not make a database, which a connection may do.
    if (isDialectKnown) await lintFirst(schema, await dialectOf(project), project, output)
    await using connection = await connect(project, options.dryRun === true ? 'empty' : 'create')
    const { driver, dialect, description } = connection
    if (!isDialectKnown) await lintFirst(schema, dialect, project, output)
    output.line(description)
    const from = await wholeLiveSchema(connection, output)
    const ignore = await migrationTableTest(project)
    const { recordSql, recordedSql } = await import('@isotherm/migrations')
    const recorded = await recordedSql(driver, { dialect })
    if (from.tables.every(({ name }) => ignore(name))) refuseEmpty(schema, project)
    const { described, statements } = await planChanges({
      from,
      to: schema,
      dialect,
      ignore,
      live: true,
      recorded,
      dryRun: options.dryRun === true,
      options,
      output,
    })
    if (options.dryRun === true) for (const { sql } of statements) output.line(`${sql};`)
    else {
      for (const line of described) output.line(`  ${line}`)
      const ran: string[] = []
      const record = async () => ran.length > 0 && recordSql(driver, schema, { dialect, statements: ran })
      try {
        await apply(statements, driver, signal, (shown, sql) => {
          ran.push(sql)
          output.line(`  ${output.style.good('done')} ${shown}`)
        })
      } catch (error) {
        // The completed statements are recorded if that works, and the first error is reported.
        await record().catch(() => {})
        throw error
      }
      await record()
    }
    const what = `${counted(statements.length, 'statement')}${options.dryRun === true ? ' would run' : ''}`
    output.line(statements.length === 0 ? 'No changes: the database matches the models.' : `${what}.`)
    output.result({ dryRun: options.dryRun === true, changes: described, statements })
    return exitCodes.ok
  },
})

async function apply(
  statements: readonly SchemaStatement[],
  driver: Driver,
  signal: AbortSignal,
  done: (shown: string, sql: string) => void,
): Promise<void> {
  const { partitionedOf } = await import('@isotherm/core/tools')
  const { excerpt } = await import('@isotherm/migrations')
  // All of them before the first one runs: unsupported statements are refused before the database changes.
  const runs = statements.map(({ kind, sql }) => {
    const shown = excerpt(sql, driver.dialect, EXCERPT)
    switch (kind) {
      case 'ddl':
        return { shown, sql, run: () => driver.applyDdl([sql]) }
      case 'partitioned': {
        const execute = partitionedOf(driver, shown)
        return { shown, sql, run: () => execute({ text: sql, parameters: [] }) }
      }
    }
  })
  for (const { shown, sql, run } of runs) {
    if (signal.aborted)
      throw new CommandError('CANCELLED', 'Stopped. The listed changes are applied, the rest is not.')
    await run()
    done(shown, sql)
  }
}
