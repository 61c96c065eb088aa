import { realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { IsothermError } from '../errors.js'
import { flagArguments } from './emulator-way.js'
import type { EmulatorRequest, RunningEmulator } from './emulator-way.js'
import { isProgram } from './programs.js'
import { quoted, withTail } from './process-tail.js'
import { spawnTied } from './tied-process.js'
import type { TiedProcess } from './tied-process.js'
import { messageOf, WayRefused } from './resolve.js'
import { awaitAnswer, closeSpanner, connectSpanner } from './spanner-client.js'
import { withinTime } from './time-limit.js'

const program = 'emulator_main'
const folder = 'cloud_spanner_emulator'

/** Where Google's Linux packages put the command line tools. */
const packagedSdk = '/usr/lib/google-cloud-sdk'

/** Where `emulator_main` may be, in order, without repetitions. */
export function emulatorBinaryPlaces(environment: NodeJS.ProcessEnv = process.env): string[] {
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
  return [...new Set(folders.map((place) => join(place, program)))]
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
  const places = emulatorBinaryPlaces()
  const binary = places.find(isProgram)
  if (binary === undefined) {
    throw new WayRefused(
      `there is no ${program} in ${packagedSdk}/bin/${folder}, in the SDK of a gcloud on the PATH, or on the PATH.`,
    )
  }
  // The kernel picks the port. It never gives one that any other socket holds, whereas a port that is named, even one
  // found free a moment ago, may be shared in silence: the emulator listens with SO_REUSEPORT.
  const child = spawnTied(binary, ['--host_port', '127.0.0.1:0', ...flagArguments(request.flags)])
  try {
    return await untilServing(binary, child, request)
  } catch (error) {
    await child.kill()
    if (error instanceof IsothermError) throw error
    throw new WayRefused(`${binary}: ${messageOf(error)}`, { cause: error })
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
    way: 'binary',
    host,
    description: `Cloud Spanner emulator (binary ${binary}, port ${port})`,
    pid: child.pid,
    client,
    died,
    end: () => child.kill(),
  }
}
