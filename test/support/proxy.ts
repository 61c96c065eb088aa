import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy in front of an engine that can lose what is sent through it. */
export interface Proxy {
  readonly host: string
  readonly isLost: boolean
  /** From now on, bytes in both directions vanish, and connections stay open. */
  blackHole(): void
  close(): Promise<void>
}

export async function startProxy(target: string): Promise<Proxy> {
  const [host, port] = target.split(':') as [string, string]
  const sockets = new Set<Socket>()
  let lost = false
  const server = createServer((client) => {
    const upstream = connect(Number(port), host)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => {
        if (!lost) to.write(bytes)
      })
      from.on('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get isLost() {
      return lost
    },
    blackHole() {
      lost = true
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
