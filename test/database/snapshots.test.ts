import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

const counters = defineTable('Counter', (t) => ({ id: t.uuidV4(), value: t.int64() }))

describe.each(dialects)('a snapshot in $name', async (dialect) => {
  const { db, client } = await testDatabase(defineSchema([counters]), dialect)
  const columns = [{ name: 'value', type: { kind: 'int64' } }] as never
  const range = { start: [], startOpen: false, end: [], endOpen: false }
  const layout = { table: { name: 'Counter' } } as never
  const all = { layout, columns, ranges: [range] }

  const forgetSessions = async (): Promise<void> => {
    const [sessions] = await client.getSessions()
    await Promise.all(sessions.map((session) => session.delete()))
  }

  it.each([false, true])(
    'reads at the same timestamp after the database deleted its session (lazily: %s)',
    async (lazily) => {
      const [row] = await db.insert(counters, [{ value: 1n }])
      const snapshot = await db.driver.snapshot({ lazily })
      const before = await snapshot.read(all)
      const { readTimestamp } = snapshot
      await db.update(counters, { id: row!.id, value: 2n })
      await forgetSessions()
      // All of them receive the error at the same time, and one begins again.
      const after = await Promise.all([1, 2, 3].map(() => snapshot.read(all)))
      expect(after).toEqual([before, before, before])
      expect(snapshot.readTimestamp).toEqual(readTimestamp)
      snapshot.close()
      await db.delete(counters, { id: row!.id })
    },
  )

  it('writes, transactions and single reads without a snapshot continue after their session was deleted', async () => {
    await forgetSessions()
    const [row] = await db.insert(counters, [{ value: 3n }])
    await forgetSessions()
    await db.transaction(async (tx) => {
      const found = await tx.get(counters, { id: row!.id })
      await tx.update(counters, { id: row!.id, value: found!.value + 1n })
    })
    await forgetSessions()
    expect(await db.get(counters, { id: row!.id })).toMatchObject({ value: 4n })
    await forgetSessions()
    expect(await db.fanOut(counters).all()).toHaveLength(1)
    await db.delete(counters, { id: row!.id })
  })

  it('reads at a timestamp that is given as a Date or as ISO text with an offset', async () => {
    const [row] = await db.insert(counters, [{ value: 1n }])
    const snapshot = await db.driver.snapshot({ lazily: false })
    await snapshot.read(all)
    const moment = snapshot.readTimestamp!
    snapshot.close()
    await db.update(counters, { id: row!.id, value: 2n })
    const [second, fraction] = moment.toISOString().replace('Z', '').split('.') as [string, string]
    const later = new Date(Date.parse(`${second}Z`) + 5_400_000).toISOString().slice(0, 19)
    for (const readTimestamp of [moment, moment.toISOString(), `${later}.${fraction}+01:30`]) {
      const at = { readTimestamp }
      expect(await db.get(counters, { id: row!.id }, { at })).toMatchObject({ value: 1n })
      expect(await db.fanOut(counters).timestampBound(at).all()).toMatchObject([{ value: 1n }])
      expect(await db.driver.read(all, { at })).toEqual([[1n]])
    }
    await db.delete(counters, { id: row!.id })
  })

  it('begins in another session when its session was deleted before the first read', async () => {
    const [row] = await db.insert(counters, [{ value: 7n }])
    const snapshot = await db.driver.snapshot({ lazily: true })
    expect(snapshot.readTimestamp).toBeUndefined()
    await forgetSessions()
    expect(await snapshot.read(all)).toEqual([[7n]])
    expect(snapshot.readTimestamp).toBeInstanceOf(Date)
    snapshot.close()
    await db.delete(counters, { id: row!.id })
  })
})
