import type { Driver } from '@isotherm/core'
import type { MigrateOptions, MigrationStatus, PlannedMigration } from '@isotherm/migrations'
import { CommandError } from '../command-error.js'
import { type Output, counted } from '../terminal/output.js'
import { confirm } from '../terminal/prompts.js'

interface RecordRequest {
  readonly driver: Driver
  /** The folder. */
  readonly migrations: string
  readonly selection: MigrateOptions
  readonly yes: boolean
  readonly output: Output
}

/**
 * Records migrations as applied, once the user has agreed to exactly these: Isotherm cannot check whether they are.
 *
 * @throws {CommandError} `USAGE` where the user cannot be asked and the flags do not say it; `CANCELLED`.
 */
export async function recordByHand(request: RecordRequest): Promise<void> {
  const { driver, migrations, selection, yes, output } = request
  const { migrate, migrationStatus, recordApplied } = await import('@isotherm/migrations')
  // Selects the same as recordApplied: nothing runs, so no step of a change of a key has to wait.
  const { planned } = await migrate(driver, migrations, { ...selection, propagationWaitMs: 0, dryRun: true })
  const { table } = selection
  const states = await migrationStatus(driver, migrations, { ...(table !== undefined && { table }) })
  const begun = planned.flatMap((each) => begunText(each, states) ?? [])
  const isSaid = yes || (selection.to !== undefined && begun.length === 0)
  if (planned.length > 0 && !isSaid) await agree(planned, begun, output)
  const recorded = await recordApplied(driver, migrations, selection)
  for (const name of recorded) output.line(`  recorded ${name}`)
  output.line(`${counted(recorded.length, 'migration')} recorded.`)
  output.result({ recorded })
}

/** A migration that was begun and not completed was rarely run by hand. */
function begunText(
  { migration: { name }, done }: PlannedMigration,
  states: readonly MigrationStatus[],
): string | undefined {
  const status = states.find((each) => each.name === name)
  if (status === undefined || status.state === 'pending') return undefined
  const failed = status.failed === undefined ? '' : `, and statement ${status.failed.statement} failed`
  return `${name}: ${done} of ${counted(status.statements, 'statement')} ${done === 1 ? 'has' : 'have'} run${failed}`
}

async function agree(
  planned: readonly PlannedMigration[],
  begun: readonly string[],
  output: Output,
): Promise<void> {
  const names = planned.map(({ migration }) => migration.name)
  if (output.interactive) {
    output.line('These would be recorded as applied without running:')
    for (const name of names) output.line(`  ${name}`)
    for (const line of begun) output.line(output.style.warning(`  half done: ${line}`))
    if (await confirm('Was all of it done by hand?')) return
    throw new CommandError('CANCELLED', 'Cancelled. Nothing was recorded.')
  }
  throw new CommandError(
    'USAGE',
    begun.length > 0
      ? `Recording these migrations as applied skips their remaining statements: ${begun.join('; ')}.`
      : `Recording these migrations as applied skips all of their statements: ${names.join(', ')}.`,
    {
      fix:
        begun.length > 0
          ? 'Run the rest: isotherm migrate. If it was done by hand, add --yes.'
          : 'Name the last one that was done by hand with --to, or add --yes if all were.',
      details: { migrations: names },
    },
  )
}
