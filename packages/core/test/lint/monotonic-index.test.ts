import { defineSchema, defineTable, lint, type Finding, type IndexOptions } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { findingsOf } from './support/live.js'

const Customer = defineTable('Customer', (t) => ({ customerId: t.string().key() }))

type Index = IndexOptions<'customerId' | 'orderId' | 'orderedAt' | 'day' | 'status'>

function findings(...indexes: Index[]): Finding[] {
  const Order = defineTable(
    'Order',
    (t) => ({
      customerId: t.parentKey<string>(),
      orderId: t.uuidV4(),
      orderedAt: t.timestamp(),
      day: t.date({ nullable: true }),
      status: t.string(),
    }),
    { interleaveIn: () => Customer, indexes },
  )
  return findingsOf('monotonic-index', defineSchema([Customer, Order]))
}

describe('monotonic-index', () => {
  it('reports an index that starts with a timestamp, and proposes a shard for the index', () => {
    expect(findings({ on: ['orderedAt'] })).toStrictEqual([
      {
        rule: 'monotonic-index',
        severity: 'error',
        table: 'Order',
        column: 'orderedAt',
        index: 'Order_orderedAt',
        message:
          'The index Order_orderedAt starts with orderedAt, which grows with time: ' +
          'every insert into the table writes at the end of the index, so to one server.',
        fix:
          "Give the index a shard, shard: { shards: 16, of: ['customerId'] }, put a column that does not grow " +
          'first, or interleave the index in a parent.',
        link: 'docs/lint/monotonic-index.md',
      },
    ])
  })

  it.each<[string, Index]>([
    ['a descending timestamp', { on: [{ property: 'orderedAt', order: 'desc' }] }],
    ['a timestamp before another column', { on: ['orderedAt', 'status'] }],
    ['a date', { on: ['day'] }],
    ['a unique timestamp', { on: ['orderedAt'], unique: true }],
    [
      'a nullable date when the index is null-filtered',
      { on: ['day'], nullFiltered: true, storing: ['status'] },
    ],
  ])('reports an index over %s', (_, index) => {
    expect(findings(index)).toMatchObject([{ rule: 'monotonic-index', table: 'Order' }])
  })

  it.each<[string, Index]>([
    ['a sharded index', { on: ['orderedAt'], shard: { shards: 16, of: ['orderId'] } }],
    ['an index interleaved in a parent', { on: ['customerId', 'orderedAt'], interleaveIn: () => Customer }],
    ['an index that starts with a column that does not grow', { on: ['customerId', 'orderedAt'] }],
    ['an index that only stores a timestamp', { on: ['status'], storing: ['orderedAt'] }],
    ['an index over a UUID', { on: ['orderId'] }],
  ])('reports nothing for %s', (_, index) => {
    expect(findings(index)).toStrictEqual([])
  })

  it('reports an interleaved index at the key of the table in which it is interleaved', () => {
    const Day = defineTable('Day', (t) => ({ day: t.date().key() }))
    const Visit = defineTable(
      'Visit',
      (t) => ({ day: t.parentKey<string>(), id: t.uuidV4(), page: t.string() }),
      {
        interleaveIn: () => Day,
        indexes: [
          { name: 'Inside', on: ['day', 'page'], interleaveIn: () => Day },
          { name: 'Outside', on: ['day', 'page', 'id'] },
        ],
      },
    )
    const found = lint(defineSchema([Day, Visit]), { dialect: googlesql })
    const errors = found.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ rule, table, index }) => [rule, table, index])).toStrictEqual([
      ['monotonic-first-key', 'Day', undefined],
      ['monotonic-index', 'Visit', 'Outside'],
    ])
  })

  it('reports each of two indexes that start with a growing column, and not the index between them', () => {
    const found = findings(
      { name: 'Hot1', on: ['orderedAt'] },
      { name: 'Cool', on: ['status'] },
      { name: 'Hot2', on: ['day'] },
    )
    expect(found.map(({ index }) => index)).toStrictEqual(['Hot1', 'Hot2'])
  })

  it('proposes an index shard that hashes a key part which does not grow and is not a shard', () => {
    const Log = defineTable(
      'Log',
      (t) => ({
        shardId: t.shardKey({ shards: 4, of: ['userId'] }),
        at: t.descTimestamp(),
        userId: t.int64().key(),
        seenAt: t.timestamp(),
      }),
      { indexes: [{ on: ['seenAt'] }] },
    )
    const [finding] = lint(defineSchema([Log]), { dialect: googlesql })
    expect(finding!.fix).toContain("shard: { shards: 16, of: ['userId'] }")
  })
})
