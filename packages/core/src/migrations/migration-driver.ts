import { IsothermError } from '../errors.js'
import type { Database } from '../database/database.js'
import type { Driver } from '../database/driver.js'

/** A driver of an engine whose schema can be migrated. */
export type MigrationDriver = Driver & Required<Pick<Driver, 'schemaChanges'>>

/** @throws {IsothermError} `UNSUPPORTED` for an engine that has no changes of the schema that can be asked for. */
export function migrationDriver(db: Database | Driver): MigrationDriver {
  const driver = 'driver' in db ? db.driver : db
  if (driver.schemaChanges) return driver as MigrationDriver
  throw new IsothermError('UNSUPPORTED', `${driver.name} cannot be migrated by this driver.`, {
    fix: 'Use the driver of @isotherm/core/spanner, or of @isotherm/core/cassandra.',
  })
}
