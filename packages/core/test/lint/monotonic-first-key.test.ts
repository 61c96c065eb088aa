import { defineSchema, defineTable, type Finding, type TableBuilder } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from './support/live.js'

type Columns = Parameters<typeof defineTable>[1]

function findings(columns: Columns, primaryKey?: readonly string[]): Finding[] {
  const Log = defineTable('Log', columns, primaryKey && { primaryKey })
  return findingsOf('monotonic-first-key', defineSchema([Log]))
}

describe('monotonic-first-key', () => {
  it('reports a primary key that starts with a timestamp, and proposes to swap the two key parts', () => {
    expect(findings((t) => ({ at: t.timestamp().key(), userId: t.int64().key() }))).toStrictEqual([
      {
        rule: 'monotonic-first-key',
        severity: 'error',
        table: 'Log',
        column: 'at',
        message:
          'The primary key starts with at, which grows with time: every insert goes to the same split, and so to one server.',
        fix:
          "Swap the order, primaryKey: ['userId', 'at'], if reads fix userId; " +
          "else put @ShardKey({ shards: 64, of: ['userId'] }) first and read with fanOut.",
        link: 'docs/lint/monotonic-first-key.md',
      },
    ])
  })

  const hot: readonly (readonly [string, Columns])[] = [
    ['a descending timestamp', (t) => ({ at: t.descTimestamp(), userId: t.int64().key() })],
    [
      'a timestamp that the client clock sets',
      (t) => ({ at: t.descTimestamp({ default: 'now' }), id: t.uuidV4() }),
    ],
    [
      'a timestamp that the commit sets',
      (t) => ({ at: t.descTimestamp({ default: 'commit' }), id: t.uuidV4() }),
    ],
    ['a date', (t) => ({ day: t.date().key(), userId: t.int64().key() })],
    ['a descending date', (t) => ({ day: t.date().key('desc'), userId: t.int64().key() })],
    ['a timestamp and has no other part', (t) => ({ at: t.timestamp().key() })],
    ['a nullable timestamp', (t) => ({ at: t.timestamp({ nullable: true }).key(), id: t.uuidV4() })],
    [
      'a timestamp before the shard',
      (t) => ({ at: t.timestamp().key(), shardId: t.shardKey({ shards: 4, of: ['at'] }), id: t.uuidV4() }),
    ],
  ]

  it.each(hot)('reports a primary key that starts with %s', (_, columns) => {
    expect(findings(columns)).toMatchObject([{ rule: 'monotonic-first-key', table: 'Log' }])
  })

  const cool: readonly (readonly [string, Columns])[] = [
    [
      'a shard',
      (t) => ({
        shardId: t.shardKey({ shards: 4, of: ['userId'] }),
        at: t.descTimestamp(),
        userId: t.int64().key(),
      }),
    ],
    ['a UUID', (t) => ({ id: t.uuidV4(), at: t.descTimestamp() })],
    ['a bit-reversed id', (t) => ({ id: t.bitReversedId(), at: t.descTimestamp() })],
    ['a user id', (t) => ({ userId: t.int64().key(), at: t.descTimestamp() })],
    ['a string', (t) => ({ name: t.string().key(), day: t.date().key() })],
    ['bytes', (t) => ({ digest: t.bytes({ length: 16 }).key() })],
  ]

  it.each(cool)('accepts a primary key that starts with %s', (_, columns) => {
    expect(findings(columns)).toStrictEqual([])
  })

  it('checks the key parts in the order that the option primaryKey states', () => {
    const columns: Columns = (t) => ({ at: t.timestamp().key(), userId: t.int64().key() })
    expect(findings(columns, ['userId', 'at'])).toStrictEqual([])
    expect(
      findings((t) => ({ userId: t.int64().key(), at: t.timestamp().key() }), ['at', 'userId']),
    ).toHaveLength(1)
  })

  it('says in the message that a descending timestamp is no better', () => {
    const [finding] = findings((t) => ({ at: t.descTimestamp(), userId: t.int64().key() }))
    expect(finding!.message).toBe(
      'The primary key starts with at, which grows with time (descending is no better): ' +
        'every insert goes to the same split, and so to one server.',
    )
  })

  it('proposes to move the first key part that does not grow to the front, and keeps the order of the other parts', () => {
    const [finding] = findings((t: TableBuilder) => ({
      at: t.timestamp().key(),
      day: t.date().key(),
      region: t.string().key(),
      userId: t.int64().key(),
    }))
    expect(finding!.fix).toContain("primaryKey: ['region', 'at', 'day', 'userId']")
  })

  it('proposes to add another key part when all key parts grow', () => {
    const [finding] = findings((t) => ({ at: t.timestamp().key(), day: t.date().key() }))
    expect(finding!.fix).toBe(
      'Add a key part that tells rows apart, such as @UuidV4, and put it or a @ShardKey of it first.',
    )
  })

  it('reports the key of the parent table only, not the keys of interleaved children', () => {
    const Parent = defineTable('Parent', (t) => ({ at: t.timestamp().key() }))
    const Child = defineTable('Child', (t) => ({ at: t.parentKey<Date>(), id: t.uuidV4() }), {
      interleaveIn: () => Parent,
    })
    const CoolParent = defineTable('CoolParent', (t) => ({ userId: t.int64().key() }))
    const CoolChild = defineTable(
      'CoolChild',
      (t) => ({ userId: t.parentKey<bigint>(), at: t.descTimestamp() }),
      {
        interleaveIn: () => CoolParent,
      },
    )
    const found = findingsOf('monotonic-first-key', defineSchema([Parent, Child, CoolParent, CoolChild]))
    expect(found.map(({ table }) => table)).toStrictEqual(['Parent'])
  })
})
