import { Spanner } from '@google-cloud/spanner'
import type { Driver, SqlDialect, Transactions } from '@isotherm/core'
import { planReshard, runReshardCommand } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { sqlDialects } from '../../support/languages.js'
import { AFTER, BEFORE } from './log.js'
import { type KillPoint, KillableCalls } from './killable-calls.js'

// A process that copies the rows of a table to the table with the new key, and is killed during its work.

/** The task of the child process. */
export interface ReshardTask extends KillPoint {
  readonly projectId: string
  readonly instance: string
  readonly database: string
  readonly dialect: SqlDialect['name']
  readonly batch: number
}

const task = JSON.parse(process.argv[2]!) as ReshardTask
const dialect = sqlDialects[task.dialect]
const client = new Spanner({ projectId: task.projectId })
const driver = spanner(client.instance(task.instance).database(task.database), { dialect })
const killable: Driver = {
  ...driver,
  atomic: { kind: 'transactions', run: new KillableCalls(task).of(driver.atomic.run) as Transactions['run'] },
}
const { schema, steps } = planReshard(BEFORE, AFTER, { dialect, table: 'Log' })
const { sql } = steps.find(({ name }) => name === 'copy')!.statements[0]!
await runReshardCommand(killable, schema, sql, { propagationWaitMs: 0, batch: task.batch })
console.log('{}')
process.exit(0)
