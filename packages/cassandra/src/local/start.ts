import type { StartedTestContainer } from 'testcontainers'
import {
  IsothermError,
  type OptionKinds,
  anything,
  callback,
  checkOptions,
  listOf,
  numberFrom,
  objectWith,
  oneOf,
  recordOf,
  secret,
  text,
} from '@isotherm/core/engine'
import { LauncherFailed, importPeer, messageOf, startFirst, withinTime } from '@isotherm/core/local'
import {
  type CassandraRequest,
  type CassandraLauncher,
  type RunningCassandra,
  awaitCql,
  closeCassandra,
  driverMessage,
  loadCassandraDriver,
  probeCassandra,
} from './driver.js'
import type { ClientOptions } from 'cassandra-driver'
import { cassandraOfJava } from './java.js'
import { type Cassandra, StartedCassandra } from './started.js'

const nativePort = 9042

/** One node in a container of its own. */
async function cassandraOfDocker(request: CassandraRequest): Promise<RunningCassandra> {
  // The driver reaches every node at the same port, but published ports of containers differ.
  if (request.nodes === 3) throw new LauncherFailed('three nodes are started by Java only.')
  // Longer than for Java: the image may have to be pulled.
  const { image, timeoutMs = 300_000, clientOptions, signal } = request
  try {
    const began = Date.now()
    const starting = startContainer(image, timeoutMs)
    const container = await withinTime(timeoutMs, 'the container did not start', starting, signal).catch(
      (error: unknown) => {
        void starting.then((late) => late.stop()).catch(() => {})
        throw error
      },
    )
    const host = `${container.getHost()}:${container.getMappedPort(nativePort)}`
    try {
      const left = Math.max(1, timeoutMs - (Date.now() - began))
      await awaitCql(host, { up: 1, timeoutMs: left, clientOptions }, signal)
    } catch (error) {
      await container.stop()
      throw error
    }
    return {
      launcher: 'docker',
      description: `Cassandra (Docker image ${image}, ${host})`,
      localDataCenter: 'datacenter1',
      nodes: [{ host, pid: undefined, running: true, process: undefined }],
      died: () => undefined,
      end: async () => {
        await container.stop()
      },
    }
  } catch (error) {
    if (error instanceof IsothermError) throw error
    throw new LauncherFailed(messageOf(error), { cause: error })
  }
}

async function startContainer(image: string, timeoutMs: number): Promise<StartedTestContainer> {
  const { GenericContainer, Wait } = await importPeer('testcontainers', () => import('testcontainers'))
  return new GenericContainer(image)
    .withExposedPorts(nativePort)
    .withEnvironment({
      MAX_HEAP_SIZE: '512M',
      HEAP_NEWSIZE: '128M',
      JVM_EXTRA_OPTS: '-Dcassandra.skip_wait_for_gossip_to_settle=0 -Dcassandra.ring_delay_ms=2000',
    })
    .withWaitStrategy(Wait.forLogMessage(/Starting listening for CQL clients/))
    .withStartupTimeout(timeoutMs)
    .start()
}

const variable = 'CASSANDRA_CONTACT_POINTS'

/** The cluster that the caller or the environment names; it is the user's, and is never ended. */
async function cassandraOfContactPoints(request: CassandraRequest): Promise<RunningCassandra> {
  const { contactPoints, nodes: requestedNodes, clientOptions, timeoutMs = 10_000, signal } = request
  if (contactPoints.length === 0)
    throw new LauncherFailed(`no contact points are given, and ${variable} is not set.`)
  const named = contactPoints.join(', ')
  const { hosts, localDataCenter, version, known } = await look().catch((error: unknown) => {
    if (error instanceof IsothermError) throw error
    throw new LauncherFailed(`${named} is not ready: ${driverMessage(error)}`, {
      final: true,
      cause: error,
    })
  })
  if (hosts.length === 0) {
    throw new LauncherFailed(
      `${named} has no node in the data centre ${localDataCenter}: known is ${known}.`,
      {
        final: true,
      },
    )
  }
  if (requestedNodes !== undefined && hosts.length < requestedNodes) {
    const count = hosts.length === 1 ? '1 node' : `${hosts.length} nodes`
    throw new LauncherFailed(
      `${named} has ${count} in ${localDataCenter}, but ${requestedNodes} were requested.`,
    )
  }
  return {
    launcher: 'given',
    description: `Cassandra ${version} (contact points ${named})`,
    localDataCenter,
    nodes: hosts.map((host) => ({ host, pid: undefined, running: true, process: undefined })),
    died: () => undefined,
    end: async () => {},
  }

  async function look(): Promise<{
    hosts: string[]
    localDataCenter: string
    version: string
    known: string
  }> {
    const probing = probeCassandra(contactPoints, clientOptions)
    const silent = `no answer to CQL from ${named}`
    const client = await withinTime(timeoutMs, silent, probing, signal).catch((error: unknown) => {
      void probing.then(closeCassandra, () => {})
      throw error
    })
    try {
      const query = client.execute('SELECT data_center, release_version FROM system.local')
      const row = (await withinTime(timeoutMs, silent, query, signal)).first()
      const localDataCenter = request.localDataCenter ?? String(row.get('data_center'))
      const found = client.hosts.values()
      const all = found.filter(({ datacenter }) => datacenter === localDataCenter)
      const hosts = all.map(({ address }) => address).toSorted()
      const known = [...new Set(found.map(({ datacenter }) => datacenter))].join(', ')
      return { hosts, localDataCenter, version: String(row.get('release_version')), known }
    } finally {
      await closeCassandra(client)
    }
  }
}

/** `host:port` and `host`, separated by commas. */
function contactPointsOf(environment: NodeJS.ProcessEnv): string[] {
  const points = (environment[variable] ?? '').split(',').map((point) => point.trim())
  return points.filter((point) => point !== '')
}

/** How to get a cluster. */
export interface CassandraOptions {
  /** 3: a ring on 127.0.0.1 to 127.0.0.3. Default: 1, or all of a cluster that is given. */
  readonly nodes?: 1 | 3
  /**
   * The launchers to try, in this order. Default: `given` (contact points), `java` (processes on this machine, of Java 17;
   * Maven fetches the server once), `docker` (one node, through `testcontainers`).
   */
  readonly launchers?: readonly CassandraLauncher[]
  /**
   * A cluster that runs already, as `host` or `host:port`. Default: what `CASSANDRA_CONTACT_POINTS` lists, separated by
   * commas.
   */
  readonly contactPoints?: readonly string[]
  /**
   * The data centre of these contact points. Default: `CASSANDRA_LOCAL_DATA_CENTER`, otherwise that of the first contact
   * point that answers.
   */
  readonly localDataCenter?: string
  /** For every client that is made, also to find out that the cluster serves: credentials, TLS, time limits. */
  readonly clientOptions?: Partial<ClientOptions>
  /** The image for `docker`. Default: `cassandra:5`. */
  readonly image?: string
  /**
   * Milliseconds that each launcher may take until it serves, without fetching the server. Default: 10,000; Java 180,000;
   * Docker 300,000.
   */
  readonly timeoutMs?: number
  /** Gives up starting: everything that was begun is ended, and the call throws `CANCELLED`. */
  readonly signal?: AbortSignal
  /** Called when something takes long, such as fetching the server. Default: a line on stderr. */
  readonly onProgress?: (line: string) => void
}

const CASSANDRA_OPTIONS: OptionKinds<CassandraOptions> = {
  nodes: oneOf(1, 3),
  launchers: listOf(oneOf('given', 'java', 'docker'), 'a list of launchers'),
  contactPoints: listOf(text("'10.0.0.1:9042'"), 'a list of contact points'),
  localDataCenter: text("'datacenter1'"),
  // The vendor's driver has kinds of its own for these.
  clientOptions: secret(recordOf(anything)),
  image: text("'cassandra:5'"),
  timeoutMs: numberFrom(0, 'a number of milliseconds'),
  signal: objectWith('an AbortSignal', 'addEventListener', 'removeEventListener'),
  onProgress: callback,
}

const fix =
  'Set CASSANDRA_CONTACT_POINTS to a running cluster, or install Java 17 and Maven, or run Docker and install the ' +
  'package testcontainers.'

/**
 * Starts or finds an Apache Cassandra for tests and demos: the cluster with the given contact points, otherwise new
 * processes on this machine, otherwise one node in Docker. Every node has answered CQL by the time this returns, and sees
 * all the others.
 *
 * Several clusters may run in parallel, in one process or many: each has its own ports and data. A new cluster ends with
 * this process even if that is killed, and its folder is removed; it does not keep the process from ending, but open
 * clients do.
 *
 * Contact points that do not answer are an error, and are not skipped silently. They are skipped if they have fewer nodes
 * than `nodes` asks for.
 *
 * @throws IsothermError `ENGINE_UNAVAILABLE`, naming all three sources and the error of each, or the driver to install;
 * `CANCELLED` if `signal` fires; `INVALID_OPTION` for invalid options.
 * @example
 * await using cassandra = await startCassandra({ nodes: 3 })
 * const keyspace = await cassandra.keyspace({ ddl: ['CREATE TABLE item (id int PRIMARY KEY, name text)'] })
 * const client = await cassandra.client(keyspace)
 * await client.execute('INSERT INTO item (id, name) VALUES (?, ?)', [1, 'one'], { prepare: true })
 */
export async function startCassandra(options: CassandraOptions = {}): Promise<Cassandra> {
  checkOptions('startCassandra', CASSANDRA_OPTIONS, options)
  const { nodes, clientOptions = {} } = options
  if (options.signal?.aborted === true) {
    throw new IsothermError('CANCELLED', 'The signal was already aborted.', { cause: options.signal.reason })
  }
  // Before any launcher is tried: without the driver none of them can be used.
  await loadCassandraDriver()
  const named = process.env['CASSANDRA_LOCAL_DATA_CENTER'] ?? ''
  const request: CassandraRequest = {
    nodes,
    contactPoints: options.contactPoints ?? contactPointsOf(process.env),
    localDataCenter: options.localDataCenter ?? (named === '' ? undefined : named),
    clientOptions,
    image: options.image ?? 'cassandra:5',
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    onProgress: options.onProgress ?? ((line) => void process.stderr.write(`Isotherm: ${line}\n`)),
  }
  const running = await startFirst({
    engine: 'Cassandra',
    launchers: [
      { name: 'given', start: () => cassandraOfContactPoints(request) },
      { name: 'java', start: () => cassandraOfJava(request) },
      { name: 'docker', start: () => cassandraOfDocker(request) },
    ],
    requested: options.launchers,
    fix,
  })
  return new StartedCassandra(running, clientOptions)
}
