import type { Driver } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { OpenDatabaseClient } from '../config/config.js'
import { isKeyspace } from '../config/settings.js'
import { unsaid, type Project } from './project.js'

export interface Connection extends AsyncDisposable {
  readonly driver: Driver
  /** For people: the database's name, and the emulator or the cluster that has it. */
  readonly description: string
}

/**
 * Opens the configured database and sees that it is there, and of which dialect it is.
 *
 * @throws {CommandError} `CONFIG` without a database, or with one of another dialect than configured; `DATABASE` for one that
 * is not there.
 */
export async function connect(project: Project): Promise<Connection> {
  const { database } = project.settings
  if (database === undefined) {
    throw unsaid(project.settings, 'which database is meant', '--database projects/…/instances/…/databases/…')
  }
  if (typeof database === 'function') return connectByFunction(project, database)
  if (isKeyspace(database)) {
    const { connectKeyspace } = await import('./connect-cassandra.js')
    return connectKeyspace(project, database)
  }
  const { connectSpannerAt } = await import('./connect-spanner.js')
  return connectSpannerAt(project, database)
}

async function connectByFunction(project: Project, open: OpenDatabaseClient): Promise<Connection> {
  const given = await open()
  if (isDriver(given))
    return { driver: given, description: given.name, [Symbol.asyncDispose]: async () => {} }
  const { isSpannerDatabase, spannerDriver } = await import('./connect-spanner.js')
  if (isSpannerDatabase(given)) {
    const description = given.formattedName_
    const driver = await spannerDriver(given, project, description)
    return { driver, description, [Symbol.asyncDispose]: async () => {} }
  }
  const { cassandraDriver, isCassandraClient } = await import('./connect-cassandra.js')
  if (isCassandraClient(given)) {
    const description = `${given.keyspace} of a client of the configuration`
    const driver = await cassandraDriver(given, project, description)
    return { driver, description, [Symbol.asyncDispose]: async () => {} }
  }
  throw new CommandError('CONFIG', 'The function database gave something that is no database.', {
    fix:
      'Return a Database of @google-cloud/spanner, a Client of cassandra-driver, or a driver of @isotherm/core/spanner or ' +
      '@isotherm/core/cassandra.',
  })
}

function isDriver(given: object): given is Driver {
  return 'applyDdl' in given && 'dialect' in given && 'readDdl' in given
}
