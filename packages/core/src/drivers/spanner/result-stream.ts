import type { Readable } from 'node:stream'
import type { CallOptions } from '../../database/driver.js'
import { cancelled, deadlineError } from '../calls.js'
import { translate } from './errors.js'
import type { CallHandle } from './transport-call.js'
import type { ProtoStruct, ProtoValue, RowDecoder } from './values.js'

/** One message of a result, as the client's `response` event hands it out: a flat piece of the table of values. */
export interface PartialResultSet {
  values?: ProtoValue[] | null
  /** With the first message. */
  readonly metadata?: { readonly rowType?: ProtoStruct | null } | null
  readonly chunkedValue?: boolean | null
  /** With the last message. */
  readonly stats?: { readonly rowCountExact?: string | number | null } | null
}

/**
 * The rows of one of the client's result streams, decoded here from the protocol's own values. The client emits each
 * message before it decodes it, and after it has seen to resuming a broken stream, so that no message comes twice.
 *
 * The client may wait without end for a server that has died, so the deadline is kept here as well as on the wire.
 */
export function collectRows(
  stream: Readable,
  handle: CallHandle,
  take: RowTaker,
  deadline: number,
  { signal }: CallOptions,
): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    const rows: unknown[][] = []

    const stop = (error: unknown): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      // A stream that is being destroyed may report more errors; the first one has been told.
      stream.on('error', () => {})
      handle.cancel()
      stream.destroy()
      reject(error)
    }
    const abort = (): void => stop(cancelled(signal!))
    const timer = setTimeout(() => stop(deadlineError(deadline)), deadline)
    signal?.addEventListener('abort', abort, { once: true })

    stream.on('response', (part: PartialResultSet) => {
      try {
        take(part, rows)
      } catch (error) {
        stop(error)
      }
    })
    stream.once('error', (error) => stop(translate(error)))
    stream.once('end', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      resolve(rows)
    })
    stream.resume()
  })
}

/** Adds the rows of one message after the other to a list; what a message leaves unfinished waits for the next one. */
export type RowTaker = (part: PartialResultSet, rows: unknown[][]) => void

export function rowTaker(decode: RowDecoder, width: number): RowTaker {
  let values: ProtoValue[] = []
  let unfinished: ProtoValue | undefined
  return (part, rows) => {
    const more = part.values
    if (!more || more.length === 0) return
    // Left empty, the message costs the client no second decoding.
    part.values = []
    if (unfinished !== undefined) more[0] = joined(unfinished, more[0]!)
    unfinished = part.chunkedValue ? more.pop() : undefined
    values = values.length === 0 ? more : values.concat(more)
    let start = 0
    for (; start + width <= values.length; start += width) rows.push(decode(values, start))
    values = start === values.length ? [] : values.slice(start)
  }
}

/**
 * The two halves of a value that was too long for one message: texts are joined, lists too, and so are the last and
 * first items of two lists.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#partialresultset
 */
export function joined(head: ProtoValue, tail: ProtoValue): ProtoValue {
  if (head.kind === 'stringValue' && tail.kind === 'stringValue') {
    return { kind: 'stringValue', stringValue: head.stringValue! + tail.stringValue! }
  }
  if (head.kind !== 'listValue' || tail.kind !== 'listValue') return tail
  const before = head.listValue!.values
  const after = tail.listValue!.values
  const last = before.at(-1)
  const first = after[0]
  const meet =
    last && first && last.kind === first.kind && (last.kind === 'stringValue' || last.kind === 'listValue')
  const values = meet
    ? [...before.slice(0, -1), joined(last, first), ...after.slice(1)]
    : [...before, ...after]
  return { kind: 'listValue', listValue: { values } }
}
