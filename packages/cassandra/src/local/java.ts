import { execFile } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  type TiedFolder,
  LauncherFailed,
  cacheFolder,
  isProgram,
  messageOf,
  onPath,
  spawnTied,
  tiedFolder,
  quoted,
  withTail,
  withinTime,
} from '@isotherm/core/local'
import { createHash, randomInt } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { ServerNode, cassandraVersion, evenTokens, pom } from './server-node.js'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { IsothermError } from '@isotherm/core/engine'
import { type CassandraRequest, type RunningCassandra, type RunningNode, awaitCql } from './driver.js'

const run = promisify(execFile)

/** Cassandra 5 runs on 11 and 17; newer ones lack the security manager that it sets. */
const major = 17

/** Where Linux packages put their Javas. */
const packagedJavas = '/usr/lib/jvm'

const askLimitMs = 20_000

/** Where `java` may be, in order, without repetitions. */
export function javaLocations(environment: NodeJS.ProcessEnv, packaged = packagedJavas): string[] {
  const homes = ['JAVA_HOME', `JAVA_HOME_${major}_X64`, `JAVA_HOME_${major}_ARM64`]
  const set = homes.map((name) => environment[name] ?? '').filter((home) => home !== '')
  return [
    ...new Set([
      ...set.map((home) => join(home, 'bin', 'java')),
      ...onPath('java', environment),
      ...entriesOf(packaged).map((name) => join(packaged, name, 'bin', 'java')),
    ]),
  ]
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

/**
 * The first `java` of a version that Cassandra runs on.
 *
 * @throws LauncherFailed naming what was found instead.
 */
export async function findJava(
  environment: NodeJS.ProcessEnv = process.env,
  packaged = packagedJavas,
): Promise<string> {
  const others: string[] = []
  const seen = new Set<string>()
  for (const location of javaLocations(environment, packaged).filter(isProgram)) {
    const java = realpathSync(location)
    if (seen.has(java)) continue
    seen.add(java)
    const version = await versionOf(java)
    if (version === major) return java
    others.push(`${location} (${version === undefined ? 'it does not say its version' : `Java ${version}`})`)
  }
  const instead = others.length === 0 ? '' : ` There is ${others.join(', ')}.`
  throw new LauncherFailed(`there is no Java ${major} in JAVA_HOME, on the PATH or in ${packaged}.${instead}`)
}

async function versionOf(java: string): Promise<number | undefined> {
  try {
    const { stderr, stdout } = await run(java, ['-version'], { timeout: askLimitMs })
    const version = /version "(?:1\.)?(\d+)/.exec(`${stderr}${stdout}`)?.[1]
    return version === undefined ? undefined : Number(version)
  } catch {
    return undefined
  }
}

/**
 * `mvn`, in MAVEN_HOME or on the PATH.
 *
 * @throws LauncherFailed if there is none.
 */
export function findMaven(environment: NodeJS.ProcessEnv = process.env): string {
  const home = environment['MAVEN_HOME'] ?? ''
  const locations = [...(home === '' ? [] : [join(home, 'bin', 'mvn')]), ...onPath('mvn', environment)]
  const maven = locations.find(isProgram)
  if (maven !== undefined) return maven
  throw new LauncherFailed('there is no mvn in MAVEN_HOME or on the PATH, to fetch Cassandra with.')
}

/** The environment in which Maven runs on this very Java, whichever the PATH names. */
export function mavenEnvironment(
  java: string,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return { ...environment, JAVA_HOME: dirname(dirname(java)) }
}

/** How long to wait before Maven runs again. Each run continues with what the one before it has fetched. */
const FETCH_PAUSES_MS = [2_000, 10_000]

/** For 80 MB over a slow line. */
const fetchLimitMs = 900_000

const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

/** Where the jars of this version are kept: a change of what Maven is asked for makes another folder. */
export function jarsFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const digest = createHash('sha256').update(pom).digest('hex').slice(0, 8)
  return join(cacheFolder(environment), `cassandra-${cassandraVersion}-${digest}`)
}

/**
 * The folder with Cassandra's jars, which Maven fetches from Central the first time. They are moved there by one rename, so
 * that the folder is complete even if several processes fetch at once; nothing is kept of Maven's own repository. Maven is
 * run at most three times, since a network may fail temporarily.
 *
 * @param wait how to wait between two runs
 * @throws LauncherFailed if Maven is not found, or with its last output.
 */
export async function cassandraJars(
  java: string,
  onProgress: (line: string) => void,
  signal: AbortSignal | undefined,
  wait: (milliseconds: number, signal?: AbortSignal) => Promise<void> = pause,
): Promise<string> {
  const jars = jarsFolder()
  if (existsSync(jars)) return jars
  const maven = findMaven()
  const cache = cacheFolder()
  await mkdir(cache, { recursive: true }).catch((error: unknown) => {
    throw new LauncherFailed(`the folder ${cache} for Cassandra cannot be created.`, { cause: error })
  })
  onProgress(`Fetching Cassandra ${cassandraVersion} from Maven Central into ${jars}, once (80 MB) …`)
  const began = Date.now()
  const staging = await tiedFolder('.fetching-', cache)
  try {
    await writeFile(join(staging.path, 'pom.xml'), pom)
    for (let attempt = 0; ; attempt++) {
      try {
        await runMaven(maven, staging.path, mavenEnvironment(java), signal)
        break
      } catch (error) {
        const milliseconds = FETCH_PAUSES_MS[attempt]
        if (milliseconds === undefined || !(error instanceof LauncherFailed)) throw error
        onProgress(`${error.message}\nTrying again in ${milliseconds / 1_000} s …`)
        // A jar may have been written half.
        await rm(join(staging.path, 'jars'), { recursive: true, force: true })
        await wait(milliseconds, signal)
      }
    }
    await rename(join(staging.path, 'jars'), jars).catch((error: unknown) => {
      // Another process was faster, with the same jars.
      if (!existsSync(jars)) throw error
    })
    onProgress(
      `Cassandra ${cassandraVersion} is installed after ${Math.ceil((Date.now() - began) / 1000)} s.`,
    )
    return jars
  } finally {
    await staging.remove()
  }
}

async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal })
}

async function runMaven(
  maven: string,
  folder: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<void> {
  const child = spawnTied(
    maven,
    [
      '--batch-mode',
      '--quiet',
      '--strict-checksums',
      '--file',
      join(folder, 'pom.xml'),
      `-Dmaven.repo.local=${join(folder, 'repository')}`,
      `-DoutputDirectory=${join(folder, 'jars')}`,
      copyGoal,
    ],
    environment,
  )
  try {
    const end = await withTail(
      child,
      withinTime(fetchLimitMs, 'Maven did not fetch Cassandra', child.ended, signal),
    )
    if (end !== 'it ended with exit code 0.')
      throw new LauncherFailed(`${maven} could not fetch Cassandra: ${end}${quoted(child.tail())}`)
  } finally {
    await child.kill()
  }
}

/**
 * Below the ports that kernels give to outgoing connections: such a connection could take a port between the time when it
 * is found free and the time when the server listens.
 */
const lowest = 20_000
const highest = 32_767

const attempts = 200

/** A port that this process has found free once is not used a second time: its server may not listen yet. */
const assignedPorts = new Set<number>()

/**
 * A port that is free on every one of these addresses.
 *
 * @throws LauncherFailed where an address is not one of this machine.
 */
export async function freePort(addresses: readonly string[]): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(lowest, highest + 1)
    if (assignedPorts.has(port)) continue
    assignedPorts.add(port)
    const free = await Promise.all(addresses.map((address) => isFree(address, port)))
    if (free.every(Boolean)) return port
  }
  throw new LauncherFailed(`no port from ${lowest} to ${highest} is free on ${addresses.join(', ')}.`)
}

async function isFree(address: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen({ host: address, port, exclusive: true }), 'listening')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL') {
      throw new LauncherFailed(
        `${address} is not an address of this machine (on macOS: sudo ifconfig lo0 alias ${address}).`,
        { cause: error },
      )
    }
    return false
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}

/** The name of the one data centre, from the snitch that the nodes use. */
const dataCenter = 'datacenter1'

/** Long, for a node that starts beside the tests of a busy machine; fetching the server is not part of it. */
const defaultLimitMs = 180_000

/** A cluster of processes on this machine's loopback addresses. */
export async function cassandraOfJava(request: CassandraRequest): Promise<RunningCassandra> {
  try {
    const java = await findJava()
    const jars = await cassandraJars(java, request.onProgress, request.signal)
    const folder = await tiedFolder('isotherm-cassandra-')
    const nodes = await newNodes(request.nodes ?? 1, folder, java, jars)
    const cluster = new LocalCluster(nodes, folder, request)
    try {
      await cluster.start(nodes)
    } catch (error) {
      await cluster.end()
      throw error
    }
    return cluster
  } catch (error) {
    if (error instanceof IsothermError || error instanceof LauncherFailed) throw error
    throw new LauncherFailed(messageOf(error), { cause: error })
  }
}

async function newNodes(count: 1 | 3, folder: TiedFolder, java: string, jars: string): Promise<ServerNode[]> {
  try {
    const seeds = Array.from({ length: count }, (_, index) => `127.0.0.${index + 1}`)
    const tokens = evenTokens(count)
    const storagePort = await freePort(seeds)
    const nativePort = await freePort(seeds)
    const nodes = seeds.map((address, index) => {
      const location = {
        folder: join(folder.path, `node-${index + 1}`),
        address,
        seeds,
        storagePort,
        nativePort,
      }
      return new ServerNode({ ...location, token: tokens[index] ?? '0' }, java, jars)
    })
    await Promise.all(nodes.map((node) => node.prepare()))
    return nodes
  } catch (error) {
    await folder.remove()
    throw error
  }
}

class LocalCluster implements RunningCassandra {
  readonly launcher = 'java'
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
    // Once one node has failed, the answers of the others do not matter.
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
