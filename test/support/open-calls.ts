import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'

/** The methods of reads. The client creates and deletes sessions with other methods at any time. */
const READS = /\/(StreamingRead|ExecuteStreamingSql|BeginTransaction)$/

/** The kinds of calls of an engine. */
export type CallKind = 'rows' | 'commit'
const PATHS: Readonly<Record<CallKind, RegExp>> = {
  rows: /\/(StreamingRead|ExecuteStreamingSql)$/,
  commit: /\/Commit$/,
}

/** A read that was sent to an engine. */
export interface OpenCall {
  readonly path: string
  readonly host: string
}

/** The reads of all clients that are created from now on, in the transport. */
export interface WatchedCalls {
  /** The open reads of one engine. */
  open(host: string): OpenCall[]
  /** Runs `act` at the next call of this kind of an engine, before the request is sent. */
  next(host: string, kind: CallKind, act: () => void): void
}

export function watchCalls(): WatchedCalls {
  const open = new Set<OpenCall>()
  const coming = new Map<string, { readonly kind: CallKind; readonly act: () => void }>()
  const connect = http2.connect.bind(http2) as (...args: never[]) => ClientHttp2Session
  const watched = (...args: never[]): ClientHttp2Session => {
    const session = connect(...args)
    const request = session.request.bind(session)
    session.request = (headers, options): ClientHttp2Stream => {
      const stream = request(headers, options)
      const requestHeaders = headers as Readonly<Record<string, unknown>>
      const call = { path: String(requestHeaders[':path']), host: String(requestHeaders[':authority']) }
      if (READS.test(call.path)) {
        open.add(call)
        stream.once('close', () => open.delete(call))
      }
      const next = coming.get(call.host)
      if (next && PATHS[next.kind].test(call.path)) {
        coming.delete(call.host)
        next.act()
      }
      return stream
    }
    return session
  }
  http2.connect = watched as typeof http2.connect
  return {
    open: (host) => [...open].filter((call) => call.host === host),
    next: (host, kind, act) => void coming.set(host, { kind, act }),
  }
}
