import { connect, createServer, type AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

// A network that takes its time, in a thread of its own: a real one does not wait for the client's processor.

/** What `throughSlowNetwork` hands over; the port that it listens at goes back. */
export interface DelayProxyData {
  readonly host: string
  readonly port: number
  /** Milliseconds that everything is under way, in each direction. */
  readonly delay: number
}

const { host, port, delay } = workerData as DelayProxyData

const server = createServer((client) => {
  const upstream = connect(port, host)
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.setNoDelay(true)
    // Timers of one length end in the order in which they were set.
    from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), delay))
    from.on('close', () => to.destroy())
    from.on('error', () => to.destroy())
  }
})
server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as AddressInfo).port))
