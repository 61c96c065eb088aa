import { createRequire } from 'node:module'
import { connect } from 'node:net'
import type { Client, ClientOptions } from 'cassandra-driver'
import { IsothermError } from '@isotherm/core/engine'
import { PeerMissing, importPeer, messageOf, untilItWorks, withinTime } from '@isotherm/core/local'

const require = createRequire(import.meta.url)

const pauseMs = 100
const closeLimitMs = 5_000

/** Replicated three times by every Cassandra: read at `ALL`, it answers only where all three replicas are seen up. */
const ringQuery = `SELECT status FROM system_distributed.view_build_status WHERE keyspace_name = '' AND view_name = ''`
const nodeQuery = 'SELECT release_version FROM system.local'

/**
 * The vendor's driver.
 *
 * @throws IsothermError `ENGINE_UNAVAILABLE`, naming what to install.
 */
export async function loadCassandraDriver(): Promise<typeof import('cassandra-driver')> {
  try {
    return await importPeer('cassandra-driver', async () => require('cassandra-driver'))
  } catch (error) {
    if (!(error instanceof PeerMissing)) throw error
    throw new IsothermError('ENGINE_UNAVAILABLE', 'Cassandra needs the package cassandra-driver.', {
      fix: 'Install it: npm install cassandra-driver.',
      cause: error,
    })
  }
}

/**
 * The options that a client of this cluster needs. The driver uses the port of a contact point for that one node only, and
 * its own default for the nodes that it discovers.
 */
export function clusterOptions(
  contactPoints: readonly string[],
  clientOptions: Partial<ClientOptions>,
): Partial<ClientOptions> {
  const [, port] = /^(?:\[.*\]|[^:]*):(\d+)$/.exec(contactPoints[0] ?? '') ?? []
  return {
    ...clientOptions,
    contactPoints: [...contactPoints],
    ...(port !== undefined && { protocolOptions: { port: Number(port), ...clientOptions.protocolOptions } }),
  }
}

/** The message of a driver's error, on one line: the driver puts the stacks of wrapped errors into its message. */
export function driverMessage(error: unknown): string {
  const inner = error instanceof Error && 'innerErrors' in error ? error.innerErrors : undefined
  const hosts = Object.entries(inner ?? {})
  if (hosts.length === 0) return messageOf(error)
  return `no node could be asked: ${hosts.map(([host, why]) => `${host}: ${messageOf(why)}`).join('; ')}`
}

/** A client that has connected, or the reason why not. */
export async function connectCassandra(options: ClientOptions): Promise<Client> {
  const { Client } = await loadCassandraDriver()
  const client = new Client(options)
  try {
    await client.connect()
    return client
  } catch (error) {
    await closeCassandra(client)
    throw error
  }
}

/** Never rejects, and never waits for long. */
export async function closeCassandra(client: Client): Promise<void> {
  await withinTime(closeLimitMs, 'closing the client', client.shutdown()).catch(() => {})
}

/**
 * A client that finds out where it is: in any data centre, on any of `hosts`, or on the nodes that it knows of if there are
 * none.
 */
export async function probeCassandra(
  contactPoints: readonly string[],
  clientOptions: Partial<ClientOptions>,
  hosts?: readonly string[],
): Promise<Client> {
  const { policies } = await loadCassandraDriver()
  const { AllowListPolicy, RoundRobinPolicy } = policies.loadBalancing
  const any = new RoundRobinPolicy()
  return connectCassandra({
    ...clusterOptions(contactPoints, clientOptions),
    policies: {
      ...clientOptions.policies,
      loadBalancing: hosts === undefined ? any : new AllowListPolicy(any, [...hosts]),
    },
  })
}

/**
 * Waits until a node answers CQL and sees `up` nodes of its cluster up, itself included.
 *
 * @throws TimeLimitReached whose message holds the last error; IsothermError `CANCELLED`.
 */
export async function awaitCql(
  host: string,
  request: {
    readonly up: number
    readonly timeoutMs: number
    readonly clientOptions: Partial<ClientOptions>
  },
  signal: AbortSignal | undefined,
): Promise<void> {
  const { types } = await loadCassandraDriver()
  const { one, two, all } = types.consistencies
  const consistency = [one, two, all][request.up - 1] ?? all
  const query = request.up === 1 ? nodeQuery : ringQuery
  let client: Client | undefined
  const ask = async (): Promise<void> => {
    // A refused connection costs the driver more than it costs a socket.
    if (client === undefined) await awaitPort(host)
    client ??= await probeCassandra([host], request.clientOptions, [host])
    await client.execute(query, [], { consistency })
  }
  const after = async (): Promise<void> => {
    if (client !== undefined) await closeCassandra(client)
  }
  const { timeoutMs } = request
  const missing = `no answer to CQL from ${host}`
  await untilItWorks(ask, { timeoutMs, pauseMs, missing, said: driverMessage, after }, signal)
}

function awaitPort(host: string): Promise<void> {
  const colon = host.lastIndexOf(':')
  return new Promise((resolve, reject) => {
    const socket = connect(Number(host.slice(colon + 1)), host.slice(0, colon))
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}

/** How a cluster came to be there: contact points that were given, Java on this machine, or a container. */
export type CassandraLauncher = 'given' | 'java' | 'docker'

/** The common inputs for starting a cluster and checking that it serves. */
export interface CassandraRequest {
  /** How many nodes were requested; without an answer one is started, and a cluster that is given may have any number. */
  readonly nodes: 1 | 3 | undefined
  readonly contactPoints: readonly string[]
  readonly localDataCenter: string | undefined
  readonly clientOptions: Partial<ClientOptions>
  readonly image: string
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignal | undefined
  readonly onProgress: (line: string) => void
}

/** One node of a cluster that runs. */
export interface RunningNode {
  /** `address:port` of its CQL server. */
  readonly host: string
  readonly pid: number | undefined
  readonly running: boolean
  /** Present where the node is ours to kill and to start again. */
  readonly process: { kill(): Promise<void>; start(): Promise<void> } | undefined
}

/** A cluster that has answered CQL on every node. */
export interface RunningCassandra {
  readonly launcher: CassandraLauncher
  readonly description: string
  readonly localDataCenter: string
  readonly nodes: readonly RunningNode[]
  /** How a node ended that this process did not kill, with what it printed. */
  died(): string | undefined
  /** Ends the cluster if it is ours to end. */
  end(): Promise<void>
}
