import { randomBytes } from 'node:crypto'
import type { Client, ClientOptions } from 'cassandra-driver'
import { IsothermError, type OptionKinds, checkOptions, listOf, number, text } from '@isotherm/core/engine'
import { messageOf } from '@isotherm/core/local'
import {
  type CassandraLauncher,
  type RunningCassandra,
  type RunningNode,
  closeCassandra,
  clusterOptions,
  connectCassandra,
  driverMessage,
} from './driver.js'

/** The objects to create. */
export interface CassandraKeyspaceOptions {
  /** Up to 48 lower-case letters, digits and `_`, beginning with a letter. Default: a unique name. */
  readonly name?: string
  /** How many nodes of the data centre hold each row. Default: every node, and 3 where there are more. */
  readonly replication?: number
  /** Statements to run in the keyspace, in order, without semicolons. Default: none. */
  readonly ddl?: readonly string[]
}

/** One node of a {@link Cassandra}. */
export interface CassandraNode {
  /** `address:port` of its CQL server. */
  readonly host: string
  /** Its process id while it runs; only with the launcher `java`. */
  readonly pid: number | undefined
  /** False from {@link CassandraNode.kill} to {@link CassandraNode.start}, or once it has ended by itself. */
  readonly running: boolean
  /**
   * Ends its process at once and waits until it is gone: no handler runs in it, no connection is closed in order. What
   * it has acknowledged it still has when it starts again. The other nodes notice within some ten seconds; until then a
   * read of one key goes around it, and a range read may wait for it in vain.
   *
   * @throws IsothermError `UNSUPPORTED_FEATURE` unless the launcher is `java`.
   */
  kill(): Promise<void>
  /**
   * Starts it again with its address, its ports and its data, and waits until the nodes that run see each other and
   * answer CQL.
   *
   * @throws IsothermError `UNSUPPORTED_FEATURE` unless the cluster comes from `java`; `INVALID_VALUE` if the node is running;
   * `ENGINE_UNAVAILABLE` with the node's output if it does not start.
   */
  start(): Promise<void>
}

/** A cluster that serves, until {@link Cassandra.stop} or the end of this process, however it ends. */
export interface Cassandra extends AsyncDisposable {
  /** How it was found. */
  readonly launcher: CassandraLauncher
  /** For people: `Cassandra 5.0.8 (Java, 127.0.0.1:20345)`. */
  readonly description: string
  /** `address:port` of every node, in the form of the driver's `contactPoints`. */
  readonly contactPoints: readonly string[]
  readonly localDataCenter: string
  /**
   * For a client of your own, also in another process: the contact points, the data centre, the port of the nodes that the
   * driver discovers (its default is 9042), and the `clientOptions` of `startCassandra`.
   */
  readonly clientOptions: ClientOptions
  /** How many nodes there are. */
  readonly size: number
  /**
   * A node by its number, from 1.
   *
   * @throws IsothermError `INVALID_VALUE` for a node that there is not.
   */
  node(number: number): CassandraNode
  /**
   * Creates a keyspace and gives its name.
   *
   * @throws IsothermError `DATABASE` if the cluster refuses a statement (`cause` is its answer); `INVALID_VALUE` for a
   * name or a replication that there can't be; `ENGINE_UNAVAILABLE` if it has ended.
   * @example
   * const keyspace = await cassandra.keyspace({ ddl: ['CREATE TABLE item (id int PRIMARY KEY)'] })
   */
  keyspace(options?: CassandraKeyspaceOptions): Promise<string>
  /**
   * A connected client of the vendor's driver, with {@link Cassandra.clientOptions} and otherwise the driver's own
   * defaults; `stop()` shuts it down.
   *
   * @throws IsothermError `DATABASE` if it can't connect (`cause` says why); `ENGINE_UNAVAILABLE` if the cluster has
   * ended.
   * @example
   * const client = await cassandra.client(await cassandra.keyspace())
   * await client.execute('SELECT * FROM item WHERE id = ?', [1], { prepare: true })
   */
  client(keyspace?: string, options?: Partial<ClientOptions>): Promise<Client>
  /**
   * Shuts down the clients that were made by `client()` and ends the cluster; a given cluster goes on without the keyspaces
   * that were created by `keyspace()`. Calling it again does nothing more.
   */
  stop(): Promise<void>
}

const KEYSPACE_OPTIONS: OptionKinds<CassandraKeyspaceOptions> = {
  name: text("'shop'"),
  replication: number,
  ddl: listOf(text("'CREATE TABLE …'"), 'a list of statements'),
}

const keyspaceName = /^[a-z][a-z0-9_]{0,47}$/

/** The public face of a cluster that runs. */
export class StartedCassandra implements Cassandra {
  readonly launcher: CassandraLauncher
  readonly description: string
  readonly contactPoints: readonly string[]
  readonly localDataCenter: string
  readonly clientOptions: ClientOptions
  readonly size: number
  readonly #running: RunningCassandra
  readonly #nodes: readonly CassandraNode[]
  readonly #clients = new Set<Promise<Client>>()
  readonly #keyspaces = new Set<string>()
  #stopping: Promise<void> | undefined

  constructor(running: RunningCassandra, clientOptions: Partial<ClientOptions>) {
    this.#running = running
    this.launcher = running.launcher
    this.description = running.description
    this.contactPoints = running.nodes.map(({ host }) => host)
    this.localDataCenter = running.localDataCenter
    const { contactPoints, localDataCenter } = this
    this.clientOptions = { ...clusterOptions(contactPoints, clientOptions), localDataCenter }
    this.size = running.nodes.length
    this.#nodes = running.nodes.map((node) => this.#face(node))
  }

  node(number: number): CassandraNode {
    const node = this.#nodes[number - 1]
    if (node !== undefined) return node
    throw new IsothermError('INVALID_VALUE', `There is no node ${number}.`, {
      fix: `They are numbered from 1 to ${this.size}.`,
    })
  }

  async keyspace(options: CassandraKeyspaceOptions = {}): Promise<string> {
    checkOptions('cassandra.keyspace', KEYSPACE_OPTIONS, options)
    const { name = `isotherm_${randomBytes(6).toString('hex')}`, ddl = [] } = options
    const replication = options.replication ?? Math.min(3, this.size)
    if (!keyspaceName.test(name)) {
      throw new IsothermError('INVALID_VALUE', `A keyspace cannot be called ${JSON.stringify(name)}.`, {
        fix: 'Use up to 48 lower-case letters, digits and _, beginning with a letter.',
      })
    }
    if (!(Number.isSafeInteger(replication) && replication >= 1 && replication <= this.size)) {
      throw new IsothermError('INVALID_VALUE', `The replication of keyspace ${name} is ${replication}.`, {
        fix: `Give a whole number from 1 to ${this.size}, the number of nodes.`,
      })
    }
    const replicas = `{'class': 'NetworkTopologyStrategy', '${this.localDataCenter}': ${replication}}`
    const failure = `Keyspace ${name} could not be created`
    await this.#during(undefined, failure, async (client) => {
      await client.execute(`CREATE KEYSPACE ${name} WITH replication = ${replicas}`)
      this.#keyspaces.add(name)
    })
    if (ddl.length === 0) return name
    await this.#during(name, failure, async (client) => {
      // One after another, as they may build on each other.
      for (const statement of ddl) await client.execute(statement)
    })
    return name
  }

  async client(keyspace?: string, options: Partial<ClientOptions> = {}): Promise<Client> {
    const connecting = this.#connect(keyspace, options)
    // stop() waits for a client that connects late, to close it.
    this.#clients.add(connecting)
    connecting.catch(() => this.#clients.delete(connecting))
    return connecting
  }

  async #connect(keyspace: string | undefined, options: Partial<ClientOptions>): Promise<Client> {
    if (this.#stopping !== undefined) throw this.#gone('it was stopped.')
    try {
      return await connectCassandra({
        ...this.clientOptions,
        ...options,
        ...(keyspace !== undefined && { keyspace }),
      })
    } catch (error) {
      const death = this.#running.died()
      if (death !== undefined) throw this.#gone(death)
      throw databaseError('No client could connect', error)
    }
  }

  /** Works with a client that is open no longer than that. */
  async #during(
    keyspace: string | undefined,
    failure: string,
    work: (client: Client) => Promise<void>,
  ): Promise<void> {
    const client = await this.#connect(keyspace, {})
    try {
      await work(client)
    } catch (error) {
      throw databaseError(failure, error)
    } finally {
      await closeCassandra(client)
    }
  }

  #face(node: RunningNode): CassandraNode {
    const control = (): NonNullable<RunningNode['process']> => {
      if (node.process !== undefined) return node.process
      throw new IsothermError(
        'UNSUPPORTED_FEATURE',
        `The node ${node.host} was not started here as a process.`,
        {
          fix: "Start the cluster with launchers: ['java'].",
        },
      )
    }
    return {
      host: node.host,
      get pid() {
        return node.pid
      },
      get running() {
        return node.running
      },
      kill: async () => control().kill(),
      start: async () => {
        if (this.#stopping !== undefined) throw this.#gone('it was stopped.')
        try {
          await control().start()
        } catch (error) {
          if (error instanceof IsothermError) throw error
          throw new IsothermError('ENGINE_UNAVAILABLE', `The node did not start: ${messageOf(error)}`, {
            cause: error,
          })
        }
      },
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    if (this.launcher === 'given') await this.#dropKeyspaces()
    await Promise.allSettled([...this.#clients].map(async (made) => closeCassandra(await made)))
    await this.#running.end()
  }

  async #dropKeyspaces(): Promise<void> {
    if (this.#keyspaces.size === 0) return
    const client = await connectCassandra(this.clientOptions).catch(() => undefined)
    if (client === undefined) return
    for (const name of this.#keyspaces) {
      // The user may have dropped the keyspace before, which is not an error.
      await client.execute(`DROP KEYSPACE IF EXISTS ${name}`).catch(() => {})
    }
    await closeCassandra(client)
  }

  #gone(what: string): IsothermError {
    return new IsothermError('ENGINE_UNAVAILABLE', `The ${this.description} is gone: ${what}`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

function databaseError(what: string, error: unknown): IsothermError {
  if (error instanceof IsothermError) return error
  return new IsothermError('DATABASE', `${what}: ${driverMessage(error)}`, { cause: error })
}
