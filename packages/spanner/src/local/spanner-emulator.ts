import {
  IsothermError,
  type OptionKinds,
  checkOptions,
  flag,
  listOf,
  numberFrom,
  objectWith,
  oneOf,
  text,
  wholeNumber,
} from '@isotherm/core/engine'
import {
  type EmulatorRequest,
  type SpannerEmulatorLauncher,
  emulatorOfBinary,
  emulatorOfDocker,
  emulatorOfEnvironment,
} from './emulator-launchers.js'
import { startFirst } from '@isotherm/core/local'
import { loadSpannerClient } from './spanner-client.js'
import { type SpannerEmulator, StartedEmulator } from './started-emulator.js'

/** How to get an emulator. */
export interface SpannerEmulatorOptions {
  /**
   * The launchers to try, in this order. Default: `environment` (the emulator that `SPANNER_EMULATOR_HOST` names), `binary`
   * (`emulator_main` of a Google Cloud CLI on this machine, or on the PATH), `docker` (through `testcontainers`).
   */
  readonly launchers?: readonly SpannerEmulatorLauncher[]
  /** The emulator aborts some commits at random, as production does now and then. Default: false. */
  readonly faultInjection?: boolean
  /** Queries may use null-filtered indexes, which the emulator otherwise refuses. Default: false. */
  readonly disableNullFilteredIndexCheck?: boolean
  /** Databases allowed per instance; the emulator heeds it only above its own limit, 100. */
  readonly overrideMaxDatabasesPerInstance?: number
  /** The Google Cloud project; the emulator takes any. Default: `isotherm`. */
  readonly projectId?: string
  /** The image for `docker`. Default: `gcr.io/cloud-spanner-emulator/emulator`. */
  readonly image?: string
  /** Milliseconds that each launcher may take until it serves. Default: 10,000; binary 30,000; Docker 120,000. */
  readonly timeoutMs?: number
  /** Gives up starting: everything that was begun is ended, and the call throws `CANCELLED`. */
  readonly signal?: AbortSignal
}

const EMULATOR_OPTIONS: OptionKinds<SpannerEmulatorOptions> = {
  launchers: listOf(oneOf('environment', 'binary', 'docker'), 'a list of launchers'),
  faultInjection: flag,
  disableNullFilteredIndexCheck: flag,
  overrideMaxDatabasesPerInstance: wholeNumber(1),
  projectId: text("'isotherm'"),
  image: text("'gcr.io/cloud-spanner-emulator/emulator'"),
  timeoutMs: numberFrom(0, 'a number of milliseconds'),
  signal: objectWith('an AbortSignal', 'addEventListener', 'removeEventListener'),
}

const fix =
  'Set SPANNER_EMULATOR_HOST to a running emulator, or install the emulator of the Google Cloud CLI ' +
  '(gcloud components install cloud-spanner-emulator), or run Docker and install the package testcontainers.'

/**
 * Starts or finds a Cloud Spanner emulator for tests and demos: the one in `SPANNER_EMULATOR_HOST`, otherwise a new one
 * from binaries on this machine, otherwise a new one in Docker. It has answered a call by the time this returns.
 *
 * Several emulators may run in parallel, in one process or many: each has its own port and data. A new one ends with this
 * process even if that is killed (in Docker, testcontainers' reaper ends it, unless `TESTCONTAINERS_RYUK_DISABLED` is set),
 * and does not keep the process from ending.
 *
 * Sets the environment variables that the vendor's client needs to work with an emulator (no multiplexed sessions, no
 * metadata server) unless they are set already; they stay set for this process.
 *
 * An emulator in `SPANNER_EMULATOR_HOST` that does not answer is an error, and is not skipped silently. It is skipped if an
 * option is given that only a new emulator can support (such as `faultInjection`).
 *
 * @throws IsothermError `ENGINE_UNAVAILABLE`, naming all three sources and the error of each, or the client library to
 * install; `CANCELLED` if `signal` fires; `INVALID_OPTION` for invalid options.
 * @example
 * await using emulator = await startSpannerEmulator()
 * console.log(emulator.description)
 * const ddl = compileDdl(schema, { dialect: googlesql })
 * const db = openDatabase({ driver: spanner(await emulator.database({ ddl })), schema })
 */
export async function startSpannerEmulator(options: SpannerEmulatorOptions = {}): Promise<SpannerEmulator> {
  checkOptions('startSpannerEmulator', EMULATOR_OPTIONS, options)
  if (options.signal?.aborted === true) {
    throw new IsothermError('CANCELLED', 'The signal was already aborted.', { cause: options.signal.reason })
  }
  // Before any launcher is tried: without the client none of them can be used.
  await loadSpannerClient()
  const request: EmulatorRequest = {
    flags: options,
    projectId: options.projectId ?? 'isotherm',
    image: options.image ?? 'gcr.io/cloud-spanner-emulator/emulator',
    timeoutMs: options.timeoutMs,
    signal: options.signal,
  }
  const running = await startFirst({
    engine: 'Cloud Spanner emulator',
    launchers: [
      { name: 'environment', start: () => emulatorOfEnvironment(request) },
      { name: 'binary', start: () => emulatorOfBinary(request) },
      { name: 'docker', start: () => emulatorOfDocker(request) },
    ],
    requested: options.launchers,
    fix,
  })
  return new StartedEmulator(running, request.projectId)
}
