import { introspect, type SqlDialect } from '@isotherm/core'
import { isMigrationTable, migrate, migrationStatus } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { randomOf } from '../../support/random.js'
import type { Script } from '../../support/other-process.js'
import { sharedEmulator } from '../../support/spanner.js'
import { endLease } from '../support/lease.js'
import { migrationOf } from '../support/migrations.js'
import type { Task } from './child.js'
import { DATA, fortyStatements } from './forty-statements.js'
import { slowService } from './slow-service.js'
import type { CleanRun, CrashReport } from './suite.js'

/** Where a migrator is killed. */
export type Crash =
  /** Before one of its calls to the database. */
  | { readonly kind: 'call'; readonly at: number }
  /** After this many schema changes, before the last one is recorded. */
  | { readonly kind: 'begun'; readonly at: number }
  /** When a slow database has just completed this many statements that change the schema. */
  | { readonly kind: 'statement'; readonly at: number }
  /** While a slow database works: 3.25 is a quarter of the way through the fourth statement that changes the schema. */
  | { readonly kind: 'moment'; readonly at: number }

/** The content of a database without the migrator's own tables: its DDL, its introspected schema, and its rows. */
export interface Outcome {
  readonly ddl: readonly string[]
  readonly schema: unknown
  readonly rows: Readonly<Record<string, readonly object[]>>
}

export async function cleanRun(dialect: SqlDialect, child: Script): Promise<CleanRun> {
  return withDatabase(dialect, async ({ client, task, environment }) => {
    const { calls } = (await child.run(task, environment)) as { readonly calls: number }
    return { outcome: await outcomeOf(client, dialect), calls }
  })
}

/** Kills a migrator, lets another migrator finish the work, and returns the result. */
export async function crashed(
  dialect: SqlDialect,
  child: Script,
  crash: Crash,
  seed: number,
): Promise<CrashReport> {
  const random = randomOf(seed)
  return withDatabase(dialect, async ({ client, task, environment }) => {
    const driver = spanner(client)
    const killer = new AbortController()
    const kill = (): void => killer.abort()
    const granularity = (before: number): number => {
      const milliseconds = random(20)
      if (crash.kind === 'moment' && before === Math.floor(crash.at))
        setTimeout(kill, (crash.at % 1) * milliseconds)
      return milliseconds
    }
    const service = await slowService(
      driver,
      granularity,
      (count) => void (crash.kind === 'statement' && count === crash.at && kill()),
    )
    const isSlow = crash.kind === 'statement' || crash.kind === 'moment'
    const order = isSlow
      ? { service: service.url, seed }
      : crash.kind === 'call'
        ? { dieAt: crash.at }
        : { dieAfterBegun: crash.at }
    try {
      const wasKilled = await child.run({ ...task, ...order }, environment, killer.signal).then(
        () => false,
        (error: unknown) => {
          // Other errors are failures of the migrator itself.
          if ((error as { signal?: unknown }).signal !== 'SIGKILL') throw error
          return true
        },
      )
      await endLease(driver)
      const again = isSlow ? { ...driver, schemaChanges: service.changes } : driver
      const migration = migrationIn(dialect)
      const report = await migrate(again, [migration], { dialect })
      const [status] = await migrationStatus(driver, [migration])
      const { statements, resumed } = report
      return { outcome: await outcomeOf(client, dialect), status: status!, wasKilled, statements, resumed }
    } finally {
      await service.close()
    }
  })
}

function migrationIn(dialect: SqlDialect) {
  return migrationOf(1, 'everything', fortyStatements(dialect))
}

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof sharedEmulator>>['database']>>

interface Stage {
  readonly client: Client
  readonly task: Task
  readonly environment: NodeJS.ProcessEnv
}

/** An emulator holds at most a hundred databases, so each is deleted after its test. */
async function withDatabase<T>(dialect: SqlDialect, work: (stage: Stage) => Promise<T>): Promise<T> {
  const engine = await sharedEmulator()
  const client = await engine.database({ dialect })
  const task: Task = {
    projectId: engine.projectId,
    instance: engine.instanceId,
    database: client.id!,
    dialect: dialect.name,
    name: migrationIn(dialect).name,
  }
  try {
    return await work({ client, task, environment: { SPANNER_EMULATOR_HOST: engine.host } })
  } finally {
    await client.delete()
  }
}

async function outcomeOf(client: Client, dialect: SqlDialect): Promise<Outcome> {
  const driver = spanner(client, { dialect })
  const ddl = await driver.readDdl()
  const { tables, ...rest } = await introspect({ driver, dialect })
  const rows: Record<string, object[]> = {}
  for (const table of DATA) {
    const [read] = await client.run(`SELECT * FROM ${table}`)
    rows[table] = read
      .map((row) => (row as { toJSON(): object }).toJSON())
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  return {
    ddl: ddl.filter((statement) => !/isotherm_migration/.test(statement)).sort(),
    schema: { ...rest, tables: tables.filter(({ name }) => !isMigrationTable(name)) },
    rows,
  }
}
