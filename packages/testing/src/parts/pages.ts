import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { part } from '../part.js'
import { sortRows, type ReferenceOrder, type ReferenceRow } from '../data/reference.js'

// What a page ends with is where the next one begins, whatever the key is made of, and in whichever way its rest is asked for:
// by a tuple of key columns where they go one way, or by statements for each of them.

const SHARDS = 7

/** Keys whose columns go one way, both ways, and first one and then the other. */
const Same = defineTable('Same', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['id'] }),
  at: t.timestamp().key(),
  id: t.int64().key(),
  note: t.string({ nullable: true }),
}))
const Mixed = defineTable('Mixed', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['id'] }),
  at: t.timestamp().key('desc'),
  id: t.int64().key(),
  note: t.string({ nullable: true }),
}))
const Deep = defineTable('Deep', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['id'] }),
  room: t.string({ length: 10 }).key(),
  at: t.timestamp().key(),
  id: t.int64().key('desc'),
  note: t.string({ nullable: true }),
}))
const schema = defineSchema([Same, Mixed, Deep])

const asc = (property: string): ReferenceOrder => ({ property, direction: 'asc' })
const desc = (property: string): ReferenceOrder => ({ property, direction: 'desc' })

const cases = [
  { name: 'Same', key: [asc('at'), asc('id')] },
  { name: 'Mixed', key: [desc('at'), asc('id')] },
  { name: 'Deep', key: [asc('room'), asc('at'), desc('id')] },
] as const

const start = Date.parse('2026-11-21T10:00:00Z')

/** Four of each moment and of each room, so that most pages end within a tie. */
const rowOf = (at: number) => ({
  room: 'ab\u{1F600}'[at % 2]!,
  at: new Date(start + Math.floor(at / 4) * 1000),
  id: BigInt(at),
  note: at % 3 === 0 ? null : 'xy'[at % 2]!,
})
const rows = Array.from({ length: 36 }, (_, at) => rowOf(at))

/** What a table has of a row. */
const inTable = (name: string, { room, ...row }: ReturnType<typeof rowOf>) =>
  name === 'Deep' ? { room, ...row } : row

const backwards = (order: readonly ReferenceOrder[]): ReferenceOrder[] =>
  order.map(({ property, direction }) => (direction === 'asc' ? desc(property) : asc(property)))

export const pages = part([], async ({ dialect, traits, database, sample }) => {
  const own = await database(schema)
  const { db } = own
  for (const { name } of cases) {
    const inserted = rows.map((row) => inTable(name, row))
    await db.insert(name, inserted, traits.unchecked)
  }

  const queryOf = (name: string, order: readonly ReferenceOrder[]) => {
    let query = db.fanOut(name)
    for (const { property, direction } of order) query = query.orderBy(property, direction)
    return query
  }
  const wantedIds = (order: readonly ReferenceOrder[], of = rows): bigint[] =>
    sortRows(of as unknown as ReferenceRow[], order, dialect).map(({ id }) => id as bigint)

  type Query = ReturnType<typeof queryOf>

  async function idsOf(
    query: Query,
    between: (page: number, last: bigint) => Promise<unknown> = () => Promise.resolve(),
  ) {
    const ids: bigint[] = []
    let cursor: string | undefined
    for (let page = 1; ; page++) {
      const found = await query.after(cursor).page()
      ids.push(...found.rows.map(({ id }) => id as bigint))
      cursor = found.next
      if (cursor === undefined) return ids
      await between(page, ids.at(-1)!)
    }
  }

  describe.each(cases)('pages of a fan-out over the table $name', ({ name, key }) => {
    it.each(sample([1, 17, 36, 5], 2))(
      'contain each row once, in key order and in reverse order, with %i rows a page',
      async (size) => {
        expect(await idsOf(queryOf(name, []).limit(size))).toEqual(wantedIds(key))
        expect(await idsOf(queryOf(name, backwards(key)).limit(size))).toEqual(wantedIds(backwards(key)))
      },
    )

    it.each(sample([undefined, ...traits.strategies], 3))(
      'contain each row once, in the requested order, with strategy %s',
      async (strategy) => {
        for (const order of [key, [desc('note'), ...key]]) {
          const query = queryOf(name, order).limit(13)
          expect(await idsOf(strategy ? query.strategy(strategy) : query)).toEqual(wantedIds(order))
        }
      },
    )

    it('contain exactly the rows that a filter on a tied timestamp matches', async () => {
      const { at } = rowOf(20)
      for (const where of [{ at }, { at: { lte: at } }, { at: { gt: at }, id: { ne: 27n } }]) {
        const matching = rows.filter(({ at: each, id }) =>
          where.at === at
            ? each.getTime() === at.getTime()
            : 'id' in where
              ? each > at && id !== 27n
              : each <= at,
        )
        expect(await idsOf(queryOf(name, []).where(where).limit(3))).toEqual(wantedIds(key, matching))
      }
    })

    it('contain each original row once despite inserts and a delete of the row at the cursor between pages', async () => {
      const rowWith = (id: bigint) => inTable(name, { ...rowOf(id < 100n ? Number(id) : 8), id })
      const late = [100n, 101n, 102n].map(rowWith)
      const gone: bigint[] = []
      const ids = await idsOf(queryOf(name, []).limit(10), async (page, last) => {
        if (page === 1) await db.insert(name, late, traits.unchecked)
        if (page !== 3) return
        // The row that the cursor names may go: it is a place and not a row.
        gone.push(last)
        await db.delete(name, [rowWith(last)])
      })
      await db.delete(name, late, { allowMultipleCommits: true })
      const inserted = gone.filter((id) => id < 100n)
      await db.insert(name, inserted.map(rowWith), traits.unchecked)
      expect(gone.length).toBe(1)
      expect(ids.filter((id) => id < 100n)).toEqual(wantedIds(key))
      expect(new Set(ids).size).toBe(ids.length)
    })
  })

  it('a cursor continues in another Database object and with another page size', async () => {
    const { next } = await queryOf('Mixed', []).limit(9).page()
    const other = openDatabase({ driver: db.driver, schema })
    const page = await other.fanOut(Mixed).limit(27).after(next).page()
    expect(page.rows.map(({ id }) => id)).toEqual(wantedIds(cases[1].key).slice(9))
    expect(page.next).toBeUndefined()
  })

  it('a cursor of another query or a changed cursor throws INVALID_CURSOR', async () => {
    const { next } = await queryOf('Mixed', []).limit(9).page()
    const refused = [
      queryOf('Same', []).after(next),
      queryOf('Mixed', [asc('at')]).after(next),
      queryOf('Mixed', [])
        .where({ id: { gt: 3n } })
        .after(next),
      queryOf('Mixed', []).after(`${next!.slice(0, -2)}AA`),
      queryOf('Mixed', []).after(next!.slice(1)),
      queryOf('Mixed', []).after('-'),
    ]
    for (const query of refused) await expect(query.page()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
  })

  it('signed cursors are accepted only with their current or former secret, unsigned cursors only without a secret', async () => {
    const [old, fresh] = ['0'.repeat(32), '1'.repeat(32)]
    const opened = (cursorSecret: string | string[] | undefined) =>
      openDatabase({ driver: db.driver, schema, ...(cursorSecret !== undefined && { cursorSecret }) })
        .fanOut(Mixed)
        .orderBy('at', 'desc')
        .limit(20)
    const { next } = await opened(old).page()
    for (const known of [old, [fresh, old]]) {
      const found = await opened(known).after(next).page()
      expect(found.rows.map(({ id }) => id)).toEqual(wantedIds(cases[1].key).slice(20))
    }
    for (const unknown of [fresh, undefined])
      await expect(opened(unknown).after(next).page()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    const unsigned = await opened(undefined).page()
    await expect(opened(old).after(unsigned.next).page()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
  })

  it.each([['short'], [''], [[]]])(
    'openDatabase() rejects the cursor secret %j, which is shorter than 32 bytes',
    (cursorSecret) => {
      expect(() => openDatabase({ driver: db.driver, schema, cursorSecret })).toThrow(
        expect.objectContaining({ code: 'INVALID_VALUE', message: expect.stringContaining('32 bytes') }),
      )
    },
  )
})
