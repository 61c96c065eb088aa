import { setMaxListeners } from 'node:events'
import { ExponentialBackoff, type IRetryBackoffContext } from 'cockatiel'
import { IsothermError } from '../errors.js'
import type { ReadOptions } from './driver.js'

/** How often a call is made, the first time included; more often where an error asks for more time than they take. */
const ATTEMPTS = 5
/** Milliseconds before the second attempt; doubled each time, give or take, up to the second figure. */
const FIRST_PAUSE = 30
const LONGEST_PAUSE = 2_000

/** How much too early a timer may be, in milliseconds: a deadline has passed for whoever waited for it. */
const EARLY = 2

const pauses = new ExponentialBackoff<IRetryBackoffContext<unknown>>({
  initialDelay: FIRST_PAUSE,
  maxDelay: LONGEST_PAUSE,
})

/** A signal that never fires. */
const NEVER = new AbortController().signal
setMaxListeners(0, NEVER)

/** When a call is no longer wanted, however it would end. */
export interface CallLimits {
  readonly signal: AbortSignal
  /** In the clock of `performance.now()`; undefined for as long as it takes. */
  readonly endsAt?: number | undefined
}

/** The one deadline, and the one signal, of all calls that something takes. */
export class Limits implements CallLimits {
  readonly signal: AbortSignal
  readonly endsAt: number
  readonly #options: ReadOptions

  constructor(options: ReadOptions) {
    this.#options = options
    this.signal = options.signal ?? NEVER
    this.endsAt = performance.now() + (options.deadline ?? Infinity)
  }

  /** For the next call: the time that is left for all of them. */
  get options(): ReadOptions {
    const { deadline } = this.#options
    return deadline === undefined
      ? this.#options
      : { ...this.#options, deadline: this.endsAt - performance.now() }
  }

  /** @throws {IsothermError} `CANCELLED` once the signal has ended it. */
  refuseAborted(table: string): void {
    if (!this.signal.aborted) return
    throw new IsothermError('CANCELLED', `The reading of ${table} was cancelled by its signal.`, {
      table,
      cause: this.signal.reason,
    })
  }

  /** An error in the words of the whole: which deadline, and whose signal. */
  said(error: unknown, table: string): unknown {
    this.refuseAborted(table)
    const { deadline } = this.#options
    // Not so for what is no deadline, of which the driver says more.
    const isOver = performance.now() >= this.endsAt - EARLY
    if (deadline === undefined || !isOver) return error
    return new IsothermError('DEADLINE', `The reading of ${table} did not end within ${deadline} ms.`, {
      fix: 'Give it a longer deadline, or see why the database is slow.',
      table,
      cause: error,
    })
  }
}

/**
 * Makes a call again after a failure that may pass, with pauses that grow. What a signal or a deadline ends in a pause ends
 * with that failure. (The library's own policy sleeps its pause out, and then makes the call all the same.)
 */
export async function withRetries<T>(
  call: (attempt: number) => Promise<T>,
  { signal, endsAt = Infinity }: CallLimits,
): Promise<T> {
  let backoff: ReturnType<typeof pauses.next> | undefined
  let failedAt: number | undefined
  for (let attempt = 0; ; attempt++) {
    try {
      return await call(attempt)
    } catch (error) {
      const isTransient = error instanceof IsothermError && error.transient
      if (!isTransient || signal.aborted) throw error
      failedAt ??= performance.now()
      const isOver = performance.now() - failedAt >= (error.retryFor ?? 0)
      if (attempt + 1 >= ATTEMPTS && isOver) throw error
      const context = { attempt: attempt + 1, signal, result: { error } }
      backoff = (backoff ?? pauses).next(context)
      const left = endsAt - performance.now()
      await pause(Math.min(backoff.duration, left), signal)
      if (signal.aborted || backoff.duration >= left) throw error
    }
  }
}

/** Waits; whom the signal ends goes on at once, and has to ask it. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
  })
}
