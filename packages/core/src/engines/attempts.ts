import { setTimeout as delay } from 'node:timers/promises'
import { IsothermError } from '../errors.js'
import { messageOf } from './resolve.js'
import { withinTime } from './time-limit.js'

export interface Attempts {
  readonly timeoutMs: number
  /** Between two of them. */
  readonly pauseMs: number
  /** What there is not, where time runs out. */
  readonly missing: string
  /** What an error says, on one line. Default: its message. */
  readonly said?: (error: unknown) => string
  /** After the last attempt, which may be later than the time is over. */
  readonly after?: () => Promise<void>
}

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
  const poll = async (): Promise<void> => {
    try {
      while (!stopped.signal.aborted) {
        try {
          await attempt()
          return
        } catch (error) {
          last = said(error)
          await delay(pauseMs)
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
    const words = last === undefined ? '' : ` The last attempt said: ${last}`
    throw new Error(`${messageOf(error)}${words}`, { cause: error })
  } finally {
    stopped.abort()
  }
}
