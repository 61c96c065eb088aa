import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { cassandra } from '@isotherm/cassandra'
import { Client } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'
import { sharedCassandra } from '../support/cassandra.js'
import { clientOptions, dialects, testKeyspace } from './support/keyspace.js'

const key = { id: 1n, at: new Date('2026-08-01T10:00:00.120Z') }
const Shop = defineTable('Shop', (t) => ({
  id: t.int64().key(),
  at: t.timestamp().key(),
  name: t.string({ nullable: true }),
}))
const Newer = defineTable('Shop', (t) => ({
  id: t.int64().key(),
  at: t.timestamp().key(),
  name: t.string({ nullable: true }),
  owner: t.string({ nullable: true }),
}))
const Missing = defineTable('Missing', (t) => ({ id: t.uuidV4() }))
const schema = defineSchema([Shop])

const manyValues = {
  text: `SELECT * FROM "Shop" WHERE id IN (${Array.from({ length: 70_000 }, () => '?').join(', ')})`,
  parameters: Array.from({ length: 70_000 }, (_, id) => ({
    name: `id${id}`,
    type: { kind: 'int64' } as const,
    value: String(id),
  })),
}

describe.each(dialects)('an error in $name', async (dialect) => {
  const { driver } = await testKeyspace(schema, dialect)
  const db = openDatabase({ driver, schema })
  const later = openDatabase({ driver, schema: defineSchema([Newer, Missing]) })
  await db.insert(Shop, [key])

  it.each<[string, () => Promise<unknown>, { code: string; says: string; fix: string }]>([
    [
      'an update of a row that is missing',
      () => db.update(Shop, [{ ...key, id: 40n, name: 'x' }]),
      {
        code: 'NOT_FOUND',
        says: "Shop has no row with the key { id: 40n, at: '2026-08-01T10:00:00.12",
        fix: 'Insert it; or use upsert for rows that may not be there.',
      },
    ],
    [
      'an insert of a row that is there',
      () => db.insert(Shop, [key]),
      {
        code: 'ALREADY_EXISTS',
        says: "Shop has a row with the key { id: 1n, at: '2026-08-01T10:00:00.12",
        fix: 'Use upsert for rows that may be there.',
      },
    ],
    [
      'a table that is missing',
      () => later.get(Missing, { id: '00000000-0000-4000-8000-000000000000' }),
      {
        code: 'NOT_FOUND',
        says: 'Missing',
        fix: 'Run the migrations: isotherm migrate. Or check the keyspace of the client.',
      },
    ],
    [
      'a column that is missing',
      () => later.get(Newer, key),
      {
        code: 'DATABASE',
        says: 'Shop has no column owner: its schema is not that of the models, or was changed (Undefined column name',
        fix: 'Check that the migrations were run (isotherm migrate), and that the models are those of this keyspace: another program may have changed it.',
      },
    ],
    [
      'more values than a statement takes',
      () => driver.query(manyValues, []),
      {
        code: 'DATABASE',
        says: '70000 markers',
        fix: 'Make several calls with fewer values each; or pass the values as one list, in one parameter: IN ?.',
      },
    ],
  ])('has a code, a message and a fix for %s', async (_, call, { code, says, fix }) => {
    await expect(call()).rejects.toMatchObject({
      code,
      fix,
      message: expect.stringContaining(says) as string,
    })
  })

  it('contains the statement that creates a missing keyspace', async () => {
    const engine = await sharedCassandra()
    const [host, port] = engine.contactPoints[0]!.split(':') as [string, string]
    const client = new Client({
      contactPoints: [host],
      protocolOptions: { port: Number(port) },
      localDataCenter: engine.localDataCenter,
      keyspace: 'nowhere',
      ...clientOptions,
    })
    const elsewhere = openDatabase({ driver: cassandra(client, { dialect }), schema })
    await expect(elsewhere.get(Shop, key)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('nowhere') as string,
      fix: expect.stringMatching(/^Create the keyspace.*CREATE KEYSPACE/) as string,
    })
    await client.shutdown()
  })
})
