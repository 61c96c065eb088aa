import { partitionLength } from '@isotherm/core/engine'
import { defineSchema, defineTable, type Workload, type TableSchema as Table } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

const Customer = defineTable('Customer', (t) => ({
  region: t.string().key(),
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  id: t.int64().key(),
}))

const Log = defineTable('Log', (t) => ({
  day: t.timeBucket({ by: 'day', of: 'at' }),
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  at: t.timestamp().key('desc'),
  id: t.int64().key(),
}))

const Plain = defineTable('Plain', (t) => ({ tenant: t.string().key(), id: t.int64().key() }))

function tablesOf(...models: readonly object[]): readonly Table[] {
  return defineSchema(models).tables
}

describe('partitionLength()', () => {
  it.each([
    ['only the first key part of a table without a shard', Plain, 1],
    ['the key parts up to the shard', Customer, 2],
    ['the key parts up to the last shard or time bucket', Log, 2],
  ])('counts by default %s', (_, model, length) => {
    const [table] = tablesOf(model)
    expect(partitionLength(table!)).toBe(length)
    expect(table).not.toHaveProperty('partitionKey')
  })

  it('returns the length of the declared partition key', () => {
    const Declared = defineTable(
      'Declared',
      (t) => ({
        shard: t.shardKey({ shards: 4, of: ['id'] }),
        tenant: t.string().key(),
        id: t.int64().key(),
      }),
      { partitionKey: ['shard', 'tenant', 'id'] },
    )
    const [table] = tablesOf(Declared)
    expect(table!.partitionKey).toStrictEqual(['shard', 'tenant', 'id'])
    expect(partitionLength(table!)).toBe(3)
  })

  it('ignores the own shard of an interleaved child, and counts an inherited shard', () => {
    const Own = defineTable(
      'Own',
      (t) => ({
        tenant: t.parentKey<string>(),
        id: t.parentKey<bigint>(),
        shard: t.shardKey({ shards: 4, of: ['line'] }),
        line: t.int64().key(),
      }),
      { interleaveIn: () => Plain },
    )
    const Heir = defineTable(
      'Heir',
      (t) => ({
        region: t.parentKey<string>(),
        shard: t.parentKey<bigint>(),
        id: t.parentKey<bigint>(),
        line: t.int64().key(),
      }),
      { interleaveIn: () => Customer },
    )
    const [, own, , heir] = tablesOf(Plain, Own, Customer, Heir)
    expect([partitionLength(own!), partitionLength(heir!)]).toStrictEqual([1, 2])
    for (const table of [own, heir]) expect(table).not.toHaveProperty('partitionKey')
  })

  it('returns the same length for a table, its child and its grandchild that inherits a shard', () => {
    const Child = defineTable(
      'Child',
      (t) => ({
        tenant: t.parentKey<string>(),
        id: t.parentKey<bigint>(),
        shard: t.shardKey({ shards: 4, of: ['line'] }),
        line: t.int64().key(),
      }),
      { interleaveIn: () => Plain },
    )
    const Grandchild = defineTable(
      'Grandchild',
      (t) => ({
        tenant: t.parentKey<string>(),
        id: t.parentKey<bigint>(),
        shard: t.parentKey<bigint>(),
        line: t.parentKey<bigint>(),
        part: t.int64().key(),
      }),
      { interleaveIn: () => Child },
    )
    const tables = tablesOf(Plain, Child, Grandchild)
    expect(tables.map(partitionLength)).toStrictEqual([1, 1, 1])
    expect(tables.map(({ partitionKey }) => partitionKey)).toStrictEqual([undefined, undefined, ['tenant']])
  })

  it('defineSchema() copies the partition key of a parent to its child, even when the child is listed first', () => {
    const Parent = defineTable('Parent', (t) => ({ tenant: t.string().key(), id: t.int64().key() }), {
      partitionKey: ['tenant', 'id'],
    })
    const Child = defineTable(
      'Child',
      (t) => ({ tenant: t.parentKey<string>(), id: t.parentKey<bigint>(), line: t.int64().key() }),
      { interleaveIn: () => Parent },
    )
    // The child is listed first, so it is resolved before its parent.
    const tables = tablesOf(Child, Parent)
    expect(tables.map(({ name }) => name)).toStrictEqual(['Parent', 'Child'])
    expect(tables[1]!.partitionKey).toStrictEqual(['tenant', 'id'])
  })
})

describe('defineSchema() with a declared partition key', () => {
  const withKey = (partitionKey: readonly string[]) =>
    findingsOf(
      defineTable('Log', (t) => ({ tenant: t.string().key(), id: t.int64().key(), note: t.string() }), {
        partitionKey: partitionKey as never,
      }),
    )

  it.each([
    [[], 'has an empty partition key.', "Name the first key part at least: partitionKey: ['tenant']."],
    [
      ['id'],
      "has the partition key ['id'], but its primary key ['tenant', 'id'] does not begin with it.",
      "The partition key is where the primary key begins: primaryKey: ['id', 'tenant'].",
    ],
    [
      ['id', 'tenant'],
      "has the partition key ['id', 'tenant'], but its primary key ['tenant', 'id'] does not begin with it.",
      "The partition key is where the primary key begins: primaryKey: ['id', 'tenant'].",
    ],
    [
      ['tenant', 'note'],
      'has note in its partition key, but not in its primary key.',
      "The partition key is where the primary key begins: primaryKey: ['tenant', 'note', 'id'].",
    ],
  ])(
    'rejects the partition key %j, and proposes a primary key that begins with the partition key',
    (partitionKey, message, fix) => {
      expect(withKey(partitionKey)).toStrictEqual([{ table: 'Log', message, fix }])
    },
  )

  const child = (options: { readonly partitionKey: readonly ('tenant' | 'id')[]; readonly rows?: 'own' }) =>
    defineTable(
      'Line',
      (t) => ({ tenant: t.parentKey<string>(), id: t.parentKey<bigint>(), line: t.int64().key() }),
      { interleaveIn: () => Plain, ...options },
    )

  it('rejects a partition key of an interleaved child that differs from the partition key of the parent', () => {
    expect(findingsOf(Plain, child({ partitionKey: ['tenant', 'id'] }))).toStrictEqual([
      {
        table: 'Line',
        message: "has the partition key ['tenant', 'id'], and its parent Plain has ['tenant'].",
        fix: "Remove partitionKey, or add rows: 'own'.",
      },
    ])
    expect(tablesOf(Plain, child({ partitionKey: ['tenant'] }))[1]!.partitionKey).toStrictEqual(['tenant'])
  })

  it('keeps a different partition key of an interleaved child that has rows: own', () => {
    const [, line] = tablesOf(Plain, child({ partitionKey: ['tenant', 'id'], rows: 'own' }))
    expect(line).toMatchObject({ partitionKey: ['tenant', 'id'], rows: 'own' })
  })
})

describe('defineSchema() with rows: own', () => {
  it('rejects rows: own on a table without a parent, and every other value of rows', () => {
    const Alone = defineTable('Alone', (t) => ({ id: t.uuidV4() }), { rows: 'own' })
    expect(findingsOf(Alone)).toStrictEqual([
      {
        table: 'Alone',
        message: "has rows: 'own', but no parent.",
        fix: "Remove rows: 'own', or add interleaveIn.",
      },
    ])
    const Other = defineTable('Other', (t) => ({ id: t.uuidV4() }), { rows: 'shared' as never })
    expect(findingsOf(Other)).toMatchObject([{ message: "rows is 'shared'.", fix: "Give 'own'." }])
  })
})

describe('defineSchema() with ttlSeconds', () => {
  it.each([0, -1, 1.5, Number.NaN])('rejects ttlSeconds: %s', (ttlSeconds) => {
    const Short = defineTable('Short', (t) => ({ id: t.uuidV4() }), { ttlSeconds })
    expect(findingsOf(Short)).toStrictEqual([
      {
        table: 'Short',
        message: `has the invalid ttlSeconds ${ttlSeconds}.`,
        fix: 'ttlSeconds is a whole number of seconds, from 1.',
      },
    ])
  })
})

describe('defineSchema() with workload.distinct and workload.rowsPerPartition', () => {
  it('copies the workload, with the number of distinct values of a column, into the schema', () => {
    const distinct = { tenant: 40 }
    const Counted = defineTable('Counted', (t) => ({ tenant: t.string().key() }), {
      workload: { readsPerSecond: 10, rowsPerPartition: 1000, distinct },
    })
    const [table] = tablesOf(Counted)
    distinct.tenant = 1
    expect(table!.workload).toStrictEqual({
      readsPerSecond: 10,
      rowsPerPartition: 1000,
      distinct: { tenant: 40 },
    })
  })

  it('rejects a negative number or NaN in workload, and distinct values of a missing column', () => {
    const messagesOf = (expected: Workload) => {
      const Wrong = defineTable('Wrong', (t) => ({ tenant: t.string().key() }), { workload: expected })
      return findingsOf(Wrong).map(({ message }) => message)
    }
    expect(messagesOf({ rowsPerPartition: -1, distinct: { tenant: Number.NaN } })).toStrictEqual([
      'workload.rowsPerPartition is -1.',
      'workload.distinct.tenant is NaN.',
    ])
    expect(messagesOf({ distinct: { region: 4 } })).toStrictEqual([
      'expects distinct values of region, which is not a column.',
    ])
  })
})
