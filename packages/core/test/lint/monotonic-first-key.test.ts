import { defineSchema, defineTable, type Finding, type TableBuilder } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from './support/live.js'

type Columns = Parameters<typeof defineTable>[1]

function findings(columns: Columns, primaryKey?: readonly string[]): Finding[] {
  const Log = defineTable('Log', columns, primaryKey && { primaryKey })
  return findingsOf('monotonic-first-key', defineSchema([Log]))
}

describe('monotonic-first-key', () => {
  it('finds a key that starts with a timestamp, says why, and proposes the swap', () => {
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
    ['one that the clock sets', (t) => ({ at: t.descTimestamp({ default: 'now' }), id: t.uuidV4() })],
    ['one that the commit sets', (t) => ({ at: t.descTimestamp({ default: 'commit' }), id: t.uuidV4() })],
    ['a date', (t) => ({ day: t.date().key(), userId: t.int64().key() })],
    ['a descending date', (t) => ({ day: t.date().key('desc'), userId: t.int64().key() })],
    ['nothing but a timestamp', (t) => ({ at: t.timestamp().key() })],
    ['a nullable timestamp', (t) => ({ at: t.timestamp({ nullable: true }).key(), id: t.uuidV4() })],
    [
      'a timestamp before the shard',
      (t) => ({ at: t.timestamp().key(), shardId: t.shardKey({ shards: 4, of: ['at'] }), id: t.uuidV4() }),
    ],
  ]

  it.each(hot)('finds a key that starts with %s', (_, columns) => {
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
    ['a text', (t) => ({ name: t.string().key(), day: t.date().key() })],
    ['bytes', (t) => ({ digest: t.bytes({ length: 16 }).key() })],
  ]

  it.each(cool)('is content with a key that starts with %s', (_, columns) => {
    expect(findings(columns)).toStrictEqual([])
  })

  it('judges the key as primaryKey orders it', () => {
    const columns: Columns = (t) => ({ at: t.timestamp().key(), userId: t.int64().key() })
    expect(findings(columns, ['userId', 'at'])).toStrictEqual([])
    expect(
      findings((t) => ({ userId: t.int64().key(), at: t.timestamp().key() }), ['at', 'userId']),
    ).toHaveLength(1)
  })

  it('says that descending is no better', () => {
    const [finding] = findings((t) => ({ at: t.descTimestamp(), userId: t.int64().key() }))
    expect(finding!.message).toBe(
      'The primary key starts with at, which grows with time (descending is no better): ' +
        'every insert goes to the same split, and so to one server.',
    )
  })

  it('proposes the first part that does not grow, and keeps the order of the rest', () => {
    const [finding] = findings((t: TableBuilder) => ({
      at: t.timestamp().key(),
      day: t.date().key(),
      region: t.string().key(),
      userId: t.int64().key(),
    }))
    expect(finding!.fix).toContain("primaryKey: ['region', 'at', 'day', 'userId']")
  })

  it('asks for another key part where every part grows', () => {
    const [finding] = findings((t) => ({ at: t.timestamp().key(), day: t.date().key() }))
    expect(finding!.fix).toBe(
      'Add a key part that tells rows apart, such as @UuidV4, and put it or a @ShardKey of it first.',
    )
  })

  it('leaves an interleaved child to its parent', () => {
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
