import { createHash } from 'node:crypto'
import type { Snapshot } from '../snapshot.js'
import type { MigrationStatement } from '../statement.js'

/** A migration as it lies in its folder. */
export interface Migration {
  /** The folder's: `20261121093000_add_orders`. */
  readonly name: string
  readonly statements: readonly MigrationStatement[]
  /** Of all statements: whether the migration was edited after it had run. */
  readonly hash: string
  /** Absent from a migration that was written by hand without one. */
  readonly snapshot?: Snapshot
  /** The folder. */
  readonly path: string
}

/** SHA-256 in hex over what a statement does: line ends, and spaces at the ends of lines, do not matter. */
export function statementHash({ kind, sql }: MigrationStatement): string {
  const lines = sql.trim().split(/\r?\n/)
  return sha256(`${kind}\n${lines.map((line) => line.trimEnd()).join('\n')}`)
}

/** SHA-256 in hex over all statements of a migration. */
export function migrationHash(statements: readonly MigrationStatement[]): string {
  return sha256(statements.map(statementHash).join('\n'))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
