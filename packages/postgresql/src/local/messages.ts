import { Buffer } from 'node:buffer'

// PostgreSQL's wire protocol, as far as a server needs it that only passes messages on:
// https://www.postgresql.org/docs/current/protocol-message-formats.html

/** A byte for its type, its length, and its content. */
export interface Message {
  readonly type: string
  /** All of its bytes, as they came. */
  readonly bytes: Buffer
}

/** The first message of a connection, which has no type. */
export type FirstMessage =
  /** Asks for TLS, or for encryption by Kerberos. */
  | { readonly kind: 'encryption' }
  /** Asks, on a connection of its own, to end the statement of another one. */
  | { readonly kind: 'cancel'; readonly key: string }
  | {
      readonly kind: 'start'
      /** For a client with a newer version of the protocol, or with options of it. */
      readonly negotiation: Buffer | undefined
      readonly parameters: ReadonlyMap<string, string>
    }

/** Bytes that do not form a message. The connection cannot go on: the next message cannot be found. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage'
}

/** In bytes. PostgreSQL has the same limit for the first message, and allows others a gigabyte. */
const MAX_FIRST = 10_000
const MAX_MESSAGE = 64 * 2 ** 20

const TYPES = new Set('QPBDESHCFXdcf')
const ENCRYPTION = new Set([80_877_103, 80_877_104])
const CANCEL = 80_877_102
const MAJOR = 3
/** Protocol 3.0: newer ones have nothing that PGlite knows. */
export const NEWEST = MAJOR << 16

/** The messages in the bytes of a connection, which come in any pieces. */
export class MessageReader {
  readonly #pieces: AsyncIterator<Buffer>
  /** What has come and was not taken yet. */
  #unread: Buffer[] = []
  #length = 0

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** @returns undefined at the end of the connection */
  async first(): Promise<FirstMessage | undefined> {
    const head = await this.#take(4)
    if (!head) return undefined
    const length = head.readInt32BE()
    if (length < 8 || length > MAX_FIRST)
      throw new InvalidMessage(`The connection begins with a message of ${length} bytes.`)
    const content = await this.#take(length - 4)
    return content && readFirst(content)
  }

  /** @returns undefined at the end of the connection */
  async next(): Promise<Message | undefined> {
    const head = await this.#take(5)
    if (!head) return undefined
    const type = String.fromCharCode(head[0]!)
    const length = head.readInt32BE(1)
    if (!TYPES.has(type)) throw new InvalidMessage(`A message has the unknown type ${head[0]}.`)
    if (length < 4 || length > MAX_MESSAGE)
      throw new InvalidMessage(`A message has ${length} bytes. The limit is ${MAX_MESSAGE}.`)
    const content = await this.#take(length - 4)
    return content && { type, bytes: Buffer.concat([head, content]) }
  }

  async #take(count: number): Promise<Buffer | undefined> {
    while (this.#length < count) {
      const { done = false, value } = await this.#pieces.next()
      if (done) return undefined
      this.#unread.push(value)
      this.#length += value.length
    }
    const all = this.#unread.length === 1 ? this.#unread[0]! : Buffer.concat(this.#unread)
    this.#unread = [all.subarray(count)]
    this.#length -= count
    return all.subarray(0, count)
  }
}

function readFirst(content: Buffer): FirstMessage {
  const code = content.readInt32BE()
  if (ENCRYPTION.has(code)) return { kind: 'encryption' }
  if (code === CANCEL) return { kind: 'cancel', key: content.toString('hex', 4) }
  if (code >>> 16 !== MAJOR)
    throw new InvalidMessage(`The client has version ${code >>> 16} of the protocol, not ${MAJOR}.`)
  const texts = content.toString('utf8', 4).split('\0')
  const parameters = new Map<string, string>()
  for (let at = 0; texts[at]; at += 2) parameters.set(texts[at]!, texts[at + 1] ?? '')
  const options = [...parameters.keys()].filter((name) => name.startsWith(OPTION))
  for (const name of options) parameters.delete(name)
  const negotiation =
    code > NEWEST || options.length > 0
      ? message('v', int32(NEWEST), int32(options.length), ...options)
      : undefined
  return { kind: 'start', negotiation, parameters }
}

/** How the names of options of the protocol begin. */
const OPTION = '_pq_.'

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

export function message(type: string, ...content: readonly (string | Buffer)[]): Buffer {
  const parts = content.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(4 + parts.reduce((sum, { length }) => sum + length, 0), 1)
  return Buffer.concat([head, ...parts])
}

/** The messages of an answer. */
export function* messagesIn(answer: Buffer): Generator<Message> {
  for (let at = 0; at < answer.length;) {
    const end = at + 1 + answer.readInt32BE(at + 1)
    yield { type: String.fromCharCode(answer[at]!), bytes: answer.subarray(at, end) }
    at = end
  }
}

/** The messages of an answer that comes in any pieces, without its rows. */
export class AnswerReader {
  /** How much of a row is still to come. */
  #ofRow = 0
  #unread: Buffer = Buffer.alloc(0);

  *read(piece: Buffer): Generator<Message> {
    const bytes = this.#unread.length === 0 ? piece : Buffer.concat([this.#unread, piece])
    let at = 0
    for (;;) {
      const skipped = Math.min(this.#ofRow, bytes.length - at)
      this.#ofRow -= skipped
      at += skipped
      if (bytes.length - at < 5) break
      const type = String.fromCharCode(bytes[at]!)
      const length = 1 + bytes.readInt32BE(at + 1)
      if (type === 'D' || type === 'd') {
        this.#ofRow = length
        continue
      }
      if (bytes.length - at < length) break
      yield { type, bytes: bytes.subarray(at, at + length) }
      at += length
    }
    this.#unread = bytes.subarray(at)
  }
}

export interface ServerError {
  readonly severity: 'ERROR' | 'FATAL'
  /** SQLSTATE. */
  readonly code: string
  readonly message: string
  readonly hint?: string
}

export function errorMessage({ severity, code, message: text, hint }: ServerError): Buffer {
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, `M${text}`, ...(hint ? [`H${hint}`] : [])]
  return message('E', ...fields, Buffer.alloc(1))
}

/** The text of an error that PGlite answers with. */
export function errorText(bytes: Buffer): string {
  const fields = bytes.toString('utf8', 5).split('\0')
  return fields.find((field) => field.startsWith('M'))?.slice(1) ?? 'failed'
}

/** Says that the server waits for a statement, outside a transaction. */
export const READY = message('Z', Buffer.from('I'))
