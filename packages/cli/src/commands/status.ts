import type { MigrationState } from '@isotherm/migrations'
import {
  type ProjectOptions,
  connectionOptions,
  defineCommand,
  migrationsOption,
} from '../definition/command.js'
import { exitCodes } from '../command-error.js'
import { connect } from '../project/connection.js'
import { checkHistoryTable } from '../project/live-schema.js'
import { openProject } from '../project/project.js'
import { statusLines } from '../terminal/progress.js'

/** The states with which the next `migrate` would not simply continue. */
const TROUBLE: ReadonlySet<MigrationState> = new Set(['empty', 'failed', 'changed', 'missing'])

export const status = defineCommand<ProjectOptions>({
  name: 'status',
  summary: 'show which migrations have run',
  description:
    'Compares the folder of the migrations with the history in the database: what has run, when and by whom, what is pending, what ' +
    'failed, and what was edited or is missing since. Changes nothing.',
  arguments: [],
  options: [migrationsOption, ...connectionOptions],
  examples: [
    { command: 'isotherm status', what: 'print a line for each migration' },
    { command: 'isotherm status --json', what: 'print JSON' },
  ],
  exits: [
    '0    all are applied or pending',
    '1    one failed, was edited after it was applied, is missing, or is empty',
  ],
  async run(context) {
    const { output } = context
    const project = await openProject(context)
    const { historyTable, migrations: folder } = project.settings
    const { leaseHolder, migrationStatus } = await import('@isotherm/migrations')
    await using connection = await connect(project, 'empty')
    await checkHistoryTable(connection.driver, project)
    const migrations = await migrationStatus(connection.driver, folder, { table: historyTable })
    const hasHistory = migrations.some(({ started }) => started !== undefined)
    const atWork = hasHistory ? await leaseHolder(connection.driver) : undefined
    output.line(connection.description)
    for (const line of statusLines(migrations, output.style)) output.line(line)
    if (atWork) output.line(`${atWork.description} is migrating this database.`)
    output.result({ database: connection.description, migrations, ...(atWork && { atWork }) })
    return migrations.some(({ state }) => TROUBLE.has(state)) ? exitCodes.findings : exitCodes.ok
  },
})
