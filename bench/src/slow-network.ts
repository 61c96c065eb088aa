import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Database } from '@google-cloud/spanner'
import type { DelayProxyData } from './delay-proxy.js'
import { spannerClass } from './raw-access-log.js'

/** The same database, further away. */
export interface SlowNetwork {
  readonly database: Database
  close(): Promise<void>
}

/** An address whose answers take their time. */
export interface SlowAddress {
  readonly port: number
  close(): Promise<void>
}

/**
 * @param target `host:port`
 * @param delay milliseconds that everything is under way, in each direction
 */
export async function slowAddressOf(target: string, delay: number): Promise<SlowAddress> {
  const [host, port] = target.split(':') as [string, string]
  const workerData: DelayProxyData = { host, port: Number(port), delay }
  const proxy = new Worker(new URL('delay-proxy.js', import.meta.url), { workerData })
  const [own] = (await once(proxy, 'message')) as [number]
  return { port: own, close: async () => void (await proxy.terminate()) }
}

/** @param delay milliseconds that everything is under way, in each direction */
export async function throughSlowNetwork(
  target: string,
  database: Database,
  delay: number,
): Promise<SlowNetwork> {
  const address = await slowAddressOf(target, delay)
  const Spanner = await spannerClass()
  const [, project, instance, name] = /projects\/([^/]+)\/instances\/([^/]+)\/databases\/([^/]+)/.exec(
    database.formattedName_,
  )!
  const before = process.env['SPANNER_EMULATOR_HOST']
  process.env['SPANNER_EMULATOR_HOST'] = `127.0.0.1:${address.port}`
  const client = new Spanner({ projectId: project! })
  if (before === undefined) delete process.env['SPANNER_EMULATOR_HOST']
  else process.env['SPANNER_EMULATOR_HOST'] = before
  const far = client.instance(instance!).database(name!)
  return {
    database: far,
    async close() {
      await far.close()
      void client.close()
      await address.close()
    },
  }
}
