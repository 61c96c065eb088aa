import type { StartedTestContainer } from 'testcontainers'
import { IsothermError } from '../../errors.js'
import { importPeer } from '../optional-peer.js'
import { messageOf, WayRefused } from '../resolve.js'
import { withinTime } from '../time-limit.js'
import { awaitCql } from './driver.js'
import type { CassandraRequest, RunningCassandra } from './way.js'

const nativePort = 9042

/** One node in a container of its own. */
export async function cassandraOfDocker(request: CassandraRequest): Promise<RunningCassandra> {
  // The driver reaches every node at the one port that it was given, which published ports are not.
  if (request.nodes === 3) throw new WayRefused('three nodes are started by Java only.')
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
      way: 'docker',
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
    throw new WayRefused(messageOf(error), { cause: error })
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
