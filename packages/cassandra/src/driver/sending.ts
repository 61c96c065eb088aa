import { type Client, type QueryOptions, types } from 'cassandra-driver'
import type { CqlStatement } from '../cql/statements.js'
import type { Statement } from '@isotherm/core/engine'
import { type Bound, boundParameters, boundWithoutNulls } from './encoding.js'
import { isUnprepared } from './errors.js'

/**
 * How many requests a connection takes by default. Some of them are left for the requests that the client sends by itself.
 */
const PER_CONNECTION = 2_048
const SHARE = 0.95

interface Pooling {
  readonly maxRequestsPerConnection?: number
}

/**
 * Limits how many requests wait for their answers at once. A client refuses more requests than its connections take, and
 * reports that no node is available: further requests wait in this queue, in the order in which they came.
 */
export class InFlight {
  readonly #max: number
  #count = 0
  #waiting: (() => void)[] = []
  /** Of the first that still waits. */
  #next = 0

  constructor(max: number) {
    this.#max = max
  }

  /** At once where there is room. */
  send<T>(request: () => Promise<T>): Promise<T> {
    if (this.#count < this.#max) return this.#begin(request)
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.#begin(request)))
    })
  }

  async #begin<T>(request: () => Promise<T>): Promise<T> {
    this.#count++
    try {
      return await request()
    } finally {
      this.#count--
      this.#admit()
    }
  }

  #admit(): void {
    const next = this.#waiting[this.#next]
    if (!next) return
    this.#next++
    if (this.#next === this.#waiting.length) {
      this.#waiting = []
      this.#next = 0
    }
    next()
  }
}

const ofClients = new WeakMap<Client, InFlight>()

/**
 * One for each client, shared by all its users. The limit of one connection is enough: there is at least one connection to
 * each node.
 */
function inFlightOf(client: Client): InFlight {
  let inFlight = ofClients.get(client)
  if (!inFlight) {
    const { options } = client as unknown as { readonly options?: { readonly pooling?: Pooling } }
    const max = options?.pooling?.maxRequestsPerConnection ?? PER_CONNECTION
    ofClients.set(client, (inFlight = new InFlight(Math.max(1, Math.floor(max * SHARE)))))
  }
  return inFlight
}

/** How statements are sent. The options of the client's calls are made once, not for each of them. */
export class Sending {
  readonly #base: QueryOptions
  readonly #bySize = new Map<number, QueryOptions>()
  #batch: QueryOptions | undefined

  constructor(base: QueryOptions) {
    this.#base = base
  }

  page(fetchSize: number, pageState?: string): QueryOptions {
    if (pageState !== undefined) return { ...this.#base, fetchSize, pageState }
    let options = this.#bySize.get(fetchSize)
    if (!options) this.#bySize.set(fetchSize, (options = { ...this.#base, fetchSize }))
    return options
  }

  get batch(): QueryOptions {
    return (this.#batch ??= { ...this.#base, logged: false })
  }
}

/** A statement, and whether NULL values are left unset: for new rows. */
export interface SentWrite {
  readonly statement: CqlStatement
  readonly leavesNulls: boolean
}

/**
 * The statements of one call. Each promise is the client's own and rejects with the client's error: the caller translates
 * it into an `IsothermError`.
 */
export class Call {
  /** The caller no longer waits: do not send anything more. */
  ended = false
  /** A write is on its way, or was. */
  sent = false
  /** A write was sent, and its outcome is unknown. */
  unanswered = false
  /**
   * When the same was written before, in microseconds since 1970 by this machine's clock: whatever others have written since
   * then stays. Undefined: it was not, or certainly to no effect. (Keyspaces has its own clock only, and does not listen.)
   */
  writtenAt: number | undefined
  readonly #client: Client
  readonly #sending: Sending
  readonly #inFlight: InFlight

  constructor(client: Client, sending: Sending) {
    this.#client = client
    this.#sending = sending
    this.#inFlight = inFlightOf(client)
  }

  /** One page of a statement's result. */
  page(
    statement: Statement,
    fetchSize: number,
    pageState?: string,
    prepare = true,
  ): Promise<types.ResultSet> {
    const options = this.#sending.page(fetchSize, pageState)
    const bound = boundParameters(statement.parameters)
    return this.#send((anew) =>
      this.#client.execute(statement.text + anew, bound, prepare ? options : { ...options, prepare }),
    )
  }

  /** @param leavesNulls NULL values are not written: for new rows */
  write(statement: CqlStatement, leavesNulls = false): Promise<types.ResultSet> {
    const params = bound({ statement, leavesNulls })
    return this.#send((anew) => {
      this.sent = true
      return this.#client.execute(statement.text + anew, params, this.#timed(this.#sending.page(ONE_ROW)))
    })
  }

  /** Statements of one partition, which take effect all at once or not at all. */
  batch(writes: readonly SentWrite[]): Promise<types.ResultSet> {
    const queries = writes.map((write) => ({ query: write.statement.text, params: bound(write) }))
    return this.#send((anew) => {
      this.sent = true
      const sent =
        anew === '' ? queries : queries.map(({ query, params }) => ({ query: query + anew, params }))
      return this.#client.batch(sent, this.#timed(this.#sending.batch))
    })
  }

  /**
   * A node forgets prepared statements when the table is changed, and then has not executed the statement. The client
   * prepares it again, but does not report why that fails: for example because a column was dropped. With a trailing space
   * it is a new statement, and the reason is reported.
   *
   * @param request gets the suffix that makes the text a new statement, or an empty one
   */
  #send<T>(request: (anew: '' | ' ') => Promise<T>): Promise<T> {
    return this.#inFlight.send(() => {
      if (this.ended) throw new Error('The call has ended already: its caller does not wait any more.')
      return request('').catch((error: unknown) => {
        if (!isUnprepared(error)) throw error
        return request(' ')
      })
    })
  }

  #timed(options: QueryOptions): QueryOptions {
    return this.writtenAt === undefined ? options : { ...options, timestamp: this.writtenAt }
  }
}

/** A conditional write returns one row. */
const ONE_ROW = 1

function bound({ statement: { parameters, unset = [] }, leavesNulls }: SentWrite): Bound[] {
  const values = leavesNulls ? boundWithoutNulls(parameters) : boundParameters(parameters)
  for (const at of unset) values[at] = types.unset
  return values
}
