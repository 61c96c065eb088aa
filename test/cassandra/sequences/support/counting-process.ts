import { appendFileSync } from 'node:fs'
import { cassandra } from '@isotherm/core/cassandra'
import { asynchronous, asynchronousBatch, batch } from '@isotherm/core/sequences'
import { Client, type ClientOptions } from 'cassandra-driver'

// Runs in a process of its own: takes numbers for many callers, and prints them.

export interface CountingTask {
  readonly client: ClientOptions
  readonly keyspace: string
  readonly kind: 'asynchronous' | 'batch' | 'asynchronousBatch'
  readonly name: string
  readonly callers: number
  /** How many numbers each caller takes; without, it goes on until it is killed. */
  readonly each?: number
  /** Where each number is written down at once. */
  readonly file?: string
}

const task = JSON.parse(process.argv[2]!) as CountingTask
const { kind, name, each, file } = task
const client = new Client({
  ...task.client,
  keyspace: task.keyspace,
  encoding: { useBigIntAsLong: true, map: Map },
})
const driver = cassandra(client, { target: 'cassandra' })
const generator = {
  asynchronous: () => asynchronous(driver, name),
  batch: () => batch(driver, name, { size: 50 }),
  asynchronousBatch: () => asynchronousBatch(driver, name, { ranges: { size: 50, lowWater: 12 } }),
}[kind]()

const taken: string[] = []
await Promise.all(
  Array.from({ length: task.callers }, async () => {
    for (let turn = 0; turn < (each ?? Infinity); turn++) {
      const number = String(await generator.next())
      // Before anything else is done: what is in a buffer would be lost.
      if (file !== undefined) appendFileSync(file, `${number}\n`)
      else taken.push(number)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }),
)
await generator.close()
process.stdout.write(JSON.stringify(taken), () => process.exit(0))
