import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import {
  InvalidMessage,
  type Message,
  MessageReader,
  READY,
  type ServerError,
  errorMessage,
  errorText,
  int32,
  message,
  messagesIn,
} from './messages.js'
import { type Session, SessionBusy, SessionLost, type Turn } from './session.js'

/** What the connections of a server share. */
export interface Shared {
  readonly session: Session
  /** The first answer of PGlite to a connection: the parameters that clients have to know, each a message. */
  readonly greeting: Buffer
  /** The connections that have begun, by the keys with which they are cancelled. */
  readonly open: Map<string, Conversation>
}

/** One database and one user: those of PGlite. */
export const NAME = 'postgres'

const SYNC = message('S')
const ROLLBACK = message('Q', 'ROLLBACK')
const RESET = message('Q', 'DISCARD ALL')

/** Parts of `COPY … FROM STDIN`, which was refused: PostgreSQL ignores what the client still sends. */
const IGNORED = new Set('dcfH')

/** Parameters of a connection that are not settings of the session: the last one is a label, for lists of connections. */
const KNOWN = new Set(['user', 'database', 'client_encoding', 'application_name'])

/** With SQL_ASCII, which psql has in a terminal without a language, texts are passed on as they are. */
const UTF8 = /^'?(?:utf-?8|unicode|sql_ascii)'?$/i

const CANCELLED = new Error('The client has cancelled its statement.')

/** A connection is not begun, or not continued. */
class Refusal extends Error {
  readonly code: string

  constructor(code: string, text: string) {
    super(text)
    this.code = code
  }
}

let count = 0

/** One client and its connection. It has the session from a first message until PGlite is ready outside a transaction. */
export class Conversation {
  readonly #socket: Socket
  readonly #shared: Shared
  readonly #reader: MessageReader
  /** Different for each client, and no process of PGlite, which would cancel itself. */
  readonly #id = 1_000_000 + ++count
  readonly #key = connectionKey(this.#id)
  #turn: Turn | undefined
  /** While it waits for the session. */
  #waiting: AbortController | undefined
  /** After an error, messages up to the next Sync are ignored. */
  #isSkipping = false
  /** The names that the prepared statements of this client have in PGlite, by its own names for them. */
  readonly #statements = new Map<string, string>()
  #statementCount = 0

  constructor(socket: Socket, shared: Shared) {
    this.#socket = socket
    this.#shared = shared
    this.#reader = new MessageReader(socket as AsyncIterable<Buffer>)
  }

  /** Answers until the client leaves. It does not fail. */
  async run(): Promise<void> {
    try {
      if (await this.#begin()) await this.#continue()
    } catch (error) {
      // A connection that broke is one that has ended.
      const answer = fatal(error)
      if (answer) this.#write(errorMessage(answer))
    } finally {
      this.#socket.destroySoon()
      await this.#leave().catch(() => {})
    }
  }

  /** Ends a wait for the session. A statement that runs has PGlite's process for itself, and cannot be reached. */
  cancel(): void {
    this.#waiting?.abort(CANCELLED)
  }

  /** @returns whether messages follow */
  async #begin(): Promise<boolean> {
    let first = await this.#reader.first()
    while (first?.kind === 'encryption') {
      this.#socket.write('N')
      first = await this.#reader.first()
    }
    if (first?.kind === 'cancel') this.#shared.open.get(first.key)?.cancel()
    if (first?.kind !== 'start') return false
    const { negotiation, parameters } = first
    if (negotiation) this.#write(negotiation)
    this.#shared.open.set(this.#key.toString('hex'), this)
    await this.#applyParameters(parameters)
    this.#write(Buffer.concat([this.#shared.greeting, message('K', this.#key), READY]))
    return true
  }

  async #applyParameters(parameters: ReadonlyMap<string, string>): Promise<void> {
    const { user = '', database = user, client_encoding: encoding = 'UTF8' } = Object.fromEntries(parameters)
    if (user !== NAME) throw new Refusal('28000', `PGlite has one user, ${NAME}.`)
    if (database !== NAME) throw new Refusal('3D000', `PGlite has one database, ${NAME}.`)
    if (!UTF8.test(encoding)) throw new Refusal('0A000', 'client_encoding must be UTF8.')
    for (const [name, value] of parameters) {
      if (KNOWN.has(name)) continue
      const [setting, text] = [name, value].map((each) => `'${each.replaceAll("'", "''")}'`)
      const turn = await this.#take()
      const answer: Buffer[] = []
      await turn.send(message('Q', `SELECT set_config(${setting}, ${text}, false)`), (part) =>
        answer.push(part),
      )
      for (const { type, bytes } of messagesIn(Buffer.concat(answer))) {
        if (type === 'E')
          throw new Refusal('22023', `The parameter ${name} of the connection: ${errorText(bytes)}.`)
      }
      this.#release()
    }
  }

  async #continue(): Promise<void> {
    for (let each = await this.#reader.next(); each && each.type !== 'X'; each = await this.#reader.next()) {
      await this.#answer(each)
      // The next message is read when the client has read the answer: no more than one waits in memory.
      await this.#drained()
    }
  }

  async #answer(asked: Message): Promise<void> {
    const { type } = asked
    if (IGNORED.has(type) || (this.#isSkipping && type !== 'S')) return
    if (this.#isSkipping) {
      this.#isSkipping = false
      this.#write(READY)
      return
    }
    if (!this.#turn) {
      try {
        await this.#take()
      } catch (error) {
        const answer = waitingError(error)
        if (!answer) throw error
        this.#write(errorMessage(answer))
        if (type === 'Q' || type === 'F' || type === 'S') this.#write(READY)
        else this.#isSkipping = true
        return
      }
    }
    if ((await this.#pass(asked)) === 'I') this.#release()
  }

  async #take(): Promise<Turn> {
    this.#waiting = new AbortController()
    try {
      return (this.#turn = await this.#shared.session.take({ signal: this.#waiting.signal }))
    } finally {
      this.#waiting = undefined
    }
  }

  #release(): void {
    this.#turn?.end()
    this.#turn = undefined
  }

  /** Passes a message on, with PGlite's names of the client's prepared statements. @returns the status of the session */
  async #pass({ type, bytes }: Message): Promise<string | undefined> {
    const write = (answer: Buffer): void => this.#write(answer)
    const turn = this.#turn!
    const content = bytes.subarray(5)
    // A statement without a name lasts until the next one, or until a Query.
    if (type === 'Q') await this.#close('')
    if (type === 'P') {
      const [name, rest] = cut(content)
      if (name === '') await this.#close('')
      const own = this.#statements.get(name) ?? `client ${this.#id} statement ${++this.#statementCount}`
      const { completed } = await turn.send(message('P', own, rest), write)
      if (completed === '1') this.#statements.set(name, own)
      return undefined
    }
    if (type === 'B') {
      const [portal, rest] = cut(content)
      const [name, values] = cut(rest)
      return (await turn.send(message('B', portal, this.#own(name), values), write)).status
    }
    if ((type === 'D' || type === 'C') && content[0] === STATEMENT) {
      const [name] = cut(content.subarray(1))
      const { completed } = await turn.send(message(type, content.subarray(0, 1), this.#own(name)), write)
      if (completed === '3') this.#statements.delete(name)
      return undefined
    }
    return (await turn.send(bytes, write)).status
  }

  /** A name that this client has not given is passed on: PGlite says that there is no such statement. */
  #own(name: string): string {
    return this.#statements.get(name) ?? name
  }

  /** Closes a prepared statement, where there is one. */
  async #close(name: string): Promise<void> {
    const own = this.#statements.get(name)
    if (own === undefined) return
    const { completed } = await this.#turn!.send(message('C', Buffer.of(STATEMENT), own))
    if (completed === '3') this.#statements.delete(name)
  }

  /** Nothing of a client stays, and nothing of the last one: its settings, temporary tables and locks. */
  async #leave(): Promise<void> {
    const { open } = this.#shared
    if (!open.delete(this.#key.toString('hex'))) return
    const isLast = open.size === 0
    const turn = this.#turn ?? (await this.#shared.session.take({ isPatient: true }))
    this.#turn = turn
    try {
      const { status } = await turn.send(SYNC)
      if (status !== 'I') await turn.send(ROLLBACK)
      for (const name of this.#statements.keys()) await this.#close(name)
      if (isLast) await turn.send(RESET)
    } finally {
      this.#release()
    }
  }

  #write(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  /** Resolves when the client has taken what was written, or has left. */
  async #drained(): Promise<void> {
    const socket = this.#socket
    if (!socket.writableNeedDrain || socket.destroyed) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.off('drain', done).off('close', done)
        resolve()
      }
      socket.on('drain', done).on('close', done)
    })
  }
}

/** `S`: a Describe or a Close of a statement, not of a portal. */
const STATEMENT = 0x53

/** The text up to the next zero byte, and what follows it. */
function cut(bytes: Buffer): readonly [text: string, rest: Buffer] {
  const end = bytes.indexOf(0)
  if (end === -1) throw new InvalidMessage('A text in a message has no end.')
  return [bytes.toString('utf8', 0, end), bytes.subarray(end + 1)]
}

function connectionKey(id: number): Buffer {
  return Buffer.concat([int32(id), randomBytes(4)])
}

/** What a client is told that did not get the session; undefined for other errors. */
function waitingError(error: unknown): ServerError | undefined {
  if (error === CANCELLED) return { severity: 'ERROR', code: '57014', message: CANCELLED.message }
  if (!(error instanceof SessionBusy)) return undefined
  return {
    severity: 'ERROR',
    code: '55P03',
    message: error.message,
    hint: 'End that transaction, or run the statement in it. An application that needs a second connection inside a transaction needs a server of PostgreSQL.',
  }
}

/** The last message to a client; undefined where it cannot be told. */
function fatal(error: unknown): ServerError | undefined {
  const waiting = waitingError(error)
  if (waiting) return { ...waiting, severity: 'FATAL' }
  const told = (code: string): ServerError => ({ severity: 'FATAL', code, message: (error as Error).message })
  if (error instanceof InvalidMessage) return told('08P01')
  if (error instanceof Refusal) return told(error.code)
  return error instanceof SessionLost ? told('57P02') : undefined
}
