import { introspect, type Schema, type SqlDialect } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { sharedEmulator } from '../support/spanner.js'

/** What is read of a new database that these statements made. It goes again: an instance has room for so many only. */
export async function schemaMadeBy(dialect: SqlDialect, ddl: readonly string[]): Promise<Schema> {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: [...ddl] })
  try {
    return await introspect({ driver: spanner(client), dialect })
  } finally {
    await client.delete()
  }
}

/** A column as it is read where nothing is said of it but its name and its type. */
export function plain(name: string, type: object, more: object = {}): object {
  return { property: name, name, type, nullable: true, immutable: false, inherited: false, ...more }
}

export function required(name: string, type: object, more: object = {}): object {
  return plain(name, type, { nullable: false, ...more })
}
