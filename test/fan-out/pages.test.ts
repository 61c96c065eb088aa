import { defineSchema, defineTable, IsothermError, openDatabase, type Driver } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

const visits = defineTable('Visit', (t) => ({
  shard: t.shardKey({ shards: 7, of: ['id'] }),
  at: t.timestamp().key('desc'),
  id: t.int64().key(),
}))

const schema = defineSchema([visits])
const HOUR = 3_600_000

describe.each(dialects)('pages of a fan-out in $name', async (dialect) => {
  const { db, client } = await testDatabase(schema, dialect)
  const start = Date.parse('2026-11-21T10:00:00Z')
  const visitAt = (at: number) => ({ id: BigInt(at), at: new Date(start + at * 1000) })
  await db.insert(
    visits,
    Array.from({ length: 100 }, (_, at) => visitAt(at)),
  )

  it.each([undefined, 'read-ranges', 'probe-window', 'merge-shards', 'push-down'] as const)(
    'have one timestamp with consistentPages() while rows are inserted and deleted, by the strategy %s',
    async (strategy) => {
      const newest = db.fanOut(visits).orderBy('at', 'desc').limit(40).consistentPages()
      const query = strategy ? newest.strategy(strategy) : newest
      const first = await query.page()
      const late = { id: 1000n, at: new Date(start + 20_500) }
      await db.insert(visits, [late])
      await db.delete(visits, visitAt(10))
      const second = await query.after(first.next).page()
      const third = await query.after(second.next).page()
      await db.delete(visits, late)
      await db.insert(visits, [visitAt(10)])
      const ids = [first, second, third].flatMap(({ rows }) => rows.map(({ id }) => Number(id)))
      expect(ids).toEqual(Array.from({ length: 100 }, (_, at) => 99 - at))
      expect(third.next).toBeUndefined()
    },
  )

  describe('a cursor of a query with consistentPages()', () => {
    const newest = db.fanOut(visits).orderBy('at', 'desc').limit(40)
    /** The checksum detects damage; it does not prevent forgery. */
    const forged = (cursor: string, moment: Date): string => {
      const content = JSON.parse(Buffer.from(cursor, 'base64url').toString().slice(16)) as unknown[]
      const payload = JSON.stringify([...content.slice(0, 3), moment.toISOString()])
      const checksum = createHash('sha256').update(payload).digest('hex').slice(0, 16)
      return Buffer.from(checksum + payload).toString('base64url')
    }

    it('is rejected by a query without consistentPages(), and vice versa', async () => {
      const { next } = await newest.consistentPages().page()
      const { next: plain } = await newest.page()
      await expect(newest.after(next).page()).rejects.toMatchObject({
        code: 'INVALID_CURSOR',
        message: expect.stringContaining(
          'The cursor belongs to a query with consistent pages. Call consistentPages() on this one too',
        ) as string,
      })
      await expect(newest.consistentPages().after(plain).page()).rejects.toMatchObject({
        code: 'INVALID_CURSOR',
        message: expect.stringContaining(
          'The cursor belongs to a query without consistent pages. Leave consistentPages() out',
        ) as string,
      })
    })

    it.each([
      ['one hour in the future', HOUR],
      ['one minute in the future', HOUR / 60],
      ['two hours in the past', -2 * HOUR],
      ['years in the past', -50_000 * HOUR],
    ])('is rejected with INVALID_CURSOR when its timestamp was changed to a time %s', async (_, away) => {
      const { next } = await newest.consistentPages().page()
      const query = newest.consistentPages().after(forged(next!, new Date(Date.now() + away)))
      await expect(query.page()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
      await expect(query.all()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
      await expect(query[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    })

    it('is rejected with INVALID_CURSOR when the database has removed the rows of its timestamp', async () => {
      const { next } = await newest.consistentPages().page()
      // The emulator keeps versions for an hour, which no test waits for.
      const expired = new IsothermError('SNAPSHOT_EXPIRED', 'Read timestamp is too old.')
      const driver: Driver = { ...spanner(client), snapshot: () => Promise.reject(expired) }
      const query = openDatabase({ driver, schema })
        .fanOut(visits)
        .orderBy('at', 'desc')
        .limit(40)
        .consistentPages()
      await expect(query.after(next).page()).rejects.toMatchObject({
        code: 'INVALID_CURSOR',
        message: expect.stringContaining('has a timestamp whose versions the database has removed') as string,
        fix: expect.stringContaining('version_retention_period') as string,
        cause: expired,
      })
      await expect(query.page()).rejects.toBe(expired)
    })
  })

  it('page() accepts a priority and a tag, and rejects an unknown priority with INVALID_OPTION', async () => {
    const { rows } = await db.fanOut(visits).options({ priority: 'low', tag: 'report' }).limit(3).page()
    expect(rows.length).toBe(3)
    expect(() => db.fanOut(visits).options({ priority: 'urgent' as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    )
    await db.insert(visits, [visitAt(2000)], { priority: 'medium', tag: 'import' })
    await db.transaction(
      async (tx) => {
        expect(await tx.get(visits, visitAt(2000))).toMatchObject({ id: 2000n })
        await tx.delete(visits, visitAt(2000))
      },
      { priority: 'low', tag: 'clean-up' },
    )
    expect(await db.get(visits, visitAt(2000), { directedReads: { exclude: [{ type: 'read-only' }] } })).toBe(
      undefined,
    )
  })

  it('page() throws NOT_FOUND at a timestamp before the table was created', async () => {
    const past = db.fanOut(visits).timestampBound({ readTimestamp: new Date(Date.now() - HOUR) })
    await expect(past.page()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
