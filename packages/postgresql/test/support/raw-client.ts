import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { type Message, errorText, int32, message, messagesIn } from '../../src/local/messages.js'

/** A client that sends bytes as they are, for what clients of PostgreSQL do not send. */
export class RawClient {
  readonly socket: Socket
  #received = Buffer.alloc(0)

  private constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes as Buffer])
    })
    this.socket.on('error', () => {})
  }

  static async open(port: number): Promise<RawClient> {
    const client = new RawClient(port)
    await once(client.socket, 'connect')
    return client
  }

  /** The same, with the first message of the protocol. */
  static async start(port: number): Promise<RawClient> {
    const client = await RawClient.open(port)
    client.send(firstMessage(3 << 16, 'user\0postgres\0database\0postgres\0\0'))
    await client.answer()
    return client
  }

  send(...messages: readonly (Buffer | string)[]): void {
    for (const each of messages) this.socket.write(each)
  }

  /** What has come up to the moment when the server is ready for the next statement, as the types of the messages. */
  async answer(): Promise<string> {
    return (await this.#until(({ type }) => type === 'Z')).map(({ type }) => type).join('')
  }

  /** Waits for a message of a type. */
  async message(type: string): Promise<void> {
    await this.#until((each) => each.type === type)
  }

  /** The first column of the rows of a statement. */
  async column(text: string): Promise<readonly string[]> {
    this.send(message('Q', text))
    const answered = await this.#until(({ type }) => type === 'Z')
    const error = answered.find(({ type }) => type === 'E')
    if (error) throw new Error(errorText(error.bytes))
    const rows = answered.filter(({ type }) => type === 'D')
    return rows.map(({ bytes }) => bytes.toString('utf8', 11, 11 + bytes.readInt32BE(7)))
  }

  /** The next byte. */
  async byte(): Promise<string> {
    while (this.#received.length === 0) await once(this.socket, 'data')
    const [byte] = this.#received
    this.#received = this.#received.subarray(1)
    return String.fromCharCode(byte!)
  }

  /** The errors up to the end of the connection. */
  async errors(): Promise<readonly string[]> {
    if (!this.socket.closed) await once(this.socket, 'close')
    return [...messagesIn(this.#received)]
      .filter(({ type }) => type === 'E')
      .map(({ bytes }) => errorText(bytes))
  }

  async #until(isLast: (message: Message) => boolean): Promise<readonly Message[]> {
    for (;;) {
      const messages = this.#complete()
      const at = messages.findIndex(isLast)
      if (at !== -1) {
        const taken = messages.slice(0, at + 1)
        this.#received = this.#received.subarray(taken.reduce((sum, { bytes }) => sum + bytes.length, 0))
        return taken
      }
      await once(this.socket, 'data')
    }
  }

  #complete(): readonly Message[] {
    let end = 0
    while (end + 5 <= this.#received.length) {
      const next = end + 1 + this.#received.readInt32BE(end + 1)
      if (next > this.#received.length) break
      end = next
    }
    return [...messagesIn(this.#received.subarray(0, end))]
  }
}

export function firstMessage(code: number, content = ''): Buffer {
  const rest = Buffer.concat([int32(code), Buffer.from(content, 'latin1')])
  return Buffer.concat([int32(rest.length + 4), rest])
}

export const parse = (name: string, text: string): Buffer => message('P', name, text, Buffer.alloc(2))
export const bind = (name: string): Buffer => message('B', '', name, Buffer.alloc(6))
export const describeStatement = (name: string): Buffer => message('D', Buffer.from('S'), name)
export const execute = message('E', '', int32(0))
export const sync = message('S')
