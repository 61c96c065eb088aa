import type { ColumnSchema, Schema } from '@isotherm/core'
import type { SchemaStatement } from '@isotherm/core/tools'
import type { Refusal, SchemaChange } from '@isotherm/migrations'
import { CommandError } from '../command-error.js'
import type { OptionDefinition } from '../definition/command.js'
import { type ChangeRequest, askRenames, parseRenames, renamesOf } from './renames.js'
import { agreeToDataLoss } from './data-loss.js'

/** Rows that stay in the database, but that the new models no longer read: nothing in the database changes. */
interface HiddenRows {
  readonly table: string
  /** The column of the time bucket. */
  readonly column: string
  /** The first day from which on they are found. */
  readonly since: string
  /** `since` before the change; absent if queries had to give the lower bound. */
  readonly before?: string
}

/** Rows that a later `since` hides: those of earlier time buckets. */
export function hiddenRows(from: Schema, to: Schema): readonly HiddenRows[] {
  return to.tables.flatMap(({ name: table, columns }) => {
    const old = from.tables.find(({ name }) => name === table)?.columns
    return columns.flatMap((column): HiddenRows[] => {
      const was = old?.find(({ name }) => name === column.name)
      const [before, since] = [was && sinceOf(was), sinceOf(column)]
      // Days in order are texts in order.
      if (was?.source?.kind !== 'time-bucket' || since === undefined || (before ?? '') >= since) return []
      return [{ table, column: column.name, since, ...(before !== undefined && { before }) }]
    })
  })
}

function sinceOf({ source }: ColumnSchema): string | undefined {
  return source?.kind === 'time-bucket' ? source.since : undefined
}

export function describeHidden({ table, column, since, before }: HiddenRows): string {
  const move = before === undefined ? `begins at ${since}` : `begins at ${since}, and no longer at ${before}`
  return `${table}: ${column} ${move}. Rows before that stay, and no query over a span of time finds them: delete them first.`
}

const LONGEST = 60

/** A name for changes: `create_table_order`, `rename_column_order_total_to_amount`, `add_column_order_note_and_more`. */
export function migrationName(changes: readonly SchemaChange[]): string {
  const [first] = changes
  if (!first) return 'changes'
  // A copied column has another name now: the migration is about this rename, and changes around it belong to it.
  const copied = changes.filter(({ kind }) => kind === 'copy-column')
  const subject = copied[0] ?? first
  const others = copied.length === 1 ? changes.some((change) => !isOfRename(change)) : changes.length > 1
  return `${snakeCase(wordsOf(subject).join('_')).slice(0, LONGEST)}${others ? '_and_more' : ''}`
}

function isOfRename({ kind }: SchemaChange): boolean {
  return ['add-column', 'copy-column', 'alter-column', 'drop-column'].includes(kind)
}

function wordsOf(change: SchemaChange): string[] {
  const { kind } = change
  switch (kind) {
    case 'copy-column':
      return ['rename-column', change.table, change.from, 'to', change.to]
    case 'add-column':
      return [kind, change.table, change.column.name]
    case 'alter-column':
      return [kind, change.table, change.to.name]
    case 'drop-column':
    case 'require-column':
      return [kind, change.table, change.column]
    case 'rename-table':
      return [kind, change.table, 'to', change.to]
    case 'create-index':
      return [kind, change.index.name]
    case 'create-sequence':
      return [kind, change.sequence.name]
    default:
      return [kind, 'name' in change ? change.name : 'table' in change ? change.table : '']
  }
}

function snakeCase(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase()
}

/** For commands that bring one schema to another. */
export const changeOptions: readonly OptionDefinition[] = [
  {
    flags: '--rename <old:new>',
    description: 'a table (Customer:Client) or a column (Client.email:mail) that was renamed',
    repeatable: true,
  },
  { flags: '--allow-data-loss', description: 'allow changes that delete data' },
  {
    flags: '-y, --yes',
    description:
      'ask no questions: nothing counts as a rename; changes that lose data also need --allow-data-loss',
  },
]

interface PlannedChanges {
  readonly changes: readonly SchemaChange[]
  /** The changes for people, a line each. */
  readonly described: readonly string[]
  readonly statements: readonly SchemaStatement[]
}

/**
 * Plans the changes from one schema to another. At a terminal, asks what was renamed, and before data is lost.
 *
 * @throws {CommandError} `REFUSED` for changes that the database cannot make in place, with instructions for doing it by hand; `DATA_LOSS`
 * for changes that lose data without permission; `CANCELLED`.
 */
export async function planChanges(request: ChangeRequest): Promise<PlannedChanges> {
  const { from, to, options, output } = request
  const { describeChange, diffSchemas, losesData, planMigration } = await import('@isotherm/migrations')
  const { dialect, ignore, live, recorded, earlier } = request
  const known = parseRenames(options.rename ?? [], from)
  const asks = output.interactive && options.yes !== true
  const renamed = asks ? await askRenames(request, known) : known
  const diffOptions = {
    dialect,
    renames: renamesOf(renamed),
    ...(ignore && { ignore }),
    ...(live !== undefined && { live }),
    ...(recorded && { recorded }),
    ...(earlier && { earlier }),
  }
  const { changes, refusals } = diffSchemas(from, to, diffOptions)
  if (refusals.length > 0) throw refused(refusals)
  const losing = changes.filter(losesData)
  if (losing.length > 0 && options.allowDataLoss !== true && request.dryRun !== true)
    await agreeToDataLoss(losing, request, renamed)
  return { changes, described: changes.map(describeChange), statements: planMigration(from, to, diffOptions) }
}

function refused(found: readonly Refusal[]): CommandError {
  const misnamed = found.filter(({ kind }) => kind === 'rename')
  // A wrong name causes further differences that do not exist.
  const refusals = (misnamed.length > 0 ? misnamed : found).map(withTable)
  const lines = refusals.map((refusal) => `  - ${describeRefusal(refusal)}`)
  return new CommandError(
    'REFUSED',
    `${misnamed.length > 0 ? 'These renames cannot be made' : 'The database cannot make these changes in place'}:\n${lines.join('\n')}`,
    {
      fix: 'Nothing was written.',
      details: { refusals },
    },
  )
}

/** The changes that the database cannot make in place, and how to make them by hand. */
export function describeRefusal(refusal: Refusal): string {
  const { table, column, message, fix } = withTable(refusal)
  return `${column === undefined ? table : `${table}.${column}`}: ${message} ${fix}`
}

/** The way out is a command that can be copied. */
function withTable({ fix, ...refusal }: Refusal): Refusal {
  return { ...refusal, fix: fix.replace('generate --reshard`', `generate --reshard ${refusal.table}\``) }
}
