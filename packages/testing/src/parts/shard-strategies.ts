import { defineSchema } from '@isotherm/core'
import { expect, it } from 'vitest'
import { inPages } from '../data/paging.js'
import { byStatement, split } from '../data/by-statement.js'
import { part } from '../part.js'
import { SHARDS, Random, RoundRobin } from '../data/hashless-shards.js'

const schema = defineSchema([Random, RoundRobin])

export const shardStrategies = part([], async ({ traits, database }) => {
  const { db } = await database(schema)
  const at = new Date('2026-11-21T12:00:00Z')

  it('the shard strategy random fills every shard, and no shard has more than twice its share', async () => {
    const rows = await db.insert(
      Random,
      Array.from({ length: 480 }, () => ({ at })),
      split,
    )
    const counts = Array.from(
      { length: SHARDS },
      (_, shard) => rows.filter((row) => row.shard === BigInt(shard)).length,
    )
    expect(counts.reduce((sum, count) => sum + count)).toBe(rows.length)
    // 30 each, give or take 5: none at all, or twice as many, is less than one in a million runs.
    for (const count of counts) expect(Math.abs(count - 30)).toBeLessThan(30)
    expect(await db.fanOut(Random).count()).toBe(rows.length)
    expect(await db.fanOut(Random).groupBy('shard').count()).toHaveLength(SHARDS)
  })

  it('the shard strategy round-robin fills one shard after the other, and starts again after the last shard', async () => {
    const numbers = Array.from({ length: 40 }, (_, number) => ({ number: BigInt(number) }))
    const rows = [
      ...(await db.insert(RoundRobin, numbers, split)),
      ...(await db.insert(RoundRobin, numbers, split)),
    ]
    const first = rows[0]!.shard
    expect(rows.map(({ shard }) => shard)).toEqual(
      rows.map((_, position) => 100n + ((first - 100n + BigInt(position)) % 16n)),
    )
    const sorted = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(await inPages(db.fanOut(RoundRobin), 11)).toEqual(sorted)
  })

  it('a shard without a hash is required by get and delete, and only a filter on the shard prunes', async () => {
    const [row] = await db.insert(RoundRobin, [{ number: -1n }])
    const { shard, id } = row!
    expect(await db.get(RoundRobin, { shard, id })).toEqual(row)
    await expect(db.get(RoundRobin, { id })).rejects.toMatchObject({
      code: 'KEY_INCOMPLETE',
      column: 'shard',
    })
    await expect(db.delete(RoundRobin, { id })).rejects.toMatchObject({ code: 'KEY_INCOMPLETE' })
    const byId = db.fanOut(RoundRobin).where({ id })
    expect(byId.explain().shards?.read).toHaveLength(SHARDS)
    expect(await byId.all()).toEqual([row])
    const inShard = db.fanOut(RoundRobin).where({ id, shard })
    expect(inShard.explain().shards).toEqual({ of: SHARDS, read: [Number(shard)] })
    expect(await inShard.all()).toEqual([row])
    expect(
      await db
        .fanOut(RoundRobin)
        .where({ shard: { lt: 100n } })
        .all(),
    ).toEqual([])

    await byStatement(
      db,
      traits,
    )(async (on) => {
      await on.update(RoundRobin, { shard, id, number: -2n })
      await on.upsert(RoundRobin, [{ shard, id, number: -3n }])
      expect(await on.get(RoundRobin, { shard, id })).toEqual({ ...row, number: -3n })
    })
    await db.delete(RoundRobin, { shard, id })
    expect(await db.get(RoundRobin, { shard, id })).toBeUndefined()
  })

  it('a given shard without a hash is accepted within its range and rejected outside', async () => {
    const [row] = await db.insert(Random, [{ shard: 15n, at }])
    expect(row!.shard).toBe(15n)
    for (const shard of [-1n, 16n, 99n]) {
      await expect(db.insert(Random, [{ shard, at }])).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        column: 'shard',
        message: expect.stringContaining('look in 0 to 15'),
      })
    }
    await expect(db.insert(RoundRobin, [{ shard: 0n, number: 1n }])).rejects.toThrow('look in 100 to 115')
  })
})
