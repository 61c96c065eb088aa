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

describe.each(dialects)('in $name, the keys of a row', (dialect) => {
  it('are those that an insert gives it', () => {
    const layout = layoutOf(dialect, hashed('client'))
    const given = { user: 7, kind: 'x', id: crypto.randomUUID() }
    const { rows } = new InsertPlan(layout).prepare([given])
    expect(new KeyMaker(layout).missing(given, 0)).toEqual({ shard: rows[0]!['shard'], at: COMMIT_TIMESTAMP })
  })

  it('are looked for in some properties only', () => {
    const maker = new KeyMaker(layoutOf(dialect, hashed('client')))
    expect(maker.properties).toEqual(['id', 'user', 'kind', 'at', 'shard'])
    expect(maker.leftOut({ user: 7, kind: 'x' })).toEqual(['id', 'at', 'shard'])
    const [plain] = defineSchema([
      defineTable('Plain', (t) => ({ id: t.string().key(), note: t.string({ nullable: true }) })),
    ]).tables
    expect(keyMaker(plain!, dialect)).toBeUndefined()
  })

  it('are left to the database where it computes them, but checked', () => {
    const maker = new KeyMaker(layoutOf(dialect, hashed('database')))
    const shard = BigInt(shardOf([7n, 'x'], 64))
    expect(maker.computed).toEqual(['shard'])
    expect(Object.keys(maker.missing({ user: 7n, kind: 'x', shard }, 0))).toEqual(['id', 'at'])
    expect(() => maker.missing({ user: 7n, kind: 'x', shard: (shard + 1n) % 64n }, 3)).toThrow(
      `Log.shard of row 3 is ${(shard + 1n) % 64n}, where reads would look in ${shard}.`,
    )
    expect(Object.keys(maker.missing({ user: EXPRESSION, kind: 'x' }, 0))).toEqual(['id', 'at'])
    expect(() => maker.missing({ user: EXPRESSION, kind: 'x', shard }, 0)).toThrow(
      'Log.user is an expression',
    )
  })

  it('hash no expression, and nothing that is not there', () => {
    const maker = new KeyMaker(layoutOf(dialect, hashed('client')))
    expect(() => maker.missing({ user: EXPRESSION, kind: 'x' }, 0)).toThrow('Log.user is an expression')
    expect(() => maker.missing({ user: 7n }, 2)).toThrow('Log.kind of row 2 is hashed into the key')
    expect(() => maker.missing({ user: 7n, kind: 'x', shard: EXPRESSION }, 0)).toThrow(
      'Log.shard is an expression',
    )
  })

  it('may be those of a row that exists', () => {
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

  it('come from counters, whose numbers are handed over', async () => {
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

  it('cannot be made for the rows of a query', () => {
    const client = new KeyMaker(layoutOf(dialect, hashed('client')))
    expect(() => client.refuseQuery(['user', 'kind', 'id', 'shard'])).toThrow('Log.shard is made here')
    const database = new KeyMaker(layoutOf(dialect, hashed('database')))
    expect(() => database.refuseQuery(['user', 'kind'])).not.toThrow()
  })
})
