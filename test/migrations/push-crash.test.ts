import { spanner } from '@isotherm/spanner'
import { expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { ddlBefore, killPush } from './crash/push.js'

it.each(dialects)('isotherm push continues after a kill, and keeps the rows, in $name', async (dialect) => {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: ddlBefore(dialect) })
  const row = { id: '0d8ae2f6-52bb-4e6c-8f7b-8c51f1b8a001' }
  await client.table('person').insert(row)
  await killPush(
    { driver: spanner(client), dialect },
    new URL('./crash/push/', import.meta.url),
    { SPANNER_EMULATOR_HOST: emulator.host },
    {
      projectId: emulator.projectId,
      instance: emulator.instanceId,
      database: client.id!,
      dialect: dialect.name,
    },
  )
  const [rows] = await client.table('person').read({ columns: ['id'], keySet: { all: true }, json: true })
  expect(rows).toEqual([row])
})
