import type { ClientOptions } from 'cassandra-driver'
import { IsothermError } from '../../errors.js'
import { startFirstWay } from '../resolve.js'
import { cassandraOfDocker } from './docker.js'
import { loadCassandraDriver } from './driver.js'
import { cassandraOfGiven, contactPointsOf } from './given.js'
import { cassandraOfJava } from './java.js'
import { StartedCassandra } from './started.js'
import type { Cassandra } from './started.js'
import type { CassandraRequest, CassandraWay } from './way.js'

/** How to get a cluster. */
export interface CassandraOptions {
  /** 3: a ring on 127.0.0.1 to 127.0.0.3. Default: 1, or all of a cluster that is given. */
  readonly nodes?: 1 | 3
  /**
   * The ways to try, in this order. Default: `given` (contact points), `java` (processes on this machine, of Java 17;
   * Maven fetches the server once), `docker` (one node, through `testcontainers`).
   */
  readonly ways?: readonly CassandraWay[]
  /**
   * A cluster that runs already, as `host` or `host:port`. Default: what `CASSANDRA_CONTACT_POINTS` lists, separated by
   * commas.
   */
  readonly contactPoints?: readonly string[]
  /**
   * The data centre of these contact points. Default: `CASSANDRA_LOCAL_DATA_CENTER`, else the one that the first of
   * them to answer is in.
   */
  readonly localDataCenter?: string
  /** For every client that is made, also to find out that the cluster serves: credentials, TLS, time limits. */
  readonly clientOptions?: Partial<ClientOptions>
  /** The image for `docker`. Default: `cassandra:5`. */
  readonly image?: string
  /**
   * Milliseconds that each way may take until it serves, without fetching the server. Default: 10,000; Java 180,000;
   * Docker 300,000.
   */
  readonly timeoutMs?: number
  /** Gives up starting: what was begun is ended, and the call throws `CANCELLED`. */
  readonly signal?: AbortSignal
  /** Told when something takes long, such as fetching the server. Default: a line on stderr. */
  readonly onProgress?: (line: string) => void
}

const fix =
  'Set CASSANDRA_CONTACT_POINTS to a running cluster, or install Java 17 and Maven, or run Docker and install the ' +
  'package testcontainers.'

/**
 * Gives an Apache Cassandra for tests and demos: the cluster whose contact points are given, else new processes on this
 * machine, else one node in Docker. Every node has answered CQL by the time this returns, and sees all the others.
 *
 * Several may run side by side, in one process or many: each has its own ports and data. A new one ends with this
 * process even if that is killed, its folder with it, and does not keep it from ending; clients that are open do.
 *
 * Contact points that do not answer are an error, and not passed over in silence. They are passed over if they have
 * fewer nodes than `nodes` asks for.
 *
 * @throws IsothermError `ENGINE_UNAVAILABLE`, naming all three ways and what each one said, or the driver to install;
 * `CANCELLED` if `signal` fires; `INVALID_VALUE` for options that make no sense.
 * @example
 * await using cassandra = await startCassandra({ nodes: 3 })
 * const keyspace = await cassandra.keyspace({ ddl: ['CREATE TABLE item (id int PRIMARY KEY, name text)'] })
 * const client = await cassandra.client(keyspace)
 * await client.execute('INSERT INTO item (id, name) VALUES (?, ?)', [1, 'one'], { prepare: true })
 */
export async function startCassandra(options: CassandraOptions = {}): Promise<Cassandra> {
  const { nodes, clientOptions = {} } = options
  if (nodes !== undefined && nodes !== 1 && nodes !== 3) {
    throw new IsothermError('INVALID_VALUE', `nodes is ${String(nodes)}.`, { fix: 'Give 1 or 3.' })
  }
  if (options.signal?.aborted === true) {
    throw new IsothermError('CANCELLED', 'The signal had fired already.', { cause: options.signal.reason })
  }
  // Before any way is tried: without the driver none of them could be told to serve.
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
  const running = await startFirstWay({
    engine: 'Cassandra',
    ways: [
      { name: 'given', start: () => cassandraOfGiven(request) },
      { name: 'java', start: () => cassandraOfJava(request) },
      { name: 'docker', start: () => cassandraOfDocker(request) },
    ],
    asked: options.ways,
    fix,
  })
  return new StartedCassandra(running, clientOptions)
}
