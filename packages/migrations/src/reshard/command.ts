import { IsothermError } from '@isotherm/core/engine'

/**
 * The actions of a step that are not SQL.
 *
 * - `PREPARE`: ends an earlier change between tables of the same names, before the new table is made.
 * - `BEGIN`: from now on the application writes both tables.
 * - `COPY`: copies the rows that existed before.
 * - `VERIFY`: compares the two tables.
 * - `SWITCH`: from now on the application reads the new table.
 * - `RETURN`: it reads the old one again.
 * - `FINISH`: from now on it writes the new table only.
 * - `RETIRE`: checks that the change is over, before the old table is dropped.
 * - `ABANDON`: from now on it writes the old table only.
 */
export type ReshardAction =
  | 'PREPARE'
  | 'BEGIN'
  | 'COPY'
  | 'VERIFY'
  | 'SWITCH'
  | 'RETURN'
  | 'FINISH'
  | 'RETIRE'
  | 'ABANDON'

export const RESHARD_ACTIONS: readonly ReshardAction[] = [
  'PREPARE',
  'BEGIN',
  'COPY',
  'VERIFY',
  'SWITCH',
  'RETURN',
  'FINISH',
  'RETIRE',
  'ABANDON',
]

/** A table and its replacement. */
export interface TablePair {
  readonly from: string
  readonly to: string
}

/** An action on a table and those below it: parents stand before their children, the table itself first. */
export interface ReshardCommand {
  readonly action: ReshardAction
  readonly tables: readonly TablePair[]
}

/** The command as a migration contains it: `COPY UserAccessLog TO UserAccessLog_r64`. */
export function formatReshardCommand({ action, tables }: ReshardCommand): string {
  return `${action} ${tables.map(({ from, to }) => `${from} TO ${to}`).join(', ')}`
}

/** A line of its own. */
const COMMENT = /^[ \t]*--.*$/gm

/** Whether a step may run directly after the one before it, without any action of the user. */
export function runsAutomatically(text: string): boolean {
  return /^PREPARE\s/.test(text.replace(COMMENT, '').trim())
}

const PAIR = /^([^\s,]+)\s+TO\s+([^\s,]+)$/

/** @throws {IsothermError} `MIGRATION_INVALID` for a text that is not such a command. */
export function parseReshardCommand(text: string): ReshardCommand {
  const [, word, rest] = /^([A-Z]+)\s+(.+)$/s.exec(text.replace(COMMENT, '').trim()) ?? []
  const action = RESHARD_ACTIONS.find((each) => each === word)
  const pairs = (rest?.split(',') ?? []).map((pair) => PAIR.exec(pair.trim()))
  const tables = pairs.flatMap((each) => (each?.[1] && each[2] ? [{ from: each[1], to: each[2] }] : []))
  if (action && tables.length > 0 && tables.length === pairs.length) return { action, tables }
  throw new IsothermError('MIGRATION_INVALID', `${JSON.stringify(text)} is not a step of a reshard.`, {
    fix: `Write an action (${RESHARD_ACTIONS.join(', ')}) and its tables: COPY UserAccessLog TO UserAccessLog_r64.`,
  })
}
