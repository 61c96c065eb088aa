import { types, type Client, type QueryOptions } from 'cassandra-driver'
import type { CqlStatement } from '../../dialects/cql/statements.js'
import type { Statement } from '../../dialects/statement.js'
import { boundParameters, boundWithoutNulls, type Bound } from './encoding.js'
import { inFlightOf, type InFlight } from './in-flight.js'

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

/** A statement, and whether what is NULL is left as it is: for rows that are new. */
export interface SentWrite {
  readonly statement: CqlStatement
  readonly leavesNulls: boolean
}

/**
 * The statements of one call. Each promise is the client's own, and rejects with the client's error: whoever began the call
 * puts it into our words.
 */
export class Call {
  /** Nobody waits for the call any more: whatever it would still send is not wanted. */
  ended = false
  /** A write is on its way, or was. */
  sent = false
  /** A write was sent, and nobody knows what came of it. */
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

  /** One page of what a statement gives back. */
  page(
    statement: Statement,
    fetchSize: number,
    pageState?: string,
    prepare = true,
  ): Promise<types.ResultSet> {
    const options = this.#sending.page(fetchSize, pageState)
    const bound = boundParameters(statement.parameters)
    return this.#send(() =>
      this.#client.execute(statement.text, bound, prepare ? options : { ...options, prepare }),
    )
  }

  /** @param leavesNulls what is NULL is not written: for rows that are new */
  write(statement: CqlStatement, leavesNulls = false): Promise<types.ResultSet> {
    const params = bound({ statement, leavesNulls })
    return this.#send(() => {
      this.sent = true
      return this.#client.execute(statement.text, params, this.#timed(this.#sending.page(ONE_ROW)))
    })
  }

  /** Statements of one partition, which take effect all at once or not at all. */
  batch(writes: readonly SentWrite[]): Promise<types.ResultSet> {
    const queries = writes.map((write) => ({ query: write.statement.text, params: bound(write) }))
    return this.#send(() => {
      this.sent = true
      return this.#client.batch(queries, this.#timed(this.#sending.batch))
    })
  }

  #send<T>(request: () => Promise<T>): Promise<T> {
    return this.#inFlight.send(() => {
      if (this.ended) throw new Error('Nobody waits for the call any more.')
      return request()
    })
  }

  #timed(options: QueryOptions): QueryOptions {
    return this.writtenAt === undefined ? options : { ...options, timestamp: this.writtenAt }
  }
}

/** What a conditional write gives back. */
const ONE_ROW = 1

function bound({ statement: { parameters, unset = [] }, leavesNulls }: SentWrite): Bound[] {
  const values = leavesNulls ? boundWithoutNulls(parameters) : boundParameters(parameters)
  for (const at of unset) values[at] = types.unset
  return values
}
