import { cassandra, cql } from '@isotherm/cassandra'
import { asynchronous, asynchronousBatch, batch } from '@isotherm/core/sequences'
import { Client, type ClientOptions } from 'cassandra-driver'
import { countAndExit, type Counting } from '../../../sequences/support/count-and-exit.js'

// Runs in a process of its own: takes numbers for many callers, and prints them.

export interface CountingTask extends Counting {
  readonly client: ClientOptions
  readonly keyspace: string
  readonly kind: 'asynchronous' | 'batch' | 'asynchronousBatch'
}

const task = JSON.parse(process.argv[2]!) as CountingTask
const { kind, name } = task
const client = new Client({
  ...task.client,
  keyspace: task.keyspace,
  encoding: { useBigIntAsLong: true, map: Map },
})
const driver = cassandra(client, { dialect: cql })
const generator = {
  asynchronous: () => asynchronous(driver, name),
  batch: () => batch(driver, name, { size: 50 }),
  asynchronousBatch: () => asynchronousBatch(driver, name, { ranges: { size: 50, lowWater: 12 } }),
}[kind]()

await countAndExit(generator, task)
