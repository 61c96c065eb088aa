import { Buffer } from 'node:buffer'
import type { PGlite } from '@electric-sql/pglite'
import { AnswerReader, message } from './messages.js'

/** What PGlite has answered to a message, besides what it has written. */
export interface Answered {
  /** The type of the last message: a statement was prepared (`1`) or closed (`3`), for example. */
  readonly completed: string | undefined
  readonly hasFailed: boolean
  /** All prepared statements were closed, those of other clients too. */
  readonly hasClosedAll: boolean
  /** The encoding that the client has changed to. */
  readonly encoding: string | undefined
  /** Whether the session is in a transaction (`T`), in a failed one (`E`) or in none (`I`); undefined after messages that do not ask. */
  readonly status: string | undefined
}

/** The session, for one client, until `end`. */
export interface Turn {
  /**
   * @param statement the SQL that a message of the extended protocol runs, for the error
   * @throws {SessionLost}
   */
  send(bytes: Buffer, write?: (answer: Buffer) => void, statement?: string): Promise<Answered>
  end(): void
}

/** The client that has the session does nothing with it, and another one has waited for long enough. */
export class SessionBusy extends Error {
  override readonly name = 'SessionBusy'
}

/** PGlite has ended, or does not answer as the protocol demands. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

interface Waiting {
  begin(): void
  readonly limit: NodeJS.Timeout | undefined
}

/** After these, PGlite says that it is ready. */
const ASKS_WHETHER_READY = new Set('QSF')

/**
 * Follows each statement. PGlite would end its process on `COPY … FROM STDIN`, which wants data that are in later messages. It ignores
 * this message after any other statement.
 */
const NO_COPY = message(
  'f',
  'PGlite does not take rows from a client. Use INSERT; of a dump, pg_dump --inserts',
)
const MAY_COPY = new Set('QE')

/** The one session of a PGlite, which clients have in turns. */
export class Session {
  readonly #pglite: PGlite
  readonly #waitTimeoutMs: number
  #isTaken = false
  readonly #waiting: Waiting[] = []
  #lost: SessionLost | undefined
  readonly #onLost: (error: SessionLost) => void

  constructor(pglite: PGlite, waitTimeoutMs: number, onLost: (error: SessionLost) => void) {
    this.#pglite = pglite
    this.#waitTimeoutMs = waitTimeoutMs
    this.#onLost = onLost
  }

  /**
   * Waits in order for the session.
   *
   * @param signal ends the waiting
   * @param isPatient waits for as long as it takes
   * @throws {SessionBusy} where the session has been idle in the turn of another client for as long as the time limit.
   */
  async take({
    signal,
    isPatient = false,
  }: { readonly signal?: AbortSignal; readonly isPatient?: boolean } = {}): Promise<Turn> {
    if (this.#isTaken) await this.#inOrder(signal, isPatient)
    this.#isTaken = true
    this.#isUsed()
    let hasEnded = false
    return {
      send: (...message) => this.#send(...message),
      end: () => {
        if (hasEnded) return
        hasEnded = true
        this.#isTaken = false
        this.#waiting.shift()?.begin()
      },
    }
  }

  async #inOrder(signal: AbortSignal | undefined, isPatient: boolean): Promise<void> {
    let cancel: (() => void) | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        const leave = (reason: unknown): void => {
          const at = this.#waiting.indexOf(waiting)
          if (at !== -1) this.#waiting.splice(at, 1)
          clearTimeout(waiting.limit)
          reject(reason)
        }
        const busy = (): void =>
          leave(
            new SessionBusy(
              `PGlite has one session, and another client has kept it in its transaction, without a statement, for ${this.#waitTimeoutMs} ms.`,
            ),
          )
        const waiting: Waiting = {
          limit: isPatient ? undefined : setTimeout(busy, this.#waitTimeoutMs),
          begin: () => {
            // At once, so that no other client comes in between.
            this.#isTaken = true
            clearTimeout(waiting.limit)
            resolve()
          },
        }
        this.#waiting.push(waiting)
        cancel = () => leave(signal?.reason)
        signal?.addEventListener('abort', cancel)
        if (signal?.aborted) cancel()
      })
    } finally {
      if (cancel) signal?.removeEventListener('abort', cancel)
    }
  }

  /** The limit is for a session that is idle: others do not fail because a statement takes long. */
  #isUsed(): void {
    for (const { limit } of this.#waiting) limit?.refresh()
  }

  async #send(
    bytes: Buffer,
    write?: (answer: Buffer) => void,
    statement = bytes[0] === QUERY ? bytes.toString('utf8', 5, bytes.length - 1) : undefined,
  ): Promise<Answered> {
    if (this.#lost) throw this.#lost
    this.#isUsed()
    const type = String.fromCharCode(bytes[0]!)
    const reader = new AnswerReader()
    let completed: string | undefined
    let status: string | undefined
    let encoding: string | undefined
    let hasFailed = false
    let hasClosedAll = false
    try {
      await this.#pglite.execProtocolRawStream(MAY_COPY.has(type) ? Buffer.concat([bytes, NO_COPY]) : bytes, {
        onRawData(view) {
          // PGlite writes its next answer over this one.
          const answer = Buffer.from(view)
          for (const each of reader.read(answer)) {
            completed = each.type
            if (completed === 'E') hasFailed = true
            if (completed === 'C' && CLOSES_ALL.test(each.bytes.toString('latin1', 5))) hasClosedAll = true
            if (completed === 'Z') status = each.bytes.toString('latin1', 5)
            if (completed === 'S') encoding = encodingIn(each.bytes) ?? encoding
          }
          write?.(answer)
        },
      })
    } catch (cause) {
      throw this.#lose(`PGlite has ended by a failure of its own${during(statement)}.`, cause)
    }
    this.#isUsed()
    if (ASKS_WHETHER_READY.has(type) && completed !== 'Z')
      throw this.#lose(`PGlite has not ended its answer: it was broken${during(statement)}.`)
    return { completed, status, encoding, hasFailed, hasClosedAll }
  }

  #lose(what: string, cause?: unknown): SessionLost {
    this.#lost = new SessionLost(what, { cause })
    this.#onLost(this.#lost)
    return this.#lost
  }
}

const QUERY = 0x51

/** What PGlite says at the end of these statements. */
const CLOSES_ALL = /^(?:DEALLOCATE|DISCARD) ALL\0/

/** In characters. */
const MAX_QUOTED = 100

function during(statement: string | undefined): string {
  if (statement === undefined) return ' by a statement'
  const text = statement.trim()
  return ` by the statement: ${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}`
}

/** Of a message that reports a setting. */
function encodingIn(report: Buffer): string | undefined {
  const [name, value] = report.toString('utf8', 5).split('\0')
  return name === 'client_encoding' ? value : undefined
}
