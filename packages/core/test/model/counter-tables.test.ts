import { defineSchema, defineTable, type TableBuilder, sql } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

type Columns = Parameters<typeof defineTable>[1]

const hits = (columns: Columns, options: object = {}) =>
  defineTable('Hits', (t) => ({ page: t.string().key(), day: t.date().key('desc'), ...columns(t) }), options)

const messagesOf = (...given: Parameters<typeof hits>) =>
  findingsOf(hits(...given)).map(({ message, column }) => [column, message])

describe('a table of counters', () => {
  it('has counters beside its key, static ones too', () => {
    const [table] = defineSchema([
      hits((t) => ({ hits: t.counter(), all: t.counter({ static: true, nullable: true }) })),
    ]).tables
    expect(table!.columns.slice(2)).toMatchObject([
      { type: { kind: 'counter' }, nullable: false },
      { type: { kind: 'counter' }, static: true },
    ])
  })

  it('has nothing else', () => {
    expect(messagesOf((t) => ({ hits: t.counter(), title: t.string(), note: t.string() }))).toStrictEqual([
      [undefined, 'has counters beside other columns: title, note.'],
    ])
  })

  it.each<[string, (t: TableBuilder) => ReturnType<TableBuilder['counter']>]>([
    ['a default', (t) => t.counter({ default: sql`0` }) as never],
    ['an expression', (t) => t.counter({ generated: '1' }) as never],
  ])('has none with %s', (_, counter) => {
    expect(messagesOf((t) => ({ hits: counter(t) }))).toStrictEqual([
      ['hits', 'is a counter, which cannot be set.'],
    ])
  })

  it('does not vanish', () => {
    for (const options of [{ ttlSeconds: 60 }, { writesExpire: true }]) {
      expect(messagesOf((t) => ({ hits: t.counter() }), options)).toStrictEqual([
        [undefined, 'has counters that are to vanish, and no counter does.'],
      ])
    }
  })

  it('has a key without counters', () => {
    expect(messagesOf((t) => ({ hits: t.counter().key() }))).toStrictEqual([
      ['hits', 'is in the primary key, but is of type counter.'],
    ])
  })
})
