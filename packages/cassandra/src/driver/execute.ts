import { type Client, policies, types } from 'cassandra-driver'
import {
  type CallOptions,
  type Consistency,
  IsothermError,
  answer,
  checkArgument,
  kind,
  refuseAborted,
  secret,
  timeLimit,
  internals,
  clientLimit,
} from '@isotherm/core/engine'
import { setTimeout as delay } from 'node:timers/promises'
import type { CqlCapabilities } from '../cql/capabilities.js'
import { checkConsistency } from '../cql/consistency.js'
import {
  type ErrorSource,
  RECONNECTS_WITHIN,
  isDisconnected,
  isTimeout,
  isUnanswered,
  mayPass,
  outcomeUnknown,
  translate,
} from './errors.js'
import { Call, Sending } from './sending.js'

/** The client's options that Isotherm checks; its typings leave some of them out. */
interface ClientSettings {
  readonly contactPoints?: readonly string[]
  readonly localDataCenter?: string
  readonly encoding?: { readonly useBigIntAsLong?: boolean; readonly map?: unknown; readonly set?: unknown }
  readonly policies?: { readonly loadBalancing?: { getOptions?(): ReadonlyMap<string, unknown> } }
}

/**
 * Refuses a client that would read other values than were written, or would not find its nodes: its options cannot be
 * changed afterwards.
 *
 * @throws {IsothermError} `INVALID_CLIENT` naming the option.
 */
export function checkClient(client: Client): void {
  checkArgument('cassandra', 'client', CLIENT, client, 'INVALID_CLIENT')
  const settings = settingsOf(client)
  const { encoding = {} } = settings
  if (encoding.useBigIntAsLong !== true) {
    throw refused('reads 64-bit integers as objects', 'encoding: { useBigIntAsLong: true }')
  }
  if (encoding.map !== undefined && encoding.map !== Map) {
    throw refused('reads maps into a class that is not Map', 'encoding: { map: Map }')
  }
  if (encoding.set !== undefined && encoding.set !== Set) {
    throw refused('reads sets into a class that is not Set', 'encoding: { set: Set }')
  }
  if (typeof client.keyspace !== 'string' || client.keyspace === '') {
    throw refused('has no keyspace', "keyspace: 'blog'")
  }
  if (wantsDataCenter(settings)) {
    throw refused('has no local data centre', "localDataCenter: 'datacenter1'")
  }
}

/** The client's contact points: `host:port`. Empty for a client that gets them from a bundle. */
function contactPointsOf(client: Client): readonly string[] {
  return settingsOf(client).contactPoints ?? []
}

const inside = internals<{ readonly options: ClientSettings }>('Client of cassandra-driver', ['options'])

function settingsOf(client: Client): ClientSettings {
  return inside(client).options
}

/** Clients of other databases have no `batch`, and an object that only looks like a client has no options. */
const CLIENT = secret(
  kind('the Client of cassandra-driver: cassandra(new Client({ … }), …)', (value) => {
    if (typeof value !== 'object' || value === null) return false
    const { execute, batch, options } = value as Partial<Client & { readonly options: unknown }>
    return (
      typeof execute === 'function' &&
      typeof batch === 'function' &&
      typeof options === 'object' &&
      options !== null
    )
  }),
)

/** Some policies do without one, and some have one of their own. */
function wantsDataCenter({ localDataCenter, policies }: ClientSettings): boolean {
  if (localDataCenter !== undefined) return false
  const options = policies?.loadBalancing?.getOptions?.()
  return options?.has('localDataCenter') === true && (options.get('localDataCenter') ?? '') === ''
}

function refused(what: string, option: string): IsothermError {
  return new IsothermError('INVALID_CLIENT', `cassandra: the client ${what}.`, {
    fix: `Create it with new Client({ …, ${option} }).`,
  })
}

/**
 * The purpose of a call. `write`: plain writes, which may be repeated. `once`: calls that may not be repeated, such as
 * conditions, counters, and statements of the application.
 */
type Purpose = 'read' | 'serial-read' | 'write' | 'once'

/** The options that a call may have. */
interface SentOptions extends CallOptions {
  readonly consistency?: Consistency
}

/** The settings that the calls of one driver share. */
interface SessionSettings {
  /** The engine's, for messages. */
  readonly name: string
  readonly has: CqlCapabilities
  /** The default of a call, in milliseconds. */
  readonly timeoutMs: number
  readonly consistency: {
    readonly read: Consistency
    readonly write: Consistency
    readonly serial: 'serial' | 'local-serial'
  }
}

/** The part of a timeout that one node has for its answer before an idempotent statement goes to another. */
const SHARE_OF_ONE_NODE = 0.6

/** How often a repeatable write is attempted; more often while the client has no connection. */
const ATTEMPTS = 3
/** Milliseconds before the second attempt, at most; twice that before the third. */
const PAUSE = 50

const MICROS_PER_MILLI = 1_000

/** Isotherm repeats writes itself, since it knows the outcome of each attempt, and the time of the first. */
const neverAgain = new policies.retry.FallthroughRetryPolicy()

/** The client and how it is used: all statements are prepared, and have the chosen consistency and timeout. */
export class Session implements ErrorSource {
  readonly client: Client
  readonly name: string
  readonly has: CqlCapabilities
  readonly timeoutMs: number
  /** The keyspace of the models' tables. */
  readonly keyspace: string
  readonly contactPoints: readonly string[]
  readonly #consistency: SessionSettings['consistency']
  readonly #usual = new Map<Purpose, Sending>()

  constructor(client: Client, { name, has, timeoutMs, consistency }: SessionSettings) {
    this.client = client
    this.name = name
    this.has = has
    this.timeoutMs = timeoutMs
    this.keyspace = client.keyspace
    this.contactPoints = contactPointsOf(client)
    this.#consistency = consistency
  }

  /**
   * Makes a call, which may send several statements: all of them under one timeout and one signal.
   *
   * @param work is begun again after an error that may pass; of a `once`, only where nothing was done
   * @throws {IsothermError} every error in our words; `OUTCOME_UNKNOWN` for a write that was sent and not answered.
   */
  async call<T>(purpose: Purpose, options: SentOptions, work: (call: Call) => Promise<T>): Promise<T> {
    refuseAborted(options)
    const limit = timeLimit(options.timeoutMs, this.timeoutMs)
    const call = new Call(this.client, this.#sendingOf(purpose, options.consistency, limit))
    try {
      return await answer(() => again(call, purpose, work), limit, options)
    } catch (error) {
      const isLost = call.unanswered || (call.sent && isUnanswered(error))
      throw isLost ? outcomeUnknown(error, purpose === 'write', this) : translate(error, this)
    } finally {
      call.ended = true
    }
  }

  /** One for all calls that want nothing special. */
  #sendingOf(purpose: Purpose, consistency: Consistency | undefined, limit: number): Sending {
    if (consistency !== undefined || limit !== this.timeoutMs)
      return this.#sending(purpose, consistency, limit)
    let usual = this.#usual.get(purpose)
    if (!usual) this.#usual.set(purpose, (usual = this.#sending(purpose, undefined, limit)))
    return usual
  }

  #sending(purpose: Purpose, callConsistency: Consistency | undefined, limit: number): Sending {
    const { read, write, serial } = this.#consistency
    const isRead = purpose === 'read' || purpose === 'serial-read'
    const isIdempotent = purpose !== 'once'
    // Keyspaces has no serial reads: a quorum gives what its conditional writes have settled.
    const settled = this.has.readConsistency.includes(serial) ? serial : 'local-quorum'
    const consistency = purpose === 'serial-read' ? settled : (callConsistency ?? (isRead ? read : write))
    checkConsistency(this.name, isRead ? 'reads' : 'writes', this.has, consistency)
    return new Sending({
      prepare: true,
      isIdempotent,
      consistency: CONSISTENCIES[consistency],
      readTimeout: Math.max(1, Math.ceil(isIdempotent ? limit * SHARE_OF_ONE_NODE : clientLimit(limit))),
      // The servers' clocks order plain writes as they order conditional ones, which know no other.
      timestamp: null as never,
      ...(!isRead && { retry: neverAgain }),
      ...(purpose === 'once' && { serialConsistency: CONSISTENCIES[serial] }),
    })
  }
}

/**
 * Repeats a call after a temporary error. The client repeats reads on other nodes; this function repeats them only if no
 * node was quick enough, since the time limit of one node is a part of the timeout. A call that may take effect only once
 * is repeated only if it certainly had no effect: no node was connected, or the node that was asked had no time to begin.
 */
async function again<T>(call: Call, purpose: Purpose, work: (call: Call) => Promise<T>): Promise<T> {
  let failedAt: number | undefined
  for (let attempt = 1; ; attempt++) {
    // The end of this millisecond: writes that were acknowledged before, by a clock of microseconds, are not later.
    const began = MICROS_PER_MILLI * (Date.now() + 1) - 1
    try {
      return await work(call)
    } catch (error) {
      if (call.ended) throw error
      if (purpose === 'read' || purpose === 'serial-read') {
        if (!isTimeout(error)) throw error
        continue
      }
      if (isUnanswered(error)) {
        if (purpose === 'once') throw error
        call.unanswered = true
        // With the current time, the write would overwrite what others have written since the first attempt.
        call.writtenAt ??= began
      }
      if (!mayPass(error)) throw error
      failedAt ??= performance.now()
      const reconnects = isDisconnected(error) && performance.now() - failedAt < RECONNECTS_WITHIN
      if (attempt >= ATTEMPTS && !reconnects) throw error
      await delay(Math.random() * PAUSE * attempt)
      if (call.ended) throw error
    }
  }
}

const CONSISTENCIES: Readonly<Record<Consistency, number>> = {
  any: types.consistencies.any,
  one: types.consistencies.one,
  two: types.consistencies.two,
  three: types.consistencies.three,
  quorum: types.consistencies.quorum,
  all: types.consistencies.all,
  'local-one': types.consistencies.localOne,
  'local-quorum': types.consistencies.localQuorum,
  'each-quorum': types.consistencies.eachQuorum,
  serial: types.consistencies.serial,
  'local-serial': types.consistencies.localSerial,
}
