import { defineSchema, defineTable } from '@isotherm/core'
import { sortRows } from '@isotherm/testing/data/reference'
import { inPages } from '@isotherm/testing/data/paging'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { engines } from '../../support/engines.js'
import { isDeep } from '../../support/runs.js'

const Entry = defineTable('Entry', (t) => ({
  shard: t.shardKey({ shards: 16, of: ['n'] }),
  n: t.int64().key(),
  kind: t.int64(),
}))
const entries = Array.from({ length: 200 }, (_, n) => ({ n: BigInt(n), kind: n % 15 === 14 ? 2n : 5n }))

/** Columns with few values before the column that makes the key unique: a column without a condition comes before the fixed one. */
const Spot = defineTable('Spot', (t) => ({
  shard: t.shardKey({ shards: 8, of: ['c'] }),
  a: t.int64().key(),
  b: t.int64().key(),
  c: t.int64().key(),
}))
const positions = Array.from({ length: 300 }, (_, n) => ({
  a: BigInt((n * 7) % 5),
  b: [1n, 9n, 1n, 9n, 2n, 1n, 9n][n % 7]!,
  c: BigInt((n * 37) % 300),
}))

const orders = [
  { a: 'asc' },
  { b: 'asc', a: 'asc' },
  { b: 'desc', a: 'asc' },
  { a: 'asc', b: 'desc' },
] as const

describe.each(engines)(
  'an order by a column that the filter fixes, in $name',
  async ({ database, traits, dialect }) => {
    const { db } = await database(defineSchema([Entry, Spot]))

    beforeAll(async () => {
      await db.insert(Entry, entries, traits.unchecked)
      await db.insert(Spot, positions, traits.unchecked)
    })

    const forced = [...traits.sortStrategies, 'probe-window'] as const
    const strategies = [undefined, ...forced.filter((each) => traits.strategies.includes(each))]
    // The probed shard is random: the first and the last of them, and others in `pnpm test:deep`.
    const probes = [0, 0.999_999, ...Array.from({ length: isDeep ? 6 : 0 }, () => Math.random())]
    const probesOf = (strategy: string | undefined): readonly number[] =>
      strategy === 'probe-window' ? probes : [0]

    afterEach(() => {
      vi.restoreAllMocks()
    })

    it.each(strategies)('returns all rows, also page by page, by the strategy %s', async (strategy) => {
      const query = db.fanOut(Entry).where({ kind: 2n }).orderBy('kind').orderBy('n')
      const read = strategy === undefined ? query : query.strategy(strategy)
      const wanted = entries.filter(({ kind }) => kind === 2n).map(({ n }) => n)
      for (const probe of probesOf(strategy)) {
        vi.spyOn(Math, 'random').mockReturnValue(probe)
        expect((await read.limit(3).all()).map(({ n }) => n)).toEqual(wanted.slice(0, 3))
        expect((await inPages(read, 2)).map(({ n }) => n)).toEqual(wanted)
      }
    })

    it.each(strategies)(
      'returns all rows by the strategy %s when a key column without a condition comes before the fixed column',
      async (strategy) => {
        for (const order of orders) {
          const terms = Object.entries({ ...order, c: 'asc' as const }).map(([property, direction]) => ({
            property: property as keyof typeof order | 'c',
            direction,
          }))
          const query = terms.reduce(
            (ordered, { property, direction }) => ordered.orderBy(property, direction),
            db.fanOut(Spot).where({ b: 2n }),
          )
          const read = strategy === undefined ? query : query.strategy(strategy)
          const wanted = sortRows(
            positions.filter(({ b }) => b === 2n),
            terms,
            dialect,
          ).map(({ c }) => c)
          for (const probe of probesOf(strategy)) {
            vi.spyOn(Math, 'random').mockReturnValue(probe)
            expect((await read.limit(3).all()).map(({ c }) => c)).toEqual(wanted.slice(0, 3))
            expect((await inPages(read, 15)).map(({ c }) => c)).toEqual(wanted)
          }
        }
      },
    )
  },
)
