import type { MigrateReport } from '@isotherm/migrations'
import { recordByHand } from '../changes/record.js'
import { CommandError, exitCodes } from '../command-error.js'
import {
  type ProjectOptions,
  connectionOptions,
  defineCommand,
  migrationsOption,
} from '../definition/command.js'
import { durationText, parseDuration } from '../text.js'
import { connect } from '../project/connection.js'
import { checkHistoryTable } from '../project/live-schema.js'
import { openProject } from '../project/project.js'
import { MigrateProgress } from '../terminal/progress.js'
import { type Output, counted } from '../terminal/output.js'

interface MigrateCommandOptions extends ProjectOptions {
  readonly dryRun?: boolean
  readonly to?: string
  readonly wait?: string
  readonly propagationWait?: string
  readonly allowOutOfOrder?: boolean
  readonly markApplied?: boolean
  readonly yes?: boolean
}

export const migrate = defineCommand<MigrateCommandOptions>({
  name: 'migrate',
  summary: 'apply the migrations that have not run',
  description:
    'Applies migrations in order, one migrator at a time. Each statement is written down before and after, so that a run that ' +
    'ended midway, however it ended, is continued by the next one. Ctrl+C ends it at the next safe point.',
  arguments: [],
  options: [
    { flags: '--dry-run', description: 'print what would run, and run nothing' },
    {
      flags: '--to <migration>',
      description:
        'the last one to apply: its name, or the beginning of it. A step of a reshard runs only where it is the one that is named',
    },
    {
      flags: '--wait <time>',
      description: 'how long to wait for another migrator: 30s, 5m',
      otherwise: 'not at all',
    },
    {
      flags: '--propagation-wait <time>',
      description: 'how long a step of a reshard waits until the whole application goes by it',
      otherwise: '91s; less where the application does not run',
    },
    {
      flags: '--allow-out-of-order',
      description: 'apply what is older than a migration that has run, as after a late merge',
    },
    {
      flags: '--mark-applied',
      description:
        'write down that they have run, and run nothing: for what was done by hand. Asks first; without a terminal, it ' +
        'needs --to, and --yes for what has run in part',
    },
    { flags: '-y, --yes', description: 'ask nothing: all that --mark-applied names is recorded' },
    migrationsOption,
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm migrate', what: 'all that have not run' },
    { command: 'isotherm migrate --dry-run', what: 'their statements' },
    {
      command: 'isotherm migrate --to 20261121093000 --wait 5m',
      what: 'up to that one; waits up to 5 minutes for another migrator',
    },
  ],
  exits: [
    '0    up to date; or all has run before a step of a change of a key, which only --to runs (held, under --json)',
    '1    a migration that has run was edited, is missing, or comes too late',
    '3    a statement failed, or another migrator is at work',
  ],
  endsItself: 'Ending at the next safe point. Ctrl+C again ends at once.',
  async run(context) {
    const { options, output, signal } = context
    if (options.markApplied === true && options.dryRun === true) {
      throw new CommandError('USAGE', '--mark-applied and --dry-run were given.', {
        fix: 'Leave one of them out.',
      })
    }
    if (options.yes === true && options.markApplied !== true) {
      throw new CommandError('USAGE', '--yes is about --mark-applied, which is not given.', {
        fix: 'Leave it out.',
      })
    }
    const project = await openProject(context)
    const { historyTable, migrations } = project.settings
    const core = await import('@isotherm/migrations')
    const asked = {
      signal,
      table: historyTable,
      to: options.to,
      ...(options.wait !== undefined && { wait: parseDuration(options.wait, '--wait') }),
      ...(options.propagationWait !== undefined && {
        propagationWaitMs: parseDuration(options.propagationWait, '--propagation-wait'),
      }),
      allowOutOfOrder: options.allowOutOfOrder === true,
    }
    await using connection = await connect(project, options.dryRun === true ? 'empty' : 'create')
    const selection = { ...asked, dialect: connection.dialect }
    await checkHistoryTable(connection.driver, project)
    output.line(connection.description)
    if (options.markApplied === true) {
      await recordByHand({
        driver: connection.driver,
        migrations,
        selection,
        yes: options.yes === true,
        output,
      })
      return exitCodes.ok
    }
    const progress = await MigrateProgress.on(output, connection.driver)
    try {
      const report = await core.migrate(connection.driver, migrations, {
        ...selection,
        dryRun: options.dryRun === true,
        onProgress: (event) => progress.show(event),
      })
      progress.end()
      printReport(report, options.dryRun === true, output)
    } finally {
      progress.end()
    }
    return exitCodes.ok
  },
})

function printReport(report: MigrateReport, dryRun: boolean, output: Output): void {
  const { planned, applied, held, statements, resumed, milliseconds } = report
  const plan = planned.map(({ migration, done }) => ({
    name: migration.name,
    done,
    statements: migration.statements.slice(done),
  }))
  if (dryRun) {
    for (const { name, statements: left } of plan) {
      output.line()
      output.line(`-- ${name}`)
      for (const { kind, sql } of left) output.line(`${kind === 'ddl' ? '' : `-- ${kind}\n`}${sql};`)
    }
    output.line()
    output.line(`${counted(plan.length, 'migration')} would run.`)
  } else if (applied.length === 0) {
    if (held === undefined) output.line('Up to date: nothing to run.')
  } else {
    const what = `${counted(applied.length, 'migration')}, ${counted(statements, 'statement')}`
    const state = held === undefined ? 'Up to date' : 'Done'
    output.line(`${output.style.good(state)}: ${what} in ${durationText(milliseconds)}.`)
  }
  if (held !== undefined) {
    output.line(
      `Ended before ${held}, a step of a change of a key. Once what the step before it asks for is done:`,
    )
    output.line(`  isotherm migrate --to ${held}`)
  }
  output.result({
    dryRun,
    planned: plan,
    applied,
    ...(held !== undefined && { held }),
    statements,
    resumed,
    milliseconds: Math.round(milliseconds),
  })
}
