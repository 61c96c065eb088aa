import { CallHandle, type TransportCall } from './requests.js'
import type { Readable } from 'node:stream'
import {
  type CallOptions,
  type Cells,
  type ResultColumn,
  type ResultType,
  type WireType,
  atTimeLimit,
  cancelled,
  timeoutError,
  onAbort,
} from '@isotherm/core/engine'
import { translate } from './errors.js'
import {
  type Decode,
  type ProtoStruct,
  type ProtoType,
  type ProtoValue,
  type RowDecoder,
  decoderOf,
  rowDecoderOf,
} from './values.js'

/**
 * Limits a streaming call. The client buffers some two hundred messages of a megabyte each before it stops reading, and
 * gives up on a slow reader. The transport itself reads a message only when it is asked to.
 */
export class MessageGate extends CallHandle {
  #isOpen = true
  #held: (() => void) | undefined

  open(): void {
    this.#isOpen = true
    const held = this.#held
    this.#held = undefined
    held?.()
  }

  shut(): void {
    this.#isOpen = false
  }

  override cancel(): void {
    this.#held = undefined
    super.cancel()
  }

  protected override guarded(call: TransportCall): TransportCall {
    const read = call.startRead.bind(call)
    call.startRead = () => {
      if (this.#isOpen) read()
      else this.#held = read
    }
    this.#held = undefined
    return call
  }
}

/** One message of a result, as the client's `response` event hands it out: a flat piece of the table of values. */
interface PartialResultSet {
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
 * The client may wait without end for a server that has died, so the timeout is kept here as well as on the wire.
 */
export function collectRows(
  stream: Readable,
  handle: CallHandle,
  take: RowCollector,
  timeoutMs: number,
  { signal }: CallOptions,
): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    const rows: unknown[][] = []

    const stop = (error: unknown): void => {
      endLimit()
      forget()
      // A stream that is being destroyed may report more errors; the first one has been reported.
      stream.on('error', () => {})
      handle.cancel()
      stream.destroy()
      reject(error)
    }
    const endLimit = atTimeLimit(timeoutMs, () => stop(timeoutError(timeoutMs)))
    const forget = onAbort(signal, () => stop(cancelled(signal!)))

    stream.on('response', (part: PartialResultSet) => {
      try {
        take(part, rows)
      } catch (error) {
        stop(error)
      }
    })
    stream.once('error', (error) => stop(translate(error)))
    stream.once('end', () => {
      endLimit()
      forget()
      resolve(rows)
    })
    stream.resume()
  })
}

/** Adds the rows of one message after the other to a list; what a message leaves unfinished waits for the next one. */
type RowCollector = (part: PartialResultSet, rows: unknown[][]) => void

export function rowCollector(decode: RowDecoder, width: number): RowCollector {
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
function joined(head: ProtoValue, tail: ProtoValue): ProtoValue {
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

// Results of statements that are not ours, read by what the engine says of their columns.
// Source: https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#type

const KINDS: Readonly<Record<string, ResultType>> = {
  BOOL: { kind: 'bool' },
  INT64: { kind: 'int64' },
  FLOAT32: { kind: 'float32' },
  FLOAT64: { kind: 'float64' },
  NUMERIC: { kind: 'numeric' },
  STRING: { kind: 'string', length: 'max' },
  BYTES: { kind: 'bytes', length: 'max' },
  DATE: { kind: 'date' },
  TIMESTAMP: { kind: 'timestamp' },
  JSON: { kind: 'json' },
  UUID: { kind: 'uuid', storage: 'native' },
}

export function columnsOf({ fields }: ProtoStruct): ResultColumn[] {
  return fields.map(({ name, type }) => ({ name, type: resultType(type) }))
}

function resultType({ code, arrayElementType, structType }: ProtoType): ResultType {
  if (code === 'ARRAY') return { kind: 'array', of: resultType(arrayElementType!) }
  if (code === 'STRUCT') return { kind: 'struct', fields: columnsOf(structType!) }
  return KINDS[code] ?? { kind: 'other', name: code }
}

function decodeOf(type: ResultType): Decode {
  switch (type.kind) {
    case 'array': {
      const item = decodeOf(type.of)
      return (cell) => cell.listValue!.values.map((each) => (each.kind === 'nullValue' ? null : item(each)))
    }
    case 'struct': {
      const decode = rowDecoderOf(type.fields.map((field) => decodeOf(field.type)))
      return (cell) => decode(cell.listValue!.values, 0)
    }
    case 'other':
      return (cell) => cell.stringValue ?? cell.numberValue ?? cell.boolValue ?? cell.listValue
    default:
      return decoderOf(type as WireType)
  }
}

interface DescribedCollector {
  readonly columns: ResultColumn[]
  /** Once all rows are taken: what a DML statement touched. */
  readonly rowCount: number | undefined
  readonly take: RowCollector
}

/** Takes rows of whatever columns the first message speaks of. */
export function describedCollector(): DescribedCollector {
  const columns: ResultColumn[] = []
  let rowCount: number | undefined
  let inner: RowCollector | undefined
  return {
    columns,
    get rowCount() {
      return rowCount
    },
    take(part, rows) {
      const count = part.stats?.rowCountExact
      if (count !== undefined && count !== null) rowCount = Number(count)
      if (!inner) {
        const struct = part.metadata?.rowType
        if (!struct || struct.fields.length === 0) return
        for (const column of columnsOf(struct)) columns.push(column)
        inner = rowCollector(rowDecoderOf(columns.map(({ type }) => decodeOf(type))), columns.length)
      }
      inner(part, rows)
    },
  }
}

/** How many messages are held for the reader before the next one is asked for. */
const AHEAD = 2

export interface StreamLimits extends Pick<CallOptions, 'signal'> {
  /** For all of it, in milliseconds; undefined for as long as it takes. */
  readonly timeoutMs: number | undefined
  /** How long the database may stay silent while the reader waits, in milliseconds. */
  readonly silence: number
}

/**
 * The rows of one of the client's result streams as they arrive, a batch per message, for results that do not fit into
 * memory: a slow reader keeps the database waiting. A reader that leaves early ends the call.
 */
export async function* rowBatches(
  stream: Readable,
  gate: MessageGate,
  decode: RowDecoder,
  width: number,
  { timeoutMs, silence, signal }: StreamLimits,
): AsyncGenerator<readonly Cells[], void, undefined> {
  const take = rowCollector(decode, width)
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
    // A stream that is being destroyed may report more errors; the first one has been reported.
    stream.on('error', () => {})
    if (!isOver) gate.cancel()
    stream.destroy()
    end(error)
  }
  const drop = (error: unknown): void => {
    arrived.length = 0
    stop(error)
  }
  const late = (): void => {
    if (!isOver) drop(timeoutError(timeoutMs!))
  }
  const endTimeout = timeoutMs === undefined ? undefined : atTimeLimit(timeoutMs, late)
  /** Until there is something, or the database has been silent for too long. */
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      const endSilence = atTimeLimit(silence, () => stop(timeoutError(silence)))
      wake = () => {
        endSilence()
        resolve()
      }
    })

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
  const forget = onAbort(signal, () => drop(cancelled(signal!)))
  stream.resume()

  try {
    for (;;) {
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
    endTimeout?.()
    forget()
    stop()
  }
}
