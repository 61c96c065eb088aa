import { defineSchema, defineTable } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { Customer, UserAccessLog } from '../data/models.js'
import { precise } from '../data/precise.js'
import { part } from '../part.js'

/** Rows that are interleaved in their customer. */
const note = defineTable(
  'Note',
  (t) => ({
    customerId: t.parentKey<string>(),
    line: t.int64().key(),
    price: t.numeric({ name: 'unit_price' }),
  }),
  { interleaveIn: () => Customer, onDelete: 'cascade' },
)

export const writes = part([], async ({ dialect, traits, database, when }) => {
  const { db } = await database(defineSchema([UserAccessLog, Customer]))

  describe('insert()', () => {
    it('returns rows with their generated keys', async () => {
      const rows = await db.insert(UserAccessLog, [{ userId: 7n }, { userId: 8n, page: '/' }], {
        allowMultipleCommits: true,
      })
      expect(rows.commits).toBe(traits.wideCommits ? 1 : 2)
      expect(rows.map(({ userId, page, shardId }) => ({ userId, page, shardId }))).toEqual([
        { userId: 7n, page: null, shardId: BigInt(shardOf(7n, 64, { dialect })) },
        { userId: 8n, page: '/', shardId: BigInt(shardOf(8n, 64, { dialect })) },
      ])
      for (const row of rows) expect(await db.get(UserAccessLog, row)).toEqual(row)
    })

    it('stores a timestamp with all its digits, and get() finds the row without its shard', async () => {
      const exact = `2026-11-21T13:16:21.${'123456789'.slice(0, traits.timestampDigits).padEnd(9, '0')}Z`
      const [row] = await db.insert(UserAccessLog, [{ userId: 9n, lastAccess: precise(exact) }])
      expect(row!.lastAccess.toISOString()).toBe(exact)
      expect(await db.get(UserAccessLog, { userId: 9n, lastAccess: row!.lastAccess })).toEqual(row)
      const before = new Date(row!.lastAccess.getTime() - 1)
      expect(await db.get(UserAccessLog, { userId: 9n, lastAccess: before })).toBeUndefined()
    })

    it('writes nothing for an empty array', async () => {
      const rows = await db.insert(UserAccessLog, [])
      expect(rows).toEqual([])
      expect(rows.commits).toBe(0)
    })

    it('throws ALREADY_EXISTS and leaves the existing row unchanged', async () => {
      const [kept] = await db.insert(Customer, [{ name: 'kept' }])
      await expect(db.insert(Customer, [{ ...kept!, name: 'other' }])).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      })
      expect(await db.get(Customer, kept!)).toEqual(kept)
    })
  })

  describe('update(), upsert() and delete()', () => {
    it('change, create and remove rows by key', async () => {
      const [customer] = await db.insert(Customer, [{ name: 'before', settings: { a: 1 } }])
      const { commitTimestamp } = await db.update(Customer, {
        customerId: customer!.customerId,
        name: 'after',
      })
      expect(commitTimestamp instanceof Date).toBe(traits.commitTimestamps)
      expect(await db.get(Customer, customer!)).toEqual({ ...customer, name: 'after' })

      await db.upsert(Customer, [{ customerId: customer!.customerId, name: 'again' }])
      expect(await db.get(Customer, customer!)).toEqual({ ...customer, name: 'again' })
      const [made] = await db.upsert(Customer, [{ name: 'made' }])
      expect(await db.get(Customer, made!)).toMatchObject({ name: 'made', settings: null })

      await db.delete(Customer, [customer!, made!], { allowMultipleCommits: true })
      expect(await db.get(Customer, customer!)).toBeUndefined()
      await db.delete(Customer, customer!)
    })

    it('find a sharded row by its key without the shard', async () => {
      const [row] = await db.insert(UserAccessLog, [{ userId: 770077n, page: '/a' }])
      const key = { userId: 770077n, lastAccess: row!.lastAccess }
      await db.update(UserAccessLog, { ...key, page: '/b' })
      await db.upsert(UserAccessLog, [{ ...key, page: '/c' }])
      expect(await db.fanOut(UserAccessLog).where({ userId: 770077n }).all()).toEqual([
        { ...row, page: '/c' },
      ])
      await db.delete(UserAccessLog, key)
      expect(await db.fanOut(UserAccessLog).where({ userId: 770077n }).count()).toBe(0)
    })

    it('throw NOT_FOUND for an update of a missing row, and do not create the row', async () => {
      const missing = { customerId: crypto.randomUUID(), name: 'nobody' }
      await expect(db.update(Customer, missing)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await db.get(Customer, missing)).toBeUndefined()
    })

    it('set a column to NULL by update()', async () => {
      const [customer] = await db.insert(Customer, [{ name: 'a', settings: [1] }])
      const { customerId } = customer!
      await db.update(Customer, { customerId, settings: null })
      expect(await db.get(Customer, { customerId })).toEqual({ ...customer, settings: null })
    })
  })

  when('interleaving', 'rows of an interleaved table', async () => {
    const { db } = await database(defineSchema([Customer, note]))

    it('are updated without their parent, and deleted with their parent', async () => {
      const [customer] = await db.insert(Customer, [{ name: 'parent' }])
      const { customerId } = customer!
      const [line] = await db.insert(note, [{ customerId, line: 1n, price: '12.50' }])
      expect(line!.price).toBe('12.5')
      expect(await db.get(note, line!)).toEqual(line)
      await db.update(note, { customerId, line: 1n, price: '13' })
      expect(await db.get(note, line!)).toEqual({ ...line, price: '13' })
      expect(await db.get(Customer, customer!)).toEqual(customer)
      await db.delete(Customer, customer!)
      expect(await db.get(note, line!)).toBeUndefined()
    })

    it('are deleted without deleting their parent', async () => {
      const [customer] = await db.insert(Customer, [{ name: 'parent' }])
      const { customerId } = customer!
      await db.insert(
        note,
        [1n, 2n].map((line) => ({ customerId, line, price: '1' })),
        { allowMultipleCommits: true },
      )
      await db.delete(
        note,
        [1n, 2n].map((line) => ({ customerId, line })),
        { allowMultipleCommits: true },
      )
      expect(await db.get(note, { customerId, line: 1n })).toBeUndefined()
      expect(await db.get(Customer, customer!)).toEqual(customer)
    })
  })
})
