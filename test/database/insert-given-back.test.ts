import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

describe.each(dialects)('rows that insert() returns in $name', async (dialect) => {
  const quoted = (name: string): string => (dialect.name === 'googlesql' ? `\`${name}\`` : `"${name}"`)
  const Stamped = defineTable('Stamped', (t) => ({
    id: t.uuidV4(),
    at: t.timestamp({ default: 'commit' }),
    count: t.int64(),
    twice: t.int64({ nullable: true, generated: `${quoted('count')} * 2` }),
  }))
  const Computed = defineTable('Computed', (t) => ({
    twice: t.int64({ generated: `${quoted('id')} * 2` }).key(),
    id: t.int64().key(),
    thrice: t.int64({ nullable: true, generated: `${quoted('id')} * 3` }),
  }))
  const { db } = await testDatabase(defineSchema([Stamped, Computed]), dialect)

  it('insert() returns a generated column and the commit timestamp', async () => {
    const [row] = await db.insert(Stamped, [{ count: 4n }])
    expect(row).toMatchObject({ count: 4n, twice: 8n, at: expect.any(Date) as Date })
    expect(await db.get(Stamped, { id: row!.id })).toEqual(row)
  })

  it.each(dialect.name === 'googlesql' ? [Computed] : [])(
    'insert() returns the key of $name that only the database computes',
    async (table) => {
      expect(await db.insert(table, [{ id: 5n }])).toEqual([{ twice: 10n, id: 5n, thrice: 15n }])
    },
  )

  it.each(dialect.name === 'googlesql' ? [] : [Computed])(
    'insert() throws UNSUPPORTED_WRITE for $name, because only the database computes its key',
    async (table) => {
      await expect(db.insert(table, [{ id: 5n }])).rejects.toMatchObject({
        code: 'UNSUPPORTED_WRITE',
        message:
          'Rows of Computed cannot be returned: only the database computes twice, which is needed to find them. ' +
          'Insert them with { returning: false }.',
      })
      expect(await db.fanOut(table).all()).toEqual([])
      await db.insert(table, [{ id: 5n }], { returning: false })
      expect(await db.fanOut(table).all()).toEqual([{ twice: 10n, id: 5n, thrice: 15n }])
    },
  )
})
