import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import { compareWithLive, diffSchemas, type Refusal } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { both } from './plans/case.js'

type Key = (t: Parameters<Parameters<typeof defineTable>[1]>[0]) => object

/** A table with a key column `k` beside `a` and `b`, in front of them or after `a`. */
function keyed(k: Key, { first = true }: { first?: boolean } = {}): Schema {
  return defineSchema([
    defineTable(
      'T',
      (t) => ({ k: k(t) as never, a: t.int64().key(), b: t.int64().key(), c: t.int64({ nullable: true }) }),
      { primaryKey: first ? ['k', 'a', 'b'] : ['a', 'k', 'b'] } as never,
    ),
  ])
}

const hash =
  (of: readonly string[], more: object = {}): Key =>
  (t) =>
    t.hashKey({ of, computedBy: 'client', ...more } as never)
const shard =
  (shards: number, more: object = {}): Key =>
  (t) =>
    t.shardKey({ shards, of: ['b'], computedBy: 'client', ...more } as never)
const own: Key = (t) => t.shardKey({ shards: 8, of: ['b'], compute: () => 1 } as never)
const random =
  (shards: number): Key =>
  (t) =>
    t.shardKey({ shards, strategy: 'random' })
const plain: Key = (t) => t.int64().key()

function refusals(from: Schema, to: Schema, dialect: (typeof both)[number]): readonly Refusal[] {
  return diffSchemas(from, to, { dialect }).refusals
}

const differences = [
  { what: 'a hash of more columns', from: hash(['a']), to: hash(['a', 'b']) },
  { what: 'a hash of the columns in another order', from: hash(['a', 'b']), to: hash(['b', 'a']) },
  { what: 'more shards', from: shard(8), to: shard(64) },
  { what: 'a shard of other columns', from: shard(8), to: shard(8, { of: ['a'] }) },
  { what: 'another first shard', from: shard(8), to: shard(8, { first: 1 }) },
  { what: 'signed shards', from: shard(8), to: shard(8, { signed: true }) },
  { what: 'a shard that a function computes', from: shard(8), to: own },
  { what: 'a shard without a function', from: own, to: shard(8) },
  { what: 'a shard instead of a plain number', from: plain, to: shard(8) },
  { what: 'a hash instead of a plain number', from: plain, to: hash(['a']) },
] as const

const everywhere = differences.flatMap((difference) =>
  both.flatMap((dialect) => [true, false].map((first) => ({ ...difference, dialect, first }))),
)

describe('diffSchemas() with a key column that the client computes', () => {
  it.each(everywhere)(
    'rejects the change to $what in $dialect, first in the key: $first',
    ({ from, to, dialect, first }) => {
      const found = refusals(keyed(from, { first }), keyed(to, { first }), dialect)
      expect(found).toMatchObject([{ kind: 'primary-key', table: 'T', column: 'k' }])
      expect(found[0]!.fix).toContain('isotherm generate --reshard')
    },
  )

  it.each(both)(
    'reports one refusal when the client computes a shard instead of the database, or back, in $name',
    (dialect) => {
      const made = keyed((t) => t.shardKey({ shards: 8, of: ['b'] }))
      expect(refusals(made, keyed(shard(8)), dialect)).toHaveLength(1)
      expect(refusals(keyed(shard(8)), made, dialect)).toHaveLength(1)
    },
  )

  it.each(both)('accepts a plain number instead of a shard or a hash in $name', (dialect) => {
    expect(refusals(keyed(shard(8)), keyed(plain), dialect)).toEqual([])
    expect(refusals(keyed(hash(['a'])), keyed(plain), dialect)).toEqual([])
  })

  it.each(both)('accepts more random shards and rejects fewer random shards in $name', (dialect) => {
    const randomly = (shards: number): Schema =>
      defineSchema([defineTable('R', (t) => ({ s: random(shards)(t) as never, id: t.uuidV4() }))])
    expect(refusals(randomly(4), randomly(8), dialect)).toEqual([])
    expect(refusals(randomly(8), randomly(4), dialect)).toMatchObject([{ column: 's' }])
  })

  it.each(both)(
    'finds no change when only the property name of the hashed column differs in $name',
    (dialect) => {
      const named = (property: string): Schema =>
        defineSchema([
          defineTable('T', (t) => ({
            k: t.hashKey({ of: [property], computedBy: 'client' } as never),
            [property]: t.int64({ name: 'a' }).key(),
          })),
        ])
      expect(diffSchemas(named('a'), named('user'), { dialect })).toEqual({ changes: [], refusals: [] })
    },
  )

  it.each(both)(
    'accepts a rename of the hashed column only if the rename is declared in $name',
    (dialect) => {
      const named = (column: string): Schema =>
        defineSchema([
          defineTable('T', (t) => ({
            k: t.shardKey({ shards: 8, of: [column], computedBy: 'client' } as never),
            id: t.int64().key(),
            [column]: t.int64({ immutable: true }),
          })),
        ])
      const renames = { columns: { T: { user: 'account' } } }
      expect(diffSchemas(named('user'), named('account'), { dialect, renames }).refusals).toEqual([])
      expect(diffSchemas(named('user'), named('account'), { dialect }).refusals).not.toEqual([])
    },
  )

  it.each(both)(
    'compareWithLive() detects another number of shards by the range check in $name',
    (dialect) => {
      const live = (schema: Schema): Schema => {
        const table = schema.tables[0]!
        const columns = table.columns.map((column) => ({ ...column, source: undefined }) as never)
        const quote = dialect.name === 'googlesql' ? '`' : '"'
        const range = { name: 'T_k_range', expression: `${quote}k${quote} >= 0 AND ${quote}k${quote} < 8` }
        return { ...schema, tables: [{ ...table, columns, checks: [range] }] }
      }
      const database = live(keyed(shard(8)))
      expect(compareWithLive(keyed(shard(8)), database, { dialect })).toEqual({ changes: [], refusals: [] })
      expect(compareWithLive(keyed(shard(64)), database, { dialect }).refusals).toMatchObject([
        { kind: 'primary-key', column: 'k', message: expect.stringContaining('T_k_range') },
      ])
    },
  )
})
