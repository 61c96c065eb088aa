import type { Driver } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { migrate, migrationHash } from '@isotherm/migrations'
import { Client, type ClientOptions } from 'cassandra-driver'
import { type KillPoint, KillableCalls } from '../../../migrations/crash/killable-calls.js'
import { statements } from './statements.js'
import { conditionalOf } from '../../support/conditional.js'

// A migrator in a process of its own, which is killed on the way.

/** What the child is to do. */
export interface Task extends KillPoint {
  readonly client: ClientOptions
  readonly keyspace: string
  readonly name: string
}

const task = JSON.parse(process.argv[2]!) as Task
const calls = new KillableCalls(task)
const client = new Client({
  ...task.client,
  keyspace: task.keyspace,
  encoding: { useBigIntAsLong: true, map: Map },
})
const driver = cassandra(client, { dialect: cql })
const { schemaChanges } = driver
const conditional = conditionalOf(driver)
const killable: Driver = {
  ...driver,
  run: calls.of(driver.run),
  applyDdl: calls.of(driver.applyDdl),
  atomic: { ...conditional, read: calls.of(conditional.read), writeIf: calls.of(conditional.writeIf) },
  // How often the state is asked for depends on how long a change takes.
  schemaChanges: { begin: calls.ofBegin(schemaChanges!.begin), state: schemaChanges!.state },
}

const migration = { name: task.name, statements, hash: migrationHash(statements, cql), path: '' }
await migrate(killable, [migration], { dialect: cql, lease: 3_600_000 })
console.log(JSON.stringify({ calls: calls.count }))
process.exit(0)
