import { defineSchema, defineTable, type CostProfile, type IncludeStrategy } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

// The timestamp at which the children of a row are read. Which children are read is the same on every engine, and tested there.

const cascade = { onDelete: 'cascade' } as const

const Site = defineTable('Site', (t) => ({
  shard: t.shardKey({ shards: 3, of: ['zone'] }),
  opened: t.descTimestamp(),
  id: t.uuidV4({ storage: 'int64-pair' }),
  zone: t.string({ length: 20 }).key(),
}))
const Order = defineTable(
  'Order',
  (t) => ({
    shard: t.parentKey<bigint>(),
    opened: t.parentKey<Date>(),
    id: t.parentKey<string>(),
    zone: t.parentKey<string>(),
    number: t.int64().key('desc'),
  }),
  { interleaveIn: () => Site, ...cascade },
)

/** Costs that force one strategy for the children. */
const forced: Record<IncludeStrategy, Partial<CostProfile>> = {
  read: { statement: 1e9 },
  statement: { statement: -1e9, statementsScan: false },
}
const methods = ['read', 'statement'] as const

describe.each(dialects)('included children in $name', async (dialect) => {
  const own = await testDatabase(defineSchema([Site, Order]), dialect)
  const { db, empty } = own

  const many = Array.from({ length: 300 }, (_, n) => ({
    opened: new Date(0),
    id: `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`,
    zone: 'a',
  }))
  const insertSites = async (count: number) => {
    await empty('Site')
    return db.insert(Site, many.slice(0, count))
  }

  it.each(methods)('children are read at the timestamp of their parent rows, by %s', async (method) => {
    const stored = await insertSites(many.length)
    await db.insert(
      Order,
      stored.map((site) => ({ ...site, number: 1n })),
    )
    const seen: number[] = []
    const sites = own.withCosts(forced[method]).fanOut(Site).include('orders', Order)
    for await (const { orders } of sites) {
      // After the first batch, before the second.
      if (seen.length === 0) await db.insert(Order, [{ ...stored.at(-1)!, number: 2n }])
      seen.push(orders.length)
    }
    expect(seen).toEqual(many.map(() => 1))
    expect((await sites.all()).at(-1)!.orders).toHaveLength(2)
  })

  it.each(methods)(
    'children are read in a snapshot when one call reads all parent rows of a page, by %s',
    async (method) => {
      const [site] = await insertSites(1)
      const sites = own.withCosts(forced[method]).fanOut(Site).where(site!).include('orders', Order)
      const plan = sites.explain()
      expect([plan.calls.length, plan.snapshot]).toEqual([1, true])
      expect((await sites.page()).rows.map(({ orders }) => orders)).toEqual([[]])
    },
  )
})

describe('included children whose inherited key contains NULL or NaN', () => {
  const Probe = defineTable('Probe', (t) => ({
    level: t.float64({ nullable: true }).key(),
    id: t.int64().key(),
  }))
  const Reading = defineTable(
    'Reading',
    (t) => ({ level: t.parentKey<number | null>(), id: t.parentKey<bigint>(), reading: t.int64().key() }),
    { interleaveIn: () => Probe, ...cascade },
  )

  it.each(methods)(
    'children with NULL or NaN in their key are returned with their parent rows, by %s',
    async (method) => {
      const { db, withCosts } = await testDatabase(defineSchema([Probe, Reading]))
      const probes = [null, NaN, 0, 1].map((level, at) => ({ level, id: BigInt(at % 2) }))
      const keys = probes.map(({ level, id }) => [Number.isNaN(level) ? 'NaN' : level, String(id)])
      await db.driver.writes.commit([
        { op: 'insert', table: 'Probe', columns: ['level', 'id'], rows: keys },
        {
          op: 'insert',
          table: 'Reading',
          columns: ['level', 'id', 'reading'],
          rows: keys.flatMap((key) => ['1', '2'].map((reading) => [...key, reading])),
        },
      ])
      const found = await withCosts(forced[method])
        .fanOut(Probe)
        .include('newest', Reading, { orderBy: ['reading', 'desc'], limit: 1 })
        .all()
      expect(found).toEqual(probes.map((probe) => ({ ...probe, newest: [{ ...probe, reading: 2n }] })))
    },
  )
})
