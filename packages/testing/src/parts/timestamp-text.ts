import { defineSchema, defineTable } from '@isotherm/core'
import { parseTimestamp } from '@isotherm/core/keys'
import { expect, it } from 'vitest'
import { cut, precise } from '../data/precise.js'
import { part } from '../part.js'

// A timestamp may be given as ISO text with its offset from UTC, wherever a Date may.

const visit = defineTable('Visit', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['at'] }),
  at: t.timestamp().key('desc'),
  seen: t.timestamp({ nullable: true }),
}))

export const timestampText = part([], async ({ database, traits }) => {
  const { db } = await database(defineSchema([visit]))
  const digits = '123456789'.slice(0, traits.timestampDigits)
  const at = `2026-11-22T10:00:00.${digits}+01:00`
  const same = `2026-11-22T09:00:00.${digits}Z`
  const later = '2026-11-22T00:00:00-12:00'
  const exact = `2026-11-22T09:00:00.${digits.padEnd(9, '0')}Z`

  it('ISO text is accepted as a timestamp in rows, keys, filters and pages', async () => {
    const rows = await db.insert(visit, [{ at, seen: later }, { at: later }], traits.unchecked)
    expect(rows.map((row) => [row.at.toISOString(), row.seen?.toISOString()])).toEqual([
      [exact, '2026-11-22T12:00:00.000000000Z'],
      ['2026-11-22T12:00:00.000000000Z', undefined],
    ])
    expect((await db.get(visit, { at: same }))?.at.toISOString()).toBe(exact)
    const visits = db.fanOut(visit)
    expect(await visits.where({ at }).count()).toBe(1)
    expect(await visits.where({ at: { in: [same, at] } }).count()).toBe(1)
    expect(await visits.where({ at: { gt: at } }).count()).toBe(1)
    expect(await visits.where({ seen: { lte: new Date('2026-11-22T12:00:00Z') } }).count()).toBe(1)
    const pages = visits.where({ at: { gte: same } }).limit(1)
    const first = await pages.page()
    // The same filter in other words.
    const rest = await visits
      .where({ at: { gte: at } })
      .limit(1)
      .after(first.next)
      .page()
    expect([...first.rows, ...rest.rows].map((row) => row.at.toISOString())).toEqual([
      '2026-11-22T12:00:00.000000000Z',
      exact,
    ])
    await db.update(visit, [{ at: same, seen: at }], traits.unchecked)
    expect((await db.get(visit, { at }))?.seen?.toISOString()).toBe(exact)
    await db.delete(visit, [{ at }, { at: later }], { allowMultipleCommits: true })
    expect(await visits.count()).toBe(0)
  })

  it.each([
    '1969-12-31T23:59:59.250000001Z',
    '1969-12-31T23:59:59.000000001Z',
    '1969-12-31T23:59:59.999999999Z',
    '1900-02-28T12:00:00.100000100Z',
    '0001-01-01T00:00:00.000000001Z',
  ])('a timestamp before 1970 keeps all its digits as text and as a Date: %s', async (nanoseconds) => {
    const text = cut(precise(nanoseconds), traits.timestampDigits).toISOString()
    const moment = parseTimestamp(text)
    expect(moment.toISOString()).toBe(text)
    await db.insert(visit, [{ at: text, seen: moment }], traits.unchecked)
    for (const key of [text, moment]) {
      const found = await db.get(visit, { at: key })
      expect([found?.at.toISOString(), found?.seen?.toISOString()]).toEqual([text, text])
      expect(await db.fanOut(visit).where({ at: key, seen: key }).count()).toBe(1)
    }
    await db.delete(visit, [{ at: moment }])
    expect(await db.fanOut(visit).count()).toBe(0)
  })

  it.each(['2026-11-22T10:00:00', '2026-02-30T10:00:00Z', '2026-11-22'])(
    'insert(), get() and where() reject the timestamp text %s, without an offset or with an invalid day',
    async (text) => {
      const refused = { code: 'INVALID_VALUE', table: 'Visit', column: 'at' }
      await expect(db.insert(visit, [{ at: text }])).rejects.toMatchObject(refused)
      await expect(db.get(visit, { at: text })).rejects.toMatchObject(refused)
      expect(() => db.fanOut(visit).where({ at: { lt: text } })).toThrow(expect.objectContaining(refused))
    },
  )
})
