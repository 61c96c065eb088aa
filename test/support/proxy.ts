import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy in front of an engine that can lose what is sent through it. */
export interface Proxy {
  readonly host: string
  readonly isLost: boolean
  /** How many bytes the engine has sent so far. */
  readonly received: number
  /** Runs `act` when the engine has sent this many more bytes, before they are forwarded. */
  after(bytes: number, act: () => void): void
  /** From now on, bytes in both directions are dropped, and connections stay open. */
  blackHole(): void
  /** From now on, bytes from the engine are dropped; bytes to the engine arrive. */
  loseAnswers(): void
  /** From now on, bytes in both directions are held back, until `heal`. */
  stall(): void
  /** From now on, bytes are this many milliseconds late in each direction. */
  slow(milliseconds: number): void
  /** From now on, new connections are refused. */
  refuse(): void
  /** Resets the next `connections` connections. */
  turnAway(connections: number): void
  /** Ends all connections; new connections are accepted. */
  cut(): void
  /** Resets all connections, like a machine after a restart; new connections are accepted. */
  reset(): void
  /**
   * Ends all faults, present and future: delayed bytes arrive at once. Dropped bytes are lost, so connections that lost bytes
   * are reset.
   */
  heal(): void
  close(): Promise<void>
}

/** One direction of a connection. */
interface Link {
  readonly from: Socket
  readonly isAnswer: boolean
  /** The delayed bytes, in order. */
  readonly late: Buffer[]
  /** The bytes that are held back, in order. */
  readonly held: Buffer[]
  readonly timers: Set<NodeJS.Timeout>
  hasLost: boolean
  deliver(bytes: Buffer): void
}

export async function startProxy(target: string): Promise<Proxy> {
  const [host, port] = target.split(':') as [string, string]
  const links = new Set<Link>()
  let state: 'well' | 'lost' | 'unanswered' | 'stalled' = 'well'
  let delay = 0
  let received = 0
  let away = 0
  let coming: { readonly at: number; readonly act: () => void }[] = []

  const arrived = (bytes: number): void => {
    received += bytes
    const due = coming.filter(({ at }) => at <= received)
    if (due.length === 0) return
    coming = coming.filter(({ at }) => at > received)
    for (const { act } of due) act()
  }
  const pass = (link: Link, bytes: Buffer): void => {
    // Bytes after a gap are lost too: no connection skips bytes.
    if (link.hasLost || state === 'lost' || (state === 'unanswered' && link.isAnswer)) link.hasLost = true
    else if (state === 'stalled' || link.held.length > 0) link.held.push(bytes)
    else link.deliver(bytes)
  }
  const end = (how: (socket: Socket) => void): void => {
    for (const { from } of links) how(from)
  }

  const accept = (client: Socket): void => {
    if (away > 0) {
      away--
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(port), host)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      const link: Link = {
        from,
        isAnswer: from === upstream,
        late: [],
        held: [],
        timers: new Set(),
        hasLost: false,
        deliver: (bytes) => to.write(bytes),
      }
      links.add(link)
      from.on('data', (bytes) => {
        if (link.isAnswer) arrived(bytes.length)
        if (delay === 0 && link.late.length === 0) {
          pass(link, bytes)
          return
        }
        link.late.push(bytes)
        // The first timer forwards the first bytes, whatever bytes it was set for.
        const timer = setTimeout(() => {
          link.timers.delete(timer)
          pass(link, link.late.shift()!)
        }, delay)
        link.timers.add(timer)
      })
      from.on('close', () => {
        for (const timer of link.timers) clearTimeout(timer)
        links.delete(link)
        to.destroy()
      })
      from.on('error', () => to.destroy())
    }
  }
  let isRefusing = false
  let server = createServer(accept).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = (server.address() as AddressInfo).port
  return {
    host: `127.0.0.1:${own}`,
    get isLost() {
      return state === 'lost'
    },
    get received() {
      return received
    },
    after(bytes, act) {
      coming.push({ at: received + bytes, act })
    },
    blackHole() {
      state = 'lost'
    },
    loseAnswers() {
      state = 'unanswered'
    },
    stall() {
      state = 'stalled'
    },
    slow(milliseconds) {
      delay = milliseconds
    },
    refuse() {
      isRefusing = true
      server.close()
    },
    turnAway(connections) {
      away = connections
    },
    cut() {
      end((socket) => socket.destroy())
    },
    reset() {
      end((socket) => socket.resetAndDestroy())
    },
    heal() {
      state = 'well'
      if (isRefusing) server = createServer(accept).listen(own, '127.0.0.1')
      isRefusing = false
      delay = 0
      away = 0
      coming = []
      for (const link of links) {
        for (const timer of link.timers) clearTimeout(timer)
        link.timers.clear()
        const late = link.late.splice(0)
        if (link.hasLost) link.from.resetAndDestroy()
        else for (const bytes of [...link.held.splice(0), ...late]) link.deliver(bytes)
      }
    },
    async close() {
      end((socket) => socket.destroy())
      if (!isRefusing) await new Promise((resolve) => server.close(resolve))
    },
  }
}
