import type { Driver } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { migrate, migrationHash } from '@isotherm/migrations'
import { Client, type ClientOptions } from 'cassandra-driver'
import { statements } from './statements.js'
import { conditionalOf } from '../../support/conditional.js'

// A migrator in a process of its own, which is killed on the way.

/** What the child is to do. */
export interface Task {
  readonly client: ClientOptions
  readonly keyspace: string
  readonly name: string
  /** At which of its calls to the database it dies, from 1. Absent: at none. */
  readonly dieAt?: number
  /** How many milliseconds after the call was sent. Absent: before that. */
  readonly after?: number
}

const task = JSON.parse(process.argv[2]!) as Task
const die = (): void => void process.kill(process.pid, 'SIGKILL')
let calls = 0

/** The same function, at which the process may die. */
function mortal<Args extends readonly unknown[], T>(
  call: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    calls++
    if (calls !== task.dieAt) return call(...args)
    if (task.after === undefined) die()
    const answer = call(...args)
    setTimeout(die, task.after)
    const value = await answer
    // Whatever came of it, nobody hears of it.
    await new Promise(() => {})
    return value
  }
}

const client = new Client({
  ...task.client,
  keyspace: task.keyspace,
  encoding: { useBigIntAsLong: true, map: Map },
})
const driver = cassandra(client, { dialect: cql })
const { schemaChanges } = driver
const conditional = conditionalOf(driver)
const dying: Driver = {
  ...driver,
  run: mortal(driver.run),
  applyDdl: mortal(driver.applyDdl),
  atomic: { ...conditional, read: mortal(conditional.read), writeIf: mortal(conditional.writeIf) },
  // How often it is asked for depends on how long it takes.
  schemaChanges: { begin: mortal(schemaChanges!.begin), state: schemaChanges!.state },
}

const migration = { name: task.name, statements, hash: migrationHash(statements, cql), path: '' }
await migrate(dying, [migration], { dialect: cql, wait: 30_000, lease: 3_600_000 })
console.log(JSON.stringify({ calls }))
process.exit(0)
