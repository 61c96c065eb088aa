import type { Readable } from 'node:stream'
import type { CallOptions, Cells } from '../../database/driver.js'
import { cancelled, deadlineError } from '../calls.js'
import { translate } from './errors.js'
import type { MessageGate } from './message-gate.js'
import { rowTaker, type PartialResultSet } from './result-stream.js'
import type { RowDecoder } from './values.js'

/** How many messages are held for the reader before the next one is asked for. */
const AHEAD = 2

export interface StreamLimits extends Pick<CallOptions, 'signal'> {
  /** For all of it, in milliseconds; undefined for as long as it takes. */
  readonly deadline: number | undefined
  /** How long the database may stay silent while the reader waits, in milliseconds. */
  readonly silence: number
}

/**
 * The rows of one of the client's result streams as they arrive, a batch per message, for results that do not fit into
 * memory: a reader that is slow keeps the database waiting. One that leaves early ends the call.
 */
export async function* rowBatches(
  stream: Readable,
  gate: MessageGate,
  decode: RowDecoder,
  width: number,
  { deadline, silence, signal }: StreamLimits,
): AsyncGenerator<readonly Cells[], void, undefined> {
  const endsAt = performance.now() + (deadline ?? Infinity)
  const take = rowTaker(decode, width)
  const arrived: Cells[][] = []
  let failure: unknown
  let isOver = false
  let wake: (() => void) | undefined

  const end = (error?: unknown): void => {
    failure ??= error
    isOver = true
    wake?.()
  }
  const stop = (error?: unknown): void => {
    // A stream that is being destroyed may report more errors; the first one has been told.
    stream.on('error', () => {})
    if (!isOver) gate.cancel()
    stream.destroy()
    end(error)
  }
  const abort = (): void => {
    arrived.length = 0
    stop(cancelled(signal!))
  }
  /** Until there is something, or the time is over. */
  const next = (): Promise<void> => {
    const left = endsAt - performance.now()
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => stop(deadlineError(left < silence ? deadline! : silence)),
        Math.max(0, Math.min(silence, left)),
      )
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  stream.on('response', (part: PartialResultSet) => {
    const rows: unknown[][] = []
    try {
      take(part, rows)
    } catch (error) {
      stop(error)
    }
    if (rows.length === 0) return
    arrived.push(rows)
    if (arrived.length >= AHEAD) gate.shut()
    wake?.()
  })
  stream.once('error', (error) => end(translate(error)))
  stream.once('end', () => end())
  signal?.addEventListener('abort', abort, { once: true })
  stream.resume()

  try {
    for (;;) {
      if (performance.now() >= endsAt) throw deadlineError(deadline!)
      const rows = arrived.shift()
      if (rows) {
        if (arrived.length < AHEAD) gate.open()
        yield rows
      } else if (isOver) {
        if (failure !== undefined) throw failure
        return
      } else {
        await next()
      }
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    stop()
  }
}
