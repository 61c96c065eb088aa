import { createRequire } from 'node:module'
import type { Spanner } from '@google-cloud/spanner'
import { IsothermError, checkArgument, text } from '@isotherm/core/engine'
import { PeerMissing, importPeer, untilItWorks, withinTime } from '@isotherm/core/local'

/**
 * The environment variables that the Google clients read, with the values that they need to work against the emulator.
 *
 * The emulator does not support multiplexed sessions: with its defaults the client fails in ways that do not show the
 * cause, up to an unhandled `error` event. Without the last variable, the client looks for a metadata server and warns that
 * there is none.
 */
export const emulatorSettings: Readonly<Record<string, string>> = {
  GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: 'false',
  GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_PARTITIONED_OPS: 'false',
  GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_FOR_RW: 'false',
  METADATA_SERVER_DETECTION: 'none',
}

/**
 * Sets them for the whole process, since clients that users make themselves read them too; variables that are set already
 * stay. They are not reset: the client reads them whenever a `Database` is made.
 */
export function applySessionSettings(environment: NodeJS.ProcessEnv = process.env): void {
  for (const [name, value] of Object.entries(emulatorSettings)) environment[name] ??= value
}

const require = createRequire(import.meta.url)
const signals = ['SIGINT', 'SIGTERM'] as const

/** Longer than a first call takes on a busy machine, while it loads and compiles the client's descriptors. */
const callTimeoutMs = 5_000
const closeTimeoutMs = 200
const pauseMs = 50

/**
 * The vendor's client library.
 *
 * @throws IsothermError `ENGINE_UNAVAILABLE`, naming what to install.
 */
export async function loadSpannerClient(): Promise<typeof import('@google-cloud/spanner')> {
  applySessionSettings()
  try {
    return await importPeer('@google-cloud/spanner', async () => requireQuietly())
  } catch (error) {
    if (!(error instanceof PeerMissing)) throw error
    throw new IsothermError(
      'ENGINE_UNAVAILABLE',
      'A Spanner emulator needs the package @google-cloud/spanner.',
      {
        fix: 'Install it: npm install @google-cloud/spanner (version 8 on Node.js 20, 8 or 9 from Node.js 22).',
        cause: error,
      },
    )
  }
}

/**
 * When they are loaded, the client's versions 8.13 and 9.0 add listeners for SIGINT and SIGTERM that export metrics, which
 * the emulator does not have, and do not end the process: Ctrl+C would have no effect any more. This function removes the
 * listeners that the client adds. It uses `require`, because that returns before any other code can run and add listeners
 * of its own.
 */
function requireQuietly(): typeof import('@google-cloud/spanner') {
  const before = signals.map((signal) => new Set(process.listeners(signal)))
  const client: typeof import('@google-cloud/spanner') = require('@google-cloud/spanner')
  for (const [index, signal] of signals.entries()) {
    const added = process.listeners(signal).filter((listener) => before[index]?.has(listener) !== true)
    for (const listener of added) process.removeListener(signal, listener)
  }
  return client
}

/** A client of the emulator at `host`, whichever emulator the environment names. */
export async function connectSpanner(host: string, projectId: string): Promise<Spanner> {
  checkArgument('connectSpanner', 'host', text("'127.0.0.1:9010'"), host)
  checkArgument('connectSpanner', 'projectId', text("'isotherm'"), projectId)
  const { Spanner } = await loadSpannerClient()
  const before = process.env['SPANNER_EMULATOR_HOST']
  // The constructor reads the variable and prefers it to its own options; it never reads it again. Nothing else can
  // run between these lines, so several emulators get along in one process.
  process.env['SPANNER_EMULATOR_HOST'] = host
  try {
    return new Spanner({ projectId, ...directConnection })
  } finally {
    if (before === undefined) delete process.env['SPANNER_EMULATOR_HOST']
    else process.env['SPANNER_EMULATOR_HOST'] = before
  }
}

/** Never rejects, and never waits for long: the `close()` of the client's 8.0 gives a promise that is never settled. */
export async function closeSpanner(client: Spanner): Promise<void> {
  const closing = Promise.resolve().then(() => client.close())
  await withinTime(closeTimeoutMs, 'closing the client', closing).catch(() => {})
}

// A proxy set for the internet would be asked for 127.0.0.1 too, unless no_proxy happens to say otherwise.
const directConnection = { 'grpc.enable_http_proxy': 0 }

/**
 * Calls until the emulator answers: a port that accepts connections may still be no emulator.
 *
 * @throws TimeLimitReached whose message holds the last error; IsothermError `CANCELLED`.
 */
export async function awaitAnswer(
  client: Spanner,
  request: { readonly host: string; readonly projectId: string; readonly timeoutMs: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  const admin = client.getInstanceAdminClient()
  const ask = (): Promise<unknown> =>
    admin.listInstanceConfigs(
      { parent: `projects/${request.projectId}` },
      { timeout: Math.min(callTimeoutMs, request.timeoutMs), maxRetries: 0, autoPaginate: false },
    )
  const { timeoutMs } = request
  await untilItWorks(ask, { timeoutMs, pauseMs, missing: `no answer from ${request.host}` }, signal)
}
