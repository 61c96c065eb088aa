import { defineSchema, defineTable } from '@isotherm/core'
import {
  COMMIT_TIMESTAMP,
  type Cells,
  type DialectRuntime,
  IsothermError,
  type Mutation,
  type ReadRequest,
  type Schema,
  type Table,
  type TableLayout,
  type Wire,
  itemAt,
} from '@isotherm/core/engine'
import {
  type PlainRow,
  type RowCodec,
  findTable,
  keyWires,
  reshardControlSchema,
  rowCodec,
} from '@isotherm/core/tools'
import { checkArguments } from '../options.js'
import type { StatementKind } from '../statement.js'

/** The placeholder of the commit timestamp, by the database's clock. */
export const AT_COMMIT = Symbol('the moment of the commit')

/** The rows of a table in which the migrator keeps its records, one column a field. */
export class RecordTable<Row extends object> {
  readonly #layout: TableLayout
  readonly #codec: RowCodec

  constructor(table: Table, dialect: DialectRuntime) {
    this.#layout = dialect.layout(table)
    this.#codec = rowCodec(this.#layout.fields)
  }

  /** A read of all rows, or of those with these keys. */
  request(keys?: readonly Partial<Row>[]): ReadRequest {
    return {
      layout: this.#layout,
      columns: this.#codec.columns,
      ...(keys && { keys: keys.map((key) => keyWires(this.#layout, key as PlainRow)) }),
    }
  }

  decode(cells: Cells): Row {
    return this.#codec.decode(cells) as Row
  }

  /** Writes rows that have the same fields; with `upsert`, the fields that are left out stay as they are. */
  write(op: 'upsert' | 'update', rows: readonly Stamped<Row>[]): Mutation {
    const fields = this.#layout.fields.filter(({ column }) => column.property in itemAt(rows, 0))
    return {
      op,
      table: this.#layout.table.name,
      layout: this.#layout,
      columns: fields.map(({ column }) => column.name),
      rows: rows.map((row) =>
        fields.map((field): Wire => {
          const value: unknown = row[field.column.property as keyof Row]
          if (value === AT_COMMIT) return COMMIT_TIMESTAMP
          return value === null ? null : field.physical[0].encode(field.accept(value))
        }),
      ),
    }
  }

  delete(keys: readonly Partial<Row>[]): Mutation {
    return {
      op: 'delete',
      table: this.#layout.table.name,
      layout: this.#layout,
      keys: keys.map((key) => keyWires(this.#layout, key as PlainRow)),
    }
  }
}

/** Fields of a row; a timestamp may be that of the commit. */
export type Stamped<Row> = {
  readonly [Property in keyof Row]?: Row[Property] | typeof AT_COMMIT
}

/** The default name of the history table. */
export const HISTORY_TABLE = 'isotherm_migrations'

/** One for the whole database, whatever its histories are called: they all change the same schema. */
export const LEASE_TABLE = 'isotherm_migration_lease'

/** One table for the whole database: the wording in which it returns the SQL of its models. */
export const SQL_TABLE = 'isotherm_migration_sql'

/**
 * The record of a statement that was begun; as statement 0, of the migration as a whole.
 *
 * - `started`: it was begun, and its end has not been recorded.
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
 * The tables that the migrator keeps. They hold one row for each statement, written one after the other, so their keys
 * cannot cause a hotspot.
 *
 * @throws {IsothermError} `INVALID_VALUE` for the name of the other table.
 */
export function migrationTables(table: string = HISTORY_TABLE): Schema {
  if (table === LEASE_TABLE || table === SQL_TABLE) {
    throw new IsothermError('INVALID_VALUE', `The history of migrations cannot be called ${table}.`, {
      fix: 'Migrations use the table of that name for something else: choose another name.',
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

/** Whether the migrator keeps this table, so that it does not belong to the application's schema. */
export function isMigrationTable(name: string, table: string = HISTORY_TABLE): boolean {
  checkArguments('isMigrationTable', { name, table })
  return (
    name === SQL_TABLE ||
    [migrationTables(table), reshardControlSchema].some((schema) => findTable(schema, name) !== undefined)
  )
}
