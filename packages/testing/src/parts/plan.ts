import { defineSchema } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { part } from '../part.js'
import { warningsDuring } from '../data/warnings.js'
import { UserAccessLog } from '../data/models.js'

// Which shards a fan-out reads and what comes of them, whatever the engine makes of it.

export const plan = part([], async ({ dialect, traits, database }) => {
  const { db } = await database(defineSchema([UserAccessLog]))
  const log = db.fanOut(UserAccessLog)

  const since = new Date('2026-11-01T00:00:00Z')
  await db.insert(
    UserAccessLog,
    Array.from({ length: 300 }, (_, id) => ({
      userId: BigInt(id % 30),
      lastAccess: new Date(since.getTime() + id * 1000),
      page: id % 4 === 0 ? null : `/docs/${id % 7}`,
    })),
    traits.unchecked,
  )

  describe('shard pruning', () => {
    it('reads only the shard of the user that the filter names', async () => {
      const plan = log.where({ userId: 7n }).explain()
      expect(plan.shards).toEqual({ of: 64, read: [shardOf(7n, 64, { dialect })] })
      expect(await log.where({ userId: 7n }).count()).toBe(10)
      expect((await log.where({ userId: 7n }).all()).length).toBe(10)
    })

    it('reads each shard of several users once', () => {
      const users = [1n, 2n, 3n]
      const shards = [...new Set(users.map((user) => shardOf(user, 64, { dialect })))].toSorted(
        (a, b) => a - b,
      )
      expect(log.where({ userId: { in: users } }).explain().shards?.read).toEqual(shards)
    })

    it('reads only the shards that a filter on the shard column selects', () => {
      expect(log.where({ shardId: { gte: 10n, lt: 13n } }).explain().shards?.read).toEqual([10, 11, 12])
      expect(log.where({ shardId: 3n, userId: { gt: 5n } }).explain().shards?.read).toEqual([3])
    })

    it('reads every shard for an OR with another column and for a NOT', () => {
      expect(log.where({ OR: [{ userId: 7n }, { page: '/' }] }).explain().shards?.read.length).toBe(64)
      expect(log.where({ NOT: { userId: 7n } }).explain().shards?.read.length).toBe(64)
    })

    it('reads no shard and makes no call when no row can match the filter', async () => {
      for (const where of [
        { userId: { in: [] } },
        { AND: [{ userId: 1n }, { userId: 2n }] },
        { shardId: 64n },
      ]) {
        expect(log.where(where).explain()).toMatchObject({ strategy: 'nothing', calls: [] })
        expect(await log.where(where).all()).toEqual([])
        expect(await log.where(where).count()).toBe(0)
      }
    })
  })

  describe('a fan-out', () => {
    it('uses the requested strategy, and returns the same rows with each strategy', async () => {
      const query = log.orderBy('page', 'desc').limit(7)
      const wanted = await query.all()
      expect(wanted).toHaveLength(7)
      for (const strategy of traits.sortStrategies) {
        expect(query.strategy(strategy).explain()).toMatchObject({ strategy, reason: 'asked for' })
        expect(await query.strategy(strategy).all()).toEqual(wanted)
      }
    })

    it('counts rows in total and by group', async () => {
      expect(await log.count()).toBe(300)
      expect(await log.where({ page: null }).count()).toBe(75)
      const groups = await log.groupBy('page').count()
      expect(groups[0]).toEqual({ page: null, count: 75 })
      expect(groups.reduce((sum, group) => sum + group.count, 0)).toBe(300)
    })

    it('over 64 shards causes no warning of Node, with and without a signal', async () => {
      const warnings = await warningsDuring(async () => {
        await log.limit(50).page()
        await log.options({ signal: new AbortController().signal }).limit(50).page()
      })
      expect(warnings).toEqual([])
    })

    it('throws CANCELLED when its signal is aborted, and TIMEOUT when its timeout passes', async () => {
      const controller = new AbortController()
      controller.abort(new Error('enough'))
      await expect(log.options({ signal: controller.signal }).all()).rejects.toMatchObject({
        code: 'CANCELLED',
      })
      await expect(log.options({ timeoutMs: 0 }).all()).rejects.toMatchObject({ code: 'TIMEOUT' })
    })
  })
})
