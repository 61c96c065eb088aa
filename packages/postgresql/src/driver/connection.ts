// What the driver needs of a client: each client of PostgreSQL is one object with this interface. Values are sent, and come back, as
// PostgreSQL's own text, which loses nothing.

/** The answer to one statement. */
export interface Answer {
  readonly columns: readonly AnswerColumn[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** How many rows it changed, or returned; undefined for statements that are not about rows. */
  readonly rowCount: number | undefined
}

/** As both clients have it. */
export interface AnswerColumn {
  readonly name: string
  /** PostgreSQL's number of the type. */
  readonly dataTypeID: number
}

export type Values = readonly (string | null)[]

/** A connection that one piece of work has for itself. */
export interface Connection {
  /** @param caller for a statement that may run on another connection; without it, the caller of the whole work */
  query(text: string, values: Values, caller?: Caller): Promise<Answer>
}

/** Asked together with the beginning of each transaction: its time, and the number of the next one that writes. */
export const BEGINNING = 'SELECT transaction_timestamp(), pg_snapshot_xmax(pg_current_snapshot())::text'

/** Work in a transaction. */
export interface TransactionWork<T> {
  /** Its isolation level, and other modes: `ISOLATION LEVEL SERIALIZABLE`. */
  readonly mode: string
  /** Asked behind {@link BEGINNING}, in the same statement. */
  readonly also?: string
  /** @param beginning the answer to {@link BEGINNING} */
  run(connection: Connection, beginning: Answer): Promise<T>
  /** Called right before the commit. If it throws, nothing is committed. */
  committing?(): void
}

/** A client, or a pool of clients. Errors are the client's own. */
export interface Connections {
  /** For messages. */
  readonly name: string
  /** The vendor's object. */
  readonly client: object
  /** How many statements run side by side. */
  readonly concurrency: number
  /** Whether a transaction would get a connection at once. */
  hasFree(): boolean
  /** One statement, in a transaction of its own. */
  query(text: string, values: Values, caller: Caller): Promise<Answer>
  /** Commits when the work has ended, and rolls back where it fails. */
  transaction<T>(work: TransactionWork<T>, caller: Caller): Promise<T>
}

/** The code that waits for a call, until the timeout or the signal ends that. */
export class Caller {
  #hasLeft = false
  readonly #endings = new Set<() => void>()

  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Calls a function when the caller leaves, at once where it has left. @returns takes the function back */
  whenLeft(end: () => void): () => void {
    if (this.#hasLeft) end()
    else this.#endings.add(end)
    return () => this.#endings.delete(end)
  }

  leave(): void {
    this.#hasLeft = true
    for (const end of this.#endings) end()
    this.#endings.clear()
  }
}
