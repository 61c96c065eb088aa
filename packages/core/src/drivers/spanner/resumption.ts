import { PassThrough, type Readable } from 'node:stream'

// The client makes a stream's request again whenever the connection fails, at once and without end: while a database cannot
// be reached, each call takes a whole processor until its deadline. Here it is held back, and stopped.

/** Milliseconds before the client's second request, its third, and so on; after these it is not allowed another. */
const PAUSES = [0, 30, 100]

interface StreamConfig {
  /** The same object for all requests of one call. */
  readonly gaxOpts?: object
  readonly reqOpts: { readonly resumeToken?: unknown }
}

interface Requesting {
  requestStream(config: StreamConfig): Readable
}

interface Failures {
  count: number
  last: Error
  /** Where the last request began; a later place is progress. */
  readonly token: unknown
}

/** An error of the transport, without the code that would make the client ask again. */
export class GivenUp extends Error {}

const failures = new WeakMap<object, Failures>()

/** Paces the requests of a snapshot or transaction of the client. Only what fails pays for it. */
export function paceResumption(source: object): void {
  const requesting = source as Requesting
  const request = requesting.requestStream

  const watched = (config: StreamConfig, call: object): Readable => {
    const stream = request.call(source, config)
    stream.once('error', (last: Error) => {
      const { resumeToken: token } = config.reqOpts
      const before = failures.get(call)
      const count = before && before.token === token ? before.count : 0
      failures.set(call, { count: count + 1, last, token })
    })
    return stream
  }

  requesting.requestStream = (config) => {
    const call = config.gaxOpts ?? config
    const failed = failures.get(call)
    if (!failed) return watched(config, call)
    const pause = PAUSES[failed.count - 1]
    const stream = new PassThrough({ objectMode: true })
    const timer = setTimeout(() => {
      if (pause === undefined) {
        stream.destroy(new GivenUp(failed.last.message, { cause: failed.last }))
        return
      }
      const resumed = watched(config, call)
      resumed.once('error', (error: Error) => stream.destroy(error))
      stream.once('close', () => resumed.destroy())
      resumed.pipe(stream)
    }, pause)
    stream.once('close', () => clearTimeout(timer))
    return stream
  }
}
