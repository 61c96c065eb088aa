import { type TableModel, defineSchema, defineTable } from '@isotherm/core'
import { type LayoutRules, fingerprint, staticColumns, tableLayout } from '@isotherm/core/engine'
import { describe, expect, it } from 'vitest'

// The layout of tables on a database that computes nothing, and keeps rows in partitions.

const rules: LayoutRules = {
  values: {
    dialect: 'stored',
    nan: 'highest',
    numeric: 'fixed',
    json: { numbers: 'binary', nul: true, levels: 80, compareNames: () => 0 },
    hash64: fingerprint,
  },
  types: new Set(['int64', 'string', 'date', 'timestamp', 'uuid']),
  nulls: 'lowest',
  nanInKeys: true,
  partitioned: true,
}

const layoutOf = (model: TableModel<object>, more: Partial<LayoutRules> = {}) =>
  tableLayout(defineSchema([model]).tables[0]!, { ...rules, ...more })

describe('tableLayout() for a database that computes nothing', () => {
  it('lets the client compute shards, times and UUIDs, without generated columns or defaults', () => {
    const { fields, columns } = layoutOf(
      defineTable('Visit', (t) => ({
        shard: t.shardKey({ shards: 4, of: ['id'] }),
        at: t.descTimestamp({ default: 'now' }),
        id: t.uuidV4({ storage: 'int64-pair' }),
      })),
    )
    expect(fields.map(({ fill }) => fill.by)).toEqual(['shard', 'clock', 'uuid-v4'])
    expect(columns.map(({ name, written, made }) => [name, written, made])).toEqual(
      ['shard', 'at', 'id_high', 'id_low'].map((name) => [name, true, undefined]),
    )
  })

  it.each([
    ['a default', defineTable('Item', (t) => ({ id: t.uuidV4(), own: t.int64({ default: 1n }) }))],
    [
      'a commit timestamp',
      defineTable('Item', (t) => ({ id: t.uuidV4(), own: t.timestamp({ default: 'commit' }) })),
    ],
    ['a bit-reversed id from the database', defineTable('Item', (t) => ({ own: t.bitReversedId() }))],
  ])('rejects a column with %s', (_, model) => {
    expect(() => layoutOf(model)).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_MODEL',
        table: 'Item',
        column: 'own',
        message: expect.stringContaining('is made by the database, but stored does not compute values.'),
      }),
    )
  })

  it('rejects an index with shards', () => {
    const model = defineTable('Item', (t) => ({ id: t.uuidV4(), at: t.timestamp() }), {
      indexes: [{ name: 'ByTime', on: ['at'], shard: { shards: 2, of: ['id'] } }],
    })
    expect(() => layoutOf(model)).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_MODEL', table: 'Item' }),
    )
  })
})

describe('tableLayout() for a database with partitions', () => {
  it('ends the partition key after the shard, and marks the rows of a partition as reversible', () => {
    const sharded = layoutOf(
      defineTable('Visit', (t) => ({ shard: t.shardKey({ shards: 4, of: ['id'] }), id: t.uuidV4() })),
    )
    expect(sharded).toMatchObject({ partition: 1, reversible: true })
  })

  it('ends the partition key after a shard that follows a time bucket', () => {
    const bucketed = layoutOf(
      defineTable('Visit', (t) => ({
        day: t.timeBucket({ by: 'day', of: 'at' }),
        shard: t.shardKey({ shards: 4, of: ['id'] }),
        at: t.descTimestamp({ default: 'now' }),
        id: t.uuidV4(),
      })),
    )
    expect(bucketed.shard?.column.property).toBe('shard')
    expect(bucketed.partition).toBe(2)
  })

  it('makes a partition of one row, which is not reversible, if the key has no other column than the UUID', () => {
    const pair = layoutOf(defineTable('Item', (t) => ({ id: t.uuidV4({ storage: 'int64-pair' }) })))
    expect(pair.partition).toBe(2)
    expect(pair).not.toHaveProperty('reversible')
  })

  it('accepts static columns if the database supports static columns, and rejects them otherwise', () => {
    const posts = defineTable(
      'Post',
      (t) => ({ userId: t.int64().key(), id: t.int64().key(), name: t.string({ static: true }) }),
      { partitionKey: ['userId'] },
    )
    expect(() => layoutOf(posts)).toThrow('Post.name is static, but stored stores one value for each row.')
    expect([...staticColumns(layoutOf(posts, { statics: true }))]).toEqual(['name'])
  })
})
