import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

interface Connection {
  readonly socket: Socket
  /** Sends an answer to the socket, and keeps the process busy until long after the limit, which runs already. */
  readonly answerInStandstill: (limit: number) => void
}

/** A connection to a server of this process, whose answers arrive while the process reads none. */
export async function connection(): Promise<Connection> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [[peer]] = (await Promise.all([once(server, 'connection'), once(socket, 'ready')])) as [
    [Socket],
    unknown,
  ]
  onTestFinished(() => {
    socket.destroy()
    peer.destroy()
    server.close()
  })
  const answerInStandstill = (limit: number): void => {
    peer.write('answer')
    const until = performance.now() + 3 * limit
    while (performance.now() < until);
  }
  return { socket, answerInStandstill }
}
