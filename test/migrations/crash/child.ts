import { Spanner } from '@google-cloud/spanner'
import type { Driver, SchemaChanges, SqlDialect, Transactions } from '@isotherm/core'
import { migrate, migrationHash } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqlDialects } from '../../support/languages.js'
import { randomOf } from '../../support/random.js'
import { fortyStatements } from './forty-statements.js'
import { type KillPoint, KillableCalls } from './killable-calls.js'
import { received, type SentState } from './slow-service.js'

// A migrator in a separate process, which is killed during its work.

/** The task of the child process. */
export interface Task extends KillPoint {
  readonly projectId: string
  readonly instance: string
  readonly database: string
  readonly dialect: SqlDialect['name']
  readonly name: string
  /** The URL of a slow service that makes schema changes, and the seed of the delays in this process. */
  readonly service?: string
  readonly seed?: number
}

const task = JSON.parse(process.argv[2]!) as Task
const calls = new KillableCalls(task)
const random = randomOf(task.seed ?? 0)

/** The same function with delays before and after, if a slow service is used. */
function slow<Args extends readonly unknown[], T>(
  call: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  if (task.service === undefined) return call
  return async (...args) => {
    await sleep(random(10))
    const value = await call(...args)
    await sleep(random(10))
    return value
  }
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
const killable: Driver = {
  ...driver,
  atomic: { kind: 'transactions', run: calls.of(slow(driver.atomic.run)) as Transactions['run'] },
  executePartitioned: calls.of(slow(driver.executePartitioned!)),
  // How often the state is asked for depends on how long a change takes.
  schemaChanges: { begin: calls.ofBegin(slow(changes.begin)), state: slow(changes.state) },
}

const statements = fortyStatements(dialect)
const migration = { name: task.name, statements, hash: migrationHash(statements, dialect), path: '' }
await migrate(killable, [migration], { dialect, lease: 3_600_000 })
console.log(JSON.stringify({ calls: calls.count }))
process.exit(0)
