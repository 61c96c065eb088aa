import { defineSchema, defineTable } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { inPages } from '../data/paging.js'
import { precise } from '../data/precise.js'
import { type ReferenceOrder, type ReferenceRow, matches, sortRows } from '../data/reference.js'
import { part } from '../part.js'

// Fan-outs over an index, with a shard in front and without one, equal the same query in memory.

const SHARDS = 5

/** `Covering` holds all columns, so it can be read by key; `Narrow` cannot, and is read by statement. */
const orders = defineTable(
  'Orders',
  (t) => ({
    id: t.int64().key(),
    placed: t.timestamp({ nullable: true }),
    state: t.string({ length: 20 }),
    total: t.int64({ nullable: true }),
  }),
  {
    indexes: [
      {
        name: 'Covering',
        on: [{ property: 'placed', order: 'desc' }],
        storing: ['state', 'total'],
        shard: { shards: SHARDS, of: ['id'] },
      },
      {
        name: 'Narrow',
        on: ['state', { property: 'placed', order: 'desc' }],
        shard: { shards: SHARDS, of: ['id'] },
      },
      { name: 'Unique', on: ['state', 'id'], unique: true },
    ],
  },
)

const states = ['', 'new', 'paid', 'sent', '\u{1F600}']
// Few moments, so that many rows share an index key: pages and refills end within such groups.
const times = ['0', '1', '2'].map((digit) => precise(`2026-11-21T10:00:00.12345${digit}Z`))
const row = fc.record({
  placed: fc.option(fc.constantFrom(...times), { freq: 4 }),
  state: fc.constantFrom(...states),
  total: fc.option(fc.bigInt({ min: -3n, max: 3n })),
})
const rows = fc
  .array(row, { maxLength: 60, size: 'max' })
  .map((all) => all.map((each, id) => ({ id: BigInt(id * 7919), ...each }) as ReferenceRow))

const ORDERS: readonly (readonly ReferenceOrder[])[] = [
  [{ property: 'placed', direction: 'desc' }],
  [
    { property: 'placed', direction: 'desc' },
    { property: 'id', direction: 'desc' },
  ],
  [
    { property: 'placed', direction: 'desc' },
    { property: 'total', direction: 'asc' },
  ],
  [
    { property: 'state', direction: 'asc' },
    { property: 'placed', direction: 'desc' },
  ],
  [{ property: 'total', direction: 'asc' }],
]
const where = fc.constantFrom<Record<string, unknown>>(
  {},
  { state: 'paid' },
  { placed: { lt: times[2], gte: times[0] } },
  { id: { in: [0n, 7919n, 5n * 7919n] } },
  { total: { ne: null } },
  { OR: [{ state: 'new' }, { placed: null }] },
)

export const byIndex = part(['indexes'], async ({ database, dialect, traits }) => {
  const { db, withCosts, empty } = await database(defineSchema([orders]))
  const service = withCosts({ statementsScan: false })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('a fan-out by index equals the filter, sort and slice of the rows in memory, for random rows, indexes and strategies', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        where,
        fc.constantFrom(...ORDERS),
        fc.constantFrom('Covering', 'Narrow', 'Unique', undefined),
        fc.constantFrom(...traits.strategies, undefined),
        fc.integer({ min: 1, max: 9 }),
        // The probed shard is part of the case, so that a failing case can be repeated.
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        async (inserted, filter, order, index, strategy, size, probed) => {
          vi.spyOn(Math, 'random').mockReturnValue(probed)
          await empty('Orders')
          await db.insert(orders, inserted as never)
          const wanted = sortRows(
            inserted.filter((each) => matches(each, filter, dialect) === true),
            [...order, { property: 'id', direction: 'asc' }],
            dialect,
          )
          for (const each of [db, service]) {
            let query = each.fanOut(orders).where(filter)
            for (const { property, direction } of order)
              query = query.orderBy(property as 'placed', direction)
            if (index) query = query.useIndex(index)
            if (strategy) query = query.strategy(strategy)
            expect(await query.all()).toEqual(wanted)
            expect(await query.limit(size).all()).toEqual(wanted.slice(0, size))
            expect(await inPages(query, size)).toEqual(wanted)
          }
        },
      ),
      { numRuns: 20 },
    )
  })

  it('a fan-out by index reads only the shards of the index that the filter allows, and returns the row', async () => {
    await empty('Orders')
    const inserted = Array.from({ length: 20 }, (_, id) => ({ id: BigInt(id), state: 'new', total: 1n }))
    await db.insert(orders, inserted)
    const query = db.fanOut(orders).where({ id: 7n }).useIndex('Covering').orderBy('placed', 'desc')
    expect(query.explain().shards).toEqual({ of: SHARDS, read: [shardOf(7n, SHARDS, { dialect })] })
    expect((await query.all()).map(({ id }) => id)).toEqual([7n])
  })

  it('an index keeps the shard of a row when the row is inserted, updated and deleted', async () => {
    await empty('Orders')
    const ids = async (): Promise<bigint[]> => {
      const all = await db.fanOut(orders).useIndex('Narrow').orderBy('id').all()
      return all.map(({ id }) => id)
    }
    await db.insert(orders, [
      { id: 1n, state: 'new' },
      { id: 2n, state: 'new' },
    ])
    await db.update(orders, { id: 1n, state: 'paid' })
    expect(await ids()).toEqual([1n, 2n])
    await db.delete(orders, { id: 2n })
    expect(await ids()).toEqual([1n])
  })
})
