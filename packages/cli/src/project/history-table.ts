import type { Driver } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import { takenHistoryTable, type Project } from './project.js'

/** Those that no table would have by chance. */
const COLUMNS = ['migration', 'statement', 'hash']

/**
 * Sees that the table of the history is one, where its name was chosen: a table with other columns is somebody's own.
 *
 * @throws {CommandError} `CONFIG`
 */
export async function checkHistoryTable(driver: Driver, { settings }: Project): Promise<void> {
  const { historyTable } = settings
  if (historyTable === undefined) return
  if (driver.dialect === 'cql') {
    throw new CommandError(
      'CONFIG',
      `historyTable is ${JSON.stringify(historyTable)}, and a keyspace has one history.`,
      {
        fix: 'Leave historyTable out: its table is isotherm_migrations.',
      },
    )
  }
  const [name = '', namespace] = historyTable.split('.').toReversed()
  // Both are letters, digits and underscores: the configuration was checked.
  const text = `SELECT table_schema, column_name FROM information_schema.columns WHERE LOWER(table_name) = '${name.toLowerCase()}'`
  const wire = { kind: 'string', length: 'max' } as const
  const rows = await driver.query({ text, parameters: [] }, [wire, wire])
  const columns = rows
    .filter(([schema]) => (schema === 'public' || schema === '' ? undefined : schema) === namespace)
    .map(([, column]) => column)
  if (columns.length === 0 || COLUMNS.every((column) => columns.includes(column))) return
  throw takenHistoryTable(historyTable, 'a table of the database with other columns')
}
