import type { DialectRuntime } from '@isotherm/core'

// Separate from the code that runs them, so that the command can list them without loading the engine.

/** How each mode takes its numbers. */
export const sequenceModes = {
  sync: 'in the application transaction, one number (S1)',
  'sync-batch': 'in the application transaction, --batch numbers at once (S2)',
  async: 'in a transaction of its own, before the application transaction (S3)',
  batch: 'from a range of --batch numbers (S4)',
  'async-batch': 'from ranges that are fetched in the background (S5)',
  native: "from the database's own sequence, in ranges as well",
  naive: 'as sync, by a read and a write of its own; a write that collides begins again',
  plain: 'from a counter in memory: what the simulated transactions alone allow',
} as const

export type SequenceMode = keyof typeof sequenceModes

/** The modes of a database without transactions. */
const PORTABLE: readonly SequenceMode[] = ['async', 'batch', 'async-batch', 'plain']

export function modesOf(dialect: DialectRuntime): readonly SequenceMode[] {
  return !dialect.sql ? PORTABLE : (Object.keys(sequenceModes) as SequenceMode[])
}
