import { defineSchema, defineTable, type SqlDialect } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

// What `explain()` says, and the texts. The rows are those of the part `fan-out by index` of the conformance suite.

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

for (const dialect of dialects) {
  const { db, withCosts } = await testDatabase(schema, dialect)
  const service = withCosts({ statementsScan: false })
  const all = db.fanOut(orders)

  describe(`a fan-out by index in ${dialect.name}`, () => {
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

    it('rejects an index without rows that contain NULL unless the filter excludes NULL', () => {
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
