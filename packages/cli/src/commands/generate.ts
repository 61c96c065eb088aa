import { relative } from 'node:path'
import type { Snapshot } from '@isotherm/migrations'
import type { ChangeOptions } from '../changes/renames.js'
import {
  changeOptions,
  describeHidden,
  hiddenRows,
  migrationName,
  planChanges,
} from '../changes/plan-changes.js'
import { lintFirst } from '../changes/lint-first.js'
import { CommandError, type ExitCode, exitCodes } from '../command-error.js'
import {
  type CommandContext,
  type ProjectOptions,
  configOption,
  defineCommand,
  dialectOption,
  migrationsOption,
  outputOptions,
  schemaOption,
  tsconfigOption,
} from '../definition/command.js'
import {
  type Project,
  declaredSchema,
  dialectOf,
  openProject,
  refuseEmpty,
  schemaOf,
} from '../project/project.js'
import { withSql } from '../project/needs.js'
import { shown as shownText } from '../text.js'
import { counted } from '../terminal/output.js'

interface GenerateOptions extends ProjectOptions, ChangeOptions {
  readonly custom?: boolean
  readonly reshard?: string
  readonly into?: string
  readonly rehearse?: boolean
}

export const generate = defineCommand<GenerateOptions>({
  name: 'generate',
  summary: 'write a migration for the changes of the models',
  description:
    'Compares the models with the snapshot of the last migration and writes the next migration: migration.sql, which you review ' +
    'and commit, and snapshot.json. Lints the models first. Refuses changes that the database cannot make in place, and says how ' +
    'to make them by hand. A change that loses data needs --allow-data-loss, or you confirm it by typing the name. Needs no ' +
    'database.',
  arguments: [
    {
      name: '[name]',
      description: 'the name of the migration: letters, digits, _ and -; default: made from the first change',
    },
  ],
  options: [
    {
      flags: '--custom',
      description: 'write an empty migration, for changes of rows and for what models cannot declare',
    },
    {
      flags: '--reshard <table>',
      description:
        'write the steps that change the key or the number of shards of a table while the application runs',
    },
    {
      flags: '--into <name>',
      description: 'the name of the new table of --reshard',
      otherwise: 'the old name and the number of shards: Log_r64',
    },
    { flags: '--rehearse', description: 'run all steps of --reshard on an emulator first' },
    ...changeOptions,
    schemaOption,
    tsconfigOption,
    migrationsOption,
    configOption,
    dialectOption,
    ...outputOptions,
  ],
  examples: [
    { command: 'isotherm generate add_orders', what: 'write a migration for all changes' },
    { command: 'isotherm generate --rename Order.total:amount', what: 'rename a column, and keep its data' },
    { command: 'isotherm generate backfill_amount --custom', what: 'an empty migration to write by hand' },
    { command: 'isotherm generate --reshard UserAccessLog --rehearse', what: 'change the number of shards' },
  ],
  exits: [
    '0    the migration was written, or nothing has changed',
    '1    a change was refused, or lint found an error',
    '2    a change would lose data, and --allow-data-loss was not given',
  ],
  async run(context) {
    refuseIgnored(context)
    const project = await openProject(context)
    const { custom, reshard, into, rehearse } = context.options
    if (reshard !== undefined) return writeSteps(context, project, reshard)
    if (into !== undefined || rehearse === true) {
      throw new CommandError('USAGE', `${into === undefined ? '--rehearse' : '--into'} needs --reshard.`, {
        fix: 'Add --reshard and the table.',
      })
    }
    return custom === true ? writeCustom(context, project) : writeChanges(context, project)
  },
})

/**
 * What a kind of migration does not follow would be ignored: a rename would be lost, and the file would have another name.
 *
 * @throws {CommandError} `USAGE`
 */
function refuseIgnored({ args, options }: CommandContext<GenerateOptions>): void {
  const { custom, reshard, rename, allowDataLoss } = options
  const kind = reshard === undefined ? (custom === true ? '--custom' : undefined) : '--reshard'
  if (kind === undefined) return
  const ignored = [
    ...(kind === '--reshard' && args[0] !== undefined ? [`the name ${shownText(args[0])}`] : []),
    ...(kind === '--reshard' && custom === true ? ['--custom'] : []),
    ...(rename === undefined ? [] : ['--rename']),
    ...(allowDataLoss === true ? ['--allow-data-loss'] : []),
  ]
  if (ignored[0] === undefined) return
  throw new CommandError('USAGE', `${kind} and ${ignored[0]} cannot be given together.`, {
    fix: 'Leave one of them out.',
  })
}

async function writeChanges(context: CommandContext<GenerateOptions>, project: Project): Promise<ExitCode> {
  const { options, output } = context
  const dialect = await dialectOf(project)
  const schema = await declaredSchema(project)
  await lintFirst(schema, dialect, project, output)
  const snapshots = await snapshotsOf(project)
  const last = snapshots.at(-1)
  if (!last) refuseEmpty(schema, project)
  const { defineSchema } = await import('@isotherm/core')
  const from = last?.schema ?? defineSchema([])
  const { changes, described, statements } = await planChanges({
    from,
    to: schema,
    dialect,
    earlier: snapshots.slice(0, -1).map((snapshot) => snapshot.schema),
    options,
    output,
  })
  const hidden = hiddenRows(from, schema)
  for (const each of hidden) output.line(output.style.warning(describeHidden(each)))
  // A change of the rows that reads return has no statement, but a migration.
  if (changes.length === 0) {
    output.line(
      hidden.length === 0
        ? 'No changes: the models match the last migration.'
        : 'No changes in the database.',
    )
    output.result({ migration: null, changes: [], ...(hidden.length > 0 && { hidden }) })
    return exitCodes.ok
  }
  const { randomUUID } = await import('node:crypto')
  const { writeMigration } = await import('@isotherm/migrations')
  const { path, name } = await writeMigration(project.settings.migrations, {
    name: context.args[0] ?? migrationName(changes),
    dialect,
    statements,
    snapshot: { version: 1, dialect: dialect.name, id: randomUUID(), previous: last?.id ?? null, schema },
  })
  for (const line of described) output.line(`  ${line}`)
  output.line(
    `${output.style.good('wrote')} ${shown(path, context)}, ${counted(statements.length, 'statement')}`,
  )
  output.result({ migration: name, path, changes, statements, ...(hidden.length > 0 && { hidden }) })
  return exitCodes.ok
}

async function writeSteps(
  context: CommandContext<GenerateOptions>,
  project: Project,
  table: string,
): Promise<ExitCode> {
  const { options, output, signal } = context
  withSql(await dialectOf(project), 'A new key in steps', 'Make a new table, write to both, and copy.')
  const last = (await snapshotsOf(project)).at(-1)
  if (!last) {
    throw new CommandError('USAGE', `There is no migration yet, so the key of ${table} cannot change.`, {
      fix: 'Write isotherm generate.',
    })
  }
  const { rehearse, writeReshard } = await import('../changes/reshard.js')
  const { into } = options
  const { engines } = project.settings
  const request = { last, to: await schemaOf(project), table, engines, ...(into !== undefined && { into }) }
  if (options.rehearse === true) await rehearse(request, output, signal)
  const { plan, written } = await writeReshard(request, project.settings.migrations)
  for (const [at, { path }] of written.entries()) {
    output.line(`${output.style.good('wrote')} ${shown(path, context)}`)
    output.line(`  ${plan.steps[at]!.description}`)
  }
  output.line('Each step is run by its name: isotherm migrate --to …')
  output.result({
    tables: plan.tables,
    migrations: written.map(({ name, path, statements }) => ({ migration: name, path, statements })),
  })
  return exitCodes.ok
}

async function writeCustom(context: CommandContext<GenerateOptions>, project: Project): Promise<ExitCode> {
  const { output } = context
  const [name] = context.args
  if (name === undefined) {
    throw new CommandError('USAGE', '--custom needs a name for the migration.', {
      fix: 'Write isotherm generate backfill_amount --custom.',
    })
  }
  const { writeMigration } = await import('@isotherm/migrations')
  const written = await writeMigration(project.settings.migrations, {
    name,
    dialect: await dialectOf(project),
    statements: [],
  })
  output.line(`${output.style.good('wrote')} ${shown(written.path, context)}, empty: write its migration.sql`)
  output.line('Use it for changes of rows, and for what models cannot declare. Change tables in the models.')
  output.result({ migration: written.name, path: written.path, changes: [], statements: [] })
  return exitCodes.ok
}

/** The schemas after each migration, oldest first. */
async function snapshotsOf(project: Project): Promise<readonly Snapshot[]> {
  const { checkSnapshots, readMigrations } = await import('@isotherm/migrations')
  const migrations = await readMigrations(project.settings.migrations, await dialectOf(project))
  checkSnapshots(migrations)
  return migrations.flatMap(({ snapshot }) => (snapshot ? [snapshot] : []))
}

function shown(path: string, { directory }: CommandContext<unknown>): string {
  return relative(directory, path)
}
