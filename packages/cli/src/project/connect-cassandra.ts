import type { CqlTarget, Driver } from '@isotherm/core'
import type { auth, Client, ClientOptions } from 'cassandra-driver'
import { CommandError } from '../command-error.js'
import type { CassandraAddress } from '../config/config.js'
import type { Settings } from '../config/settings.js'
import { failureOf } from '../failure.js'
import type { Connection } from './connection.js'
import type { Project } from './project.js'
import { withinTime } from './within-time.js'

const closeMs = 2_000
const PORT = 9_042
const TLS_PORT = 9_142

/** What a password is signed in with: never of a file. */
const USER = 'ISOTHERM_CASSANDRA_USER'
const PASSWORD = 'ISOTHERM_CASSANDRA_PASSWORD'

/**
 * Opens a keyspace of Cassandra or Keyspaces by its address.
 *
 * @throws {CommandError} `CONFIG` for an address that lacks something, `DATABASE` for a keyspace that is not there.
 */
export async function connectKeyspace(project: Project, address: CassandraAddress): Promise<Connection> {
  const target = targetOf(project.settings)
  const options = await clientOptions(address, target, process.env)
  const { Client: Opened } = await vendor()
  const client = new Opened(options)
  const description = describe(address, target, options)
  const close = (): Promise<void> => withinTime(closeMs, client.shutdown())
  try {
    const driver = await cassandraDriver(client, project, description)
    return { driver, description, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A driver of a vendor's client, once that has found its keyspace. */
export async function cassandraDriver(
  client: Client,
  { settings }: Project,
  description: string,
): Promise<Driver> {
  if (settings.dialect !== undefined && settings.dialect !== 'cql') {
    throw new CommandError(
      'CONFIG',
      `The dialect is set to ${settings.dialect}, but ${description} speaks cql.`,
      { fix: "Set dialect: 'cql', or name another database." },
    )
  }
  const { cassandra } = await import('@isotherm/core/cassandra')
  const driver = cassandra(client, { target: targetOf(settings) })
  try {
    await client.connect()
  } catch (error) {
    throw explained(error, client, description, targetOf(settings))
  }
  return driver
}

export function isCassandraClient(given: object): given is Client {
  return 'batch' in given && 'keyspace' in given && 'getReplicas' in given
}

function targetOf({ target }: Settings): CqlTarget {
  return target ?? 'cassandra'
}

async function vendor(): Promise<typeof import('cassandra-driver')> {
  try {
    const loaded = await import('cassandra-driver')
    // Its exports are of a CommonJS module.
    return 'default' in loaded ? loaded.default : loaded
  } catch (cause) {
    throw new CommandError('NOT_INSTALLED', 'cassandra-driver is not installed.', {
      fix: 'npm install cassandra-driver',
      cause,
    })
  }
}

/** What a client is made with. @throws {CommandError} `CONFIG` for what is missing. */
export async function clientOptions(
  address: CassandraAddress,
  target: CqlTarget,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ClientOptions> {
  const { keyspace, region } = address
  const isAws = target === 'keyspaces'
  const signs = address.auth ?? (isAws && !environment[USER] ? 'sigv4' : 'password')
  if (signs === 'sigv4') {
    if (region === undefined) throw lacking('a region of AWS', "region: 'eu-west-1'", '&region=eu-west-1')
    const { keyspacesClientOptions } = await import('@isotherm/core/keyspaces')
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
  const contactPoints =
    address.contactPoints ?? (isAws && region ? [`cassandra.${region}.amazonaws.com`] : [])
  if (contactPoints.length === 0)
    throw lacking('a contact point', "contactPoints: ['10.0.0.1']", 'a host behind the slashes')
  const localDataCenter = address.localDataCenter ?? (isAws ? region : undefined)
  if (localDataCenter === undefined)
    throw lacking('a data centre', "localDataCenter: 'datacenter1'", '?dc=datacenter1')
  const tls = address.tls ?? isAws
  const hosts = contactPoints.map(hostAndPort)
  const port = hosts[0]![1] ?? address.port ?? (tls ? TLS_PORT : PORT)
  const provider = await passwordProvider(address, environment)
  return {
    contactPoints: hosts.map(([host, own = port]) => `${host}:${own}`),
    // The nodes that the client hears of have no port of their own.
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

/** `[::1]:9042` and `10.0.0.1` in two. */
function hostAndPort(text: string): readonly [host: string, port?: number] {
  const [, host = text, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? []
  return port === undefined ? [host] : [host, Number(port)]
}

function lacking(what: string, inConfig: string, inUrl: string): CommandError {
  return new CommandError('CONFIG', `The address of the keyspace lacks ${what}.`, {
    fix: `Set database: { …, ${inConfig} } in the configuration, or in the URL ${inUrl}.`,
  })
}

function describe(
  { keyspace }: CassandraAddress,
  target: CqlTarget,
  { contactPoints }: ClientOptions,
): string {
  const name = target === 'keyspaces' ? 'Keyspaces' : 'Cassandra'
  return `${keyspace} of ${name} at ${(contactPoints ?? []).join(', ')}`
}

/** Codes of the protocol for a keyspace that nobody knows, and for a sign-in that failed. */
const INVALID = 0x22_00
const BAD_CREDENTIALS = 0x01_00

function isOfTls(error: Error): boolean {
  return String((error as { readonly code?: unknown }).code).startsWith('ERR_SSL')
}

/** To be copied, and to be changed where the cluster has fewer nodes than copies. */
function replicationFor(target: CqlTarget, options: ClientOptions): string {
  if (target === 'keyspaces') return "{'class': 'SingleRegionStrategy'}"
  return `{'class': 'NetworkTopologyStrategy', '${options.localDataCenter ?? 'datacenter1'}': 3}`
}

/** Says of the first call's failure what it means here. */
function explained(error: unknown, client: Client, description: string, target: CqlTarget): unknown {
  if (!(error instanceof Error)) return error
  const { keyspace } = client
  // Its typings leave them out.
  const { options } = client as unknown as { readonly options: ClientOptions }
  const inner = Object.values(
    (error as { readonly innerErrors?: Readonly<Record<string, Error>> }).innerErrors ?? {},
  )
  const codes = [error, ...inner].map((each) => (each as { readonly code?: unknown }).code)
  if (codes.includes(INVALID)) {
    return new CommandError('DATABASE', `There is no such keyspace: ${description}.`, {
      fix: `Make it: CREATE KEYSPACE "${keyspace}" WITH replication = ${replicationFor(target, options)}. Or name another one.`,
      cause: error,
    })
  }
  if (codes.includes(BAD_CREDENTIALS)) {
    return new CommandError('DATABASE', `${description} does not take the user or the password.`, {
      fix: `Set ${USER} and ${PASSWORD} in the environment.`,
      cause: error,
    })
  }
  // What keeps the client from signing in at all.
  const own = inner.find((each) => failureOf(each).code === 'UNSUPPORTED')
  if (own) {
    const { message, fix = '' } = failureOf(own)
    return new CommandError('NOT_INSTALLED', message, { fix, cause: error })
  }
  const why = failureOf(inner[0] ?? error).message.trim()
  if ([error, ...inner].some(({ name }) => name === 'ArgumentError')) {
    return new CommandError('CONFIG', `${description} is not what the address says: ${why}`, {
      fix: 'Give the data centre the name that it has there: ?dc=… in a URL, localDataCenter in an address.',
      cause: error,
    })
  }
  if ([error, ...inner].some(isOfTls)) {
    return new CommandError('DATABASE', `${description} cannot be talked to over TLS: ${why}`, {
      fix: 'Leave tls out where the nodes speak without; see that the port is that of TLS, and that the certificate is of the host.',
      cause: error,
    })
  }
  return new CommandError('DATABASE', `${description} does not answer: ${why}`, {
    fix: 'See that a contact point can be reached, that the data centre has the name it has there, and whether it wants TLS.',
    cause: error,
  })
}
