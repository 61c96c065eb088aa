import { type BucketSize, type Insert, defineSchema, defineTable } from '@isotherm/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { split } from '../data/by-statement.js'
import { inPages } from '../data/paging.js'
import { part } from '../part.js'
import { sizes, logs, type Log, edges, rows } from '../data/bucket-logs.js'

/** Partitions that end, of rows whose time the client's clock sets. */
const Recent = defineTable(
  'recent',
  (t) => ({
    day: t.timeBucket({ by: 'day', of: 'at' }),
    shard: t.shardKey({ shards: 2, of: ['id'] }),
    at: t.timestamp({ default: 'now', immutable: true }),
    id: t.uuidV4(),
  }),
  { primaryKey: ['shard', 'day', 'id'] },
)

/** The newest first, of times that go on. */
const Access = defineTable('access_log', (t) => ({
  day: t.timeBucket({ by: 'day', of: 'at', since: '2024-01-01' }),
  shard: t.shardKey({ shards: 4, of: ['user'] }),
  at: t.descTimestamp({ default: 'now' }),
  user: t.int64({ name: 'user_id' }).key(),
}))

/** Of 2025-02-03T10:59:59.999Z, a Monday. */
const begins: Readonly<Record<BucketSize, string>> = {
  hour: '2025-02-03T10:00:00Z',
  day: '2025-02-03',
  week: '2025-02-03',
  month: '2025-02-01',
  year: '2025-01-01',
}

const HOUR = 3_600_000

const DAY = 24 * HOUR

const newestFirst = (a: { at: Date }, b: { at: Date }): number => b.at.getTime() - a.at.getTime()

/** On both sides of 1970, of a leap day, of a Monday and of a new year, so wide that there are few dozens of periods. */
const aroundEdges: Readonly<Record<BucketSize, number>> = {
  hour: 8 * HOUR,
  day: 20 * DAY,
  week: 140 * DAY,
  month: 300 * DAY,
  year: 2_500 * DAY,
}

export const timeBuckets = part([], async ({ traits, database, when }) => {
  const { db } = await database(defineSchema([...logs, Recent, Access]))
  const { readStrategies: strategies } = traits
  const all = rows.toSorted(newestFirst)
  const timesOf = (found: readonly { readonly at: Date }[]) => found.map(({ at }) => at.getTime())

  beforeAll(async () => {
    for (const log of logs) await db.insert(log, rows as Insert<Log>[], split)
  })

  describe.each(logs.map((log, at) => ({ log, by: sizes[at]! })))(
    'a table with a time bucket by $by',
    ({ log, by }) => {
      it('gets, updates and deletes rows by their time, without the bucket', async () => {
        const [row] = rows
        const got = await db.get(log, row!)
        expect(got).toMatchObject({ userId: row!.userId })
        expect(got!.at.getTime()).toBe(row!.at.getTime())
        expect(await db.get(log, got!)).toEqual(got)
        const key = { at: new Date('2025-02-03T10:59:59.999Z'), userId: 7n }
        const [inserted] = await db.insert(log, [{ ...key, note: '/' }])
        expect(new Date(inserted!.bucket as string | Date)).toEqual(new Date(begins[by]))
        await db.update(log, { ...key, note: '/b' })
        expect(await db.get(log, inserted!)).toEqual({ ...inserted, note: '/b' })
        await db.delete(log, key)
        expect(await db.get(log, inserted!)).toBeUndefined()
      })

      when('unboundedReads', 'without bounds on the time', () => {
        it.each(strategies)('returns all rows in order of time with strategy %s', async (strategy) => {
          const query = db.fanOut(log).orderBy('at', 'desc').strategy(strategy)
          expect(timesOf(await inPages(query, 30))).toStrictEqual(timesOf(all))
          const [gte, lt] = [new Date('1969-12-31T00:00:00Z'), new Date('2025-01-01T00:00:00Z')]
          expect(timesOf(await query.where({ at: { gte, lt } }).all())).toStrictEqual(
            timesOf(all.filter(({ at }) => at >= gte && at < lt)),
          )
        })
      })

      it('rejects rows whose time is before or after all buckets that a scan reads', async () => {
        for (const [at, message] of [
          [new Date('1959-12-01T00:00:00Z'), ', before 19'],
          [new Date(Date.now() + 3 * 366 * DAY), 'where a scan does not find it'],
        ] as const) {
          const insert = db.insert(log, [{ at, userId: 1n }] as Insert<Log>[])
          await expect(insert).rejects.toMatchObject({
            code: 'INVALID_VALUE',
            column: 'bucket',
            message: expect.stringContaining(message),
          })
          expect(await db.get(log, { at, userId: 1n })).toBeUndefined()
        }
      })
    },
  )

  it('fan-outs with bounds on the time return rows in order, for each bucket size and strategy', async () => {
    const bucket = fc.constantFrom(...logs.map((log, at) => ({ log, by: sizes[at]! })))
    const edge = fc.constantFrom(edges[1]!, edges[3]!, edges[6]!, edges[7]!)
    await fc.assert(
      fc.asyncProperty(bucket, fc.constantFrom(...strategies), edge, async ({ log, by }, strategy, edge) => {
        const [gte, lte] = [-1, 1].map((sign) => new Date(Date.parse(edge) + sign * aroundEdges[by]))
        const wanted = timesOf(all.filter(({ at }) => at >= gte! && at <= lte!))
        const within = db.fanOut(log).where({ at: { gte, lte } }).strategy(strategy)
        expect(timesOf(await inPages(within.orderBy('at', 'desc'), 4))).toStrictEqual(wanted)
        expect(timesOf(await within.orderBy('at').all())).toStrictEqual(wanted.toReversed())
        expect(await db.fanOut(log).where({ at: { gte, lte } }).count()).toBe(wanted.length)
        // The bounds themselves are times of rows.
        const moment = new Date(edge)
        const from = db
          .fanOut(log)
          .where({ at: { gt: moment, lte } })
          .strategy(strategy)
        expect(timesOf(await from.orderBy('at', 'desc').all())).toStrictEqual(
          wanted.filter((time) => time > moment.getTime()),
        )
        const until = db
          .fanOut(log)
          .where({ at: { gte, lt: moment } })
          .strategy(strategy)
        expect(timesOf(await until.orderBy('at', 'desc').all())).toStrictEqual(
          wanted.filter((time) => time < moment.getTime()),
        )
        expect(timesOf(await db.fanOut(log).where({ at: moment }).strategy(strategy).all())).toStrictEqual([
          moment.getTime(),
        ])
      }),
      { numRuns: 100 },
    )
  })

  it("a time bucket matches the time that the client's clock sets in the same row", async () => {
    const [row] = await db.insert(Recent, [{}])
    expect(row!.day).toBe(row!.at.toISOString().slice(0, 10))
    expect(await db.fanOut(Recent).where({ day: row!.day }).all()).toStrictEqual([row])
  })

  it('a fan-out pages through rows of 30 days newest first, starting today', async () => {
    const now = Date.now()
    const input = Array.from({ length: 30 }, (_, days) => ({
      at: new Date(now - days * DAY),
      user: BigInt(days),
    }))
    const inserted = await db.insert(Access, input, split)
    expect(inserted.map(({ day }) => day)).toEqual(input.map(({ at }) => at.toISOString().slice(0, 10)))
    const newest = await db.fanOut(Access).orderBy('at', 'desc').limit(10).page()
    expect(newest.rows).toEqual(inserted.slice(0, 10))
    const { rows: next } = await db.fanOut(Access).orderBy('at', 'desc').limit(10).after(newest.next).page()
    expect(next).toEqual(inserted.slice(10, 20))
  })
})
