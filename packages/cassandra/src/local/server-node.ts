import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mkdir, writeFile } from 'node:fs/promises'
import { IsothermError } from '@isotherm/core/engine'
import { type TiedProcess, quoted, spawnTied } from '@isotherm/core/local'

/** The server that is started, as it is on Maven Central. */
export const cassandraVersion = '5.0.8'

/**
 * The project that Maven installs, with the exclusions of Cassandra's own project; all other artifacts are dependencies.
 */
export const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>isotherm</groupId>
  <artifactId>cassandra-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.cassandra</groupId>
      <artifactId>cassandra-all</artifactId>
      <version>${cassandraVersion}</version>
    </dependency>
  </dependencies>
</project>
`

/** The folder and the addresses of a node. */
interface NodeLocation {
  readonly folder: string
  readonly address: string
  /** The addresses of all nodes: each is a seed, so that none waits for another to be there. */
  readonly seeds: readonly string[]
  /** Where its part of the ring ends. */
  readonly token: string
  readonly storagePort: number
  readonly nativePort: number
}

/** Tokens that share the ring evenly, one a node: any more only cost time at the start. */
export function evenTokens(nodes: number): string[] {
  const ring = 2n ** 64n
  return Array.from({ length: nodes }, (_, node) => String((ring * BigInt(node)) / BigInt(nodes) - ring / 2n))
}

/**
 * `cassandra.yaml`.
 *
 * A write is answered when it is in the commit log (`batch`), so that a killed node has it when it starts again; that costs
 * little, because nothing waits for the disk (`cassandra.skip_sync` below): only a crash of the machine may lose data. The
 * loss of a node is noticed sooner than by default, and a write on a busy machine may take longer.
 */
export function cassandraYaml(location: NodeLocation): string {
  const inFolder = (name: string): string => JSON.stringify(join(location.folder, name))
  return `cluster_name: isotherm
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
num_tokens: 1
initial_token: ${location.token}
auto_bootstrap: false
listen_address: ${location.address}
rpc_address: ${location.address}
storage_port: ${location.storagePort}
native_transport_port: ${location.nativePort}
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{ seeds: "${location.seeds.join(',')}" }]
data_file_directories: [${inFolder('data')}]
commitlog_directory: ${inFolder('commitlog')}
saved_caches_directory: ${inFolder('saved_caches')}
hints_directory: ${inFolder('hints')}
cdc_raw_directory: ${inFolder('cdc_raw')}
commitlog_sync: batch
commitlog_segment_size: 8MiB
auto_snapshot: false
disk_access_mode: standard
memtable_allocation_type: heap_buffers
key_cache_size: 0MiB
counter_cache_size: 0MiB
concurrent_compactors: 1
phi_convict_threshold: 5
write_request_timeout: 10s
`
}

/** `logback.xml`: only what a user would want to read when a node does not start. */
export const logback = `<configuration>
  <appender name="output" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%-5level %logger{0} %msg%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="output"/></root>
</configuration>
`

/** Packages of the JDK that Cassandra 5 reaches into on Java 17. */
const exported = [
  'java.base/java.lang.ref',
  'java.base/jdk.internal.misc',
  'java.management.rmi/com.sun.jmx.remote.internal.rmi',
  'java.management/com.sun.jmx.remote.security',
  'java.rmi/sun.rmi.registry',
  'java.rmi/sun.rmi.server',
  'java.sql/java.sql',
  'jdk.unsupported/sun.misc',
]

const opened = [
  'java.base/java.io',
  'java.base/java.lang',
  'java.base/java.lang.module',
  'java.base/java.lang.reflect',
  'java.base/java.nio',
  'java.base/java.util',
  'java.base/jdk.internal.loader',
  'java.base/jdk.internal.math',
  'java.base/jdk.internal.module',
  'java.base/jdk.internal.ref',
  'java.base/jdk.internal.reflect',
  'java.base/jdk.internal.util.jar',
  'java.base/sun.nio.ch',
  'jdk.management/com.sun.management.internal',
]

/** The arguments of `java` for a node: small, and quick to start rather than fast in the long run. */
export function javaArguments(location: Pick<NodeLocation, 'folder'>, jars: string): string[] {
  const { folder } = location
  const properties: Readonly<Record<string, string>> = {
    'cassandra.config': pathToFileURL(join(folder, 'cassandra.yaml')).href,
    'cassandra.storagedir': folder,
    'cassandra.logdir': folder,
    'logback.configurationFile': join(folder, 'logback.xml'),
    'cassandra-foreground': 'yes',
    // Nodes that start together meet in a second: nothing is gained by waiting for a ring to calm down.
    'cassandra.skip_wait_for_gossip_to_settle': '0',
    'cassandra.ring_delay_ms': '2000',
    'cassandra.skip_sync': 'true',
    // Found out by measuring otherwise, which takes half of the time that a node needs to start.
    'cassandra.memtable.row_overhead_size': '180',
    'cassandra.disable_tcactive_openssl': 'true',
    // Native libraries are unpacked into the node's folder, and removed with it.
    'java.io.tmpdir': join(folder, 'tmp'),
    'jna.tmpdir': join(folder, 'tmp'),
    'java.net.preferIPv4Stack': 'true',
    'jdk.attach.allowAttachSelf': 'true',
    'io.netty.tryReflectionSetAccessible': 'true',
    'chronicle.analytics.disable': 'true',
  }
  return [
    '-Xms64m',
    '-Xmx512m',
    '-XX:+UseSerialGC',
    // The second compiler costs more in a test's lifetime than it gains.
    '-XX:TieredStopAtLevel=1',
    '-XX:+ExitOnOutOfMemoryError',
    '-XX:-UsePerfData',
    `-XX:ErrorFile=${join(folder, 'hs_err.log')}`,
    ...exported.map((name) => `--add-exports=${name}=ALL-UNNAMED`),
    ...opened.map((name) => `--add-opens=${name}=ALL-UNNAMED`),
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    '-cp',
    join(jars, '*'),
    'org.apache.cassandra.service.CassandraDaemon',
  ]
}

/** One Cassandra on this machine, which can be killed and started again with the data that it has stored. */
export class ServerNode {
  readonly host: string
  readonly #location: NodeLocation
  readonly #java: string
  readonly #jars: string
  #child: TiedProcess | undefined
  #killed = false
  #death: string | undefined

  constructor(location: NodeLocation, java: string, jars: string) {
    this.host = `${location.address}:${location.nativePort}`
    this.#location = location
    this.#java = java
    this.#jars = jars
  }

  get pid(): number | undefined {
    return this.running ? this.#child?.pid : undefined
  }

  get running(): boolean {
    return this.#child !== undefined && !this.#killed && this.#death === undefined
  }

  /** How the node ended, with what it printed, unless this process killed it. */
  get death(): string | undefined {
    return this.#death
  }

  /** Writes the files that the server reads when it starts. */
  async prepare(): Promise<void> {
    const { folder } = this.#location
    await mkdir(join(folder, 'tmp'), { recursive: true })
    await writeFile(join(folder, 'cassandra.yaml'), cassandraYaml(this.#location))
    await writeFile(join(folder, 'logback.xml'), logback)
  }

  /** Starts the process; the promise only ever rejects, when it ends by itself. */
  spawn(): Promise<never> {
    const child = spawnTied(this.#java, javaArguments(this.#location, this.#jars))
    this.#child = child
    this.#killed = false
    this.#death = undefined
    const failed = child.ended.then((end) => {
      const what = `${this.host}: ${end}${quoted(child.tail())}`
      if (this.#child === child && !this.#killed) this.#death = what
      throw new Error(what)
    })
    failed.catch(() => {})
    return failed
  }

  /** The last lines that it printed, to follow a sentence. */
  get tail(): string {
    return quoted(this.#child?.tail() ?? '')
  }

  /** From now on it does not keep this process from ending. */
  unref(): void {
    this.#child?.unref()
  }

  /** Kills the process as if its machine had lost power, except that data in the kernel is not lost. */
  async kill(): Promise<void> {
    this.#killed = true
    await this.#child?.kill()
  }

  /** @throws IsothermError `INVALID_VALUE` if it runs. */
  refuseIfRunning(): void {
    if (!this.running) return
    throw new IsothermError('INVALID_VALUE', `The node ${this.host} is running.`, { fix: 'Kill it first.' })
  }
}
