import type { Database } from '@google-cloud/spanner'
import {
  type CallOptions,
  type Capability,
  type CostProfile,
  IsothermError,
  type SqlDialectRuntime,
  answer,
  begun,
} from '@isotherm/core/engine'
import { connect } from 'node:net'

/** Cloud Spanner in one region: calls cost milliseconds, a statement reads no more than its WHERE selects. */
export const SERVICE_COSTS: CostProfile = {
  roundTrip: 5,
  call: 0.2,
  statement: 2,
  range: 0.05,
  row: 0.01,
  scannedRow: 0.002,
  statementsScan: false,
  concurrency: 100,
  inFlight: 100,
}

/** Measured on the emulator: reads by key are fast, a statement scans the whole table. */
const EMULATOR_COSTS: CostProfile = {
  roundTrip: 1,
  call: 0.3,
  statement: 3,
  range: 0.1,
  row: 0.02,
  scannedRow: 0.02,
  statementsScan: true,
  concurrency: 2,
  inFlight: 100,
}

export function costsOf(database: Database): CostProfile {
  return isEmulator(database) ? EMULATOR_COSTS : SERVICE_COSTS
}

/** An emulator is a host from the environment, or one without TLS. */
function isEmulator(database: Database): boolean {
  if (process.env['SPANNER_EMULATOR_HOST']) return true
  return optionsOf(database)?.sslCreds?._isSecure?.() === false
}

/** The client's options; undefined if the client does not expose them. */
function optionsOf(database: object): ClientOptions | undefined {
  const { parent } = database as {
    readonly parent?: { readonly parent?: { readonly options?: ClientOptions } }
  }
  return parent?.parent?.options
}

const EMULATOR: readonly Capability[] = [
  'uuid-type',
  'write-beside-defaults',
  'nanosecond-extremes',
  'concurrent-transactions',
]

/** The features that the engine behind a client does not have, although its dialect has them. */
export function lacksOf(database: Database, dialect: SqlDialectRuntime): readonly Capability[] {
  if (!isEmulator(database)) return []
  // It ends on an ORDER BY, or a GROUP BY, of a PostgreSQL numeric, and counts 1.5 and 1.50 as two values. Partitioned DML
  // it reads a second time as GoogleSQL, where a quoted name is a text.
  return dialect.name === 'spanner-postgresql' ? [...EMULATOR, 'numeric-order', 'partitioned-dml'] : EMULATOR
}

// The client connects again and again while a call waits for its session, and never reports that each connection was
// refused. So Isotherm probes the host while a call waits: if connections are refused for a while, it is not a restart.

/** How long a call waits before the host is probed for it, and at least between two probes that were not refused. */
const WAIT_BEFORE_PROBE = 500
/** The pause after a refused probe. */
const PAUSE = 250
/** Between two probes for a call that waits on; twice as long each time, up to this. */
const LONGEST_PAUSE = 30_000
/** For how long a connection has to be refused. */
const REFUSED_FOR = 2_500
const PROBE_TIMEOUT = 1_000

/** Errors of a host that does not exist; a name that cannot be resolved now may be resolved later. */
const REFUSALS: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'])

interface ClientOptions {
  readonly servicePath?: string
  readonly apiEndpoint?: string
  readonly sslCreds?: { _isSecure?: () => boolean }
  readonly universeDomain?: string
  readonly universe_domain?: string
  readonly port?: number | string
}

interface Address {
  readonly host: string
  readonly port: number
}

const reachabilities = new WeakMap<Database, Reachability>()

/** The probe of a database, shared by all its drivers. */
export function reachabilityOf(database: Database): Reachability {
  let found = reachabilities.get(database)
  if (!found) reachabilities.set(database, (found = new Reachability(addressOf(database))))
  return found
}

/** A call that waits for the host. In the clock of `performance.now()`. */
interface Waiting {
  probeAt: number
  pause: number
  end(error: IsothermError): void
}

/** Whether connections to a host are refused, found out while calls wait for it. */
export class Reachability {
  readonly #address: Address | undefined
  readonly #probe: typeof refusalOf
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity
  #isProbing = false
  #refusedSince: number | undefined

  /** @param probe connects to the host: the error of a connection that is refused */
  constructor(address: Address | undefined, probe = refusalOf) {
    this.#address = address
    this.#probe = probe
  }

  /**
   * A call of the client that answers once, under a timeout and a signal.
   *
   * @throws {IsothermError} `UNAVAILABLE` once connections have been refused for a while.
   */
  answer<T>(call: () => Promise<T>, timeoutMs: number, options: CallOptions = {}): Promise<T> {
    return this.#address
      ? answer(() => this.#unlessRefused(call), timeoutMs, options)
      : answer(call, timeoutMs, options)
  }

  #unlessRefused<T>(call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait = this.#refusedSince === undefined ? WAIT_BEFORE_PROBE : 0
      const waiting: Waiting = { probeAt: performance.now() + wait, pause: PAUSE, end: reject }
      this.#waiting.add(waiting)
      this.#plan(waiting.probeAt)
      const ended = (): boolean => this.#waiting.delete(waiting)
      begun(call).finally(ended).then(resolve, reject)
    })
  }

  /** Probes then, unless a probe before that is planned. */
  #plan(at: number): void {
    if (this.#isProbing || this.#timerAt <= at) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => void this.#look(), at - performance.now()).unref()
  }

  async #look(): Promise<void> {
    this.#timerAt = Infinity
    if (this.#waiting.size === 0) {
      this.#refusedSince = undefined
      return
    }
    this.#isProbing = true
    const refusal = await this.#probe(this.#address!)
    this.#isProbing = false
    const now = performance.now()
    if (refusal === undefined) {
      this.#refusedSince = undefined
      this.#planFor(now)
      return
    }
    this.#refusedSince ??= now
    if (now - this.#refusedSince < REFUSED_FOR) {
      this.#plan(now + PAUSE)
      return
    }
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const { end } of waiting) end(unreachable(this.#address!, codeOf(refusal), refusal))
  }

  /**
   * Calls that continue to wait are probed less and less often; a call that has only begun to wait does not wait for that
   * pause.
   */
  #planFor(now: number): void {
    let next = Infinity
    for (const waiting of this.#waiting) {
      if (waiting.probeAt <= now) {
        waiting.pause = Math.min(waiting.pause * 2, LONGEST_PAUSE)
        waiting.probeAt = now + waiting.pause
      }
      next = Math.min(next, waiting.probeAt)
    }
    if (next < Infinity) this.#plan(Math.max(next, now + WAIT_BEFORE_PROBE))
  }
}

/**
 * The address that the client connects to; undefined if that is not certain, or if a proxy is in between, whose refusals
 * are not those of the database.
 */
export function addressOf(database: Database): Address | undefined {
  const options = optionsOf(database)
  if (!options) return undefined
  if (!isEmulator(database) && PROXIES.some((name) => process.env[name])) return undefined
  const universe = options.universeDomain ?? options.universe_domain ?? 'googleapis.com'
  // The same choice as the client's.
  const host = options.servicePath || options.apiEndpoint || `spanner.${universe}`
  return HOST.test(host) ? { host, port: Number(options.port ?? 443) } : undefined
}

/** Not a target of another form that the transport takes, such as `dns:///host` or `unix:path`. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])$/i

const PROXIES = ['grpc_proxy', 'https_proxy', 'http_proxy', 'HTTPS_PROXY', 'HTTP_PROXY']

/** The error of a refused connection; undefined for one that is accepted, or that takes long. */
function refusalOf({ host, port }: Address): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: PROBE_TIMEOUT })
    const end = (refusal?: Error): void => {
      socket.destroy()
      resolve(refusal)
    }
    socket.once('connect', () => end())
    socket.once('timeout', () => end())
    socket.on('error', (error: NodeJS.ErrnoException) => end(REFUSALS.has(codeOf(error)) ? error : undefined))
  })
}

/** Of several addresses of one name, each has an error of its own. */
function codeOf(
  error: NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] },
): string {
  return error.code ?? error.errors?.[0]?.code ?? ''
}

/** The transport's error for a refused connection, as an error of Isotherm; undefined for any other error. */
export function refusedConnection(said: string, cause: Error): IsothermError | undefined {
  const [, code = '', host = '', port] = /connect (E[A-Z]+) (\S+):(\d+)/.exec(said) ?? []
  if (!REFUSALS.has(code)) return undefined
  return unreachable({ host, port: Number(port) }, code, cause)
}

function unreachable({ host, port }: Address, code: string, cause: Error): IsothermError {
  const at = `${host}:${port}`
  const isNamed = process.env['SPANNER_EMULATOR_HOST'] === at
  return new IsothermError(
    'UNAVAILABLE',
    `Connections to ${at} are refused (${code})${isNamed ? ', which SPANNER_EMULATOR_HOST names' : ''}.`,
    {
      fix: isNamed
        ? 'Start an emulator there (isotherm emulator), or unset SPANNER_EMULATOR_HOST for a database in the cloud.'
        : 'Check that the database, or the emulator, runs there and can be reached.',
      retryable: true,
      cause,
    },
  )
}
