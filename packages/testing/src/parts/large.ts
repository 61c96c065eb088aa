import { defineSchema, defineTable } from '@isotherm/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, part } from '../part.js'

// Results and lists that are longer than the arguments that a call takes, some 125,000.

const ROWS = 130_001

const Tick = defineTable('Tick', (t) => ({
  shard: t.shardKey({ shards: 8, of: ['id'] }),
  id: t.int64().key(),
  value: t.int64(),
}))

const Few = defineTable('Few', (t) => ({
  shard: t.shardKey({ shards: 8, of: ['id'] }),
  id: t.int64().key(),
  value: t.int64(),
}))

const Paired = defineTable('Paired', (t) => ({
  shard: t.shardKey({ shards: 8, of: ['id'] }),
  id: t.int64().key(),
  pair: t.uuid({ storage: 'int64-pair', nullable: true }),
}))

const schema = defineSchema([Tick, Few, Paired])

/** UUIDs whose halves have both signs. */
const uuidOf = (number: number): string => {
  const digits = number.toString(16).padStart(3, '0')
  return `${digits}00000-0000-4000-8000-000000000${digits}`
}

export const large = part([], ({ database, traits: { unchecked } }) => {
  let db: TestDatabase['db']

  beforeAll(async () => {
    ;({ db } = await database(schema))
    const rows = Array.from({ length: ROWS }, (_, at) => ({ id: BigInt(at), value: BigInt(2 * at) }))
    // The emulator compares each row with the whole of a list.
    await db.insert(
      Few,
      [0n, 199_999n, 200_000n].map((value, at) => ({ id: BigInt(at), value })),
      unchecked,
    )
    await db.insert(Tick, rows, { ...unchecked, timeoutMs: 170_000 })
  }, 180_000)

  describe('a fan-out over 130,001 rows', () => {
    const ids = (rows: readonly { readonly id: bigint }[]): readonly bigint[] => rows.map(({ id }) => id)
    const inOrder = Array.from({ length: ROWS }, (_, at) => BigInt(at))

    it('returns all rows in one call, with a limit and without', async () => {
      const ticks = db.fanOut(Tick).orderBy('id')
      expect(ids(await ticks.all())).toEqual(inOrder)
      expect(ids(await ticks.limit(ROWS - 1).all())).toEqual(inOrder.slice(0, -1))
    })

    it('returns 130,000 rows as one page, and the last row on the next page', async () => {
      const ticks = db.fanOut(Tick).orderBy('id')
      const page = await ticks.limit(ROWS - 1).page()
      expect(ids(page.rows)).toEqual(inOrder.slice(0, -1))
      const rest = await ticks
        .limit(ROWS - 1)
        .after(page.next)
        .page()
      expect(ids(rest.rows)).toEqual(inOrder.slice(-1))
      expect(rest.next).toBeUndefined()
    })
  })

  describe('a filter with a long list of values', () => {
    const values = Array.from({ length: 200_000 }, (_, at) => BigInt(at))

    it('matches 200,000 values with in and notIn in count(), and with in in pages', async () => {
      const found = db
        .fanOut(Few)
        .where({ value: { in: values } })
        .options({ timeoutMs: 120_000 })
      expect(await found.count()).toBe(2)
      const { rows, next } = await found.orderBy('value', 'desc').limit(1).page()
      expect(rows.map(({ value }) => value)).toEqual([199_999n])
      const more = await found.orderBy('value', 'desc').limit(1).after(next).page()
      expect(more.rows.map(({ value }) => value)).toEqual([0n])
      const others = db
        .fanOut(Few)
        .where({ value: { notIn: values } })
        .options({ timeoutMs: 120_000 })
      expect(await others.count()).toBe(1)
    })

    it('matches 1,000 UUIDs that are stored in two columns, and never matches NULL with in or notIn', async () => {
      const pairs = Array.from({ length: 1_000 }, (_, at) => uuidOf(4 * at + 1))
      const rows = Array.from({ length: 200 }, (_, at) => ({
        id: BigInt(at),
        pair: at % 4 === 0 ? null : uuidOf(16 * at + (at % 4)),
      }))
      await db.insert(Paired, rows, unchecked)
      const listed = new Set(pairs)
      const wanted = rows.filter(({ pair }) => pair !== null && listed.has(pair)).map(({ id }) => id)
      const found = await db
        .fanOut(Paired)
        .where({ pair: { in: pairs } })
        .orderBy('id')
        .all()
      expect(found.map(({ id }) => id)).toEqual(wanted)
      expect(wanted).toHaveLength(50)
      expect(
        await db
          .fanOut(Paired)
          .where({ pair: { in: pairs } })
          .count(),
      ).toBe(50)
      // NULL is not in the list, and not outside of it.
      expect(
        await db
          .fanOut(Paired)
          .where({ pair: { notIn: pairs } })
          .count(),
      ).toBe(100)
    })

    it('matches 200,000 values of a key column in count() and in an ordered query', async () => {
      const found = db
        .fanOut(Few)
        .where({ id: { in: values } })
        .options({ timeoutMs: 120_000 })
      expect(await found.count()).toBe(3)
      expect((await found.orderBy('id', 'desc').limit(2).all()).map(({ id }) => id)).toEqual([2n, 1n])
    })
  })
})
