import { Spanner } from '@google-cloud/spanner'
import type { Driver, SchemaChanges, SqlDialect, Transactions } from '@isotherm/core'
import { migrate, migrationHash } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqlDialects } from '../../support/languages.js'
import { fortyStatements } from './forty-statements.js'
import { received, type SentState } from './slow-service.js'

// A migrator in a process of its own, which is killed on the way.

/** What the child is to do. */
export interface Task {
  readonly projectId: string
  readonly instance: string
  readonly database: string
  readonly dialect: SqlDialect['name']
  readonly name: string
  /** Before which of its calls to the database it dies, from 1: after all that the ones before it did. Absent: at none. */
  readonly dieAt?: number
  /** Where changes of the schema are made by a slow service. */
  readonly service?: string
}

const task = JSON.parse(process.argv[2]!) as Task
let calls = 0

/** The same function, before which the process may die; slow ones take their time before and after. */
function mortal<Args extends readonly unknown[], T>(
  call: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    calls++
    if (calls === task.dieAt) process.kill(process.pid, 'SIGKILL')
    await dawdle()
    const value = await call(...args)
    await dawdle()
    return value
  }
}

async function dawdle(): Promise<void> {
  if (task.service !== undefined) await sleep(Math.random() * 10)
}

async function ask(body: object): Promise<SentState | null> {
  const answer = await fetch(task.service!, { method: 'POST', body: JSON.stringify(body) })
  return (await answer.json()) as SentState | null
}

const slowly: SchemaChanges = {
  begin: async (statements, id) => void (await ask({ id, statements })),
  state: async (id) => received(await ask({ id })),
}

const dialect = sqlDialects[task.dialect]
const client = new Spanner({ projectId: task.projectId })
const driver = spanner(client.instance(task.instance).database(task.database), { dialect })
const changes = task.service === undefined ? driver.schemaChanges! : slowly
const dying: Driver = {
  ...driver,
  atomic: { kind: 'transactions', run: mortal(driver.atomic.run) as Transactions['run'] },
  executePartitioned: mortal(driver.executePartitioned!),
  schemaChanges: { begin: mortal(changes.begin), state: mortal(changes.state) },
}

const statements = fortyStatements(dialect)
const migration = { name: task.name, statements, hash: migrationHash(statements, dialect), path: '' }
await migrate(dying, [migration], { dialect, wait: 30_000 })
console.log(JSON.stringify({ calls }))
process.exit(0)
