import { defineSchema, defineTable } from '@isotherm/core'
import { expect, it } from 'vitest'
import { part } from '../part.js'

// What each operator makes of NULL and of an empty list: the same by every strategy.

const remark = defineTable('Remark', (t) => ({
  shard: t.shardKey({ shards: 3, of: ['id'] }),
  id: t.string({ length: 10 }).key(),
  text: t.string({ length: 10, nullable: true }),
}))

const TEXTS = { a: 'a', b: 'b', empty: '', none: null }
const ALL = Object.keys(TEXTS)

/** A condition on the text, the rows that it matches, and those that its NOT matches. */
const CONDITIONS: readonly (readonly [condition: unknown, found: string[], foundByNot: string[]])[] = [
  ['a', ['a'], ['b', 'empty']],
  [{ ne: 'a' }, ['b', 'empty'], ['a']],
  [{ lt: 'b' }, ['a', 'empty'], ['b']],
  [{ lte: 'a' }, ['a', 'empty'], ['b']],
  [{ gt: '' }, ['a', 'b'], ['empty']],
  [{ gte: '' }, ['a', 'b', 'empty'], []],
  [{ startsWith: '' }, ['a', 'b', 'empty'], []],
  [{ in: ['a', ''] }, ['a', 'empty'], ['b']],
  [{ notIn: ['a', ''] }, ['b'], ['a', 'empty']],
  // These say of a NULL what they say of a value.
  [null, ['none'], ['a', 'b', 'empty']],
  [{ eq: null }, ['none'], ['a', 'b', 'empty']],
  [{ ne: null }, ['a', 'b', 'empty'], ['none']],
  [{ in: [] }, [], ALL],
  [{ notIn: [] }, ALL, []],
]

export const nullAndEmpty = part([], async ({ database, traits, sample }) => {
  const { db } = await database(defineSchema([remark]))
  const rows = Object.entries(TEXTS).map(([id, text]) => ({ id, text }))
  await db.insert(remark, rows, traits.unchecked)

  it.each([
    ...sample(CONDITIONS, 8).flatMap(([text, found, foundByNot]) => [
      [{ text }, found] as const,
      [{ NOT: { text } }, foundByNot] as const,
    ]),
    [{ OR: [{ text: { notIn: [] } }, { id: 'b' }] }, ALL] as const,
    [{ AND: [{ text: { in: [] } }, { id: 'b' }] }, []] as const,
    [{ OR: [] }, []] as const,
    [{ AND: [] }, ALL] as const,
  ])(
    'a fan-out filtered by %j returns, counts and groups the expected rows with every strategy',
    async (where, found) => {
      const matching = db.fanOut(remark).where(where as object)
      for (const query of [matching, ...traits.strategies.map((strategy) => matching.strategy(strategy))]) {
        expect((await query.orderBy('id').all()).map(({ id }) => id)).toEqual(found)
        expect(await query.count()).toBe(found.length)
      }
      expect((await matching.groupBy('id').count()).map(({ id }) => id).toSorted()).toEqual(found)
    },
  )
})
