import type { DialectName } from '@isotherm/core'
import type { MigrationStatement, Refusal, SchemaChange } from '@isotherm/core/migrations'
import { CommandError } from '../command-error.js'
import type { OptionDefinition } from '../command.js'
import { counted } from '../terminal/findings.js'
import { confirm } from '../terminal/prompts.js'
import { askRenames } from './ask-renames.js'
import type { ChangeRequest } from './change-request.js'
import { parseRenames, renamesOf } from './rename-flags.js'

/** For commands that bring one schema to another. */
export const changeOptions: readonly OptionDefinition[] = [
  {
    flags: '--rename <old:new>',
    description: 'a table (Customer:Client) or a column (Client.email:mail) that has another name now',
    repeatable: true,
  },
  { flags: '--allow-destructive', description: 'drop what is gone, with its data' },
  { flags: '-y, --yes', description: 'ask nothing: nothing is a rename, and what is gone is dropped' },
]

export interface PlannedChanges {
  readonly changes: readonly SchemaChange[]
  /** The changes for people, a line each. */
  readonly described: readonly string[]
  readonly statements: readonly MigrationStatement[]
}

/**
 * The way from one schema to another. Asks at a terminal what was renamed, and before anything is dropped.
 *
 * @throws {CommandError} `REFUSED` for what the database cannot do in place, with the way by hand; for what drops data and was
 * not allowed; `CANCELLED`.
 */
export async function planChanges(request: ChangeRequest): Promise<PlannedChanges> {
  const { from, to, options, output } = request
  const { describeChange, diffSchemas, isDestructive, planMigration } =
    await import('@isotherm/core/migrations')
  const { dialect, target, ignore, live, earlier } = request
  const known = parseRenames(options.rename ?? [], from)
  const asks = output.interactive && options.yes !== true
  const renames = renamesOf(asks ? await askRenames(request, known) : known)
  const diffOptions = {
    dialect,
    ...(target && { target }),
    renames,
    ...(ignore && { ignore }),
    ...(live !== undefined && { live }),
    ...(earlier && { earlier }),
  }
  const { changes, refusals } = diffSchemas(from, to, diffOptions)
  if (refusals.length > 0) throw refused(refusals)
  const dropping = changes.filter((change) => isDestructive(change) && !isCopied(change, changes))
  const destructive = dropping.map(describeChange)
  if (destructive.length > 0 && options.allowDestructive !== true && options.yes !== true) {
    if (!output.interactive) throw notAllowed(destructive, renameHint(dropping[0]!, dialect))
    output.line(
      output.style.warning(`${counted(destructive.length, 'change')} drop data, which nothing brings back:`),
    )
    for (const line of destructive) output.line(`  ${line}`)
    if (!(await confirm('Drop it?'))) throw new CommandError('CANCELLED', 'Cancelled. Nothing was done.')
  }
  return { changes, described: changes.map(describeChange), statements: planMigration(from, to, diffOptions) }
}

/** A column that has another name now goes once its values are in the new one: that is what was asked for. */
function isCopied(change: SchemaChange, changes: readonly SchemaChange[]): boolean {
  return (
    change.kind === 'drop-column' &&
    changes.some(
      (each) => each.kind === 'copy-column' && each.table === change.table && each.from === change.column,
    )
  )
}

function refused(found: readonly Refusal[]): CommandError {
  const misnamed = found.filter(({ kind }) => kind === 'rename')
  // What is wrong with a name makes differences that are none.
  const refusals = (misnamed.length > 0 ? misnamed : found).map(withTable)
  const lines = refusals.map(
    ({ table, column, message, fix }) =>
      `  - ${column === undefined ? table : `${table}.${column}`}: ${message} ${fix}`,
  )
  return new CommandError(
    'REFUSED',
    `${misnamed.length > 0 ? 'These renames cannot be made' : 'The database cannot make these changes in place'}:\n${lines.join('\n')}`,
    {
      fix: 'Nothing was written.',
      details: { refusals },
    },
  )
}

/** The way out is a command that can be copied. */
function withTable({ fix, ...refusal }: Refusal): Refusal {
  return { ...refusal, fix: fix.replace('generate --reshard`', `generate --reshard ${refusal.table}\``) }
}

/** What to do for what has another name now: in CQL nothing but a key column gets one, and that is never dropped. */
function renameHint(first: SchemaChange, dialect: DialectName): string {
  if (dialect !== 'cql') return 'If it has another name now, say so: --rename old:new.'
  const name = first.kind === 'drop-column' ? first.column : 'table' in first ? first.table : ''
  return `CQL gives them no other names: if one is called otherwise in the models alone, keep its name in the database, as in name: '${name}'.`
}

function notAllowed(destructive: readonly string[], hint: string): CommandError {
  const lines = destructive.map((line) => `  - ${line}`)
  return new CommandError(
    'REFUSED',
    `These changes drop data, which nothing brings back:\n${lines.join('\n')}`,
    {
      fix: `${hint} If it shall go, allow it: --allow-destructive.`,
      details: { destructive },
    },
  )
}
