import { formatSnapshot, parseSnapshot, type Snapshot } from '@isotherm/migrations'
import { defineSchema, defineTable } from '@isotherm/core'
import { CompiledTables } from '@isotherm/core/tools'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { completeKey } from '../../core/src/rows/fill.js'

const Customer = defineTable('Customer', (t) => ({
  shard: t.shardKey({ shards: 8, of: ['id'] }),
  id: t.int64().key(),
  name: t.string({ length: 100, nullable: true }),
  made: t.timestamp({ default: 'commit' }),
}))
const schema = defineSchema([Customer], { sequences: [{ name: 'Numbers', startCounter: 2n ** 60n }] })
const snapshot: Snapshot = { version: 1, dialect: 'googlesql', id: 'b', previous: 'a', schema }

describe('parseSnapshot()', () => {
  it('returns the snapshot that formatSnapshot() wrote, and freezes it', () => {
    const read = parseSnapshot(formatSnapshot(snapshot), 'snapshot.json')
    expect(read).toEqual(snapshot)
    expect(formatSnapshot(read)).toBe(formatSnapshot(snapshot))
    expect(Object.isFrozen(read.schema.tables[0]!.primaryKey)).toBe(true)
  })

  it('reads a missing property previous as null', () => {
    const { previous: _, ...first } = snapshot
    expect(parseSnapshot(JSON.stringify(first), 'snapshot.json').previous).toBeNull()
  })

  it('keeps the fact that a function computes a shard, so that no other shard is computed in its place', () => {
    const Log = defineTable('Log', (t) => ({
      shard: t.shardKey({ shards: 8, of: ['id'], compute: () => 3 }),
      id: t.int64().key(),
    }))
    const text = formatSnapshot({ ...snapshot, schema: defineSchema([Log]) })
    const read = parseSnapshot(text, 'snapshot.json').schema
    expect(read.tables[0]!.columns[0]!.source).toMatchObject({ ownFunction: true })
    const { layout } = new CompiledTables(read, googlesql).of('Log')
    expect(() => completeKey(layout, { id: 1n })).toThrow(/computed by a function of the model/)
    expect(() =>
      parseSnapshot(text.replace('"computedBy": "client"', '"computedBy": "database"'), 'snapshot.json'),
    ).toThrow(/Log\.shard: is computed by the database, but has a function/)
  })

  const [table] = schema.tables
  it.each<[string, unknown, RegExp]>([
    ['text that is not JSON', undefined, /snapshot\.json is not JSON/],
    ['null', null, /holds no snapshot/],
    [
      'a snapshot of another version',
      { ...snapshot, version: 2 },
      /is a snapshot of version 2, and this release reads version 1/,
    ],
    ['a snapshot without an id', { ...snapshot, id: '' }, /has no id/],
    ['a previous that is not an id', { ...snapshot, previous: 7 }, /previous that is not an id/],
    ['a snapshot without a dialect', { ...snapshot, dialect: undefined }, /has no dialect/],
    ['a dialect that is not a name', { ...snapshot, dialect: { name: 'googlesql' } }, /has no dialect/],
    ['a snapshot without a schema', { ...snapshot, schema: undefined }, /holds no valid schema/],
    ['a schema without tables', { ...snapshot, schema: {} }, /holds no valid schema/],
    [
      'a key of a missing column',
      { ...snapshot, schema: { ...schema, tables: [{ ...table, columns: table!.columns.slice(0, 1) }] } },
      /holds no valid schema: .*Customer/s,
    ],
  ])('rejects %s with MIGRATION_INVALID', (_, content, message) => {
    const text = content === undefined ? '{' : JSON.stringify(content)
    expect(() => parseSnapshot(text, 'snapshot.json')).toThrow(
      expect.objectContaining({ code: 'MIGRATION_INVALID', message: expect.stringMatching(message) }),
    )
  })
})
