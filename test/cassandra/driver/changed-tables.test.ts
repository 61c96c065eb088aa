import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { sampledDialects, testKeyspace } from '../support/keyspace.js'

// Another program changes a table, of which statements are prepared.

const Thing = defineTable('Thing', (t) => ({
  id: t.int32().key(),
  kept: t.string({ nullable: true }),
  dropped: t.string({ nullable: true }),
}))
const Older = defineTable('Thing', (t) => ({ id: t.int32().key(), kept: t.string({ nullable: true }) }))

describe.each(sampledDialects)('prepared statements after a schema change in $name', async (dialect) => {
  const schema = defineSchema([Thing])
  const { client, driver } = await testKeyspace(schema, dialect)
  const db = openDatabase({ driver, schema })
  const older = openDatabase({ driver, schema: defineSchema([Older]) })
  const row = { id: 1, kept: 'a', dropped: 'b' }
  const calls = {
    get: () => db.get(Thing, { id: 1 }),
    'a fan-out': () => db.fanOut(Thing).where({ id: 1 }).all(),
    'a checked insert': () => db.insert(Thing, [{ ...row, id: 2 }]),
    insert: () => db.insert(Thing, [{ ...row, id: 3 }], { conditional: false }),
    'an insert of several rows': () =>
      db.insert(
        Thing,
        [
          { ...row, id: 4 },
          { ...row, id: 5 },
        ],
        { conditional: false, allowMultipleCommits: true },
      ),
    update: () => db.update(Thing, [{ id: 1, dropped: 'c' }]),
    upsert: () => db.upsert(Thing, [row]),
  }
  // Each statement is prepared.
  await db.insert(Thing, [row])
  for (const call of Object.values(calls)) await call()

  it('throw DATABASE with the table and the dropped column on each call', async () => {
    expect(await older.get(Older, { id: 1 })).toEqual({ id: 1, kept: 'a' })
    await client.execute('ALTER TABLE "Thing" DROP dropped')
    for (const [name, call] of [...Object.entries(calls), ...Object.entries(calls)]) {
      const refused = await call().catch((error: unknown) => error)
      const says = {
        code: 'DATABASE',
        table: 'Thing',
        column: 'dropped',
        message: expect.stringContaining('Thing has no column dropped: its schema') as string,
      }
      expect({ name, refused }).toMatchObject({ name, refused: says })
    }
    expect(await older.get(Older, { id: 1 })).toEqual({ id: 1, kept: 'a' })
  })

  it('read and write again after the column is added back', async () => {
    await client.execute('ALTER TABLE "Thing" ADD added text')
    await client.execute('ALTER TABLE "Thing" ADD dropped text')
    await db.delete(Thing, [{ id: 2 }])
    for (const call of Object.values(calls)) await call()
    expect(await db.get(Thing, { id: 1 })).toEqual(row)
    expect(await db.get(Thing, { id: 5 })).toEqual({ ...row, id: 5 })
    expect(await older.get(Older, { id: 1 })).toEqual({ id: 1, kept: 'a' })
  })
})
