import { defineSchema, defineTable } from '@isotherm/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { inPages } from '@isotherm/testing/data/paging'
import { engines } from '../../support/engines.js'

const Entry = defineTable('Entry', (t) => ({
  shard: t.shardKey({ shards: 16, of: ['n'] }),
  n: t.int64().key(),
  kind: t.int64(),
}))
const rows = Array.from({ length: 200 }, (_, n) => ({ n: BigInt(n), kind: n % 15 === 14 ? 2n : 5n }))

describe.each(engines)(
  'an order by a column that the filter fixes, in $name',
  async ({ database, traits }) => {
    const { db } = await database(defineSchema([Entry]))
    const wanted = rows.filter(({ kind }) => kind === 2n).map(({ n }) => n)

    beforeAll(async () => {
      await db.insert(Entry, rows, traits.unchecked)
    })

    const forced = [...traits.sortStrategies, 'probe-window'] as const
    it.each([undefined, ...forced.filter((each) => traits.strategies.includes(each))])(
      'is read whole by %s',
      async (strategy) => {
        const query = db.fanOut(Entry).where({ kind: 2n }).orderBy('kind').orderBy('n')
        const read = strategy === undefined ? query : query.via(strategy)
        // Which shard is probed is chance.
        for (let times = strategy === 'probe-window' ? 8 : 1; times > 0; times--) {
          expect((await read.limit(3).all()).map(({ n }) => n)).toEqual(wanted.slice(0, 3))
          expect((await inPages(read, 2)).map(({ n }) => n)).toEqual(wanted)
        }
      },
    )
  },
)
