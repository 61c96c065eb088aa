import { connect as openSocket } from 'node:net'
import type { Database, Spanner } from '@google-cloud/spanner'
import { CommandError, type ConnectCall, type OpenedDatabase } from '@isotherm/core/command'
import type { Driver } from '@isotherm/core/engine'
import { withinTime } from '@isotherm/core/local'
import { spanner } from '../driver/driver.js'
import { googlesqlRuntime } from '../googlesql/runtime.js'
import { connectSpanner } from '../local/spanner-client.js'
import { spannerPostgresqlRuntime } from '../postgresql/runtime.js'
import { type SpannerAddress, databaseName } from './address.js'
import { explainFirstCall } from './errors.js'

/** Long enough for a first call on a busy machine, short enough for a host that is not there. */
const firstCallMs = 20_000
const closeMs = 2_000

/** Long enough for a distant machine; one that does not exist may not answer at all. */
const portMs = 3_000

export async function connect(
  address: SpannerAddress,
  { environment }: ConnectCall,
): Promise<OpenedDatabase> {
  const emulatorHost = environment['SPANNER_EMULATOR_HOST'] || address.emulatorHost
  const name = databaseName(address)
  const description = emulatorHost === undefined ? name : `${name} on the emulator at ${emulatorHost}`
  if (emulatorHost !== undefined && !(await answersAt(emulatorHost))) {
    throw new CommandError('DATABASE', `No emulator answers at ${emulatorHost}.`, {
      fix:
        'Start it, for example with isotherm emulator. If you mean a database in the cloud, remove the emulator: it is set by ' +
        'SPANNER_EMULATOR_HOST, or by emulatorHost in the configuration.',
    })
  }
  const client = await openClient(address.project, emulatorHost)
  const database = client.instance(address.instance).database(address.database)
  // Some clients never finish closing.
  const close = (): Promise<void> =>
    withinTime(
      closeMs,
      'closing',
      Promise.resolve(database.close()).then(() => client.close()),
    ).catch(() => {})
  try {
    return {
      driver: await answering(spanner(database), description),
      description,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function openClient(projectId: string, emulatorHost: string | undefined): Promise<Spanner> {
  if (emulatorHost !== undefined) return connectSpanner(emulatorHost, projectId)
  const { Spanner } = await import('@google-cloud/spanner')
  // A command has no use for metrics of its own. The types of the oldest client, 8.0.0, do not know the option.
  const withoutMetrics: Partial<Record<'disableBuiltInMetrics', true>> = { disableBuiltInMetrics: true }
  return new Spanner({ projectId, ...withoutMetrics })
}

/** Opens a `Database` of the vendor's client, or a driver that has to ask its database for the dialect. */
export async function connectClient(client: object): Promise<OpenedDatabase | undefined> {
  const opened = isDatabase(client)
    ? { driver: spanner(client), description: client.formattedName_ }
    : isUndecided(client)
      ? { driver: client, description: descriptionOf(client) }
      : undefined
  if (!opened) return undefined
  const { driver, description } = opened
  // A connection that the configuration opened is closed by the configuration.
  return { driver: await answering(driver, description), description, [Symbol.asyncDispose]: async () => {} }
}

/** Whichever version of the client made it. */
function isDatabase(client: object): client is Database {
  return 'formattedName_' in client && 'getSchema' in client
}

function isUndecided(client: object): client is Driver {
  const { undecided } = client as Partial<Driver>
  return (
    undecided?.candidates.some(
      ({ dialect }) => dialect === googlesqlRuntime || dialect === spannerPostgresqlRuntime,
    ) === true
  )
}

function descriptionOf({ client, name }: Driver): string {
  return client && isDatabase(client) ? client.formattedName_ : name
}

/** The driver, once its database has answered and reported its dialect. */
async function answering(driver: Driver, description: string): Promise<Driver> {
  const call = { timeoutMs: firstCallMs }
  try {
    if (driver.undecided) return await driver.undecided.decide(call)
    await driver.query({ text: 'SELECT 1', parameters: [] }, [{ kind: 'int64' }], call)
    return driver
  } catch (error) {
    throw explainFirstCall(error, description)
  }
}

/**
 * Whether a port accepts connections. The client would ask again and again until its timeout, and then report only the
 * timeout.
 *
 * @param address `host:port`; any other form is left to the client.
 */
async function answersAt(address: string): Promise<boolean> {
  const [, host, port] = /^\[?([^\]/]+?)\]?:(\d{1,5})$/.exec(address) ?? []
  if (host === undefined || Number(port) > 65_535) return true
  const socket = openSocket({ host, port: Number(port), timeout: portMs })
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('timeout', () => resolve(false))
      socket.once('error', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}
