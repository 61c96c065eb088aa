import { introspect, type Schema, type SqlDialect } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { sharedEmulator } from '../support/spanner.js'

/** The introspected schema of a new database with these statements. The database is deleted: an instance holds a limited number. */
export async function schemaMadeBy(dialect: SqlDialect, ddl: readonly string[]): Promise<Schema> {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: [...ddl] })
  try {
    return await introspect({ driver: spanner(client), dialect })
  } finally {
    await client.delete()
  }
}

/** An introspected column of which only the name and the type are declared. */
export function plain(name: string, type: object, more: object = {}): object {
  return { property: name, name, type, nullable: true, immutable: false, inherited: false, ...more }
}

export function required(name: string, type: object, more: object = {}): object {
  return plain(name, type, { nullable: false, ...more })
}
