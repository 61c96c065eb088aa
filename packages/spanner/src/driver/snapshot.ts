import type { Database, Snapshot as ClientSnapshot } from '@google-cloud/spanner'
import {
  type CallOptions,
  IsothermError,
  type ReadOptions,
  type Reader,
  type Snapshot,
  type SnapshotOptions,
  answer,
  timeLimit,
  internals,
} from '@isotherm/core/engine'
import { isSessionLost, translate } from './errors.js'
import { type Bounds, CallHandle, beginOptions, fixedMoment, timestampBounds } from './requests.js'
import { MAX_ATTEMPTS, type OpenSnapshot, openInTime } from './sessions.js'

/**
 * Several reads at one timestamp. If the database forgets the session, they go on in another one, at the same timestamp.
 *
 * @param readerOf reads in the client's snapshot
 * @param timeoutMs the default of a call, in milliseconds
 */
export async function spannerSnapshot(
  database: Database,
  readerOf: (snapshot: ClientSnapshot) => Reader,
  { lazily = false, ...options }: SnapshotOptions,
  timeoutMs: number,
): Promise<Snapshot> {
  const bounds = timestampBounds(fixedMoment(options.at))
  const limit = timeLimit(options.timeoutMs, timeoutMs)
  /** Undefined while a session is lost: the next call finds another. */
  let opened: OpenSnapshot | undefined = await begun(database, bounds, lazily, limit, options)
  let opening: Promise<OpenSnapshot> | undefined
  let { readTimestamp } = opened.snapshot as { readTimestamp?: Date }
  let closed = false

  /** Another session at the same timestamp, shared by all calls that have lost theirs. */
  const reopen = (): Promise<OpenSnapshot> => {
    const moment = readTimestamp ? timestampBounds({ readTimestamp }) : bounds
    opening ??= begun(database, moment, false, limit, options)
      .then((anew) => {
        if (closed) anew.release()
        else opened = anew
        return anew
      })
      .finally(() => {
        opening = undefined
      })
    return opening
  }

  const within = async <T>(
    call: ReadOptions,
    work: (reader: Reader, call: ReadOptions) => Promise<T>,
  ): Promise<T> => {
    const own = timeLimit(call.timeoutMs, timeoutMs)
    const endsAt = performance.now() + own
    for (let attempt = 1; ; attempt++) {
      const mine = opened ?? (await answer(reopen, endsAt - performance.now(), call))
      if (closed) throw new IsothermError('CANCELLED', 'The snapshot was closed.')
      const left = attempt === 1 ? own : endsAt - performance.now()
      try {
        const result = await work(readerOf(mine.snapshot), { ...call, timeoutMs: left })
        readTimestamp ??= mine.snapshot.readTimestamp
        return result
      } catch (error) {
        readTimestamp ??= mine.snapshot.readTimestamp
        if (!isSessionLost(error) || attempt === MAX_ATTEMPTS) throw error
        // All calls in flight fail: the first one releases the snapshot.
        if (opened === mine) {
          opened = undefined
          mine.release((error as Error).cause)
        }
      }
    }
  }

  return {
    get readTimestamp() {
      return readTimestamp
    },
    read: (request, call = {}) => within(call, (reader, left) => reader.read(request, left)),
    query: (statement, types, call = {}) =>
      within(call, (reader, left) => reader.query(statement, types, left)),
    run: (statement, call = {}) => within(call, (reader, left) => reader.run(statement, left)),
    close() {
      if (closed) return
      closed = true
      opened?.release()
    },
  }
}

async function begun(
  database: Database,
  bounds: Bounds,
  lazily: boolean,
  timeoutMs: number,
  call: CallOptions,
): Promise<OpenSnapshot> {
  const endsAt = performance.now() + timeoutMs
  for (let attempt = 1; ; attempt++) {
    const opened = await openInTime(database, bounds, endsAt - performance.now(), call)
    if (opened.hasBegun) return opened
    if (lazily) {
      beginWithFirstCall(opened.snapshot)
      return opened
    }
    const handle = new CallHandle()
    const left = endsAt - performance.now()
    try {
      await answer(() => opened.snapshot.begin(beginOptions(handle)), left, call)
      return opened
    } catch (error) {
      handle.cancel()
      const failure = translate(error)
      const lost = isSessionLost(failure)
      opened.release(lost ? error : undefined)
      if (!lost || attempt === MAX_ATTEMPTS) throw failure
    }
  }
}

interface StreamConfig {
  readonly reqOpts: { readonly transaction?: { readonly singleUse?: unknown; readonly begin?: unknown } }
}

const inside = internals<{ requestStream(config: StreamConfig): unknown }>(
  'Snapshot of @google-cloud/spanner',
  ['requestStream'],
)

/**
 * The client reads in a snapshot that has not begun as if for once. The protocol lets the first read begin it, and the client
 * takes the transaction's id from the answer.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#transactionselector
 */
function beginWithFirstCall(snapshot: ClientSnapshot): void {
  const own = inside(snapshot)
  const request = own.requestStream.bind(snapshot)
  own.requestStream = (config) => {
    const begin = config.reqOpts.transaction?.singleUse
    return request(
      begin === undefined ? config : { ...config, reqOpts: { ...config.reqOpts, transaction: { begin } } },
    )
  }
}
