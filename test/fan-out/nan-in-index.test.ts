import { defineSchema, defineTable } from '@isotherm/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { inPages } from '@isotherm/testing/data/paging'
import { dialects, testDatabase } from '../support/spanner.js'

const Measured = defineTable('Measured', (t) => ({ n: t.int64().key(), value: t.float64() }), {
  indexes: [{ name: 'ByValue', on: ['value'] }],
})
const Keyed = defineTable('Keyed', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['group'] }),
  group: t.int64().key(),
  value: t.float64().key(),
}))
const values = [1.5, NaN, -1.5, NaN, 0, Infinity, -Infinity]

describe.each(dialects)('NaN in an index, in $name', async (dialect) => {
  const { db, withCosts } = await testDatabase(defineSchema([Measured, Keyed]), dialect)
  const numbers = [-Infinity, -1.5, 0, 1.5, Infinity]
  const inOrder = dialect.name === 'googlesql' ? [NaN, NaN, ...numbers] : [...numbers, NaN, NaN]
  const atLeastZero = inOrder.filter((value) => value >= 0 || (Number.isNaN(value) && dialect.nanIsValue))

  beforeAll(async () => {
    await db.insert(
      Measured,
      values.map((value, n) => ({ n: BigInt(n), value })),
    )
  })

  it.each([
    ['the costs of the emulator', {}],
    ['costs for which an index is cheap', { statement: 1_000, scannedRow: 100 }],
  ])(
    'sorts before all numbers in GoogleSQL and after all numbers in PostgreSQL, with %s',
    async (_, costs) => {
      const on = withCosts(costs)
      for (const query of [on.fanOut(Measured), on.fanOut(Measured).useIndex('ByValue')]) {
        const ascending = query.orderBy('value')
        expect((await ascending.all()).map(({ value }) => value)).toEqual(inOrder)
        expect((await inPages(ascending, 2)).map(({ value }) => value)).toEqual(inOrder)
        expect((await inPages(query.orderBy('value', 'desc'), 3)).map(({ value }) => value)).toEqual(
          inOrder.toReversed(),
        )
        const bounded = ascending.where({ value: { gte: 0 } })
        expect((await bounded.all()).map(({ value }) => value)).toEqual(atLeastZero)
        expect(await bounded.count()).toBe(atLeastZero.length)
      }
    },
  )

  it('is above all values in PostgreSQL as a bound of a key, and matches no row in GoogleSQL', async () => {
    await db.insert(
      Keyed,
      [-1, 0, 1].map((value) => ({ group: 3n, value })),
    )
    const all = dialect.nanIsValue ? [-1, 0, 1] : []
    const filters = [
      [{ lt: NaN }, all],
      [{ lte: NaN }, all],
      [{ gte: 0, lte: NaN }, all.slice(1)],
      [{ gt: NaN }, []],
      [{ gte: NaN }, []],
      [NaN, []],
      [{ in: [NaN, 1] }, [1]],
      [{ ne: NaN }, [-1, 0, 1]],
    ] as const
    for (const [value, found] of filters) {
      for (const where of [{ group: 3n, value }, { value }]) {
        const query = db.fanOut(Keyed).where(where as object)
        for (const strategy of ['read-ranges', 'merge-shards', 'push-down'] as const)
          expect((await query.strategy(strategy).all()).map((row) => row.value)).toEqual(found)
        expect((await query.all()).map((row) => row.value)).toEqual(found)
        expect(await query.count()).toBe(found.length)
      }
    }
  })

  it('query partitions that were sent as JSON find the value 0 by a filter on -0', async () => {
    await using parts = await db.fanOut(Measured).where({ value: -0 }).queryPartitions(2)
    const found = []
    for (const part of parts.partitions)
      for await (const row of db.readQueryPartition(Measured, JSON.parse(JSON.stringify(part))))
        found.push(row.value)
    expect(found).toEqual([0])
  })
})
