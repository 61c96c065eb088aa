import type { SqlDialect } from '@isotherm/core'
import {
  migrationHash,
  parseMigration,
  type MigrateEvent,
  type Migration,
  type MigrationStatement,
} from '@isotherm/migrations'
import { googlesql, spanner } from '@isotherm/spanner'
import { sharedEmulator } from '../../support/spanner.js'

/** An empty database, and its driver. */
export async function emptyDatabase(dialect: SqlDialect) {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect })
  return { client, driver: spanner(client) }
}

/** A migration without a folder, with the time of the n-th second of a day. */
export function migrationOf(n: number, name: string, statements: readonly MigrationStatement[]): Migration {
  const stamp = `202611210930${String(n).padStart(2, '0')}`
  return { name: `${stamp}_${name}`, statements, hash: migrationHash(statements, googlesql), path: '' }
}

export function ddl(...statements: readonly string[]): MigrationStatement[] {
  return statements.map((sql) => ({ kind: 'ddl', sql }))
}

export function transaction(sql: string): MigrationStatement {
  return { kind: 'transaction', sql }
}

export function partitioned(sql: string): MigrationStatement {
  return { kind: 'partitioned', sql }
}

/** The DDL of a table with the integers `id` and `v`. */
export function tableOf(name: string, dialect: SqlDialect): string {
  return dialect.name === 'googlesql'
    ? `CREATE TABLE ${name} (id INT64 NOT NULL, v INT64) PRIMARY KEY (id)`
    : `CREATE TABLE ${name} (id bigint NOT NULL, v bigint, PRIMARY KEY (id))`
}

/** Statements from the text of a file. */
export function parsed(text: string): readonly MigrationStatement[] {
  return parseMigration(text, 'migration.sql', googlesql)
}

/** The reported events, in short form. */
export function shortly(events: readonly MigrateEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'waiting') return 'waiting'
    if (event.type === 'migration-started')
      return `${event.migration.slice(15)} ${event.done}/${event.statements}`
    if (event.type === 'migration-finished') return `${event.migration.slice(15)} finished`
    const what = event.type.slice('statement-'.length)
    const resumed = event.type === 'statement-started' && event.resumed ? ' again' : ''
    const percent = event.type === 'statement-progress' ? ` ${event.percent}%` : ''
    const rows = event.type === 'statement-finished' && event.rows !== undefined ? ` (${event.rows})` : ''
    return `${event.statement} ${what}${resumed}${percent}${rows}`
  })
}
