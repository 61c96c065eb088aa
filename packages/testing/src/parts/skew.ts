import { defineSchema, defineTable, type FanOutReport, type SkewEvent } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { expect, it } from 'vitest'
import { part } from '../part.js'

// A busy user among many, who are spread over the shards.

const SHARDS = 16
const BUSY = 7n

const visits = (name: string) =>
  defineTable(name, (t) => ({
    shard: t.shardKey({ shards: SHARDS, of: ['userId'] }),
    at: t.timestamp().key(),
    userId: t.int64().key(),
    page: t.string({ nullable: true }),
  }))

/** A function of a user's own that fills few of its shards: the code points of a title, multiplied. */
const product = ({ title }: { readonly title?: unknown }): number =>
  [...String(title)].reduce((sum, letter) => (sum * (letter.codePointAt(0) ?? 1)) % 200, 1)
const Titled = defineTable('Titled', (t) => ({
  shard: t.shardKey({ shards: 200, of: ['title'], compute: product }),
  title: t.string({ length: 40 }).key(),
}))

/** Rows of as many moments, so that no two have the same key. */
let moment = 0
const row = (userId: bigint) => ({ at: new Date(moment++), userId })
const crowd = (count: number) => Array.from({ length: count }, (_, n) => row(BigInt(1000 + n * 13)))
const settled = (): Promise<void> => new Promise(setImmediate)

export const skew = part([], async ({ dialect, traits, database }) => {
  const [even, busy, copied] = [visits('Even'), visits('Busy'), visits('Copied')] as const
  const { db } = await database(defineSchema([even, busy, copied, Titled]))
  const reported: SkewEvent[] = []
  const reports: FanOutReport[] = []
  db.on('skew', (event) => reported.push(event)).on('fanOut', (report) => reports.push(report))
  const take = async (): Promise<SkewEvent[]> => {
    await settled()
    return reported.splice(0)
  }

  it('writes and reads that are spread evenly over users emit no skew event', async () => {
    for (let call = 0; call < 25; call++) await db.insert(even, crowd(60), traits.unchecked)
    for (let call = 0; call < 25; call++) await db.fanOut(even).orderBy('at', 'desc').limit(50).page()
    expect(await take()).toEqual([])
  })

  it('a user with most of the writes emits one skew event for the shard and one for the key', async () => {
    for (let call = 0; call < 40; call++) {
      const rows = [...Array.from({ length: 24 }, () => row(BUSY)), ...crowd(6)]
      await db.insert(busy, rows, traits.unchecked)
      await db.update(
        busy,
        rows.map((each) => ({ ...each, page: '/' })),
        traits.unchecked,
      )
    }
    const events = await take()
    expect(events).toMatchObject([
      {
        table: 'Busy',
        of: 'shard',
        by: 'writes',
        shard: shardOf(BUSY, SHARDS, { dialect }),
        fairShare: 1 / SHARDS,
      },
      { table: 'Busy', of: 'key', by: 'writes', shard: shardOf(BUSY, SHARDS, { dialect }) },
    ])
    for (const { share } of events) expect(share).toBeGreaterThan(0.7)
  })

  it('fan-outs over all shards emit a skew event for the largest shard, fan-outs for one user do not', async () => {
    const newest = db.fanOut(busy).orderBy('at', 'desc').limit(50)
    for (let call = 0; call < 30; call++) await newest.where({ userId: BUSY }).page()
    expect(await take()).toEqual([])
    for (let call = 0; call < 60; call++) await newest.page()
    expect(await take()).toMatchObject([
      { table: 'Busy', of: 'shard', by: 'reads', shard: shardOf(BUSY, SHARDS, { dialect }) },
    ])
  })

  it('one insert of 5,000 rows of one user emits no skew event', async () => {
    await db.insert(
      copied,
      Array.from({ length: 5000 }, () => row(BUSY)),
      traits.unchecked,
    )
    expect(await take()).toEqual([])
  })

  it('a compute function that fills few of its shards emits one few-shards event with the number of used shards', async () => {
    for (let at = 0; at < 5_000; at += 50) {
      const rows = Array.from({ length: 50 }, (_, n) => ({ title: `Title number ${at + n}` }))
      await db.insert(Titled, rows, traits.unchecked)
    }
    const few = (await take()).filter(({ of }) => of === 'few-shards')
    expect(few).toMatchObject([{ table: 'Titled', by: 'writes', share: 1, fairShare: 1 / 200 }])
    const used = new Set((await db.fanOut(Titled).all()).map(({ shard }) => shard)).size
    expect(used).toBeLessThan(20)
    expect(few[0]!.usedShards).toBeLessThanOrEqual(used)
  })

  it('each fan-out emits a report with its table, shards, rows and retries', () => {
    expect(reports).toHaveLength(116)
    const [first] = reports
    expect(first).toMatchObject({
      table: 'Even',
      shards: SHARDS,
      retries: 0,
      rowsReturned: 51,
      missing: [],
    })
    expect(first!.rowsRead).toBeGreaterThanOrEqual(51)
    expect(reports.find(({ shards }) => shards === 1)).toMatchObject({ table: 'Busy' })
  })
})
