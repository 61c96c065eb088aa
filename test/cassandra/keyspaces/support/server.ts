import { createHash, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { certificateOf } from './certificate.js'
import { frame, Frames, int, OPCODES, Reader, short, string, value, VERSION, type Frame } from './frames.js'
import { preparedBody, rowsBody, type Rows } from './rows.js'
import { refusal, type Keys } from './signature.js'

// A server that signs clients in as Amazon Keyspaces does, and answers what tests tell it to: the real one is out of reach.

/** A statement as it came. */
export interface QueryRequest {
  readonly text: string
  readonly prepared: boolean
  readonly consistency: number
  readonly pageState: string | undefined
  /** NULL is null, and a value that is not set is undefined. */
  readonly values: readonly (Buffer | null | undefined)[]
}

export interface Refused {
  readonly code: number
  readonly message: string
  /** What the protocol has behind the message of this code. */
  readonly rest?: Buffer
}

export type Answer = Rows | { readonly error: Refused } | 'nothing' | 'silence'

export interface KeyspacesServerOptions {
  readonly region: string
  readonly keys: ReadonlyMap<string, Keys>
  /** The server's clock. */
  readonly now?: () => Date
}

const ERRORS = { badCredentials: 0x0100, protocol: 0x000a, invalid: 0x2200 } as const
const AUTHENTICATOR = 'com.amazonaws.helenus.auth.HelenusAuthenticator'
const NODE = '11111111-1111-1111-1111-111111111111'
const SCHEMA = '22222222-2222-2222-2222-222222222222'

const QUIET: readonly (readonly [RegExp, Answer])[] = [
  [/^SELECT \* FROM system\.peers/, { columns: { peer: 'inet' }, rows: [] }],
  [
    /^SELECT \* FROM system_schema\.keyspaces/,
    {
      columns: { keyspace_name: 'varchar', durable_writes: 'boolean', replication: 'map<varchar, varchar>' },
      rows: [
        ['blog', true, { class: 'org.apache.cassandra.locator.SimpleStrategy', replication_factor: '3' }],
      ],
    },
  ],
  [/^SELECT schema_version FROM system\.local/, { columns: { schema_version: 'uuid' }, rows: [[SCHEMA]] }],
  [/^SELECT schema_version FROM system\.peers/, { columns: { schema_version: 'uuid' }, rows: [] }],
]

export class KeyspacesServer {
  /** Every statement that was asked, those of the client's own left out. */
  readonly requests: QueryRequest[] = []
  /** How many sign-ins succeeded. */
  signedIn = 0
  readonly host: string
  readonly ca: string
  readonly #server: Server
  readonly #options: KeyspacesServerOptions
  readonly #sockets = new Set<TLSSocket>()
  readonly #answers: [RegExp, (request: QueryRequest) => Answer][] = []
  readonly #prepared = new Map<string, string>()

  static async start(options: KeyspacesServerOptions): Promise<KeyspacesServer> {
    const server = new KeyspacesServer(options)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  private constructor(options: KeyspacesServerOptions) {
    this.#options = options
    this.host = `cassandra.${options.region}.amazonaws.com`
    const { key, cert } = certificateOf(this.host)
    this.ca = cert
    this.#server = createServer({ key, cert }, (socket) => this.#serve(socket))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Answers statements that look so; of several, the one that was told last. */
  answer(text: RegExp, answer: Answer | ((request: QueryRequest) => Answer)): void {
    this.#answers.unshift([text, typeof answer === 'function' ? answer : () => answer])
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(socket: TLSSocket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    const frames = new Frames()
    const visitor = new Visitor()
    socket.on('data', (chunk: Buffer) => {
      for (const request of frames.push(chunk)) {
        const answer = this.#answerTo(request, visitor)
        if (answer) socket.write(frame(request.stream, answer.opcode, answer.body))
      }
    })
  }

  #answerTo({ version, opcode, body }: Frame, visitor: Visitor): Reply | undefined {
    if (version !== VERSION)
      return failed(ERRORS.protocol, `Invalid or unsupported protocol version (${version})`)
    if (opcode === OPCODES.startup) return { opcode: OPCODES.authenticate, body: string(AUTHENTICATOR) }
    if (opcode === OPCODES.options) return { opcode: OPCODES.supported, body: short(0) }
    if (opcode === OPCODES.authResponse) return this.#signIn(new Reader(body), visitor)
    if (!visitor.isIn) return failed(ERRORS.badCredentials, 'You have to sign in first.')
    switch (opcode) {
      case OPCODES.register:
        return { opcode: OPCODES.ready, body: Buffer.alloc(0) }
      case OPCODES.prepare:
        return this.#prepare(new Reader(body).long())
      case OPCODES.query: {
        const reader = new Reader(body)
        return this.#run(reader.long(), false, reader)
      }
      case OPCODES.execute: {
        const reader = new Reader(body)
        return this.#run(this.#prepared.get(reader.shortBytes().toString('hex'))!, true, reader)
      }
      default:
        return failed(ERRORS.protocol, `There is no opcode ${opcode} here.`)
    }
  }

  #signIn(reader: Reader, visitor: Visitor): Reply {
    const said = reader.bytes()!.toString('utf8')
    if (said === 'SigV4\0\0') {
      return { opcode: OPCODES.authChallenge, body: value(Buffer.from(`nonce=${visitor.nonce}`)) }
    }
    const { region, keys, now = () => new Date() } = this.#options
    const why = refusal(said, { nonce: visitor.nonce, region, keys, now: now() })
    if (why !== undefined) return failed(ERRORS.badCredentials, why)
    visitor.isIn = true
    this.signedIn++
    return { opcode: OPCODES.authSuccess, body: int(-1) }
  }

  #prepare(text: string): Reply {
    const id = createHash('md5').update(text).digest()
    this.#prepared.set(id.toString('hex'), text)
    return result(preparedBody(id, text.split('?').length - 1, tableOf(text)))
  }

  #run(text: string, prepared: boolean, reader: Reader): Reply | undefined {
    const keyspace = /^USE "?(\w+)"?/.exec(text)?.[1]
    if (keyspace !== undefined) return result(Buffer.concat([int(3), string(keyspace)]))
    const request: QueryRequest = { text, prepared, ...readOptions(reader) }
    const canned = text.startsWith('SELECT * FROM system.local')
      ? this.#local()
      : QUIET.find(([pattern]) => pattern.test(text))?.[1]
    if (canned) return replyOf(canned, text)
    this.requests.push(request)
    const scripted = this.#answers.find(([pattern]) => pattern.test(text))
    if (!scripted) return failed(ERRORS.invalid, `No answer is defined for ${text}`)
    return replyOf(scripted[1](request), text)
  }

  #local(): Rows {
    return {
      columns: {
        key: 'varchar',
        data_center: 'varchar',
        rack: 'varchar',
        host_id: 'uuid',
        release_version: 'varchar',
        partitioner: 'varchar',
        schema_version: 'uuid',
        rpc_address: 'inet',
        tokens: 'set<varchar>',
      },
      rows: [
        [
          'local',
          this.#options.region,
          'az1',
          NODE,
          '3.11.2',
          'org.apache.cassandra.dht.Murmur3Partitioner',
          SCHEMA,
          '127.0.0.1',
          ['0'],
        ],
      ],
    }
  }
}

class Visitor {
  readonly nonce = randomBytes(16).toString('hex')
  isIn = false
}

interface Reply {
  readonly opcode: number
  readonly body: Buffer
}

function result(body: Buffer): Reply {
  return { opcode: OPCODES.result, body }
}

function failed(code: number, message: string, rest: Buffer = Buffer.alloc(0)): Reply {
  return { opcode: OPCODES.error, body: Buffer.concat([int(code), string(message), rest]) }
}

function replyOf(answer: Answer, text: string): Reply | undefined {
  if (answer === 'silence') return undefined
  if (answer === 'nothing') return result(int(1))
  if ('error' in answer) return failed(answer.error.code, answer.error.message, answer.error.rest)
  return result(rowsBody(answer, tableOf(text)))
}

function tableOf(text: string): readonly [string, string] {
  const [, keyspace = 'blog', table = 'table'] = /FROM (?:"?(\w+)"?\.)?"?(\w+)"?/.exec(text) ?? []
  return [keyspace, table]
}

const WITH_VALUES = 0x01
const WITH_PAGE_SIZE = 0x04
const WITH_PAGE_STATE = 0x08

function readOptions(reader: Reader): Pick<QueryRequest, 'consistency' | 'values' | 'pageState'> {
  const consistency = reader.short()
  const flags = reader.byte()
  const values = flags & WITH_VALUES ? Array.from({ length: reader.short() }, () => reader.bytes()) : []
  if (flags & WITH_PAGE_SIZE) reader.int()
  const pageState = flags & WITH_PAGE_STATE ? reader.bytes()?.toString('utf8') : undefined
  return { consistency, values, pageState }
}
