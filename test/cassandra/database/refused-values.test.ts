import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { describe, expect, it } from 'vitest'
import { testKeyspace } from '../support/keyspace.js'

// Values that Cassandra accepts too late to refuse them well: a node that has them may not start again, and a row that has
// them cannot be deleted. None of them is sent.

const Doc = defineTable('Doc', (t) => ({ id: t.int64().key(), meaning: t.vector(2) }), {
  indexes: [{ name: 'DocByMeaning', on: ['meaning'] }],
})
const Page = defineTable(
  'Page',
  (t) => ({
    site: t.string().key(),
    folder: t.string().key(),
    name: t.string().key(),
    body: t.string({ nullable: true }),
  }),
  { partitionKey: ['site'] },
)
const Visits = defineTable(
  'Visits',
  (t) => ({
    site: t.string().key(),
    page: t.string().key(),
    count: t.counter(),
  }),
  { partitionKey: ['site'] },
)

const schema = defineSchema([Doc, Page, Visits])
const { driver } = await testKeyspace(schema, cql)
const db = openDatabase({ driver, schema })

describe('a vector in a column with an index', () => {
  it.each([[[0, 0]], [[-0, 0]], [[Number.NaN, 1]], [[Infinity, 1]], [[3.4e38, 3.4e38]]])(
    '%j throws INVALID_VALUE for every kind of write, and the partition stays writable',
    async (meaning) => {
      await db.upsert(Doc, [{ id: 1n, meaning: [1, 2] }])
      for (const write of [
        db.insert(Doc, [{ id: 2n, meaning }]),
        db.insert(Doc, [{ id: 2n, meaning }], { conditional: false }),
        db.upsert(Doc, [{ id: 1n, meaning }]),
        db.update(Doc, [{ id: 1n, meaning }]),
        db.update(Doc, [{ id: 1n, meaning }], { conditional: false }),
      ]) {
        await expect(write).rejects.toMatchObject({
          code: 'INVALID_VALUE',
          table: 'Doc',
          column: 'meaning',
          fix: expect.stringMatching(/^Give /) as string,
        })
      }
      await db.update(Doc, [{ id: 1n, meaning: [3, 4] }])
      expect(await db.get(Doc, { id: 1n })).toEqual({ id: 1n, meaning: [3, 4] })
    },
  )

  it.each([[[1e-40, 0]], [[1e17, -1e17]], [[0, -1e-45]]])('%j is written and found', async (vector) => {
    const meaning = vector.map(Math.fround)
    await db.upsert(Doc, [{ id: 3n, meaning }])
    await db.update(Doc, [{ id: 3n, meaning }])
    expect(await db.get(Doc, { id: 3n })).toEqual({ id: 3n, meaning })
  })
})

describe('a key of more bytes than the engine accepts', () => {
  const row = (bytes: number) => ({ site: 'a', folder: 'f'.repeat(40_000), name: 'n'.repeat(bytes - 40_000) })
  const tooLong = { code: 'INVALID_VALUE', table: 'Page', column: 'folder' }

  it('is rejected in every kind of write', async () => {
    const long = row(65_536)
    for (const write of [
      db.insert(Page, [long]),
      db.insert(Page, [long], { conditional: false }),
      db.upsert(Page, [long]),
      db.update(Page, [{ ...long, body: 'b' }]),
      db.delete(Page, [long]),
    ])
      await expect(write).rejects.toMatchObject(tooLong)
    const { rows } = await driver.run({ text: 'SELECT "site" FROM "Page"', parameters: [] })
    expect(rows).toEqual([])
  })

  it('is rejected before the rows of other partitions are written', async () => {
    const rows = [{ site: 'b', folder: 'f', name: 'n' }, row(65_536)]
    await expect(db.upsert(Page, rows, { allowMultipleCommits: true })).rejects.toMatchObject(tooLong)
    expect(await db.get(Page, rows[0]!)).toBeUndefined()
  })

  it('can be inserted and deleted with one byte less', async () => {
    const long = row(65_535)
    await db.insert(Page, [long])
    await db.delete(Page, [long])
    expect(await db.get(Page, long)).toBeUndefined()
  })

  it('is rejected in a partition key and in the key of a counter', async () => {
    await expect(
      db.insert(Page, [{ site: 's'.repeat(65_536), folder: 'a', name: 'b' }]),
    ).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      column: 'site',
    })
    await expect(
      db.increment(Visits, [{ site: 'a', page: 'p'.repeat(65_536), count: 1n }]),
    ).rejects.toMatchObject({ code: 'INVALID_VALUE', table: 'Visits', column: 'page' })
  })
})

it('the smallest writeTime is accepted, and one less is rejected', async () => {
  const page = { site: 'times', folder: 'a', name: 'b' }
  await db.upsert(Page, [page], { writeTime: -(2n ** 63n) + 1n })
  await expect(db.upsert(Page, [page], { writeTime: -(2n ** 63n) })).rejects.toMatchObject({
    code: 'INVALID_VALUE',
  })
})

it('a request of more bytes than the engine accepts throws DATABASE with a fix', async () => {
  const body = 'b'.repeat(17_000_000)
  await expect(db.upsert(Page, [{ site: 'a', folder: 'b', name: 'c', body }])).rejects.toMatchObject({
    code: 'DATABASE',
    message: expect.stringContaining('too big') as string,
    fix: 'Write fewer rows at once, or keep large values in an object store, and their names in this table.',
  })
})
