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
  summary: 'apply the pending migrations',
  description:
    'Applies the migrations in order. A lease ensures that one process migrates at a time. Each statement is recorded before and ' +
    'after it runs, so the next run continues where a failed or killed one stopped. Ctrl+C stops at the next safe point.',
  arguments: [],
  options: [
    { flags: '--dry-run', description: 'print the statements that would run, and run nothing' },
    {
      flags: '--to <migration>',
      description:
        'the last migration to apply: its name, or the beginning of it. A step of a reshard runs only if it is named here',
    },
    {
      flags: '--wait <time>',
      description: 'how long to wait for another process that is migrating: 30s, 5m',
      otherwise: 'do not wait',
    },
    {
      flags: '--propagation-wait <time>',
      description: 'how long a step of a reshard waits until all processes of the application follow it',
      otherwise: '91s; you can give less if the application is not running',
    },
    {
      flags: '--allow-out-of-order',
      description: 'apply migrations that are older than one that has run, as after a late merge',
    },
    {
      flags: '--mark-applied',
      description:
        'record migrations as applied without running them, if you made the changes by hand. Asks first; without a ' +
        'terminal, it needs --to, and --yes for a migration that has run in part',
    },
    { flags: '-y, --yes', description: 'ask no questions: record all migrations that --mark-applied covers' },
    migrationsOption,
    ...connectionOptions,
  ],
  examples: [
    { command: 'isotherm migrate', what: 'apply all pending migrations' },
    { command: 'isotherm migrate --dry-run', what: 'print their statements' },
    {
      command: 'isotherm migrate --to 20261121093000 --wait 5m',
      what: 'apply up to this one; wait up to 5 minutes for another process',
    },
  ],
  exits: [
    '0    up to date; or stopped before a step of a reshard, which runs only with --to (held, under --json)',
    '1    an applied migration was edited or is missing, or a pending one is older than an applied one',
    '3    a statement failed, or another process is migrating',
  ],
  endsItself: 'Stopping at the next safe point. Press Ctrl+C again to stop at once.',
  async run(context) {
    const { options, output, signal } = context
    if (options.markApplied === true && options.dryRun === true) {
      throw new CommandError('USAGE', '--mark-applied and --dry-run cannot be given together.', {
        fix: 'Leave one of them out.',
      })
    }
    if (options.yes === true && options.markApplied !== true) {
      throw new CommandError('USAGE', '--yes needs --mark-applied.', {
        fix: 'Leave it out.',
      })
    }
    const project = await openProject(context)
    const { historyTable, migrations } = project.settings
    const core = await import('@isotherm/migrations')
    const request = {
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
    const selection = { ...request, dialect: connection.dialect }
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
    output.line(`Stopped before ${held}, a step of a reshard. Do what the step before it asks for, then run:`)
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
