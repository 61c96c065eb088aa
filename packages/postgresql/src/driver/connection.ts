// What the driver needs of a client: each client of PostgreSQL is one object with this interface. Values are sent, and come back, as
// PostgreSQL's own text, which loses nothing.

import { IsothermError, itemAt } from '@isotherm/core/engine'

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
  /**
   * Ends the statement that runs, whose answer then is an error; where that is not possible, the connection. Missing where
   * {@link Connections.concurrency} is one.
   *
   * @param isAnswered whether the statement has its answer, so that nothing is left to end
   * @returns false if the connection was closed; until then no other statement may begin, which would be ended instead
   */
  cancel?(isAnswered: () => boolean): Promise<boolean>
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

/**
 * Asked once, since a server, a database, a role and a pool have settings for all their connections.
 *
 * @throws {IsothermError} `INVALID_CLIENT` where floats would come back rounded.
 */
export async function refuseRoundedFloats(ask: (text: string) => Promise<Answer>): Promise<void> {
  const { rows } = await ask(`SELECT current_setting('extra_float_digits')`)
  const digits = itemAt(itemAt(rows, 0), 0)
  if (Number(digits) >= 1) return
  throw new IsothermError('INVALID_CLIENT', `PostgreSQL rounds floats: extra_float_digits is ${digits}.`, {
    fix: "Set it to 1, the default: ALTER ROLE … RESET extra_float_digits; or new Pool({ options: '-c extra_float_digits=1' }).",
  })
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
