import { join } from 'node:path'
import { IsothermError } from '../../errors.js'
import { messageOf, WayRefused } from '../resolve.js'
import { tiedFolder } from '../tied-folder.js'
import type { TiedFolder } from '../tied-folder.js'
import { awaitCql } from './driver.js'
import { cassandraJars } from './jars.js'
import { findJava } from './java-tools.js'
import { freePort } from './loopback-ports.js'
import { cassandraVersion, evenTokens } from './server-files.js'
import { ServerNode } from './server-node.js'
import type { CassandraRequest, RunningCassandra, RunningNode } from './way.js'

/** What the one data centre is called by the snitch that the nodes use. */
const dataCenter = 'datacenter1'

/** Long, for a node that starts beside the tests of a busy machine; fetching the server is not part of it. */
const defaultLimitMs = 180_000

/** A cluster of processes on this machine's loopback addresses. */
export async function cassandraOfJava(request: CassandraRequest): Promise<RunningCassandra> {
  try {
    const java = await findJava()
    const jars = await cassandraJars(java, request.onProgress, request.signal)
    const folder = await tiedFolder('isotherm-cassandra-')
    const nodes = await placeNodes(request.nodes ?? 1, folder, java, jars)
    const cluster = new LocalCluster(nodes, folder, request)
    try {
      await cluster.start(nodes)
    } catch (error) {
      await cluster.end()
      throw error
    }
    return cluster
  } catch (error) {
    if (error instanceof IsothermError || error instanceof WayRefused) throw error
    throw new WayRefused(messageOf(error), { cause: error })
  }
}

async function placeNodes(
  count: 1 | 3,
  folder: TiedFolder,
  java: string,
  jars: string,
): Promise<ServerNode[]> {
  try {
    const seeds = Array.from({ length: count }, (_, index) => `127.0.0.${index + 1}`)
    const tokens = evenTokens(count)
    const storagePort = await freePort(seeds)
    const nativePort = await freePort(seeds)
    const nodes = seeds.map((address, index) => {
      const place = {
        folder: join(folder.path, `node-${index + 1}`),
        address,
        seeds,
        storagePort,
        nativePort,
      }
      return new ServerNode({ ...place, token: tokens[index] ?? '0' }, java, jars)
    })
    await Promise.all(nodes.map((node) => node.prepare()))
    return nodes
  } catch (error) {
    await folder.remove()
    throw error
  }
}

class LocalCluster implements RunningCassandra {
  readonly way = 'java'
  readonly localDataCenter = dataCenter
  readonly description: string
  readonly nodes: readonly RunningNode[]
  readonly #nodes: readonly ServerNode[]
  readonly #folder: TiedFolder
  readonly #request: CassandraRequest

  constructor(nodes: readonly ServerNode[], folder: TiedFolder, request: CassandraRequest) {
    this.#nodes = nodes
    this.#folder = folder
    this.#request = request
    const hosts = nodes.map(({ host }) => host).join(', ')
    this.description = `Cassandra ${cassandraVersion} (Java, ${hosts})`
    this.nodes = nodes.map((node) => ({
      host: node.host,
      get pid() {
        return node.pid
      },
      get running() {
        return node.running
      },
      process: {
        kill: () => node.kill(),
        start: async () => {
          node.refuseIfRunning()
          await this.start([node]).catch(async (error: unknown) => {
            await node.kill()
            throw error
          })
        },
      },
    }))
  }

  /** Starts some nodes and waits until all that run see each other and answer CQL. */
  async start(starting: readonly ServerNode[]): Promise<void> {
    const { timeoutMs = defaultLimitMs, clientOptions, signal } = this.#request
    // Once one of them has failed, nobody waits for the answers of the others.
    const over = new AbortController()
    const watched = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal])
    const failures = starting.map((node) => node.spawn())
    const running = this.#nodes.filter((node) => node.running)
    const answer = async (node: ServerNode): Promise<void> => {
      try {
        await awaitCql(node.host, { up: running.length, timeoutMs, clientOptions }, watched)
      } catch (error) {
        if (error instanceof IsothermError) throw error
        throw new Error(`${messageOf(error)}${node.tail}`, { cause: error })
      }
    }
    try {
      await Promise.race([Promise.all(running.map(answer)), ...failures])
    } finally {
      over.abort()
    }
    for (const node of starting) node.unref()
  }

  died(): string | undefined {
    return this.#nodes.find(({ death }) => death !== undefined)?.death
  }

  async end(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill()))
    await this.#folder.remove()
  }
}
