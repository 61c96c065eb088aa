import { compileDdl, defineSchema, defineTable } from '@isotherm/core'
import { expect, it } from 'vitest'
import { byStatement } from '../data/by-statement.js'
import { V4 } from '../data/stored-uuids.js'
import { part } from '../part.js'

// Columns with `key: false`: their values are made on insert, beside a key of another kind.

let counted = 100n
const counter = { next: () => ++counted }

export const madeBesideKey = part([], async ({ dialect, traits, database, when }) => {
  const tables = traits.uuidStorages.map((storage) => {
    const Asset = defineTable(`Asset_${storage.replace('-', '_')}`, (t) => ({
      code: t.string({ length: 20 }).key(),
      token: t.uuidV4({ storage, key: false }),
      counted: t.bitReversedId({ from: counter, key: false }),
      note: t.string({ nullable: true }),
    }))
    return { storage, Asset }
  })
  const Numbered = defineTable('Numbered', (t) => ({
    code: t.string({ length: 20 }).key(),
    identity: t.bitReversedId({ key: false }),
    sequence: t.bitReversedId({ key: false, from: 'sequence' }),
    note: t.string({ nullable: true }),
  }))
  const Timed = defineTable('Timed', (t) => ({
    code: t.string({ length: 20 }).key(),
    version: t.timeUuid({ key: false, default: 'now' }),
  }))
  const schema = defineSchema([
    ...tables.map(({ Asset }) => Asset),
    ...(traits.ownSequences ? [Numbered] : []),
    ...(traits.timeUuids ? [Timed] : []),
  ])
  const { db } = await database(schema)

  it.each(tables)(
    'generates a UUID stored as $storage in a column outside the key',
    async ({ storage, Asset }) => {
      const code = `${storage}-1`
      const [row] = await db.insert(Asset, [{ code }])
      expect(row).toEqual({ code, token: expect.stringMatching(V4), counted: expect.any(BigInt), note: null })
      expect(await db.get(Asset, { code })).toEqual(row)
      const token = '0198c1a4-1111-4222-8333-444455556666'
      await db.update(Asset, { code, token, note: 'changed' })
      expect(await db.get(Asset, { code })).toEqual({ ...row, token, note: 'changed' })
      // One row, whichever values are made for it.
      await expect(db.insert(Asset, [{ code }])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
      await db.upsert(Asset, [{ ...row!, token, note: 'upserted' }])
      expect(await db.get(Asset, { code })).toEqual({ ...row, token, note: 'upserted' })
    },
  )

  it.each(tables)(
    'generates a UUID stored as $storage outside the key when the insert is a statement',
    async ({ storage, Asset }) => {
      const code = `${storage}-2`
      await byStatement(db, traits)((on) => on.insert(Asset, [{ code }]))
      expect(await db.get(Asset, { code })).toMatchObject({ token: expect.stringMatching(V4) })
    },
  )

  when('ownSequences', 'identity and sequence columns', () => {
    it('outside the key receive values from the database on insert', async () => {
      const rows = await db.insert(Numbered, [{ code: 'a' }, { code: 'b' }])
      for (const row of rows) {
        expect(row).toMatchObject({ identity: expect.any(BigInt), sequence: expect.any(BigInt) })
        expect(await db.get(Numbered, { code: row.code })).toEqual(row)
      }
      expect(new Set(rows.map(({ identity }) => identity)).size).toBe(2)
    })
  })

  when('timeUuids', 'a time UUID', () => {
    it('outside the key is generated with version 1 on insert', async () => {
      const [row] = await db.insert(Timed, [{ code: 'a' }])
      expect(row!.version).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-1/)
      expect(await db.get(Timed, { code: 'a' })).toEqual(row)
    })
  })

  it('the DDL leaves generated columns with key: false out of the primary key', () => {
    const statements = compileDdl(schema, { dialect, severity: SMALL })
    for (const statement of statements)
      expect(statement).not.toMatch(/PRIMARY KEY[^)]*(?:token|identity|version)/)
  })
})

const SMALL = {
  'cassandra/low-cardinality-partition': 'off',
  'cassandra/useless-bit-reversal': 'off',
} as const
