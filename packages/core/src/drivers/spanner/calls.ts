import type { Readable } from 'node:stream'
import { IsothermError } from '../../errors.js'
import type { CallOptions } from '../../database/driver.js'
import { translate } from './errors.js'

function deadlineError(deadline: number): IsothermError {
  return new IsothermError('DEADLINE', `The database did not answer within ${deadline} ms.`, {
    fix: 'Give the call a longer deadline, or see why the database is slow.',
  })
}

function cancelled(signal: AbortSignal): IsothermError {
  return new IsothermError('CANCELLED', 'The call was cancelled by its signal.', { cause: signal.reason })
}

/**
 * The rows of one of the client's streams. The client may wait without end for a server that has died, so the deadline
 * is kept here as well as on the wire.
 */
export function collect<Row>(
  open: () => Readable,
  decode: (row: never) => Row,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(cancelled(signal))
      return
    }
    const rows: Row[] = []
    const stream = open()
    const stop = (error?: unknown): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      if (error === undefined) {
        resolve(rows)
        return
      }
      // A stream that is being destroyed may report more errors; they have been told already.
      stream.on('error', () => {})
      stream.destroy()
      reject(error)
    }
    const abort = (): void => stop(cancelled(signal!))
    const timer = setTimeout(() => stop(deadlineError(deadline)), deadline)
    signal?.addEventListener('abort', abort, { once: true })
    stream.on('data', (row) => {
      try {
        rows.push(decode(row as never))
      } catch (error) {
        stop(error)
      }
    })
    stream.once('error', (error) => stop(translate(error)))
    stream.once('end', () => stop())
  })
}

/** A call of the client that answers once, under the same deadline and signal. */
export function answer<T>(call: () => Promise<T>, deadline: number, options: CallOptions = {}): Promise<T> {
  const { signal } = options
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(cancelled(signal))
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
