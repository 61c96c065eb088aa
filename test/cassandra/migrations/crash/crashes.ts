import { cql } from '@isotherm/cassandra'
import { introspect } from '@isotherm/core'
import { isMigrationTable, migrate, migrationStatus } from '@isotherm/migrations'
import type { CleanRun, CrashReport } from '../../../migrations/crash/suite.js'
import { migrationOf } from '../../../migrations/support/migrations.js'
import { sharedCassandra } from '../../../support/cassandra.js'
import { randomOf } from '../../../support/random.js'
import type { Script } from '../../../support/other-process.js'
import { emptyKeyspace, type EmptyKeyspace } from '../support/keyspace.js'
import type { Task } from './child.js'
import { DATA, statements } from './statements.js'

/**
 * Where a migrator is killed: before one of its calls to the database, while that is under way, or when so many
 * changes of the schema have been made and the last one is not written down yet.
 */
export interface Crash {
  readonly kind: 'call' | 'sent' | 'begun'
  readonly at: number
}

/** A server takes some milliseconds for most statements, and somewhat longer for changes of the schema. */
const LONGEST = 40

const migration = migrationOf(1, 'everything', statements)

async function taskIn({ keyspace }: EmptyKeyspace): Promise<Task> {
  const { clientOptions } = await sharedCassandra()
  return { client: clientOptions, keyspace, name: migration.name }
}

export async function cleanRun(child: Script): Promise<CleanRun> {
  const position = await emptyKeyspace()
  const { calls } = (await child.run(await taskIn(position), {})) as { readonly calls: number }
  return { outcome: await outcomeOf(position), calls }
}

/** Kills a migrator, lets another one finish its work, and looks at the result. */
export async function crashed(child: Script, { kind, at }: Crash, seed: number): Promise<CrashReport> {
  const position = await emptyKeyspace()
  const task: Task = {
    ...(await taskIn(position)),
    ...(kind === 'begun' ? { dieAfterBegun: at } : { dieAt: at }),
    ...(kind === 'sent' && { after: randomOf(seed)(LONGEST) }),
  }
  const wasKilled = await child.run(task, {}).then(
    () => false,
    (error: unknown) => {
      // Anything else is a failure of the migrator itself.
      if ((error as { signal?: unknown }).signal !== 'SIGKILL') throw error
      return true
    },
  )
  await endLease(position)
  const { statements: ran, resumed } = await migrate(position.driver, [migration], {
    dialect: cql,
  })
  const [status] = await migrationStatus(position.driver, [migration])
  const outcome = await outcomeOf(position)
  await leave(position)
  return { outcome, status: status!, wasKilled, statements: ran, resumed }
}

/** Each client that is open hears of every change of a schema, and each table takes memory of the node: hundreds are too many. */
async function leave({ client, keyspace }: EmptyKeyspace): Promise<void> {
  await client.execute(`DROP KEYSPACE "${keyspace}"`, [], { readTimeout: 60_000 })
  await client.shutdown()
}

/** The lease that a dead one has left ends now, rather than in an hour. */
async function endLease({ client }: EmptyKeyspace): Promise<void> {
  try {
    // On a condition, as every write of it: others would come to lie beside them in time.
    await client.execute(
      `UPDATE isotherm_migrations SET holder = NULL WHERE scope = 'migrations' IF holder != NULL`,
    )
  } catch (error) {
    // It may have died before there was a table for it.
    if (!/isotherm_migrations/.test((error as Error).message)) throw error
  }
}

/** What a keyspace holds: its schema, its rows, and what is written down of the migration. */
async function outcomeOf({ driver, rows }: EmptyKeyspace): Promise<unknown> {
  const { tables, ...rest } = await introspect({ driver, dialect: cql })
  const data: Record<string, unknown> = {}
  for (const table of DATA) data[table] = inOrder(await rows(`SELECT * FROM "${table}"`))
  const history = await rows('SELECT migration, statement, state, hash, kind, error FROM isotherm_migrations')
  return {
    schema: { ...rest, tables: tables.filter(({ name }) => !isMigrationTable(name)) },
    data,
    history: inOrder(history),
  }
}

function inOrder(rows: readonly object[]): string[] {
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return rows.map((row) => JSON.stringify(row, text)).toSorted()
}
