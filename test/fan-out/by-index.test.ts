import { defineSchema, defineTable, type SqlDialect } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { STRATEGIES } from '../../packages/core/src/read/plan/costs.js'
import { precise } from '@isotherm/testing/data/precise'
import { matches, sortRows, type ReferenceOrder, type ReferenceRow } from '@isotherm/testing/data/reference'
import { runsInGate } from '../support/runs.js'
import { dialects, testDatabase } from '../support/spanner.js'

const SHARDS = 5

/** `covering` holds all columns, so it can be read by key; `narrow` cannot, and is read by statement. */
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
      { name: 'Filtered', on: ['total', 'placed'], notNull: ['total'] },
      { name: 'Unique', on: ['state', 'id'], unique: true },
    ],
  },
)
const schema = defineSchema([orders])

const states = ['', 'new', 'paid', 'sent', '\u{1F600}']
// Few moments, so that many rows share an index key: pages and refills end within such groups.
const times = ['000000', '000001', '001000'].map((ns) => precise(`2026-11-21T10:00:00.123${ns}Z`))
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

afterEach(() => {
  vi.restoreAllMocks()
})

for (const dialect of dialects) {
  const { db, withCosts, empty } = await testDatabase(schema, dialect)
  const service = withCosts({ statementsScan: false })
  const all = db.fanOut(orders)

  describe(`a fan-out by index in ${dialect.name}`, () => {
    it('returns the same rows as filter, sort and slice in memory, for random rows, indexes and strategies', async () => {
      await fc.assert(
        fc.asyncProperty(
          rows,
          where,
          fc.constantFrom(...ORDERS),
          fc.constantFrom('Covering', 'Narrow', 'Unique', undefined),
          fc.constantFrom(...STRATEGIES, undefined),
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
            for (const database of [db, service]) {
              let query = database.fanOut(orders).where(filter)
              for (const { property, direction } of order)
                query = query.orderBy(property as 'placed', direction)
              if (index) query = query.useIndex(index)
              if (strategy) query = query.strategy(strategy)
              expect(await query.all()).toEqual(wanted)
              expect(await query.limit(size).all()).toEqual(wanted.slice(0, size))
              const paged: object[] = []
              let cursor: string | undefined
              do {
                const page = await query.limit(size).after(cursor).page()
                paged.push(...page.rows)
                cursor = page.next
              } while (cursor !== undefined)
              expect(paged).toEqual(wanted)
            }
          },
        ),
        { numRuns: runsInGate(60, 2) },
      )
    })

    it('uses the index with the wanted order, and reads by key when the index holds all columns', () => {
      const plan = all.orderBy('placed', 'desc').limit(10).explain()
      expect(plan).toMatchObject({
        index: 'Covering',
        strategy: 'probe-window',
        shards: { of: SHARDS, read: [0, 1, 2, 3, 4] },
      })
      const merged = all.orderBy('placed', 'desc').explain()
      expect(merged).toMatchObject({
        index: 'Covering',
        strategy: 'merge-shards',
        reason: 'the index Covering has the wanted order, and all columns of the rows',
      })
      expect(merged.calls[2]).toMatchObject({
        kind: 'read',
        shard: 2,
        ranges: [{ start: ['2'], startOpen: false, end: ['2'], endOpen: false }],
      })
      expect(String(merged).split('\n')[0]).toContain('merge-shards on Orders by Covering')
      expect(all.orderBy('id').limit(10).explain().index).toBeUndefined()
    })

    it('reads only the shards of the index that the filter allows', () => {
      const plan = all.where({ id: 7n }).useIndex('Covering').orderBy('placed', 'desc').explain()
      expect(plan.shards).toEqual({ of: SHARDS, read: [shardOf(7n, SHARDS)] })
    })

    it('names the index as FORCE_INDEX in its statements', () => {
      const plan = service.fanOut(orders).useIndex('Narrow').where({ state: 'paid' }).limit(2)
      const [call] = plan.strategy('merge-shards').explain().calls
      const texts: Record<SqlDialect['name'], string> = {
        googlesql:
          'SELECT `id`, `placed`, `state`, `total` FROM `Orders`@{FORCE_INDEX=`Narrow`}' +
          ' WHERE `Narrow_shard` = @p1 AND `state` = @p2 ORDER BY `id` LIMIT @p3',
        'spanner-postgresql':
          'SELECT "id", "placed", "state", "total" FROM "Orders" /*@ FORCE_INDEX="Narrow" */' +
          ' WHERE "Narrow_shard" = $1 AND "state" = $2 ORDER BY "id" LIMIT $3',
      }
      expect(call).toMatchObject({ kind: 'statement', statement: { text: texts[dialect.name] } })
    })

    it('rejects an index without rows that contain NULL unless the filter excludes NULL', async () => {
      expect(() => all.useIndex('Filtered').explain()).toThrow(
        expect.objectContaining({
          code: 'INVALID_QUERY',
          message: expect.stringContaining('leaves out rows in which total is NULL'),
        }),
      )
      expect(
        all
          .useIndex('Filtered')
          .where({ total: { ne: null } })
          .explain().index,
      ).toBe('Filtered')
      expect(() => all.useIndex('Orders')).toThrow('Choose from Covering, Narrow, Filtered, Unique.')
    })
  })
}
