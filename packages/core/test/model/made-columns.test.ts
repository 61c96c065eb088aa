import { defineSchema, defineTable, type ColumnSchema, type TableBuilder, sql } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable } from '../support/layout.js'
import { findingsOf } from '../support/refusal.js'

type Columns = Parameters<typeof defineTable>[1]
type Column = ReturnType<Columns>[string]

const withColumns = (columns: Columns) => logTable((t) => ({ id: t.uuidV4(), ...columns(t) }))

function columnOf(column: (t: TableBuilder) => Column): ColumnSchema {
  return defineSchema([withColumns((t) => ({ value: column(t) }))]).tables[0]!.columns[1]!
}

const plain = { property: 'value', name: 'value', nullable: false, immutable: false, inherited: false }
const int64 = { ...plain, type: { kind: 'int64' } }

describe('defineSchema() with columns whose value the database makes', () => {
  it('keeps a default as a value for all dialects or as SQL for each dialect', () => {
    expect(columnOf((t) => t.int64({ default: 7n }))).toStrictEqual({ ...int64, default: { value: '7' } })
    const each = { googlesql: 'CURRENT_DATE()', 'spanner-postgresql': 'current_date' }
    expect(columnOf((t) => t.date({ default: sql(each) }))).toStrictEqual({
      ...plain,
      type: { kind: 'date' },
      default: { sql: each },
    })
  })

  it('stores generated columns by default, and does not store them with stored: false', () => {
    const generated = (stored?: boolean) =>
      columnOf((t) => t.int64({ generated: 'a + 1', ...(stored !== undefined && { stored }) })).generated
    expect(generated()).toStrictEqual({ expression: 'a + 1', stored: true })
    expect(generated(true)).toStrictEqual({ expression: 'a + 1', stored: true })
    expect(generated(false)).toStrictEqual({ expression: 'a + 1', stored: false })
  })

  it('hides a column only when its option hidden is true', () => {
    expect(columnOf((t) => t.int64({ hidden: true }))).toStrictEqual({ ...int64, hidden: true })
    expect(columnOf((t) => t.int64({ hidden: false }))).toStrictEqual(int64)
  })

  it('accepts a generated timestamp, and sets no SQL default for a timestamp with default: now', () => {
    expect(columnOf((t) => t.timestamp({ generated: 'x' }))).toMatchObject({ generated: { expression: 'x' } })
    expect(columnOf((t) => t.timestamp({ default: 'now' }))).not.toHaveProperty('default')
  })
})

describe('defineSchema() with the options as and storage', () => {
  it('keeps the options as and storage in the column type, and leaves them out when they have the default value', () => {
    const typeOf = (column: (t: TableBuilder) => Column) => columnOf(column).type
    expect(typeOf((t) => t.int64({ as: 'number' }))).toStrictEqual({ kind: 'int64', as: 'number' })
    expect(typeOf((t) => t.int64({ as: 'bigint' }))).toStrictEqual({ kind: 'int64' })
    expect(typeOf((t) => t.uuid({ storage: 'native' }))).toStrictEqual({ kind: 'uuid', storage: 'native' })
    expect(typeOf((t) => t.uuid({ storage: 'text' }))).toStrictEqual({ kind: 'uuid' })
    expect(typeOf((t) => t.uuidV4({ storage: 'int64-pair' }))).toStrictEqual({
      kind: 'uuid',
      storage: 'int64-pair',
    })
    expect(typeOf((t) => t.array({ kind: 'int64', as: 'number' }))).toStrictEqual({
      kind: 'array',
      of: { kind: 'int64', as: 'number' },
    })
  })
})

describe('defineSchema() with two sources of a column value', () => {
  const refused: readonly (readonly [string, (t: TableBuilder) => Column])[] = [
    ['a default and a generated expression', (t) => t.int64({ default: 7n, generated: '8' })],
    [
      'a key value that is made for it and a generated expression',
      (t) => t.timestamp({ default: 'now', generated: 'x' }),
    ],
    [
      'a key value that is made for it and a generated expression',
      (t) => t.timestamp({ default: 'commit', generated: 'x', stored: false }),
    ],
  ]

  it.each(refused)('rejects a column with %s', (conflict, column) => {
    expect(findingsOf(withColumns((t) => ({ value: column(t) })))).toStrictEqual([
      { table: 'Log', column: 'value', message: `has ${conflict}.`, fix: 'Keep one of them.' },
    ])
  })
})

describe('defineSchema() with generated key parts', () => {
  it('rejects a generated key part with stored: false', () => {
    const keyed = (stored: boolean) =>
      logTable((t) => ({ day: t.date({ generated: 'x', stored }).key(), id: t.uuidV4() }))
    expect(findingsOf(keyed(false))).toStrictEqual([
      {
        table: 'Log',
        column: 'day',
        message: 'is a key part that is generated, but not stored.',
        fix: 'Leave `stored: false` out.',
      },
    ])
    expect(defineSchema([keyed(true)]).tables[0]!.primaryKey).toHaveLength(2)
  })

  it('leaves the generated expression out of the key part that an interleaved child inherits', () => {
    const Parent = defineTable('Parent', (t) => ({
      day: t.int64({ generated: 'at_day' }).key(),
      id: t.uuidV4(),
      at_day: t.int64(),
    }))
    const Child = defineTable(
      'Child',
      (t) => ({ day: t.parentKey<bigint>(), id: t.parentKey<string>(), line: t.int64().key() }),
      { interleaveIn: () => Parent },
    )
    const [parent, child] = defineSchema([Parent, Child]).tables
    expect(parent!.columns[0]).toMatchObject({ generated: { expression: 'at_day', stored: true } })
    expect(child!.columns[0]).toStrictEqual({ ...int64, property: 'day', name: 'day', inherited: true })
  })
})

describe('defineSchema() with a default of a key part', () => {
  it('leaves the default, but not the option hidden, out of the key part that an interleaved child inherits', () => {
    const Parent = defineTable('Parent', (t) => ({ number: t.int64({ default: 7n, hidden: true }).key() }))
    const Child = defineTable('Child', (t) => ({ number: t.parentKey<bigint>(), line: t.int64().key() }), {
      interleaveIn: () => Parent,
    })
    const [parent, child] = defineSchema([Parent, Child]).tables
    const number = { ...int64, property: 'number', name: 'number', hidden: true }
    expect(parent!.columns[0]).toStrictEqual({ ...number, default: { value: '7' } })
    expect(child!.columns[0]).toStrictEqual({ ...number, inherited: true })
  })
})
