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
  int32,
  message,
} from './messages.js'
import { type Answered, type Session, SessionBusy, SessionLost, type Turn } from './session.js'
import { Settings, type SettingsInSession, SettingsRefused, maySet } from './settings.js'

/** What the connections of a server share. */
export interface Shared {
  readonly session: Session
  readonly settings: SettingsInSession
  /** The first answer of PGlite to a connection: the parameters that clients have to know, each a message. */
  readonly greeting: Buffer
  /** The connections that have begun, by the keys with which they are cancelled. */
  readonly open: Map<string, Conversation>
}

/** One database and one user: those of PGlite. */
export const NAME = 'postgres'

const SYNC = message('S')
const ROLLBACK = message('Q', 'ROLLBACK')
/** SQL that fails, so that a Sync does not commit what a client has sent before. */
const FAILING = message('P', '', 'disconnected', Buffer.alloc(2))

/**
 * Parts of `COPY … FROM STDIN`, which was refused: PostgreSQL ignores what the client still sends. And `H`, Flush: PGlite answers each
 * message at once.
 */
const IGNORED = new Set('dcfH')

/** Parameters of a connection that are not settings of the session: the last one is a label, for lists of connections. */
const KNOWN = new Set(['user', 'database', 'client_encoding', 'application_name'])

/** With SQL_ASCII, which psql has in a terminal without a language, texts are passed on as they are. */
const UTF8 = /^'?(?:utf-?8|unicode|sql_ascii)'?$/i

const CANCELLED = new Error('The client has cancelled its statement.')
const DISCONNECTED = new Error('The client has disconnected.')

/** What a client knows of a statement that it has prepared. */
interface Prepared {
  /** Its name in PGlite. */
  readonly own: string
  readonly text: string
}

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
  /** The prepared statements of this client, by its own names for them. */
  readonly #statements = new Map<string, Prepared>()
  #statementCount = 0
  /** The last statement that was bound, for errors. */
  #bound: string | undefined
  readonly #settings = new Settings()

  constructor(socket: Socket, shared: Shared) {
    this.#socket = socket
    this.#shared = shared
    this.#reader = new MessageReader(socket as AsyncIterable<Buffer>)
    socket.once('close', () => this.#waiting?.abort(DISCONNECTED))
  }

  /** Answers until the client leaves. It does not fail. */
  async run(): Promise<void> {
    try {
      if (await this.#begin()) await this.#continue()
    } catch (error) {
      // A connection that broke has ended: its client cannot be told.
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
    const changed = await this.#applyParameters(parameters)
    this.#write(Buffer.concat([this.#shared.greeting, ...changed, message('K', this.#key), READY]))
    return true
  }

  /** @returns reports of the settings that they change */
  async #applyParameters(parameters: ReadonlyMap<string, string>): Promise<readonly Buffer[]> {
    const { user = '', database = user, client_encoding: encoding = 'UTF8' } = Object.fromEntries(parameters)
    if (user !== NAME) throw new Refusal('28000', `PGlite has one user, ${NAME}.`)
    if (database !== NAME) throw new Refusal('3D000', `PGlite has one database, ${NAME}.`)
    const given = [...parameters].flatMap(([name, value]) =>
      name === 'options' ? [...settingsIn(value)] : KNOWN.has(name) ? [] : [[name, value] as const],
    )
    for (const [name, value] of [['client_encoding', encoding] as const, ...given]) {
      if (name === 'client_encoding' && !UTF8.test(value)) throw new Refusal('0A000', ONE_ENCODING)
    }
    const reports: Buffer[] = []
    if (given.length === 0) return reports
    const turn = await this.#take()
    for (const setting of given) {
      try {
        for (const report of await this.#settings.set(turn, [setting])) reports.push(report)
      } catch (error) {
        if (!(error instanceof SettingsRefused)) throw error
        throw new Refusal('22023', `The parameter ${setting[0]} of the connection: ${error.message}.`)
      }
    }
    this.#release()
    return reports
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
    if (this.#socket.destroyed) throw DISCONNECTED
    if (IGNORED.has(type) || (this.#isSkipping && type !== 'S')) return
    if (this.#isSkipping) {
      this.#isSkipping = false
      if (!this.#turn) {
        this.#write(READY)
        return
      }
    }
    if (!this.#turn) {
      try {
        await this.#take()
      } catch (error) {
        const answer = waitingError(error)
        if (!answer) throw error
        this.#write(errorMessage(answer))
        if (ENDS.has(type)) this.#write(READY)
        else this.#isSkipping = true
        return
      }
    }
    const { status, hasFailed, hasClosedAll, encoding } = await this.#pass(asked)
    // All clients have their prepared statements in one session.
    if (hasClosedAll) for (const each of this.#shared.open.values()) each.#statements.clear()
    if (hasFailed && !ENDS.has(type)) this.#isSkipping = true
    if (encoding !== undefined && !UTF8.test(encoding)) throw new Refusal('0A000', ONE_ENCODING)
    if (status === 'I') this.#release()
  }

  async #take(): Promise<Turn> {
    this.#waiting = new AbortController()
    try {
      this.#turn = await this.#shared.session.take({ signal: this.#waiting.signal })
    } finally {
      this.#waiting = undefined
    }
    if (this.#socket.destroyed) throw DISCONNECTED
    await this.#shared.settings.become(this.#settings, this.#turn)
    return this.#turn
  }

  #release(): void {
    this.#turn?.end()
    this.#turn = undefined
  }

  /** Passes a message on, with PGlite's names of the client's prepared statements. */
  async #pass({ type, bytes }: Message): Promise<Answered> {
    const write = (answer: Buffer): void => this.#write(answer)
    const turn = this.#turn!
    const content = bytes.subarray(5)
    // A statement without a name lasts until the next one, or until a Query.
    if (type === 'Q') {
      await this.#close('')
      const [text] = cut(content)
      const refusal = refusalOf(text)
      this.#runs(text)
      return turn.send(refusal ? message('Q', refusal) : bytes, write, text)
    }
    if (type === 'P') {
      const [name, rest] = cut(content)
      const [text] = cut(rest)
      const refusal = refusalOf(text)
      if (name === '') await this.#close('')
      const own = this.#statements.get(name)?.own ?? `client ${this.#id} statement ${++this.#statementCount}`
      // As it came: text that is not UTF-8 has to fail.
      const asked = refusal ? message('P', own, refusal, Buffer.alloc(2)) : message('P', own, rest)
      const answered = await turn.send(asked, write, text)
      if (answered.completed === '1') this.#statements.set(name, { own, text })
      return answered
    }
    if (type === 'B') {
      const [portal, rest] = cut(content)
      const [name, values] = cut(rest)
      this.#bound = this.#statements.get(name)?.text
      if (this.#bound !== undefined) this.#runs(this.#bound)
      return turn.send(message('B', portal, this.#own(name), values), write, this.#bound)
    }
    if ((type === 'D' || type === 'C') && content[0] === STATEMENT) {
      const [name] = cut(content.subarray(1))
      const answered = await turn.send(message(type, content.subarray(0, 1), this.#own(name)), write)
      if (answered.completed === '3') this.#statements.delete(name)
      return answered
    }
    return turn.send(bytes, write, this.#bound)
  }

  #runs(text: string): void {
    if (maySet(text)) this.#settings.willChange(text)
  }

  /** A name that this client has not given is passed on: PGlite says that there is no such statement. */
  #own(name: string): string {
    return this.#statements.get(name)?.own ?? name
  }

  /** Closes a prepared statement, where there is one. */
  async #close(name: string): Promise<void> {
    const prepared = this.#statements.get(name)
    if (prepared === undefined) return
    const { completed } = await this.#turn!.send(message('C', Buffer.of(STATEMENT), prepared.own))
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
      await turn.send(FAILING)
      const { status } = await turn.send(SYNC)
      if (status !== 'I') await turn.send(ROLLBACK)
      for (const name of this.#statements.keys()) await this.#close(name)
      if (isLast) await this.#shared.settings.discard(turn)
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

/** PGlite answers to these with its status, also after an error. */
const ENDS = new Set('QFS')

const ONE_ENCODING = 'client_encoding must be UTF8.'
/** What refusalOf refuses; and comments and texts, so that nothing is found in them. */
const REFUSED =
  /--.*|\/\*[^]*?\*\/|'[^']*'|"[^"]*"|\bcopy\b[^;]*?\b(?:from|to)\s+(program)\s*e?['$]|\bset\s+(?:session\s+|local\s+)?(?:client_encoding\s*(?:=|\bto\b)|names\b)\s*'?([\w-]+)'?|\bset_config\s*\(\s*'client_encoding'\s*,\s*'([^']*)'/gi

/** In the place of a statement that would break PGlite for all clients: a statement that fails, as far as texts can tell. */
function refusalOf(text: string): string | undefined {
  for (const [, program, set = 'default', encoding = set] of text.matchAll(REFUSED)) {
    if (program) return failing('PGlite cannot run programs, as COPY … PROGRAM asks for.')
    if (encoding.toLowerCase() !== 'default' && !UTF8.test(encoding)) return failing(ONE_ENCODING)
  }
  return undefined
}

function failing(reason: string): string {
  return `DO $$BEGIN RAISE EXCEPTION USING ERRCODE = '0A000', MESSAGE = '${reason}'; END$$`
}

/** The settings in the parameter `options`, which has the form of a command line: `-c search_path=sales --work_mem=8MB`. */
function* settingsIn(options: string): Generator<readonly [name: string, value: string]> {
  const words = [...options.matchAll(/(?:\\[\s\S]|[^\s\\])+/g)].map(([word]) =>
    word.replaceAll(/\\([\s\S])/g, '$1'),
  )
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const setting = word === '-c' ? words.shift() : /^(?:-c|--)([\s\S]+)$/.exec(word)?.[1]
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(setting ?? '') ?? []
    if (name === undefined || value === undefined)
      throw new Refusal('22023', `The parameter options of the connection has ${word}. Write -c name=value.`)
    yield [name.replaceAll('-', '_'), value]
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

/** An error of the system, or of a stream that was ended. */
const OF_SOCKET = /^(?:E[A-Z]+|ERR_STREAM_.*|ABORT_ERR)$/

/** The last message to a client; undefined where it cannot be told. */
function fatal(error: unknown): ServerError | undefined {
  const waiting = waitingError(error)
  if (waiting) return { ...waiting, severity: 'FATAL' }
  const told = (code: string): ServerError => ({ severity: 'FATAL', code, message: (error as Error).message })
  if (error instanceof InvalidMessage) return told('08P01')
  if (error instanceof Refusal) return told(error.code)
  if (error instanceof SessionLost) return told('57P02')
  const { code = '' } = error as NodeJS.ErrnoException
  const isOfSocket = error === DISCONNECTED || OF_SOCKET.test(code)
  return isOfSocket ? undefined : told('XX000')
}
