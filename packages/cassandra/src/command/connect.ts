import type { Client, ClientOptions, auth } from 'cassandra-driver'
import {
  CommandError,
  type ConnectCall,
  type OpenedDatabase,
  messageWithoutFix,
} from '@isotherm/core/command'
import { IsothermError } from '@isotherm/core/engine'
import { withinTime } from '@isotherm/core/local'
import { cql, keyspacesCql } from '../dialect/dialect.js'
import { type CassandraAddress, PASSWORD, USER, hostAndPort, signInOf } from './sign-in.js'

const closeMs = 2_000
const PORT = 9_042
const TLS_PORT = 9_142

/** Opens a keyspace of Cassandra or Keyspaces by its address. */
export async function connect(
  address: CassandraAddress,
  { dialect, environment }: ConnectCall,
): Promise<OpenedDatabase> {
  const isAws = isKeyspaces(dialect)
  const options = await clientOptions(address, isAws, environment)
  const { Client: Opened } = await vendor()
  const client = new Opened(options)
  const description = describe(address, isAws, options)
  // Some clients never finish closing.
  const close = (): Promise<void> => withinTime(closeMs, 'closing', client.shutdown()).catch(() => {})
  try {
    return { ...(await opened(client, isAws, description)), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens a `Client` of the vendor's, whichever version made it. */
export async function connectClient(
  client: object,
  { dialect }: ConnectCall,
): Promise<OpenedDatabase | undefined> {
  if (!isClient(client)) return undefined
  const description = `${client.keyspace} of a client of the configuration`
  // A connection that the configuration opened is closed by the configuration.
  return {
    ...(await opened(client, isKeyspaces(dialect), description)),
    [Symbol.asyncDispose]: async () => {},
  }
}

/** A driver of a client, once that has found its keyspace. */
async function opened(
  client: Client,
  isAws: boolean,
  description: string,
): Promise<Pick<OpenedDatabase, 'driver' | 'description'>> {
  const { cassandra } = await import('../driver/driver.js')
  const driver = cassandra(client, { dialect: isAws ? keyspacesCql : cql })
  try {
    await client.connect()
  } catch (error) {
    throw explained(error, client, description, isAws)
  }
  return { driver, description }
}

function isClient(client: object): client is Client {
  return 'batch' in client && 'keyspace' in client && 'getReplicas' in client
}

function isKeyspaces(dialect: string | undefined): boolean {
  return dialect === 'keyspaces-cql'
}

async function vendor(): Promise<typeof import('cassandra-driver')> {
  try {
    const loaded = await import('cassandra-driver')
    // Its exports are of a CommonJS module.
    return 'default' in loaded ? loaded.default : loaded
  } catch (cause) {
    throw new CommandError('NOT_INSTALLED', 'cassandra-driver is not installed.', {
      fix: 'Install it: npm install cassandra-driver',
      cause,
    })
  }
}

async function keyspaces(): Promise<typeof import('../driver/keyspaces-client.js')> {
  return import('../driver/keyspaces-client.js')
}

/**
 * The options of a client. @throws {CommandError} `CONFIG` for missing options, and for options that cannot take effect.
 */
export async function clientOptions(
  address: CassandraAddress,
  isAws: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ClientOptions> {
  const { keyspace } = address
  const signIn = signInOf(address, isAws, environment)
  if (signIn.by === 'sigv4') {
    const { region } = signIn
    const { keyspacesClientOptions } = await keyspaces()
    const [endpoint] = address.contactPoints ?? []
    const [host, port] = endpoint === undefined ? [] : hostAndPort(endpoint)
    const own = port ?? address.port
    return keyspacesClientOptions({
      region,
      keyspace,
      ...(host !== undefined && { endpoint: host }),
      ...(own !== undefined && { port: own }),
    })
  }
  const { contactPoints: points, localDataCenter } = signIn
  const tls = address.tls ?? isAws
  const contactPoints = 'region' in points ? [(await keyspaces()).keyspacesEndpoint(points.region)] : points
  const hosts = contactPoints.map(hostAndPort)
  const port = address.port ?? hosts[0]![1] ?? (tls ? TLS_PORT : PORT)
  const provider = await passwordProvider(address, environment)
  return {
    contactPoints: hosts.map(([host, own = port]) => `${host}:${own}`),
    // The nodes that the client discovers do not have a port of their own.
    protocolOptions: { port },
    localDataCenter,
    keyspace,
    ...(provider && { authProvider: provider }),
    ...(tls && { sslOptions: { servername: hosts[0]![0], rejectUnauthorized: true } }),
    encoding: { useBigIntAsLong: true, map: Map, set: Set },
  }
}

async function passwordProvider(
  { auth: wanted, user = '' }: CassandraAddress,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<auth.PlainTextAuthProvider | undefined> {
  const name = environment[USER] || user
  const password = environment[PASSWORD]
  if (!name && !password && wanted !== 'password') return undefined
  if (!name || !password) {
    throw new CommandError('CONFIG', `There is no ${name ? 'password' : 'user'} to sign in with.`, {
      fix: `Set ${USER} and ${PASSWORD} in the environment.`,
    })
  }
  const { auth: providers } = await vendor()
  return new providers.PlainTextAuthProvider(name, password)
}

function describe({ keyspace }: CassandraAddress, isAws: boolean, { contactPoints }: ClientOptions): string {
  const name = isAws ? 'Keyspaces' : 'Cassandra'
  return `${keyspace} of ${name} at ${(contactPoints ?? []).join(', ')}`
}

/** Error codes of the protocol: the keyspace does not exist, and the sign-in failed. */
const INVALID = 0x22_00
const BAD_CREDENTIALS = 0x01_00

function isOfTls(error: Error): boolean {
  return String((error as { readonly code?: unknown }).code).startsWith('ERR_SSL')
}

/** To be copied, and to be changed where the cluster has fewer nodes than copies. */
function replicationFor(isAws: boolean, options: ClientOptions): string {
  if (isAws) return "{'class': 'SingleRegionStrategy'}"
  return `{'class': 'NetworkTopologyStrategy', '${options.localDataCenter ?? 'datacenter1'}': 3}`
}

/** Explains the error of the first call. */
function explained(error: unknown, client: Client, description: string, isAws: boolean): unknown {
  if (!(error instanceof Error)) return error
  const { keyspace } = client
  // Its typings leave them out.
  const { options } = client as unknown as { readonly options: ClientOptions }
  const inner = Object.values(
    (error as { readonly innerErrors?: Readonly<Record<string, Error>> }).innerErrors ?? {},
  )
  const codes = [error, ...inner].map((each) => (each as { readonly code?: unknown }).code)
  if (codes.includes(INVALID)) {
    return new CommandError('DATABASE', `The keyspace does not exist: ${description}.`, {
      fix: `Create it: CREATE KEYSPACE "${keyspace}" WITH replication = ${replicationFor(isAws, options)}. Or use another one.`,
      cause: error,
    })
  }
  if (codes.includes(BAD_CREDENTIALS)) {
    return new CommandError('DATABASE', `${description} rejects the user or the password.`, {
      fix: `Set ${USER} and ${PASSWORD} in the environment.`,
      cause: error,
    })
  }
  // Options that prevent the client from signing in at all.
  const own = inner.find((each) => each instanceof IsothermError && each.code === 'NOT_INSTALLED')
  if (own instanceof IsothermError)
    return new CommandError('NOT_INSTALLED', messageWithoutFix(own), { fix: own.fix, cause: error })
  const why = messageWithoutFix(inner[0] ?? error)
  if ([error, ...inner].some(({ name }) => name === 'ArgumentError')) {
    return new CommandError('CONFIG', `${description} differs from the address: ${why}`, {
      fix: 'Use the name that the data centre has in the cluster: ?dc=… in a URL, localDataCenter in an address.',
      cause: error,
    })
  }
  if ([error, ...inner].some(isOfTls)) {
    return new CommandError('DATABASE', `${description} cannot be reached over TLS: ${why}`, {
      fix: 'Remove tls if the nodes do not use TLS. Otherwise check that the port is the one for TLS, and that the certificate belongs to the host.',
      cause: error,
    })
  }
  return new CommandError('DATABASE', `${description} does not answer: ${why}`, {
    fix: 'Check that a contact point can be reached, that the name of the data centre is right, and whether the nodes use TLS.',
    cause: error,
  })
}
