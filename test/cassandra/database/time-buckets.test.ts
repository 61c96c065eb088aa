import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { bucketOf } from '../../../packages/core/src/keys/time-bucket.js'
import { cassandraDatabase } from '../../support/engines.js'

const DAY = 86_400_000

const log = defineTable(
  'access_log',
  (t) => ({
    day: t.timeBucket({ by: 'day', of: 'at', since: '2024-01-01' }),
    shard: t.shardKey({ shards: 4, of: ['user'] }),
    at: t.descTimestamp({ default: 'now' }),
    user: t.int64({ name: 'user_id' }).key(),
    page: t.string({ nullable: true }),
  }),
  { timeToLive: 30 * 86_400 },
)
const hourly = defineTable('hourly', (t) => ({
  hour: t.timeBucket({ by: 'hour', of: 'at' }),
  shard: t.shardKey({ shards: 4, of: ['user'] }),
  at: t.timestamp().key(),
  user: t.int64().key(),
}))
const schema = defineSchema([log, hourly])

describe.each(['cassandra', 'keyspaces'] as const)('time buckets on %s', async (target) => {
  const { db, client } = await cassandraDatabase(schema, target)

  it('a row lies in the bucket of its time, and is found by that', async () => {
    const at = new Date('2025-02-03T23:59:59.999Z')
    const [row] = await db.insert(log, [{ at, user: 7n, page: '/' }])
    expect(row).toMatchObject({ day: '2025-02-03' })
    expect(await db.get(log, { at, user: 7n })).toEqual(row)
    await db.update(log, { at, user: 7n, page: '/b' })
    expect(await db.get(log, row!)).toEqual({ ...row, page: '/b' })
    await db.delete(log, { at, user: 7n })
    expect(await db.get(log, row!)).toBeUndefined()
  })

  it('an hour is a moment', async () => {
    const at = new Date('2025-02-03T10:59:00Z')
    const [row] = await db.insert(hourly, [{ at, user: 7n }])
    expect(row!.hour.toISOString()).toBe('2025-02-03T10:00:00.000000000Z')
    expect(await db.get(hourly, { at, user: 7n })).toEqual(row)
  })

  it('rows of many days are read back newest first, from today on', async () => {
    const now = Date.now()
    const given = Array.from({ length: 30 }, (_, days) => ({
      at: new Date(now - days * DAY),
      user: BigInt(days),
    }))
    const rows = await db.insert(log, given, { split: true })
    expect(rows.map(({ day }) => day)).toEqual(given.map(({ at }) => bucketOf(at, 'day')))
    const newest = await db.fanOut(log).orderBy('at', 'desc').limit(10).page()
    expect(newest.rows).toEqual(rows.slice(0, 10))
    const { rows: next } = await db.fanOut(log).orderBy('at', 'desc').limit(10).after(newest.next).page()
    expect(next).toEqual(rows.slice(10, 20))
  })

  it('no row is written where no walk comes by', async () => {
    for (const [at, message] of [
      [new Date('2023-12-31T00:00:00Z'), 'lies in 2023-12-31, before 2024-01-01'],
      [new Date(Date.now() + 3 * DAY), 'where no walk would find it'],
    ] as const) {
      await expect(db.insert(log, [{ at, user: 99n }])).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        column: 'day',
        message: expect.stringContaining(message),
      })
      expect(await db.get(log, { at, user: 99n })).toBeUndefined()
    }
  })

  it('rows have the time to live of their table', async () => {
    await db.insert(log, [{ user: 555n, page: '/' }])
    const { rows } = await client.execute('SELECT ttl("page") AS left, "user_id" FROM "access_log"')
    const row = rows.find((each) => each['user_id'] === 555n)!
    expect(row['left']).toBeGreaterThan(29 * 86_400)
  })
})
