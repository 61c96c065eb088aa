import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'

/** The methods that reads are made of; the client makes and drops sessions by others whenever it likes. */
const READS = /\/(StreamingRead|ExecuteStreamingSql|BeginTransaction)$/

/** A read that an engine has been asked for. */
export interface OpenCall {
  readonly path: string
  readonly host: string
}

/**
 * Which reads are open, as the transport has them: of all clients that are made from now on.
 *
 * @returns those of one engine
 */
export function watchCalls(): (host: string) => OpenCall[] {
  const open = new Set<OpenCall>()
  const connect = http2.connect.bind(http2) as (...given: never[]) => ClientHttp2Session
  const watched = (...given: never[]): ClientHttp2Session => {
    const session = connect(...given)
    const request = session.request.bind(session)
    session.request = (headers, options): ClientHttp2Stream => {
      const stream = request(headers, options)
      const asked = headers as Readonly<Record<string, unknown>>
      const call = { path: String(asked[':path']), host: String(asked[':authority']) }
      if (READS.test(call.path)) {
        open.add(call)
        stream.once('close', () => open.delete(call))
      }
      return stream
    }
    return session
  }
  http2.connect = watched as typeof http2.connect
  return (host) => [...open].filter((call) => call.host === host)
}
