import { defineSchema, defineTable, type TableBuilder, sql } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

type Columns = Parameters<typeof defineTable>[1]

const hits = (columns: Columns, options: object = {}) =>
  defineTable('Hits', (t) => ({ page: t.string().key(), day: t.date().key('desc'), ...columns(t) }), options)

const messagesOf = (...args: Parameters<typeof hits>) =>
  findingsOf(hits(...args)).map(({ message, column }) => [column, message])

describe('defineSchema() with counter columns', () => {
  it('accepts a table whose columns outside the key are all counters, static counters included', () => {
    const [table] = defineSchema([
      hits((t) => ({ hits: t.counter(), all: t.counter({ static: true, nullable: true }) })),
    ]).tables
    expect(table!.columns.slice(2)).toMatchObject([
      { type: { kind: 'counter' }, nullable: false },
      { type: { kind: 'counter' }, static: true },
    ])
  })

  it('rejects a table that has counters and other columns outside the key', () => {
    expect(messagesOf((t) => ({ hits: t.counter(), title: t.string(), note: t.string() }))).toStrictEqual([
      [undefined, 'has counters beside other columns: title, note.'],
    ])
  })

  it.each<[string, (t: TableBuilder) => ReturnType<TableBuilder['counter']>]>([
    ['a default', (t) => t.counter({ default: sql`0` }) as never],
    ['an expression', (t) => t.counter({ generated: '1' }) as never],
  ])('rejects a counter with %s', (_, counter) => {
    expect(messagesOf((t) => ({ hits: counter(t) }))).toStrictEqual([
      ['hits', 'is a counter, whose value cannot be set.'],
    ])
  })

  it('rejects counters in a table with ttlSeconds or writesExpire', () => {
    for (const options of [{ ttlSeconds: 60 }, { writesExpire: true }]) {
      expect(messagesOf((t) => ({ hits: t.counter() }), options)).toStrictEqual([
        [undefined, 'has counters and an expiry, but counters never expire.'],
      ])
    }
  })

  it('rejects a counter in the primary key', () => {
    expect(messagesOf((t) => ({ hits: t.counter().key() }))).toStrictEqual([
      ['hits', 'is in the primary key, but is of type counter.'],
    ])
  })
})
