import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

const visits = defineTable('Visit', (t) => ({
  shard: t.shardKey({ shards: 7, of: ['id'] }),
  at: t.timestamp().key('desc'),
  id: t.int64().key(),
}))

const HOUR = 3_600_000

describe.each(dialects)('pages of a fan-out in %s', async (dialect) => {
  const { db } = await testDatabase(defineSchema([visits]), dialect)
  const start = Date.parse('2026-11-21T10:00:00Z')
  const visitAt = (at: number) => ({ id: BigInt(at), at: new Date(start + at * 1000) })
  await db.insert(
    visits,
    Array.from({ length: 100 }, (_, at) => visitAt(at)),
  )

  it.each([undefined, 'read-ranges', 'probe-window', 'merge-shards', 'push-down'] as const)(
    'that are pinned are of one moment, read via %s',
    async (strategy) => {
      const newest = db.fanOut(visits).orderBy('at', 'desc').limit(40).pinned()
      const pinned = strategy ? newest.via(strategy) : newest
      const first = await pinned.page()
      const late = { id: 1000n, at: new Date(start + 20_500) }
      await db.insert(visits, [late])
      await db.delete(visits, visitAt(10))
      const second = await pinned.after(first.next).page()
      const third = await pinned.after(second.next).page()
      await db.delete(visits, late)
      await db.insert(visits, [visitAt(10)])
      const ids = [first, second, third].flatMap(({ rows }) => rows.map(({ id }) => Number(id)))
      expect(ids).toEqual(Array.from({ length: 100 }, (_, at) => 99 - at))
      expect(third.next).toBeUndefined()
    },
  )

  it('may be asked for with a priority and a tag, which others are not', async () => {
    const { rows } = await db.fanOut(visits).options({ priority: 'low', tag: 'report' }).limit(3).page()
    expect(rows.length).toBe(3)
    await expect(
      db
        .fanOut(visits)
        .options({ priority: 'urgent' as never })
        .page(),
    ).rejects.toMatchObject({ code: 'INVALID_VALUE' })
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

  it('of a moment before the table was made find none', async () => {
    const past = db.fanOut(visits).readAt({ readTimestamp: new Date(Date.now() - HOUR) })
    await expect(past.page()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
