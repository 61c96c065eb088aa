import { IsothermError } from '../errors.js'
import { FURTHEST, SLOW_DATABASE, answer, onAbort } from './calls.js'
import type { ReadOptions } from './driver.js'

/** How often a call is made, the first time included; more often where an error asks for more time than they take. */
const ATTEMPTS = 5
/** Milliseconds before the second attempt; doubled each time, give or take, up to the second figure. */
const FIRST_PAUSE = 30
const LONGEST_PAUSE = 2_000

/** A timer may fire this many milliseconds early: the timeout then counts as passed. */
const EARLY = 2

/** @param failures how many attempts have failed, one at least */
function pauseAfter(failures: number): number {
  // By half at most, so that calls which failed together do not come again together.
  const jitter = 0.5 + Math.random()
  return Math.min(FIRST_PAUSE * 2 ** (failures - 1) * jitter, LONGEST_PAUSE)
}

/** A signal that never fires. */
const NEVER = new AbortController().signal

/** When a call is no longer wanted, whatever its outcome. */
export interface CallLimits {
  readonly signal: AbortSignal
  /** In the clock of `performance.now()`; undefined for as long as it takes. */
  readonly endsAt?: number | undefined
}

/** The one timeout, and the one signal, of all calls that an operation makes. */
export class Limits<Options extends ReadOptions = ReadOptions> implements CallLimits {
  readonly signal: AbortSignal
  readonly endsAt: number
  readonly #options: Options

  /** The timeout begins to run. */
  constructor(options: Options) {
    this.#options = options
    this.signal = options.signal ?? NEVER
    this.endsAt = performance.now() + (options.timeoutMs ?? Infinity)
  }

  /** For the next call: the time that is left for all of them. */
  get options(): Options {
    const { timeoutMs } = this.#options
    return timeoutMs === undefined
      ? this.#options
      : { ...this.#options, timeoutMs: this.endsAt - performance.now() }
  }

  /**
   * Waits for what a call needs first, no longer than for the call itself. Work that has begun goes on when the caller
   * gives up.
   *
   * @param what the awaited thing, as the subject of a sentence
   * @throws {IsothermError} `TIMEOUT`, `CANCELLED`; nothing is begun then if the time was over before.
   */
  within<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { timeoutMs, signal } = this.#options
    if (timeoutMs === undefined && !signal) return work()
    const left = Math.min(this.endsAt - performance.now(), FURTHEST)
    return answer(work, left, { ...(signal && { signal }) }, () => {
      const limit = Math.round(timeoutMs ?? FURTHEST)
      return new IsothermError('TIMEOUT', `${what} did not arrive within ${limit} ms.`, {
        fix: 'Give the call a longer timeoutMs, or find out why they take so long.',
      })
    })
  }

  /** Whether the timeout has passed. */
  get isOver(): boolean {
    return performance.now() >= this.endsAt - EARLY
  }

  /** @throws {IsothermError} `CANCELLED` once the signal has ended it. */
  refuseAborted(table: string): void {
    if (!this.signal.aborted) return
    throw new IsothermError('CANCELLED', `Reading ${table} was cancelled by its signal.`, {
      table,
      cause: this.signal.reason,
    })
  }

  /** An error in the words of the whole: which timeout, and whose signal. */
  said(error: unknown, table: string): unknown {
    this.refuseAborted(table)
    const { timeoutMs } = this.#options
    // An invalid timeout is not reported here: the driver's error says more.
    if (timeoutMs === undefined || !this.isOver) return error
    return new IsothermError('TIMEOUT', `Reading ${table} did not end within ${Math.round(timeoutMs)} ms.`, {
      fix: SLOW_DATABASE,
      table,
      cause: error,
    })
  }
}

/**
 * Repeats a call after a temporary failure, with growing pauses. If a signal or a timeout ends a pause, the result is that
 * failure.
 */
export async function withRetries<T>(
  call: (attempt: number) => Promise<T>,
  { signal, endsAt = Infinity }: CallLimits,
): Promise<T> {
  let failedAt: number | undefined
  for (let attempt = 0; ; attempt++) {
    try {
      return await call(attempt)
    } catch (error) {
      const isRetryable = error instanceof IsothermError && error.retryable
      if (!isRetryable || signal.aborted) throw error
      failedAt ??= performance.now()
      const isOver = performance.now() - failedAt >= (error.retryFor ?? 0)
      if (attempt + 1 >= ATTEMPTS && isOver) throw error
      const wanted = pauseAfter(attempt + 1)
      const left = endsAt - performance.now()
      await pause(Math.min(wanted, left), signal)
      if (signal.aborted || wanted >= left) throw error
    }
  }
}

/** Waits; whom the signal ends goes on at once, and has to ask it. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      forget()
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    const forget = onAbort(signal, end)
  })
}
