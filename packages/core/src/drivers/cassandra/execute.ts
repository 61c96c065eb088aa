import { setTimeout as delay } from 'node:timers/promises'
import { policies, types, type Client } from 'cassandra-driver'
import type { CallOptions } from '../../database/driver.js'
import type { CqlCapabilities } from '../../dialects/cql/capabilities.js'
import { checkConsistency, type Consistency } from '../../dialects/cql/consistency.js'
import { answer, refuseAborted, timeLimit } from '../calls.js'
import {
  isDisconnected,
  isTimeout,
  isUnanswered,
  mayPass,
  outcomeUnknown,
  RECONNECTS_WITHIN,
  translate,
} from './errors.js'
import { Call, Sending } from './sending.js'

/**
 * What a call is for. `write`: plain writes, which may be made twice. `once`: whatever may not, such as conditions, counters,
 * and statements of others.
 */
export type Purpose = 'read' | 'serial-read' | 'write' | 'once'

/** What a call may ask for. */
export interface SentOptions extends CallOptions {
  readonly consistency?: Consistency
}

/** What the calls of one driver have in common. */
export interface SessionSettings {
  /** The engine's, for messages. */
  readonly name: string
  readonly has: CqlCapabilities
  /** Of a call that does not say, in milliseconds. */
  readonly deadline: number
  readonly consistency: {
    readonly read: Consistency
    readonly write: Consistency
    readonly serial: 'serial' | 'local-serial'
  }
}

/** The part of a deadline that one node has for its answer before an idempotent statement goes to another. */
const SHARE_OF_ONE_NODE = 0.6

/** How often a write is made that may be made again; more often while the client has no connection. */
const ATTEMPTS = 3
/** Milliseconds before the second attempt, at most; twice that before the third. */
const PAUSE = 50

const MICROS_PER_MILLI = 1_000

/** Writes are made again here, where it is known what became of each attempt, and when the first one was. */
const neverAgain = new policies.retry.FallthroughRetryPolicy()

/** The client and how it is used: all statements prepared, at a consistency and under a deadline that somebody has chosen. */
export class Session {
  readonly client: Client
  readonly name: string
  readonly has: CqlCapabilities
  readonly deadline: number
  /** That of the models' tables. */
  readonly keyspace: string
  readonly #consistency: SessionSettings['consistency']
  readonly #usual = new Map<Purpose, Sending>()

  constructor(client: Client, { name, has, deadline, consistency }: SessionSettings) {
    this.client = client
    this.name = name
    this.has = has
    this.deadline = deadline
    this.keyspace = client.keyspace
    this.#consistency = consistency
  }

  /**
   * Makes a call, which may send several statements: all of them under one deadline and one signal.
   *
   * @param work of a `write`, is begun again after an error that may pass
   * @throws {IsothermError} every error in our words; `OUTCOME_UNKNOWN` for a write that was sent and not answered.
   */
  async call<T>(purpose: Purpose, options: SentOptions, work: (call: Call) => Promise<T>): Promise<T> {
    refuseAborted(options)
    const limit = timeLimit(options.deadline, this.deadline)
    const call = new Call(this.client, this.#sendingOf(purpose, options.consistency, limit))
    try {
      return await answer(
        () => (purpose === 'once' ? work(call) : again(call, purpose, work)),
        limit,
        options,
      )
    } catch (error) {
      const isLost = call.unanswered || (call.sent && isUnanswered(error))
      throw isLost ? outcomeUnknown(error, purpose === 'write', this.has) : translate(error, this.has)
    } finally {
      call.ended = true
    }
  }

  /** One for all calls that want nothing special. */
  #sendingOf(purpose: Purpose, consistency: Consistency | undefined, limit: number): Sending {
    if (consistency !== undefined || limit !== this.deadline)
      return this.#sending(purpose, consistency, limit)
    let usual = this.#usual.get(purpose)
    if (!usual) this.#usual.set(purpose, (usual = this.#sending(purpose, undefined, limit)))
    return usual
  }

  #sending(purpose: Purpose, asked: Consistency | undefined, limit: number): Sending {
    const { read, write, serial } = this.#consistency
    const isRead = purpose === 'read' || purpose === 'serial-read'
    const isIdempotent = purpose !== 'once'
    // Keyspaces has no serial reads: a quorum gives what its conditional writes have settled.
    const settled = this.has.readConsistency.includes(serial) ? serial : 'local-quorum'
    const consistency = purpose === 'serial-read' ? settled : (asked ?? (isRead ? read : write))
    checkConsistency(this.name, isRead ? 'reads' : 'writes', this.has, consistency)
    return new Sending({
      prepare: true,
      isIdempotent,
      consistency: CONSISTENCIES[consistency],
      readTimeout: Math.max(1, Math.ceil(isIdempotent ? limit * SHARE_OF_ONE_NODE : limit)),
      // The servers' clocks order plain writes as they order conditional ones, which know no other.
      timestamp: null as never,
      ...(!isRead && { retry: neverAgain }),
      ...(purpose === 'once' && { serialConsistency: CONSISTENCIES[serial] }),
    })
  }
}

/**
 * Calls that may be made again. Reads are made again by the client, on other nodes; here only where no node was quick enough,
 * since the time that one has is a part of the deadline.
 */
async function again<T>(call: Call, purpose: Purpose, work: (call: Call) => Promise<T>): Promise<T> {
  let failedAt: number | undefined
  for (let attempt = 1; ; attempt++) {
    // The end of this millisecond: what was acknowledged before, by a clock of microseconds, is not later.
    const began = MICROS_PER_MILLI * (Date.now() + 1) - 1
    try {
      return await work(call)
    } catch (error) {
      if (call.ended) throw error
      if (purpose !== 'write') {
        if (!isTimeout(error)) throw error
        continue
      }
      if (isUnanswered(error)) {
        call.unanswered = true
        // As of now it would go over what others have written on top of it meanwhile.
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
