import { defineSchema, type ColumnBuilder, type TableBuilder, defineTable } from '@isotherm/core'
import { COMMIT_TIMESTAMP } from '@isotherm/core/engine'
import { EXPRESSION, keyMaker } from '@isotherm/core/adapter'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { KeyMaker } from '../../src/write/key-maker.js'
import { InsertPlan } from '../../src/rows/insert-plan.js'
import { shardOf } from '../../src/keys/shard.js'

const dialects = [googlesql, spannerPostgresql]

function layoutOf(
  dialect: (typeof dialects)[number],
  columns: (t: TableBuilder) => Record<string, ColumnBuilder<unknown>>,
) {
  const [table] = defineSchema([defineTable('Log', columns)]).tables
  return dialect.layout(table!)
}

const hashed =
  (computedBy: 'client' | 'database') =>
  (t: TableBuilder): Record<string, ColumnBuilder<unknown>> => ({
    shard: t.shardKey({ shards: 64, of: ['user', 'kind'], computedBy }),
    id: t.uuidV4(),
    user: t.int64().key(),
    kind: t.string({ length: 20 }).key(),
    at: t.timestamp({ default: 'commit' }),
    note: t.string({ nullable: true }),
  })

describe.each(dialects)('KeyMaker in $name', (dialect) => {
  it('computes the same shard as an insert, and the commit timestamp placeholder', () => {
    const layout = layoutOf(dialect, hashed('client'))
    const row = { user: 7, kind: 'x', id: crypto.randomUUID() }
    const { rows } = new InsertPlan(layout).prepare([row])
    expect(new KeyMaker(layout).missing(row, 0)).toEqual({ shard: rows[0]!['shard'], at: COMMIT_TIMESTAMP })
  })

  it('lists the columns to compute that a row leaves out; a table with nothing to compute has no KeyMaker', () => {
    const maker = new KeyMaker(layoutOf(dialect, hashed('client')))
    expect(maker.properties).toEqual(['id', 'user', 'kind', 'at', 'shard'])
    expect(maker.leftOut({ user: 7, kind: 'x' })).toEqual(['id', 'at', 'shard'])
    const [plain] = defineSchema([
      defineTable('Plain', (t) => ({ id: t.string().key(), note: t.string({ nullable: true }) })),
    ]).tables
    expect(keyMaker(plain!, dialect)).toBeUndefined()
  })

  it('omits a shard that the database computes, and rejects a wrong value for the shard', () => {
    const maker = new KeyMaker(layoutOf(dialect, hashed('database')))
    const shard = BigInt(shardOf([7n, 'x'], 64))
    expect(maker.computed).toEqual(['shard'])
    expect(Object.keys(maker.missing({ user: 7n, kind: 'x', shard }, 0))).toEqual(['id', 'at'])
    expect(() => maker.missing({ user: 7n, kind: 'x', shard: (shard + 1n) % 64n }, 3)).toThrow(
      `Log.shard of row 3 is ${(shard + 1n) % 64n}, but reads would look in ${shard}.`,
    )
    expect(Object.keys(maker.missing({ user: EXPRESSION, kind: 'x' }, 0))).toEqual(['id', 'at'])
    expect(() => maker.missing({ user: EXPRESSION, kind: 'x', shard }, 0)).toThrow(
      'Log.user is an expression',
    )
  })

  it('rejects a hash of an expression or of a missing value, and an expression as the shard', () => {
    const maker = new KeyMaker(layoutOf(dialect, hashed('client')))
    expect(() => maker.missing({ user: EXPRESSION, kind: 'x' }, 0)).toThrow('Log.user is an expression')
    expect(() => maker.missing({ user: 7n }, 2)).toThrow('Log.kind of row 2 is hashed into the key')
    expect(() => maker.missing({ user: 7n, kind: 'x', shard: EXPRESSION }, 0)).toThrow(
      'Log.shard is an expression',
    )
  })

  it('computes only key columns if partial is true, and rejects an upsert if the key hashes a column outside the key', () => {
    const maker = new KeyMaker(
      layoutOf(dialect, (t) => ({ id: t.uuidV4(), other: t.uuid(), at: t.timestamp({ default: 'now' }) })),
    )
    expect(Object.keys(maker.missing({}, 0))).toEqual(['id', 'at'])
    expect(Object.keys(maker.missing({}, 0, { partial: true }))).toEqual(['id'])
    const outside = new KeyMaker(
      layoutOf(dialect, (t) => ({
        shard: t.shardKey({ shards: 4, of: ['user'] }),
        id: t.uuidV4(),
        user: t.int64({ immutable: true }),
      })),
    )
    expect(() => outside.refuseUpsert()).toThrow('Log cannot be upserted: its key hashes user')
    expect(() => maker.refuseUpsert()).not.toThrow()
  })

  it('computes ids from the counter numbers that supply() returned', async () => {
    let next = 0n
    const maker = new KeyMaker(
      layoutOf(dialect, (t) => ({ id: t.bitReversedId({ from: { next: () => ++next } }) })),
    )
    expect(maker.needsCounter({})).toBe(true)
    expect(maker.needsCounter({ id: 1n })).toBe(false)
    const supplies = await maker.supply([{}, { id: 1n }, {}])
    expect([maker.missing({}, 0, { supplies }), maker.missing({}, 2, { supplies })]).toEqual([
      { id: 2n ** 62n },
      { id: 2n ** 61n },
    ])
  })

  it('rejects an insert from a query if the client computes the shard, and accepts one if the database does', () => {
    const client = new KeyMaker(layoutOf(dialect, hashed('client')))
    expect(() => client.refuseQuery(['user', 'kind', 'id', 'shard'])).toThrow(
      'Log.shard is computed by the client',
    )
    const database = new KeyMaker(layoutOf(dialect, hashed('database')))
    expect(() => database.refuseQuery(['user', 'kind'])).not.toThrow()
  })
})
