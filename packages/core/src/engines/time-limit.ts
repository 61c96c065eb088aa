import { setTimeout as delay } from 'node:timers/promises'
import { IsothermError } from '../errors.js'

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
  const over = new AbortController()
  const watched = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal])
  // The timer holds the process: else a process with nothing else to do would end in the midst of waiting.
  const limit = delay(milliseconds, undefined, { signal: watched }).then(
    () => {
      throw new TimeLimitReached(`${what} (within ${milliseconds / 1000} s).`)
    },
    () => {
      throw new IsothermError('CANCELLED', 'Starting the engine was cancelled by its signal.', {
        cause: signal?.reason,
      })
    },
  )
  try {
    return await Promise.race([work, limit])
  } finally {
    over.abort()
    limit.catch(() => {})
  }
}
