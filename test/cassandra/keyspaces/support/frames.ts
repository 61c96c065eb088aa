// The native protocol, version 4, as far as a client needs it to sign in and to ask.
//
// Source: https://github.com/apache/cassandra/blob/cassandra-5.0/doc/native_protocol_v4.spec

export const VERSION = 4
const HEADER = 9

export const OPCODES = {
  error: 0x00,
  startup: 0x01,
  ready: 0x02,
  authenticate: 0x03,
  options: 0x05,
  supported: 0x06,
  query: 0x07,
  result: 0x08,
  prepare: 0x09,
  execute: 0x0a,
  register: 0x0b,
  batch: 0x0d,
  authChallenge: 0x0e,
  authResponse: 0x0f,
  authSuccess: 0x10,
} as const

export interface Frame {
  readonly version: number
  readonly stream: number
  readonly opcode: number
  readonly body: Buffer
}

/** Cuts what a socket gives into frames. */
export class Frames {
  #rest = Buffer.alloc(0)

  push(chunk: Buffer): Frame[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const frames: Frame[] = []
    while (this.#rest.length >= HEADER && this.#rest.length >= HEADER + this.#rest.readInt32BE(5)) {
      const end = HEADER + this.#rest.readInt32BE(5)
      frames.push({
        version: this.#rest[0]! & 0x7f,
        stream: this.#rest.readInt16BE(2),
        opcode: this.#rest[4]!,
        body: this.#rest.subarray(HEADER, end),
      })
      this.#rest = this.#rest.subarray(end)
    }
    return frames
  }
}

export function frame(stream: number, opcode: number, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER)
  header[0] = 0x80 | VERSION
  header.writeInt16BE(stream, 2)
  header[4] = opcode
  header.writeInt32BE(body.length, 5)
  return Buffer.concat([header, body])
}

export function int(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

export function short(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff)
}

export function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([short(bytes.length), bytes])
}

/** A value, or NULL. */
export function value(bytes: Buffer | null): Buffer {
  return bytes === null ? int(-1) : Buffer.concat([int(bytes.length), bytes])
}

/** Takes a body apart from its beginning. */
export class Reader {
  #at = 0
  readonly #body: Buffer

  constructor(body: Buffer) {
    this.#body = body
  }

  take(length: number): Buffer {
    this.#at += length
    return this.#body.subarray(this.#at - length, this.#at)
  }

  byte(): number {
    return this.take(1)[0]!
  }

  short(): number {
    return this.take(2).readUInt16BE()
  }

  int(): number {
    return this.take(4).readInt32BE()
  }

  long(): string {
    return this.take(this.int()).toString('utf8')
  }

  shortBytes(): Buffer {
    return this.take(this.short())
  }

  /** NULL is null, and a value that is not set is undefined. */
  bytes(): Buffer | null | undefined {
    const length = this.int()
    if (length >= 0) return this.take(length)
    return length === -1 ? null : undefined
  }
}
