import { reshardControlSchema } from '../../database/dual-writes-phases.js'
import { IsothermError } from '../../errors.js'
import { defineSchema } from '../../model/define-schema.js'
import { defineTable } from '../../model/define-table.js'
import { findTable, type Schema } from '../../model/schema.js'
import type { StatementKind } from '../statement.js'

/** Where the history lies unless it is told otherwise. */
export const HISTORY_TABLE = 'isotherm_migrations'

/** One for the whole database, whatever its histories are called: they all change the same schema. */
export const LEASE_TABLE = 'isotherm_migration_lease'

/**
 * What is known of a statement that was begun; as statement 0, of the migration as a whole.
 *
 * - `started`: it was begun, and nobody has written down its end.
 * - `done`: it is complete.
 * - `failed`: the database refused it, and nothing of it stays.
 */
export interface MigrationRecord {
  readonly migration: string
  /** From 1. */
  readonly statement: number
  readonly hash: string
  readonly kind: StatementKind | 'migration'
  readonly state: 'started' | 'done' | 'failed'
  /** Under which id the database knows it: of DDL. Statements that share one were begun together. */
  readonly operation: string | null
  /** How often it was begun anew. */
  readonly attempt: number
  /** How many rows it changed, at least; of a migration, how many statements it has. */
  readonly rows: number | null
  readonly error: string | null
  readonly started: Date
  readonly finished: Date | null
  /** Who ran it: `host:process id`. */
  readonly runner: string
}

/** Who may migrate, and until when. */
export interface LeaseRecord {
  readonly name: string
  readonly holder: string
  /** For people: `host:process id`. */
  readonly description: string
  readonly since: Date
  readonly until: Date
}

/**
 * The tables that the migrator keeps. They hold a row a statement, written one after the other, so that no key of theirs
 * could be hot.
 *
 * @throws {IsothermError} `INVALID_VALUE` for a name that is the other table's.
 */
export function migrationTables(table: string = HISTORY_TABLE): Schema {
  if (table === LEASE_TABLE) {
    throw new IsothermError('INVALID_VALUE', `The history of migrations cannot be called ${table}.`, {
      fix: 'The table of that name says who is migrating: choose another.',
    })
  }
  const history = defineTable(table, (t) => ({
    migration: t.string({ length: 200 }).key(),
    statement: t.int64({ as: 'number' }).key(),
    hash: t.string({ length: 64 }),
    kind: t.string({ length: 20 }),
    state: t.string({ length: 20 }),
    operation: t.string({ length: 100, nullable: true }),
    attempt: t.int64({ as: 'number' }),
    rows: t.int64({ name: 'row_count', as: 'number', nullable: true }),
    error: t.string({ nullable: true }),
    started: t.timestamp({ default: 'commit' }),
    finished: t.timestamp({ default: 'commit', nullable: true }),
    runner: t.string({ length: 400 }),
  }))
  const lease = defineTable(LEASE_TABLE, (t) => ({
    name: t.string({ length: 20 }).key(),
    holder: t.string({ length: 36 }),
    description: t.string({ length: 400 }),
    since: t.timestamp(),
    until: t.timestamp({ name: 'valid_until' }),
  }))
  return defineSchema([history, lease])
}

/** Whether a table is one that the migrator keeps, and so no part of anybody's schema. */
export function isMigrationTable(name: string, table: string = HISTORY_TABLE): boolean {
  return [migrationTables(table), reshardControlSchema].some(
    (schema) => findTable(schema, name) !== undefined,
  )
}
