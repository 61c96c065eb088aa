import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Database } from '@google-cloud/spanner'
import { spannerClass } from './raw-access-log.js'

/** The same database, further away. */
export interface SlowNetwork {
  readonly database: Database
  close(): Promise<void>
}

/** @param delay milliseconds that everything is under way, in each direction */
export async function throughSlowNetwork(
  target: string,
  database: Database,
  delay: number,
): Promise<SlowNetwork> {
  const [host, port] = target.split(':') as [string, string]
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), host)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      // Timers of one length end in the order in which they were set.
      from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), delay))
      from.on('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const Spanner = await spannerClass()
  const [, project, instance, name] = /projects\/([^/]+)\/instances\/([^/]+)\/databases\/([^/]+)/.exec(
    database.formattedName_,
  )!
  const before = process.env['SPANNER_EMULATOR_HOST']
  process.env['SPANNER_EMULATOR_HOST'] = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new Spanner({ projectId: project! })
  if (before === undefined) delete process.env['SPANNER_EMULATOR_HOST']
  else process.env['SPANNER_EMULATOR_HOST'] = before
  const far = client.instance(instance!).database(name!)
  return {
    database: far,
    async close() {
      await far.close()
      void client.close()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
