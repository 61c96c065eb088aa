import type { Spanner } from '@google-cloud/spanner'
import { realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { IsothermError } from '@isotherm/core/engine'
import {
  type TiedProcess,
  LauncherFailed,
  importPeer,
  isProgram,
  messageOf,
  quoted,
  spawnTied,
  withTail,
  withinTime,
} from '@isotherm/core/local'
import { awaitAnswer, closeSpanner, connectSpanner } from './spanner-client.js'
import type { StartedTestContainer } from 'testcontainers'

/** How an emulator came to be there: a host named in the environment, a binary on this machine, or a container. */
export type SpannerEmulatorLauncher = 'environment' | 'binary' | 'docker'

/** Settings that the emulator takes when it starts, so an emulator from `SPANNER_EMULATOR_HOST` cannot have them. */
interface EmulatorFlags {
  readonly faultInjection?: boolean | undefined
  readonly disableNullFilteredIndexCheck?: boolean | undefined
  readonly overrideMaxDatabasesPerInstance?: number | undefined
}

/** The common inputs for starting an emulator and checking that it serves. */
export interface EmulatorRequest {
  readonly flags: EmulatorFlags
  readonly projectId: string
  readonly image: string
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignal | undefined
}

/** An emulator that has answered a real call. */
export interface RunningEmulator {
  readonly launcher: SpannerEmulatorLauncher
  /** `host:port` of the gRPC server. */
  readonly host: string
  readonly description: string
  readonly pid: number | undefined
  readonly client: Spanner
  /** Resolves with the emulator's output if it has ended by itself; otherwise never. */
  readonly died: Promise<string> | undefined
  /** Ends the emulator if it is ours to end. */
  end(): Promise<void>
}

/** The flags of `emulator_main` and of `gateway_main`, which share their names. */
function flagArguments(flags: EmulatorFlags): string[] {
  const max = flags.overrideMaxDatabasesPerInstance
  return [
    ...(flags.faultInjection === true ? ['--enable_fault_injection'] : []),
    ...(flags.disableNullFilteredIndexCheck === true ? ['--disable_query_null_filtered_index_check'] : []),
    ...(max === undefined ? [] : [`--override_max_databases_per_instance=${max}`]),
  ]
}

const program = 'emulator_main'
const folder = 'cloud_spanner_emulator'

/** Where Google's Linux packages put the command line tools. */
const packagedSdk = '/usr/lib/google-cloud-sdk'

/** Where `emulator_main` may be, in order, without repetitions. */
export function emulatorBinaryLocations(environment: NodeJS.ProcessEnv = process.env): string[] {
  const path = (environment['PATH'] ?? '').split(delimiter).filter((entry) => entry !== '')
  const beside = (name: string, folderOf: (file: string) => string): string[] =>
    path.flatMap((entry) => realFile(join(entry, name)) ?? []).map(folderOf)
  const sdks = [
    environment['CLOUDSDK_ROOT_DIR'] ?? '',
    packagedSdk,
    // A `gcloud` on the PATH is often a link to <sdk root>/bin/gcloud.
    ...beside('gcloud', (gcloud) => dirname(dirname(gcloud))),
  ].filter((root) => root !== '')
  const folders = [
    ...sdks.map((root) => join(root, 'bin', folder)),
    ...path,
    ...beside('gateway_main', dirname),
  ]
  return [...new Set(folders.map((location) => join(location, program)))]
}

function realFile(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

/** Starts `emulator_main` itself: a signal to `gateway_main` would leave it behind. */
export async function emulatorOfBinary(request: EmulatorRequest): Promise<RunningEmulator> {
  const locations = emulatorBinaryLocations()
  const binary = locations.find(isProgram)
  if (binary === undefined) {
    throw new LauncherFailed(
      `there is no ${program} in ${packagedSdk}/bin/${folder}, in the SDK of a gcloud on the PATH, or on the PATH.`,
    )
  }
  // The kernel picks the port. It never gives one that another socket holds, whereas a port that is named, even one that
  // was free just before, may be shared silently: the emulator listens with SO_REUSEPORT.
  const child = spawnTied(binary, ['--host_port', '127.0.0.1:0', ...flagArguments(request.flags)])
  try {
    return await untilServing(binary, child, request)
  } catch (error) {
    await child.kill()
    if (error instanceof IsothermError) throw error
    throw new LauncherFailed(`${binary}: ${messageOf(error)}`, { cause: error })
  }
}

async function untilServing(
  binary: string,
  child: TiedProcess,
  request: EmulatorRequest,
): Promise<RunningEmulator> {
  const { projectId, timeoutMs = 30_000, signal } = request
  const died = child.ended.then((end) => `${end}${quoted(child.tail())}`)
  const failed = died.then((what) => Promise.reject(new Error(what)))
  failed.catch(() => {})

  const began = Date.now()
  const silent = 'it named no port'
  const address = child.awaitOutput(/Server address: \S*:(\d+)/)
  const port = await withTail(child, withinTime(timeoutMs, silent, Promise.race([address, failed]), signal))
  const host = `127.0.0.1:${port}`
  const client = await connectSpanner(host, projectId)
  try {
    const left = Math.max(1, timeoutMs - (Date.now() - began))
    const answer = awaitAnswer(client, { host, projectId, timeoutMs: left }, signal)
    await withTail(child, Promise.race([answer, failed]))
  } catch (error) {
    await closeSpanner(client)
    throw error
  }
  child.unref()
  return {
    launcher: 'binary',
    host,
    description: `Cloud Spanner emulator (binary ${binary}, port ${port})`,
    pid: child.pid,
    client,
    died,
    end: () => child.kill(),
  }
}

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
      launcher: 'docker',
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
    throw new LauncherFailed(messageOf(error), { cause: error })
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

/** The emulator that `SPANNER_EMULATOR_HOST` names; it is the user's, and is never ended. */
export async function emulatorOfEnvironment(request: EmulatorRequest): Promise<RunningEmulator> {
  const host = process.env['SPANNER_EMULATOR_HOST']
  if (host === undefined || host === '') throw new LauncherFailed('SPANNER_EMULATOR_HOST is not set.')
  const flags = flagArguments(request.flags)
  if (flags.length > 0) {
    throw new LauncherFailed(
      `SPANNER_EMULATOR_HOST=${host} is running already, so it can't be given ${flags.join(' ')}.`,
    )
  }
  const { projectId, timeoutMs = 10_000, signal } = request
  try {
    const client = await connectSpanner(host, projectId)
    try {
      await awaitAnswer(client, { host, projectId, timeoutMs }, signal)
    } catch (error) {
      await closeSpanner(client)
      throw error
    }
    return {
      launcher: 'environment',
      host,
      description: `Cloud Spanner emulator (SPANNER_EMULATOR_HOST=${host})`,
      pid: undefined,
      client,
      died: undefined,
      end: async () => {},
    }
  } catch (error) {
    if (error instanceof IsothermError) throw error
    throw new LauncherFailed(`SPANNER_EMULATOR_HOST=${host} is not ready: ${messageOf(error)}`, {
      final: true,
      cause: error,
    })
  }
}
