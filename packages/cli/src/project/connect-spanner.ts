import type { Driver, SqlDialect } from '@isotherm/core'
import type { Database, Spanner } from '@google-cloud/spanner'
import { CommandError } from '../command-error.js'
import { databaseName } from '../config/database-name.js'
import type { DatabaseAddress } from '../config/config.js'
import { failureOf } from '../failure.js'
import { answersAt } from './answers-at.js'
import type { Connection } from './connection.js'
import type { Project } from './project.js'
import { withinTime } from './within-time.js'

/** Long enough for a first call on a busy machine, short enough for a host that is not there. */
const firstCallMs = 20_000
const closeMs = 2_000

/** @throws {CommandError} `DATABASE` for one that is not there, `CONFIG` for one of another dialect than configured. */
export async function connectSpannerAt(project: Project, address: DatabaseAddress): Promise<Connection> {
  const { emulatorHost } = address
  const name = databaseName(address)
  const description = emulatorHost === undefined ? name : `${name} on the emulator at ${emulatorHost}`
  if (emulatorHost !== undefined && !(await answersAt(emulatorHost))) {
    throw new CommandError(
      'DATABASE',
      `Nothing answers at ${emulatorHost}, where an emulator is meant to be.`,
      {
        fix:
          'Start it, as with isotherm emulator. If a database in the cloud is meant, take the emulator away: it is named by ' +
          'SPANNER_EMULATOR_HOST, or by emulatorHost in the configuration.',
      },
    )
  }
  const client = await openClient(address.project, emulatorHost)
  const database = client.instance(address.instance).database(address.database)
  const close = async (): Promise<void> => {
    await withinTime(
      closeMs,
      Promise.resolve(database.close()).then(() => client.close()),
    )
  }
  try {
    return {
      driver: await spannerDriver(database, project, description),
      description,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function openClient(projectId: string, emulatorHost: string | undefined): Promise<Spanner> {
  if (emulatorHost !== undefined) {
    const { connectSpanner } = await import('@isotherm/core/engines')
    return connectSpanner(emulatorHost, projectId)
  }
  const { Spanner } = await import('@google-cloud/spanner')
  // A command has no use for its own metrics.
  return new Spanner({ projectId, disableBuiltInMetrics: true })
}

/** A driver of a vendor's database, in the dialect that it has. */
export async function spannerDriver(
  database: Database,
  project: Project,
  description: string,
): Promise<Driver> {
  const { spanner } = await import('@isotherm/core/spanner')
  const configured = project.settings.dialect
  const dialect = await askDialect(spanner(database, { dialect: 'googlesql' }), description)
  if (configured !== undefined && configured !== dialect) {
    throw new CommandError(
      'CONFIG',
      `The dialect is set to ${configured}, but ${description} speaks ${dialect}.`,
      {
        fix: `Set dialect: '${dialect}', or name another database.`,
      },
    )
  }
  return spanner(database, { dialect })
}

/** Asks in a way that both dialects understand; the client itself is not told by an emulator. */
async function askDialect(driver: Driver, description: string): Promise<SqlDialect> {
  const text =
    "SELECT option_value FROM information_schema.database_options WHERE option_name = 'database_dialect'"
  try {
    const [row] = await driver.query({ text, parameters: [] }, [{ kind: 'string', length: 'max' }], {
      deadline: firstCallMs,
    })
    return row?.[0] === 'POSTGRESQL' ? 'spanner-postgresql' : 'googlesql'
  } catch (error) {
    throw explained(error, description)
  }
}

/** Says of the first call's failure what it means here. */
function explained(error: unknown, description: string): unknown {
  if (!(error instanceof Error)) return error
  const { code } = error as { readonly code?: unknown }
  if (code === 'NOT_FOUND') {
    return new CommandError('DATABASE', `There is no database ${description}.`, {
      fix: 'Make it (gcloud spanner databases create, or isotherm emulator --database), or name another one.',
      cause: error,
    })
  }
  if (code === 'UNAVAILABLE' || code === 'DEADLINE') {
    return new CommandError('DATABASE', `${description} does not answer: ${failureOf(error).message}`, {
      fix: 'See that it can be reached; for an emulator, that SPANNER_EMULATOR_HOST names one that runs.',
      cause: error,
    })
  }
  return error
}

export function isSpannerDatabase(given: object): given is Database {
  return 'formattedName_' in given && 'getSchema' in given
}
