import { IsothermError } from '../../errors.js'
import type { CallOptions } from '../../database/driver.js'

export function deadlineError(deadline: number): IsothermError {
  return new IsothermError('DEADLINE', `The database did not answer within ${deadline} ms.`, {
    fix: 'Give the call a longer deadline, or see why the database is slow.',
  })
}

export function cancelled(signal: AbortSignal): IsothermError {
  return new IsothermError('CANCELLED', 'The call was cancelled by its signal.', { cause: signal.reason })
}

export function refuseAborted({ signal }: CallOptions): void {
  if (signal?.aborted) throw cancelled(signal)
}

/** A call of the client that answers once, under a deadline and a signal. */
export function answer<T>(
  call: () => Promise<T>,
  deadline: number,
  { signal }: CallOptions = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(cancelled(signal))
      return
    }
    // No time is left, so nothing is begun that nobody would wait for.
    if (deadline <= 0) {
      reject(deadlineError(deadline))
      return
    }
    const abort = (): void => settle(() => reject(cancelled(signal!)))
    const timer = setTimeout(() => settle(() => reject(deadlineError(deadline))), deadline)
    const settle = (end: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      end()
    }
    signal?.addEventListener('abort', abort, { once: true })
    call().then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )
  })
}
