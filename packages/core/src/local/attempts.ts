import { setTimeout as delay } from 'node:timers/promises'
import { atTimeLimit } from '../engine/calls.js'
import { IsothermError } from '../errors.js'
import { messageOf } from './resolve.js'

/** Thrown when the time allowed is over. */
export class TimeLimitReached extends Error {
  override readonly name = 'TimeLimitReached'
}

/**
 * Waits for `work` no longer than `milliseconds`, and no longer than until `signal` fires. The work itself goes on.
 *
 * @throws TimeLimitReached with `what`; IsothermError `CANCELLED` when the signal fires; whatever `work` rejects with.
 */
export async function withinTime<Value>(
  milliseconds: number,
  what: string,
  work: Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  // The timer keeps the process alive: otherwise a process with nothing else to do would end while it waits.
  const ends: (() => void)[] = []
  const limit = new Promise<never>((_, reject) => {
    const late = () => reject(new TimeLimitReached(`${what} (within ${milliseconds / 1000} s).`))
    ends.push(atTimeLimit(milliseconds, late))
    if (!signal) return
    const cancel = () => reject(cancelled(signal))
    signal.addEventListener('abort', cancel, { once: true })
    ends.push(() => signal.removeEventListener('abort', cancel))
    if (signal.aborted) cancel()
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    for (const end of ends) end()
  }
}

const cancelled = ({ reason }: AbortSignal) =>
  new IsothermError('CANCELLED', 'Starting the engine was cancelled by its signal.', { cause: reason })

interface Attempts {
  readonly timeoutMs: number
  /** Between two of them. */
  readonly pauseMs: number
  /** What there is not, where time runs out. */
  readonly missing: string
  /** The message of an error, on one line. Default: its message. */
  readonly said?: (error: unknown) => string
  /** After the last attempt, which may be later than the time is over. */
  readonly after?: () => Promise<void>
}

/** How much longer the first attempt may take, if none has ended in the allowed time: its error shows the problem. */
const FIRST_ATTEMPT_MS = 5_000

/**
 * Tries again and again until it works.
 *
 * @throws TimeLimitReached whose message holds the last error; IsothermError `CANCELLED`.
 */
export async function untilItWorks(
  attempt: () => Promise<unknown>,
  { timeoutMs, pauseMs, missing, said = messageOf, after }: Attempts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const stopped = new AbortController()
  let last: string | undefined
  const first = attempt()
  const poll = async (): Promise<void> => {
    try {
      for (let tried = first; ; tried = attempt()) {
        try {
          await tried
          return
        } catch (error) {
          last = said(error)
          await delay(pauseMs)
          if (stopped.signal.aborted) return
        }
      }
    } finally {
      await after?.()
    }
  }
  try {
    await withinTime(timeoutMs, missing, poll(), signal)
  } catch (error) {
    if (error instanceof IsothermError) throw error
    if (last === undefined && (await worksInTime(first, signal))) return
    const words = last === undefined ? '' : ` The last attempt said: ${last}`
    throw new Error(`${messageOf(error)}${words}`, { cause: error })
  } finally {
    stopped.abort()
  }
}

async function worksInTime(attempted: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  const works = attempted.then(
    () => true,
    () => false,
  )
  try {
    return await withinTime(FIRST_ATTEMPT_MS, 'no answer', works, signal)
  } catch (error) {
    if (error instanceof TimeLimitReached) return false
    throw error
  }
}
