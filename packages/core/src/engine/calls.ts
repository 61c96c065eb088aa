import { IsothermError } from '../errors.js'
import type { CallOptions, CostProfile } from './driver.js'
import { type OptionKinds, flag, kind, options, wholeNumber } from '../options.js'

/** As far as a timer reaches, in milliseconds: 24 days. */
export const FURTHEST = 2 ** 31 - 1

/**
 * How long a call may take, in milliseconds.
 *
 * @throws {IsothermError} `INVALID_VALUE` for an invalid time.
 */
export function timeLimit(timeoutMs: number | undefined, otherwise: number): number {
  if (timeoutMs === undefined) return otherwise
  if (typeof timeoutMs === 'number' && Number.isFinite(timeoutMs)) return Math.min(timeoutMs, FURTHEST)
  throw new IsothermError('INVALID_VALUE', `timeoutMs is ${String(timeoutMs)}.`, {
    fix: 'Give a number of milliseconds, or leave it out for the default.',
  })
}

export const SLOW_DATABASE = 'Give the call a longer timeoutMs, or find out why the database is slow.'

export function timeoutError(timeoutMs: number): IsothermError {
  return new IsothermError('TIMEOUT', `The database did not answer within ${Math.round(timeoutMs)} ms.`, {
    fix: SLOW_DATABASE,
  })
}

export function cancelled(signal: AbortSignal): IsothermError {
  return new IsothermError('CANCELLED', 'The call was cancelled by its signal.', { cause: signal.reason })
}

export function refuseAborted({ signal }: CallOptions): void {
  if (signal?.aborted) throw cancelled(signal)
}

/**
 * An answer that has arrived passes the layers of a client, each of which may delay it until the next turn of the event
 * loop.
 */
const TURNS = 10

/**
 * Calls `over` when the time is over, unless the returned function is called before. After a pause of the process, Node
 * runs due timers before it reads its sockets, so an answer that has arrived gets a few turns of the event loop.
 */
export function atTimeLimit(milliseconds: number, over: () => void): () => void {
  let turn: NodeJS.Immediate | undefined
  const wait = (turns: number): void => {
    turn = setImmediate(() => (turns === 1 ? over() : wait(turns - 1)))
  }
  const timer = setTimeout(() => wait(TURNS), milliseconds)
  return () => {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}

/** Milliseconds. */
const LATER = 5_000

/**
 * The time limit, in milliseconds, that the database's own client gets for a call under a timeout of Isotherm. It is
 * later, since after a pause of the process the client's timer would end a call whose answer has arrived. It ends calls
 * that Isotherm does not end.
 */
export function clientLimit(timeoutMs: number): number {
  return Math.min(timeoutMs + LATER, FURTHEST)
}

/** A call that a signal ends. */
interface Ending {
  readonly listener: () => void
}

interface Aborts {
  readonly endings: Set<Ending>
  readonly run: () => void
}

const aborts = new WeakMap<AbortSignal, Aborts>()

function newAborts(): Aborts {
  const endings = new Set<Ending>()
  return {
    endings,
    run() {
      // One that is taken back by a listener before it is not visited.
      for (const each of endings) {
        endings.delete(each)
        try {
          each.listener()
        } catch (error) {
          // As for listeners of the signal itself: the others are called, and the error is an uncaught one.
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}

/**
 * Calls `listener` when the signal is aborted, unless the returned function is called before. All calls under a signal share
 * one listener of it: an application may give its signal to any number of them, and Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {}
  let found = aborts.get(signal)
  if (!found) aborts.set(signal, (found = newAborts()))
  const { endings, run } = found
  // Adding the same listener again changes nothing.
  signal.addEventListener('abort', run, { once: true })
  const ending = { listener }
  endings.add(ending)
  return () => {
    if (endings.delete(ending) && endings.size === 0) signal.removeEventListener('abort', run)
  }
}

/**
 * A call of the client that answers once, under a timeout and a signal.
 *
 * @param late the error of a timeout that has passed
 */
export function answer<T>(
  call: () => Promise<T>,
  timeoutMs: number,
  { signal }: CallOptions = {},
  late: () => IsothermError = () => timeoutError(timeoutMs),
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(cancelled(signal))
      return
    }
    // No time is left, so a call that would be given up at once is not begun.
    if (timeoutMs <= 0) {
      reject(late())
      return
    }
    const forget = onAbort(signal, () => settle(() => reject(cancelled(signal!))))
    const endLimit = atTimeLimit(timeoutMs, () => settle(() => reject(late())))
    const settle = (end: () => void): void => {
      endLimit()
      forget()
      end()
    }
    begun(call).then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )
  })
}

/** A synchronous throw becomes a rejection, so that the timer and the listener are removed as well. */
export async function begun<T>(call: () => Promise<T>): Promise<T> {
  return call()
}

/** Infinity, and less than nothing, force a choice. */
const cost = kind('a number', (value) => typeof value === 'number' && !Number.isNaN(value))

const PROFILE: OptionKinds<CostProfile> = {
  roundTrip: cost,
  call: cost,
  statement: cost,
  range: cost,
  row: cost,
  scannedRow: cost,
  statementsScan: flag,
  concurrency: wholeNumber(1),
  inFlight: wholeNumber(1),
}

/** The option `costs` of a driver: the figures to use instead of its own. */
export const COSTS = options(PROFILE, 'an object, such as { roundTrip: 2 }')
