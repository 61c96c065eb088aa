import { bindingOf } from '@isotherm/core/engine'
import { defineSchema, defineTable, type TableBuilder } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable } from '../support/layout.js'
import { findingsOf } from '../support/refusal.js'

// defineSchema() decides whether the database or the client computes a shard or a hash: the database, unless its rules for
// generated key columns forbid it.

type Columns = Parameters<typeof defineTable>[1]
type ComputedBy = 'database' | 'client'

interface Key {
  readonly of: readonly string[]
  readonly computedBy?: ComputedBy
}

const kinds: readonly (readonly [string, (t: TableBuilder, key: Key) => ReturnType<Columns>[string]])[] = [
  ['a shard', (t, key) => t.shardKey({ shards: 4, ...key })],
  ['a hash key', (t, key) => t.hashKey(key)],
]

/** Cases that the database cannot compute: the reason, the hashed columns, and all other columns. */
const obstacles: readonly (readonly [string, readonly string[], Columns])[] = [
  [
    'it may read one column outside the key, not a and b',
    ['a', 'b'],
    (t) => ({ id: t.uuidV4(), a: t.int64({ immutable: true }), b: t.string({ immutable: true }) }),
  ],
  [
    'it may read one column outside the key, not a and b and c',
    ['a', 'id', 'b', 'c'],
    (t) => ({
      id: t.uuidV4(),
      a: t.int64({ immutable: true }),
      b: t.string({ immutable: true }),
      c: t.bool({ immutable: true }),
    }),
  ],
  [
    'a has a default, and is not in the key',
    ['a'],
    (t) => ({ id: t.uuidV4(), a: t.int64({ immutable: true, default: 7n }) }),
  ],
  [
    'a has a default, and is not in the key',
    ['id', 'a'],
    (t) => ({ id: t.uuidV4(), a: t.timestamp({ immutable: true, default: 'now' }) }),
  ],
  [
    'a is stored as numbers or bytes, which SQL cannot convert back to text',
    ['a'],
    (t) => ({ a: t.uuidV4({ storage: 'int64-pair' }) }),
  ],
  [
    'a is stored as numbers or bytes, which SQL cannot convert back to text',
    ['id', 'a'],
    (t) => ({ id: t.uuidV4(), a: t.uuid({ immutable: true, storage: 'bytes' }) }),
  ],
]

const allowed: readonly (readonly [string, readonly string[], Columns])[] = [
  ['key parts', ['a', 'b'], (t) => ({ a: t.int64().key(), b: t.string({ nullable: true }).key('desc') })],
  ['one column outside the key', ['id', 'a'], (t) => ({ id: t.uuidV4(), a: t.int64({ immutable: true }) })],
  ['a UUID in the key that has a default', ['id'], (t) => ({ id: t.uuidV4() })],
  ['a UUID in the key that is stored natively', ['id'], (t) => ({ id: t.uuidV4({ storage: 'native' }) })],
  [
    'a timestamp of the client clock in the key',
    ['at', 'id'],
    (t) => ({ at: t.descTimestamp({ default: 'now' }), id: t.uuidV4() }),
  ],
  ['a number with a default in the key', ['a'], (t) => ({ a: t.int64({ default: 7n }).key() })],
]

describe.each(kinds)('the option computedBy of %s', (_, column) => {
  const table = (key: Key, columns: Columns) => logTable((t) => ({ key: column(t, key), ...columns(t) }))
  const settled = (key: Key, columns: Columns) =>
    defineSchema([table(key, columns)]).tables[0]!.columns[0]!.source

  it.each(obstacles)(
    'defaults computedBy to client when the database cannot compute the column: %s',
    (_reason, of, columns) => {
      expect(settled({ of }, columns)).toMatchObject({ of, computedBy: 'client' })
      expect(settled({ of, computedBy: 'client' }, columns)).toMatchObject({ computedBy: 'client' })
    },
  )

  it.each(obstacles)(
    'rejects computedBy: database when the database cannot compute the column: %s',
    (reason, of, columns) => {
      expect(findingsOf(table({ of, computedBy: 'database' }, columns))).toStrictEqual([
        {
          table: 'Log',
          column: 'key',
          message: `cannot be computed by the database: ${reason}.`,
          fix: "Use computedBy: 'client', or hash other columns.",
        },
      ])
    },
  )

  it.each(allowed)(
    'defaults computedBy to database, and accepts client, for a column computed from %s',
    (_what, of, columns) => {
      expect(settled({ of }, columns)).toMatchObject({ of, computedBy: 'database' })
      expect(settled({ of, computedBy: 'database' }, columns)).toMatchObject({ computedBy: 'database' })
      expect(settled({ of, computedBy: 'client' }, columns)).toMatchObject({ computedBy: 'client' })
    },
  )

  it('rejects computedBy: database with its own finding even when the hashed column is rejected too', () => {
    const commit = table({ of: ['at'], computedBy: 'database' }, (t) => ({
      at: t.descTimestamp({ default: 'commit' }),
    }))
    expect(findingsOf(commit)).toMatchObject([
      { column: 'key', message: 'cannot be computed by the database: at is a commit timestamp.' },
      { column: 'key', message: 'hashes at, a commit timestamp, which is not known when the key is made.' },
    ])
    const generated = table({ of: ['a'], computedBy: 'database' }, (t) => ({
      a: t.int64({ generated: 'b' }).key(),
    }))
    expect(findingsOf(generated)).toMatchObject([
      { column: 'key', message: 'cannot be computed by the database: a is generated itself.' },
      { column: 'key', message: 'hashes a, which the database generates.' },
    ])
    const hashed = table({ of: ['other'], computedBy: 'database' }, (t) => ({
      other: t.hashKey({ of: ['id'] }),
      id: t.uuidV4(),
    }))
    expect(findingsOf(hashed)).toMatchObject([
      { column: 'key', message: 'cannot be computed by the database: other is generated itself.' },
      { column: 'key', message: 'hashes other, which is a hash itself.' },
    ])
  })

  it('defaults computedBy to database when primaryKey includes a hashed column that is declared as a plain column', () => {
    const columns: Columns = (t) => ({
      a: t.int64({ immutable: true }),
      b: t.int64({ immutable: true }),
      id: t.uuidV4(),
    })
    const Log = logTable((t) => ({ key: column(t, { of: ['a', 'b'] }), ...columns(t) }), {
      primaryKey: ['key', 'a', 'id'],
    })
    expect(defineSchema([Log]).tables[0]!.columns[0]!.source).toMatchObject({ computedBy: 'database' })
    expect(settled({ of: ['a', 'b'] }, columns)).toMatchObject({ computedBy: 'client' })
  })
})

describe('defineSchema() with a shard key part that a child inherits', () => {
  const Parent = defineTable('Parent', (t) => ({
    shardId: t.shardKey({ shards: 4, of: ['a', 'b'] }),
    id: t.uuidV4(),
    a: t.int64({ immutable: true }),
    b: t.int64({ immutable: true }),
  }))
  const Child = defineTable(
    'Child',
    (t) => ({ shardId: t.parentKey<bigint>(), id: t.parentKey<string>(), line: t.int64().key() }),
    { interleaveIn: () => Parent },
  )

  it('gives the inherited shard of a child the same source object as the shard of its parent', () => {
    const [parent, child] = defineSchema([Child, Parent]).tables
    expect(parent!.columns[0]!.source).toMatchObject({ computedBy: 'client' })
    expect(child!.columns[0]!.source).toBe(parent!.columns[0]!.source)
  })
})

describe('defineSchema() that is called twice with one model', () => {
  it('gives two schemas of one model equal shard sources, each with the compute function of the model', () => {
    const compute = () => 3
    const Log = logTable((t) => ({
      shardId: t.shardKey({ shards: 4, of: ['id'], expression: 'x', compute }),
      id: t.uuidV4(),
    }))
    const [one, other] = [defineSchema([Log]), defineSchema([Log])].map(
      (schema) => schema.tables[0]!.columns[0]!.source!,
    )
    expect(one).toStrictEqual(other)
    expect(bindingOf(one!).shard).toBe(compute)
    expect(bindingOf(other!).shard).toBe(compute)
  })
})
