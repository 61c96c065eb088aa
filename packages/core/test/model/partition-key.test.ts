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

describe('partitionLength', () => {
  it.each([
    ['the first key part', Plain, 1],
    ['up to the shard', Customer, 2],
    ['up to the last of shard and bucket', Log, 2],
  ])('is, unsaid, %s', (_, model, length) => {
    const [table] = tablesOf(model)
    expect(partitionLength(table!)).toBe(length)
    expect(table).not.toHaveProperty('partitionKey')
  })

  it('is what is declared', () => {
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

  it("leaves out a child's own shard, and counts the one that it inherits", () => {
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

  it('is the same in all of a family, and is said where it could not be told', () => {
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

  it('comes from the parent that declares it', () => {
    const Parent = defineTable('Parent', (t) => ({ tenant: t.string().key(), id: t.int64().key() }), {
      partitionKey: ['tenant', 'id'],
    })
    const Child = defineTable(
      'Child',
      (t) => ({ tenant: t.parentKey<string>(), id: t.parentKey<bigint>(), line: t.int64().key() }),
      { interleaveIn: () => Parent },
    )
    // The parent's rows are all in one place by themselves: the child is resolved first.
    const tables = tablesOf(Child, Parent)
    expect(tables.map(({ name }) => name)).toStrictEqual(['Parent', 'Child'])
    expect(tables[1]!.partitionKey).toStrictEqual(['tenant', 'id'])
  })
})

describe('a partition key', () => {
  const withKey = (partitionKey: readonly string[]) =>
    findingsOf(
      defineTable('Log', (t) => ({ tenant: t.string().key(), id: t.int64().key(), note: t.string() }), {
        partitionKey: partitionKey as never,
      }),
    )

  it.each([
    [[], 'has a partition key of nothing.', "Name the first key part at least: partitionKey: ['tenant']."],
    [
      ['id'],
      "has the partition key ['id'], with which its primary key ['tenant', 'id'] does not begin.",
      "The partition key is where the primary key begins: primaryKey: ['id', 'tenant'].",
    ],
    [
      ['id', 'tenant'],
      "has the partition key ['id', 'tenant'], with which its primary key ['tenant', 'id'] does not begin.",
      "The partition key is where the primary key begins: primaryKey: ['id', 'tenant'].",
    ],
    [
      ['tenant', 'note'],
      'has note in its partition key, and not in its primary key.',
      "The partition key is where the primary key begins: primaryKey: ['tenant', 'note', 'id'].",
    ],
  ])('%j is refused, and the order is said', (partitionKey, message, fix) => {
    expect(withKey(partitionKey)).toStrictEqual([{ table: 'Log', message, fix }])
  })

  const child = (options: { readonly partitionKey: readonly ('tenant' | 'id')[]; readonly rows?: 'own' }) =>
    defineTable(
      'Line',
      (t) => ({ tenant: t.parentKey<string>(), id: t.parentKey<bigint>(), line: t.int64().key() }),
      { interleaveIn: () => Plain, ...options },
    )

  it("is the parent's in an interleaved table", () => {
    expect(findingsOf(Plain, child({ partitionKey: ['tenant', 'id'] }))).toStrictEqual([
      {
        table: 'Line',
        message: "has the partition key ['tenant', 'id'], and its parent Plain has ['tenant'].",
        fix: "Leave partitionKey to the parent, or say rows: 'own'.",
      },
    ])
    expect(tablesOf(Plain, child({ partitionKey: ['tenant'] }))[1]!.partitionKey).toStrictEqual(['tenant'])
  })

  it("is the table's own where its rows are", () => {
    const [, line] = tablesOf(Plain, child({ partitionKey: ['tenant', 'id'], rows: 'own' }))
    expect(line).toMatchObject({ partitionKey: ['tenant', 'id'], rows: 'own' })
  })
})

describe('rows of its own', () => {
  it('are for interleaved tables', () => {
    const Alone = defineTable('Alone', (t) => ({ id: t.uuidV4() }), { rows: 'own' })
    expect(findingsOf(Alone)).toStrictEqual([
      {
        table: 'Alone',
        message: 'has rows of its own, and no parent that they could lie with.',
        fix: "Take rows: 'own' away, or add interleaveIn.",
      },
    ])
    const Other = defineTable('Other', (t) => ({ id: t.uuidV4() }), { rows: 'shared' as never })
    expect(findingsOf(Other)).toMatchObject([{ message: "rows is 'shared'.", fix: "Give 'own'." }])
  })
})

describe('a time to live', () => {
  it.each([0, -1, 1.5, Number.NaN])('of %s is refused', (ttlSeconds) => {
    const Short = defineTable('Short', (t) => ({ id: t.uuidV4() }), { ttlSeconds })
    expect(findingsOf(Short)).toStrictEqual([
      {
        table: 'Short',
        message: `lets rows live ${ttlSeconds} seconds.`,
        fix: 'ttlSeconds is a whole number of seconds, from 1.',
      },
    ])
  })
})

describe('an expected load', () => {
  it('says how many values a column has', () => {
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

  it('is of columns, and a number', () => {
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
