import { type FanOutQuery, type TableModel, defineSchema, defineTable } from '@isotherm/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { inPages } from '../data/paging.js'
import { byStatement, split } from '../data/by-statement.js'
import { part } from '../part.js'
import { cut, precise } from '../data/precise.js'
import { Given, Now, Sharded, nanos, newestFirst } from '../data/newest-first.js'

/** The shard itself is computed from the time that descends. */
const Hashed = defineTable('Hashed', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['at', 'id'] }),
  at: t.descTimestamp(),
  id: t.int64().key(),
}))

const schema = defineSchema([Given, Now, Sharded, Hashed])

/** The beginning of many timestamps, the timestamps before and after all of them, and one that no row has. */
const momentsOf = {
  9: [
    '1969-12-31T23:59:58.123456',
    '1969-12-31T23:59:58.123455999Z',
    '1969-12-31T23:59:58.123457Z',
    '2026-11-21T12:00:00.123456788Z',
  ],
  6: [
    '1969-12-31T23:59:58.123',
    '1969-12-31T23:59:58.122999Z',
    '1969-12-31T23:59:58.124Z',
    '2026-11-21T12:00:00.123455Z',
  ],
  3: ['1969-12-31T23:59:58.', '1969-12-31T23:59:57.999Z', '1969-12-31T23:59:59Z', '2026-11-21T12:00:00.122Z'],
} as const

export const descTimestamp = part([], async ({ traits, database, sample }) => {
  const { pastReads, readStrategies: strategies, timestampDigits } = traits
  const { db } = await database(schema)
  const statements = byStatement(db, traits)
  const current = <Fields>(query: FanOutQuery<Fields>) =>
    pastReads ? query.timestampBound({ exactStaleness: 0 }) : query

  // Moments that differ in their last three digits, a few of those beside them, and the ends of what there is; before 1970,
  // where a part of a second is easily taken for the one after it.
  const [beginning, beside, following, absent] = momentsOf[timestampDigits]
  const last = Array.from({ length: 36 }, (_, at) => String((at * 353) % 1000).padStart(3, '0'))
  const ends = [
    '0001-01-01T00:00:00.000000000Z',
    '0001-01-01T00:00:00.000000001Z',
    '1969-12-31T23:59:59.999999999Z',
    '1970-01-01T00:00:00.000000000Z',
    '1970-01-01T00:00:00.000000999Z',
    '2026-11-21T12:00:00.123456789Z',
    '9999-12-31T23:59:59.999999998Z',
    '9999-12-31T23:59:59.999999999Z',
  ].map((text) => cut(precise(text), timestampDigits))
  const all = [...last.map((digits) => `${beginning}${digits}Z`), beside, following].map(precise)
  const times = [...new Map([...all, ...ends].map((time) => [time.toISOString(), time])).values()]
  const isOfOne = (at: Date): boolean => at.toISOString().startsWith(beginning)
  /** Of the moment that ends with its digits, what would be left without three of them. */
  const lost = cut(precise('2026-11-21T12:00:00.123456789Z'), timestampDigits - 3)
  const mixed = (at: Date): number => Number((nanos(at) * 7919n) % 1_000_003n)

  describe('rows whose timestamps differ in the last digits only', () => {
    // In no order, one key but for the time.
    const shuffled = times.toSorted((a, b) => mixed(a) - mixed(b))

    beforeAll(async () => {
      await db.insert(
        Given,
        shuffled.map((at) => ({ sensor: 'a', at, id: 1n })),
        split,
      )
      await db.insert(Given, [{ sensor: 'b', at: times[0]!, id: 1n }])
      for (const model of [Sharded, Hashed])
        await db.insert(
          model,
          shuffled.map((at, id) => ({ at, id: BigInt(id % 11) })),
          split,
        )
    })

    it('are separate rows that get() finds only by the exact timestamp', async () => {
      expect(await db.fanOut(Given).where({ sensor: 'a' }).count()).toBe(times.length)
      for (const at of times) {
        const row = await db.get(Given, { sensor: 'a', at, id: 1n })
        expect(row).toEqual({ sensor: 'a', at, id: 1n, note: null })
        expect(row!.at.toISOString()).toBe(at.toISOString())
      }
      expect(await db.get(Given, { sensor: 'a', at: lost, id: 1n })).toBeUndefined()
      await expect(db.insert(Given, [{ sensor: 'a', at: times[3]!, id: 1n }])).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      })
    })

    const readers: [string, TableModel<{ at: Date; id: bigint }>, object, number[]][] = [
      ['a table with shards', Sharded as never, {}, [7, 1]],
      ['a table without shards', Given as never, { sensor: 'a' }, [7, 1]],
      ['a table with shards computed from the timestamp', Hashed as never, {}, [7]],
    ]

    describe.each(sample(readers, 1))('a fan-out over %s', (_, model, where, sizes) => {
      const query = current(db.fanOut(model)).where(where)
      const queries = strategies.map((strategy) => query.strategy(strategy))

      it.each(sample(sizes, 1))(
        'returns rows in exact timestamp order, ascending and descending, in pages of %d, with each strategy',
        async (size) => {
          const rows = (await query.all()).toSorted(newestFirst)
          expect(rows).toHaveLength(times.length)
          // Pages of one row, where they differ in the last digits.
          const wanted = size === 1 ? rows.filter(({ at }) => isOfOne(at)).slice(0, 9) : rows
          const one = { at: { gte: wanted.at(-1)!.at, lte: wanted[0]!.at } }
          for (const reader of queries) {
            expect(await inPages(reader.where(one), size)).toEqual(wanted)
            const ascending = reader.where(one).orderBy('at', 'asc').orderBy('id', 'desc')
            expect(await inPages(ascending, size)).toEqual(wanted.toReversed())
            expect(await reader.where(one).orderBy('at', 'desc').all()).toEqual(wanted)
          }
        },
      )

      it('returns rows in exact timestamp order as a stream, with filters on the timestamp and with a limit', async () => {
        const wanted = (await query.all()).toSorted(newestFirst)
        const at = wanted.map((row) => nanos(row.at))
        const [from, to] = [wanted[4]!.at, wanted[30]!.at]
        const filters: [object, (time: bigint) => boolean][] = [
          [{ lte: from }, (time) => time <= nanos(from)],
          [{ lt: from }, (time) => time < nanos(from)],
          [{ gte: to }, (time) => time >= nanos(to)],
          [{ gt: to }, (time) => time > nanos(to)],
          [{ gt: to, lte: from }, (time) => time > nanos(to) && time <= nanos(from)],
          [{ eq: to }, (time) => time === nanos(to)],
          [{ ne: to }, (time) => time !== nanos(to)],
          [
            { in: [from, to, lost, precise(absent)] },
            (time) => [from, to].some((each) => nanos(each) === time),
          ],
          [{ notIn: [from, to] }, (time) => ![from, to].some((each) => nanos(each) === time)],
        ]
        for (const [position, [filter, matches]] of filters.entries()) {
          for (const reader of [query, queries[position % queries.length]!])
            expect(await reader.where({ at: filter }).count()).toBe(at.filter(matches).length)
        }
        const readers = fc.constantFrom(query, ...queries)
        const filtered = fc.asyncProperty(
          readers,
          fc.constantFrom(...filters),
          async (reader, [filter, matches]) => {
            const left = wanted.filter((_, position) => matches(at[position]!))
            const found = reader.where({ at: filter })
            expect(await found.all(), `at ${JSON.stringify(filter)}`).toEqual(left)
            const first = await found.limit(2).page()
            expect(first.rows).toEqual(left.slice(0, 2))
            const next = await found.limit(5).after(first.next).page()
            expect(next.rows).toEqual(left.slice(left.length > 2 ? 2 : 0, 7))
          },
        )
        await fc.assert(filtered, { numRuns: 100 })
        for (const reader of [query, ...queries]) {
          const streamed = []
          for await (const row of reader.limit(33)) streamed.push(row)
          expect(streamed).toEqual(wanted.slice(0, 33))
        }
      })
    })

    it('are updated, upserted and deleted separately, each by its exact timestamp', async () => {
      const [one, other] = [times[10]!, times[11]!]
      await db.update(Given, { sensor: 'a', at: one, id: 1n, note: 'outside' })
      await statements(async (tx) => {
        await tx.update(Given, { sensor: 'a', at: other, id: 1n, note: 'inside' })
        await tx.upsert(Given, [{ sensor: 'b', at: one, id: 1n, note: 'new' }])
        await tx.upsert(Given, [{ sensor: 'b', at: one, id: 1n, note: 'newer' }])
        expect(await tx.get(Given, { sensor: 'b', at: one, id: 1n })).toMatchObject({ note: 'newer' })
        expect(await tx.get(Given, { sensor: 'b', at: other, id: 1n })).toBeUndefined()
      })
      const notes = await db
        .fanOut(Given)
        .where({ sensor: { in: ['a', 'b'] }, note: { ne: null } })
        .orderBy('note')
        .all()
      expect(notes).toEqual([
        { sensor: 'a', at: other, id: 1n, note: 'inside' },
        { sensor: 'b', at: one, id: 1n, note: 'newer' },
        { sensor: 'a', at: one, id: 1n, note: 'outside' },
      ])
      await db.delete(Given, { sensor: 'b', at: one, id: 1n })
      await statements((tx) => tx.delete(Given, { sensor: 'b', at: times[0]!, id: 1n }))
      expect(await db.fanOut(Given).where({ sensor: 'b' }).count()).toBe(0)
      expect(await db.fanOut(Given).where({ sensor: 'a' }).count()).toBe(times.length)
    })
  })

  describe('a descending timestamp on insert', () => {
    it('throws INVALID_VALUE when the row has no timestamp and the column has no default', async () => {
      await expect(db.insert(Given, [{ sensor: 'c', id: 1n } as never])).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        message: expect.stringContaining('Given.at has no value in row 0'),
      })
    })

    it("is set from the client's clock by default: 'now', unless the row has a value", async () => {
      const before = Date.now()
      const [made, chosen] = await db.insert(
        Now,
        [
          { sensor: 'c', id: 1n },
          { sensor: 'c', id: 2n, seen: times[2]! },
        ],
        split,
      )
      expect(made!.seen.getTime()).toBeGreaterThanOrEqual(before)
      expect(made!.seen.getTime()).toBeLessThanOrEqual(Date.now())
      expect(chosen!.seen).toEqual(times[2])
      const rows = await db.fanOut(Now).where({ sensor: 'c' }).all()
      expect(rows.map(({ id }) => id)).toEqual([1n, 2n])
      for (const row of rows) expect(await db.get(Now, row)).toEqual(row)
    })
  })

  describe('the mirror column of a descending timestamp', () => {
    it('does not appear in rows or explain(), and is rejected in inserts, filters and orders', async () => {
      const at = times[20]!
      const rows = await db.fanOut(Given).where({ sensor: 'a', at }).all()
      expect(Object.keys(rows[0]!)).toEqual(['sensor', 'at', 'id', 'note'])
      const plan = db
        .fanOut(Given)
        .where({ sensor: 'a', at: { gte: at } })
        .orderBy('at', 'desc')
        .explain()
      expect(plan.filter).toEqual(['and', ['sensor', 'eq', 'a'], ['at', 'gte', at.toISOString()]])
      expect(plan.order.map(({ property }) => property)).toEqual(['at', 'sensor', 'id'])
      expect(String(plan)).not.toContain('at_desc')
      const refused = { code: 'INVALID_VALUE', message: expect.stringContaining('no property "at_desc"') }
      await expect(
        db.insert(Given, [{ sensor: 'd', at, id: 1n, at_desc: 1n } as never]),
      ).rejects.toMatchObject(refused)
      expect(() => db.fanOut(Given).where({ at_desc: 1n } as never)).toThrow(
        'Choose from sensor, at, id, note.',
      )
      expect(() => db.fanOut(Given).orderBy('at_desc' as never)).toThrow('Choose from sensor, at, id, note.')
    })

    it('does not appear in error messages', async () => {
      await expect(db.get(Given, { sensor: 'd', id: 1n })).rejects.toThrow('Its key is sensor, at, id;')
      const missing = { sensor: 'd', at: times[0]!, id: 1n, note: 'x' }
      await expect(statements((tx) => tx.update(Given, missing))).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringMatching(/^Given has no row with (?!.*at_desc).*1969-12-31T23:59:58\.\d+Z/),
      })
    })
  })
})
