import type { StartedTestContainer } from 'testcontainers'
import { IsothermError } from '../errors.js'
import { flagArguments } from './emulator-way.js'
import type { EmulatorRequest, RunningEmulator } from './emulator-way.js'
import { importPeer } from './optional-peer.js'
import { messageOf, WayRefused } from './resolve.js'
import { awaitAnswer, closeSpanner, connectSpanner } from './spanner-client.js'
import { withinTime } from './time-limit.js'

const grpcPort = 9010

/** An emulator in a container of its own. */
export async function emulatorOfDocker(request: EmulatorRequest): Promise<RunningEmulator> {
  // Longer than for a binary: the image may have to be pulled.
  const { image, projectId, timeoutMs = 120_000, signal } = request
  try {
    const began = Date.now()
    const starting = startContainer(request, timeoutMs)
    const container = await withinTime(timeoutMs, 'the container did not start', starting, signal).catch(
      (error: unknown) => {
        void starting.then((late) => late.stop()).catch(() => {})
        throw error
      },
    )
    const port = container.getMappedPort(grpcPort)
    const host = `${container.getHost()}:${port}`
    const client = await connectSpanner(host, projectId)
    try {
      const left = Math.max(1, timeoutMs - (Date.now() - began))
      await awaitAnswer(client, { host, projectId, timeoutMs: left }, signal)
    } catch (error) {
      await closeSpanner(client)
      await container.stop()
      throw error
    }
    return {
      way: 'docker',
      host,
      description: `Cloud Spanner emulator (Docker image ${image}, port ${port})`,
      pid: undefined,
      client,
      died: undefined,
      end: async () => {
        await container.stop()
      },
    }
  } catch (error) {
    if (error instanceof IsothermError) throw error
    throw new WayRefused(messageOf(error), { cause: error })
  }
}

async function startContainer(request: EmulatorRequest, timeoutMs: number): Promise<StartedTestContainer> {
  const { GenericContainer, Wait } = await importPeer('testcontainers', () => import('testcontainers'))
  const flags = flagArguments(request.flags)
  const container = new GenericContainer(request.image)
    .withExposedPorts(grpcPort)
    // The image holds no shell, which a wait for ports would need. The real test is the call that follows.
    .withWaitStrategy(Wait.forLogMessage(/Cloud Spanner emulator running/i))
    .withStartupTimeout(timeoutMs)
  // The image's own command, with flags.
  if (flags.length > 0) container.withCommand(['./gateway_main', '--hostname', '0.0.0.0', ...flags])
  return container.start()
}
