import { Buffer } from 'node:buffer'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import { IsothermError, type OptionKinds, checkOptions, text, wholeNumber } from '@isotherm/core/engine'
import { Conversation, NAME, type Shared } from './conversation.js'
import { NEWEST, int32, messagesIn } from './messages.js'
import { Session } from './session.js'
import { SettingsInSession } from './settings.js'
import { type PgliteOptions, openPglite } from './start-pglite.js'

/** A PGlite that other processes can use. */
export interface ServedPglite extends AsyncDisposable {
  /** For people: which version of PostgreSQL it is, and where its data are. */
  readonly description: string
  /** Where clients of PostgreSQL find it: `postgresql://postgres@127.0.0.1:5432/postgres`. */
  readonly url: string
  readonly port: number
  /** Fails when PGlite ends by itself, as after a recursion that is too deep for it. Never resolves. */
  readonly failure: Promise<never>
  /** Ends connections, rolls back their transactions, and closes the data. */
  stop(): Promise<void>
}

export interface ServePgliteOptions extends PgliteOptions {
  /** Of 127.0.0.1; 0 for any that is free. Default: 5432. */
  readonly port?: number
  /**
   * How long a client waits for the session while another client has a transaction open and sends no statement, in milliseconds. Then
   * its statement fails with SQLSTATE 55P03. Default: 5,000.
   */
  readonly waitTimeoutMs?: number
}

const HOST = '127.0.0.1'
const PORT = 5432
const WAIT_TIMEOUT = 5_000

const OPTIONS: OptionKinds<ServePgliteOptions> = {
  folder: text("'.isotherm/pglite'"),
  port: wholeNumber(0, 65_535),
  waitTimeoutMs: wholeNumber(0, 2 ** 31 - 1),
}

/**
 * Starts PGlite and lets other processes of this machine use it, by PostgreSQL's protocol and without a password. All of them have
 * PGlite's one session, in turns: a client keeps it for a statement or a transaction, and others wait.
 *
 * @throws {IsothermError} `ENGINE_UNAVAILABLE` where the package `@electric-sql/pglite` is not installed, another process has the
 * folder, or the port is in use.
 * @example
 * await using server = await servePglite({ folder: '.isotherm/pglite' })
 * const driver = pg(new Pool({ connectionString: server.url }))
 */
export async function servePglite(options: ServePgliteOptions = {}): Promise<ServedPglite> {
  checkOptions('servePglite', OPTIONS, options)
  const { port: wanted = PORT, waitTimeoutMs = WAIT_TIMEOUT, ...rest } = options
  const sockets = new Set<Socket>()
  const conversations = new Set<Promise<void>>()
  const failed = new EventEmitter()
  const failure = once(failed, 'lost').then(([cause]: Error[]): never => {
    throw new IsothermError('ENGINE_UNAVAILABLE', cause!.message, {
      fix: 'Start it again: what was committed is in its folder.',
      cause: cause!,
    })
  })
  // Where no code waits for it, the clients are told.
  failure.catch(() => {})
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    // The conversation notices that its connection has ended.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    const conversation = shared
      .then(
        (each) => new Conversation(socket, each).run(),
        // PGlite did not start: the connection is ended with the server.
        () => {},
      )
      .finally(() => conversations.delete(conversation))
    conversations.add(conversation)
  })
  const closeServer = async (): Promise<void> => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await Promise.allSettled(conversations)
  }
  const port = await listen(server, wanted)
  const opening = openPglite(rest, `at ${HOST}:${port}`)
  /** For clients that connect while PGlite starts. */
  const shared = opening.then(async ({ client }): Promise<Shared> => {
    const greeting = await greetingOf(client)
    return {
      session: new Session(client, waitTimeoutMs, (error) => failed.emit('lost', error)),
      settings: new SettingsInSession(),
      greeting,
      open: new Map(),
    }
  })
  try {
    const [{ description, announce, stop: close }] = await Promise.all([opening, shared])
    const url = `postgresql://${NAME}@${HOST}:${port}/${NAME}`
    announce(url)
    const stop = async (): Promise<void> => {
      await closeServer()
      await close()
    }
    return { description, url, port, failure, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await closeServer()
    await opening.then(
      ({ stop }) => stop(),
      () => {},
    )
    throw error
  }
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, HOST)
    await once(server, 'listening')
  } catch (cause) {
    const { code, message: said } = cause as NodeJS.ErrnoException
    throw new IsothermError(
      'ENGINE_UNAVAILABLE',
      code === 'EADDRINUSE'
        ? `The port ${port} of ${HOST} is in use.`
        : `Nothing can listen on the port ${port} of ${HOST}: ${said}.`,
      { fix: 'Give another one, or 0 for any that is free: isotherm emulator --port 0.', cause },
    )
  }
  return (server.address() as AddressInfo).port
}

/** What PGlite tells a client at first, without its key and without being ready: both are of a connection. */
async function greetingOf(client: PGlite): Promise<Buffer> {
  const start = Buffer.concat([int32(NEWEST), Buffer.from(`user\0${NAME}\0database\0${NAME}\0\0`)])
  const answer = Buffer.from(await client.execProtocolRaw(Buffer.concat([int32(start.length + 4), start])))
  const kept = [...messagesIn(answer)].filter(({ type }) => !PER_CONNECTION.has(type))
  return Buffer.concat(kept.map(({ bytes }) => bytes))
}

const PER_CONNECTION = new Set('KZ')
