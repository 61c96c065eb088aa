import { cassandra, cql } from '@isotherm/cassandra'
import { defineConfig } from '@isotherm/cli'
import { Client, type ClientOptions } from 'cassandra-driver'
import { type KillPoint, KillableCalls } from '../../../../migrations/crash/killable-calls.js'

const task = JSON.parse(process.env['PUSH_TASK']!) as KillPoint & { readonly client: ClientOptions }

export default defineConfig({
  dialect: 'cql',
  schema: '../../../../migrations/crash/push/models.ts',
  database() {
    const driver = cassandra(new Client({ ...task.client, encoding: { useBigIntAsLong: true, map: Map } }), {
      dialect: cql,
    })
    return { ...driver, applyDdl: new KillableCalls(task).of(driver.applyDdl) }
  },
})
