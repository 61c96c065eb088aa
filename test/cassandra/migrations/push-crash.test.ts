import { cql } from '@isotherm/cassandra'
import { expect, it } from 'vitest'
import { ddlBefore, killPush } from '../../migrations/crash/push.js'
import { sharedCassandra } from '../../support/cassandra.js'
import { emptyKeyspace } from './support/keyspace.js'

it('isotherm push continues after a kill and keeps the rows', async () => {
  const { keyspace, client, driver, rows } = await emptyKeyspace({ ddl: ddlBefore(cql) })
  const id = '0d8ae2f6-52bb-4e6c-8f7b-8c51f1b8a001'
  await client.execute(`INSERT INTO person (id) VALUES (${id})`)
  const { clientOptions } = await sharedCassandra()
  await killPush(
    { driver, dialect: cql },
    new URL('./crash/push/', import.meta.url),
    {},
    { client: { ...clientOptions, keyspace } },
  )
  expect((await rows('SELECT id FROM person')).map((row) => String(row['id']))).toEqual([id])
})
