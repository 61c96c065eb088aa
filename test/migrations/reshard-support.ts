import {
  openDatabase,
  type Database,
  type Schema,
  type SqlDialect,
  type TransactionalDriver,
} from '@isotherm/core'
import { compileDdl } from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import { spanner } from '@isotherm/spanner'
import {
  planReshard,
  runReshardCommand,
  type ReshardPlan,
  type ReshardRunOptions,
  type ReshardStepName,
} from '@isotherm/migrations'
import { sharedEmulator } from '../support/spanner.js'

/** A trial of a reshard: a database with the old tables, and the plan. */
export interface Trial {
  readonly driver: TransactionalDriver
  readonly plan: ReshardPlan
  /** Runs statements of steps, one after the other. */
  run(steps: readonly ReshardStepName[], options?: ReshardRunOptions): Promise<void>
  back(step: ReshardStepName): Promise<void>
  /** The application, by the plan's schema. */
  application(): Promise<Database>
}

export async function trialOf(
  dialect: SqlDialect,
  from: Schema,
  to: Schema,
  table: string,
  into?: Readonly<Record<string, string>>,
): Promise<Trial> {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: compileDdl(from, { dialect }) })
  return trialOn(spanner(client), dialect, from, to, table, into)
}

/** A trial on a database that has the old tables already. */
export function trialOn(
  driver: TransactionalDriver,
  dialect: SqlDialect,
  from: Schema,
  to: Schema,
  table: string,
  into?: Readonly<Record<string, string>>,
): Trial {
  const plan = planReshard(from, to, { dialect, table, ...(into && { into }) })
  const apply = async (statements: readonly { kind: string; sql: string }[], options: ReshardRunOptions) => {
    for (const { kind, sql } of statements) {
      if (kind === 'ddl') await driver.applyDdl([sql])
      else await runReshardCommand(driver, plan.schema, sql, { propagationWaitMs: 60, ...options })
    }
  }
  const step = (name: ReshardStepName) => plan.steps.find((each) => each.name === name)!
  return {
    driver,
    plan,
    async run(steps, options = {}) {
      for (const name of steps) await apply(step(name).statements, options)
    },
    back: (name) => apply(step(name).undoStatements, {}),
    async application() {
      const db = openDatabase({
        driver,
        schema: plan.schema,
        tables: dualWrites(plan.tables, { phaseRefresh: 10 }),
      })
      await db.ready()
      return db
    },
  }
}

/** A driver, and a signal that is aborted as soon as a step waits for all processes to reach a phase. */
export function endedInWait(driver: TransactionalDriver): {
  readonly driver: TransactionalDriver
  readonly signal: AbortSignal
} {
  const stop = new AbortController()
  const snapshot: TransactionalDriver['snapshot'] = (options) => {
    stop.abort()
    return driver.snapshot(options)
  }
  return { driver: { ...driver, snapshot }, signal: stop.signal }
}
