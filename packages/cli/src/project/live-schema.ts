import type { Driver, Schema } from '@isotherm/core'
import type { Project } from './project.js'

/**
 * What a database has, with the tables that the migrator keeps: to be compared. Whatever its names are, it counts as checked,
 * which a copy of it would not.
 */
export async function wholeLiveSchema(driver: Driver): Promise<Schema> {
  const { introspect } = await import('@isotherm/core')
  return introspect({ driver })
}

/** What a database has, but for the tables that the migrator keeps. */
export async function liveSchema(driver: Driver, project: Project): Promise<Schema> {
  const schema = await wholeLiveSchema(driver)
  const isOwn = await migrationTableTest(project)
  return { ...schema, tables: schema.tables.filter(({ name }) => !isOwn(name)) }
}

/** Whether a table is one that the migrator keeps. */
export async function migrationTableTest({ settings }: Project): Promise<(table: string) => boolean> {
  const { isMigrationTable } = await import('@isotherm/core/migrations')
  return (table) => isMigrationTable(table, settings.historyTable)
}
