import type { Driver, Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { Connection } from './connection.js'
import { type Project, takenHistoryTable } from './project.js'
import { shown } from '../text.js'
import type { Output } from '../terminal/output.js'

/** Those that no table would have by chance. */
const COLUMNS = ['migration', 'statement', 'hash']

/**
 * Checks that the table with the chosen history name is a history table: a table with other columns belongs to the
 * application.
 *
 * @throws {CommandError} `CONFIG`
 */
export async function checkHistoryTable(driver: Driver, { settings }: Project): Promise<void> {
  const { historyTable } = settings
  if (historyTable === undefined) return
  const { sql } = driver.dialect
  if (!sql) {
    throw new CommandError(
      'CONFIG',
      `historyTable is ${shown(historyTable)}, and a database of ${driver.dialect.name} has one history.`,
      {
        fix: 'Leave historyTable out: its table is isotherm_migrations.',
      },
    )
  }
  const [name = '', namespace] = historyTable.split('.').toReversed()
  // Both are letters, digits and underscores: the configuration was checked.
  const text = `SELECT CASE WHEN table_schema = ${sql.currentNamespace} THEN '' ELSE table_schema END, column_name FROM information_schema.columns WHERE LOWER(table_name) = '${name.toLowerCase()}'`
  const wire = { kind: 'string', length: 'max' } as const
  const rows = await driver.query({ text, parameters: [] }, [wire, wire])
  const columns = rows.filter(([schema]) => schema === (namespace ?? '')).map(([, column]) => column)
  if (columns.length === 0 || COLUMNS.every((column) => columns.includes(column))) return
  throw takenHistoryTable(historyTable, 'a table of the database with other columns')
}

/**
 * The schema of a database, including the migrator's tables, for comparisons. Prints the notes of the introspection. The
 * schema counts as checked, whatever its names are; a copy of it would not.
 */
export async function wholeLiveSchema(
  { driver, dialect }: Connection,
  output: Pick<Output, 'warn'>,
): Promise<Schema> {
  const { introspect } = await import('@isotherm/core')
  return introspect({ driver, dialect, onNote: (note) => output.warn(note) })
}

/** The schema of a database, without the tables that the migrator keeps. */
export async function liveSchema(
  connection: Connection,
  project: Project,
  output: Pick<Output, 'warn'>,
): Promise<Schema> {
  const schema = await wholeLiveSchema(connection, output)
  const isOwn = await migrationTableTest(project)
  return { ...schema, tables: schema.tables.filter(({ name }) => !isOwn(name)) }
}

/** Whether a table belongs to the migrator. */
export async function migrationTableTest({ settings }: Project): Promise<(table: string) => boolean> {
  const { isMigrationTable } = await import('@isotherm/migrations')
  return (table) => isMigrationTable(table, settings.historyTable)
}
