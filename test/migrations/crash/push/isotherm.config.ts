import { Spanner } from '@google-cloud/spanner'
import { defineConfig } from '@isotherm/cli'
import { googlesql, spanner, spannerPostgresql } from '@isotherm/spanner'
import { type KillPoint, KillableCalls } from '../killable-calls.js'

const task = JSON.parse(process.env['PUSH_TASK']!) as KillPoint & {
  readonly projectId: string
  readonly instance: string
  readonly database: string
  readonly dialect: 'googlesql' | 'spanner-postgresql'
}

export default defineConfig({
  dialect: task.dialect,
  schema: './models.ts',
  database() {
    const client = new Spanner({ projectId: task.projectId })
    const dialect = task.dialect === 'googlesql' ? googlesql : spannerPostgresql
    const driver = spanner(client.instance(task.instance).database(task.database), { dialect })
    return { ...driver, applyDdl: new KillableCalls(task).of(driver.applyDdl) }
  },
})
