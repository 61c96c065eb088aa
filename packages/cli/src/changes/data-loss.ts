import type { SchemaChange } from '@isotherm/migrations'
import { CommandError } from '../command-error.js'
import { counted } from '../terminal/output.js'
import { typeToConfirm } from '../terminal/prompts.js'
import { type ChangeRequest, type Rename, candidatesFor } from './renames.js'

/**
 * Has the user type the name of each thing whose data is lost. `--yes` does not answer this question: only
 * `--allow-data-loss` agrees to the loss of data.
 *
 * @throws {CommandError} `DATA_LOSS` where the user cannot be asked; `CANCELLED`.
 */
export async function agreeToDataLoss(
  losing: readonly SchemaChange[],
  request: ChangeRequest,
  renamed: readonly Rename[],
): Promise<void> {
  const { describeChange } = await import('@isotherm/migrations')
  const { options, output } = request
  const described = losing.map(describeChange)
  if (!output.interactive || options.yes === true) {
    const { differ } = request.dialect
    const hints = differ?.cannotRename
      ? losing.flatMap((change) => keepNameHint(change, (what) => differ.cannotRename!(what)))
      : await renameHints(losing, request, renamed)
    throw new CommandError(
      'DATA_LOSS',
      `These changes lose data, which cannot be restored:\n${described.map((line) => `  - ${line}`).join('\n')}`,
      {
        fix: [...hints, 'If the data may be deleted, add --allow-data-loss.'].join('\n'),
        details: { dataLoss: described },
      },
    )
  }
  const count = counted(losing.length, 'change')
  output.line(
    output.style.warning(
      `${count} ${losing.length === 1 ? 'loses' : 'lose'} data, which cannot be restored:`,
    ),
  )
  for (const line of described) output.line(`  ${line}`)
  for (const change of losing) {
    const name = nameOf(change)
    await typeToConfirm(`Type ${name} to lose its data:`, name)
  }
}

/** The name that the user types, as it appears in a model: `Order`, `Order.note`, the name of a sequence. */
function nameOf(change: SchemaChange): string {
  if (change.kind === 'drop-column' || change.kind === 'require-column')
    return `${change.table}.${change.column}`
  if (change.kind === 'alter-change-stream') return change.stream.name
  if ('table' in change) return change.table
  return 'name' in change ? change.name : change.kind
}

/** The flag for each thing that goes and may only have another name now. */
async function renameHints(
  losing: readonly SchemaChange[],
  request: ChangeRequest,
  renamed: readonly Rename[],
): Promise<readonly string[]> {
  const candidates = await candidatesFor(request, renamed)
  return losing.flatMap((change) => {
    const name = nameOf(change)
    const likeliest = candidates.find(
      ({ table, from }) => name === (table === undefined ? from : `${table}.${from}`),
    )
    return likeliest
      ? [`If ${name} was renamed to ${likeliest.to}, add --rename ${name}:${likeliest.to}.`]
      : []
  })
}

function keepNameHint(change: SchemaChange, cannotRename: (what: string) => string): readonly string[] {
  if (change.kind !== 'drop-column' && change.kind !== 'drop-table') return []
  const name = change.kind === 'drop-column' ? change.column : change.table
  return [
    `${cannotRename(nameOf(change))} If only the model has another name for it, keep the name of the database: name: '${name}'.`,
  ]
}
