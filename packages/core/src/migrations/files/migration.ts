import { createHash } from 'node:crypto'
import type { SqlDialect } from '../../model/sql-expression.js'
import { tokenAt } from '../../sql/tokenize.js'
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

/**
 * SHA-256 in hex over what a statement does: line ends do not matter, nor do spaces at the ends of lines, unless they are in a
 * text.
 */
export function statementHash({ kind, sql }: MigrationStatement): string {
  const text = sql.replaceAll('\r\n', '\n').trim()
  // Which dialect is meant is not known here: what is in a text in one of them is left alone.
  const texts = (['googlesql', 'spanner-postgresql'] as const).flatMap((dialect) => textsIn(text, dialect))
  const plain = text.replace(/[ \t]+$/gm, (spaces, at: number) =>
    texts.some(({ from, to }) => from <= at && at < to) ? spaces : '',
  )
  return sha256(`${kind}\n${plain}`)
}

/** Where texts, and quoted names, stand that go over several lines. */
function textsIn(sql: string, dialect: SqlDialect): { readonly from: number; readonly to: number }[] {
  const texts = []
  for (let at = 0; at < sql.length;) {
    const { length, token } = tokenAt(sql, at, dialect)
    if (token && sql.slice(at, at + length).includes('\n')) texts.push({ from: at, to: at + length })
    at += length
  }
  return texts
}

/** SHA-256 in hex over all statements of a migration. */
export function migrationHash(statements: readonly MigrationStatement[]): string {
  return sha256(statements.map(statementHash).join('\n'))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
