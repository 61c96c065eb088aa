import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { dualWrites, type DualWrite } from '@isotherm/core/reshard'
import { describe, expect, it } from 'vitest'
import { wireOfCell } from '../../src/engine/codec.js'
import { RowMapping } from '../../src/reshard/row-mapping.js'
import { CompiledTables } from '../../src/rows/compiled-table.js'
import { COMMIT_TIMESTAMP } from '../../src/layout/layout.js'
import { preciseDate } from '../../src/keys/precise-date.js'
import { dialects } from '../support/layout.js'
import { silentDriverWith } from '../support/silent-driver.js'

type Columns = Parameters<typeof defineTable>[1]

const old = defineTable('Old', (t) => ({
  id: t.int64().key(),
  at: t.timestamp({ default: 'commit' }),
  note: t.json({ nullable: true }),
}))
const made = defineTable('Made', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  id: t.int64().key(),
  at: t.timestamp({ default: 'commit' }),
  note: t.json({ nullable: true }),
}))

describe.each(dialects)('dualWrites() in $name', (dialect) => {
  const driver = silentDriverWith({ dialect })
  const opened = (models: readonly object[], pairs: readonly DualWrite[], phaseRefresh?: number) => () =>
    openDatabase({
      driver,
      schema: defineSchema(models),
      tables: dualWrites(pairs, { ...(phaseRefresh !== undefined && { phaseRefresh }) }),
    })

  it('accepts two tables with the same columns and different keys', () => {
    expect(opened([old, made], [{ from: old, to: 'Made' }])).not.toThrow()
    expect(opened([old, made], [{ from: 'Old', to: made, phase: 'writing' }])).not.toThrow()
  })

  it.each<[string, Columns, RegExp]>([
    [
      'a second table that lacks a column',
      (t) => ({ id: t.int64().key(), at: t.timestamp({ default: 'commit' }) }),
      /Old\.note cannot be kept in Bad too/,
    ],
    [
      'a second table with a key column that the rows lack',
      (t) => ({
        at: t.timestamp({ default: 'commit' }),
        note: t.json({ nullable: true }),
        id: t.int64(),
        more: t.int64().key(),
      }),
      /more cannot be kept in Bad too: it has no counterpart|Old\.more cannot/,
    ],
  ])('rejects a dual write to %s', (_, columns, message) => {
    const bad = defineTable('Bad', columns)
    expect(opened([old, bad], [{ from: old, to: bad }])).toThrow(message)
  })

  it('rejects an interleaved child table that is not written twice like its parent', () => {
    const child = (name: string, parent: typeof old | typeof made, isNew: boolean) =>
      defineTable(
        name,
        (t) => ({
          ...(isNew && { shard: t.parentKey<bigint>() }),
          id: t.parentKey<bigint>(),
          line: t.int64().key(),
        }),
        { interleaveIn: () => parent },
      )
    const models = [old, made, child('Line', old, false), child('NewLine', made, true)]
    const pairs = [{ from: 'Old', to: 'Made' }]
    expect(opened(models, pairs)).toThrow(/Line is interleaved in Old, which is written twice, and is not/)
    expect(opened(models, [...pairs, { from: 'Line', to: 'NewLine' }])).not.toThrow()
    const astray = [old, made, child('Line', old, false), child('NewLine', old, false)]
    expect(opened(astray, [...pairs, { from: 'Line', to: 'NewLine' }])).toThrow(
      /do not have the same position/,
    )
  })

  it.each([0, -1, 10_001, Number.NaN])('rejects a phaseRefresh of %s ms', (refresh) => {
    expect(opened([old, made], [{ from: old, to: made }], refresh)).toThrow(/phaseRefresh is/)
  })

  it('rejects an unknown phase', () => {
    const phase = 'soon' as 'off'
    expect(opened([old, made], [{ from: old, to: made, phase }])).toThrow(/"soon" is not a phase of Old/)
  })

  it('RowMapping converts a row of one table to a row of the other and keeps the text of JSON documents', () => {
    const tables = new CompiledTables(defineSchema([old, made]), dialect)
    const mapping = new RowMapping(tables.of(old), tables.of(made))
    const document = '{"n": 1.10}'
    const stored = mapping.fromCells([7n, preciseDate('2026-11-21T12:00:00.123456789Z'), document])
    const [key] = mapping.key(stored.values)
    expect(mapping.key(stored.values)).toEqual([key, '7'])
    expect(mapping.mutations('upsert', [stored])).toEqual([
      {
        op: 'upsert',
        table: 'Made',
        layout: tables.of(made).layout,
        columns: ['id', 'at', 'note'],
        rows: [['7', '2026-11-21T12:00:00.123456789Z', document]],
      },
    ])
    const waiting = mapping.fromRow({ id: 7n, note: null }, new Set(['at']))
    expect(mapping.mutations('insert', [waiting])[0]).toMatchObject({ rows: [['7', COMMIT_TIMESTAMP, null]] })
  })

  it('RowMapping keeps the index of each row in the call if rows lack different columns', () => {
    const tables = new CompiledTables(defineSchema([old, made]), dialect)
    const mapping = new RowMapping(tables.of(old), tables.of(made))
    const [one, two, three] = [{ id: 1n, note: null }, { id: 2n }, { id: 3n, note: null }].map((row) =>
      mapping.fromRow(row, new Set(['at'])),
    )
    expect(mapping.mutations('update', [one!, two!, three!], [4, 5, 9])).toMatchObject([
      {
        rows: [
          ['1', COMMIT_TIMESTAMP, null],
          ['3', COMMIT_TIMESTAMP, null],
        ],
        positions: [4, 9],
      },
      { rows: [['2', COMMIT_TIMESTAMP]], positions: [5] },
    ])
  })
})

it('wireOfCell() converts a cell that was read to the value that is written', () => {
  expect(wireOfCell({ kind: 'int64' }, 2n ** 63n - 1n)).toBe('9223372036854775807')
  expect(wireOfCell({ kind: 'float64' }, Number.NaN)).toBe('NaN')
  expect(wireOfCell({ kind: 'float64' }, -Infinity)).toBe('-Infinity')
  expect(wireOfCell({ kind: 'float64' }, 1.5)).toBe(1.5)
  expect(wireOfCell({ kind: 'bytes', length: 'max' }, Buffer.from([0, 255]))).toBe('AP8=')
  expect(wireOfCell({ kind: 'array', of: { kind: 'int64' } }, [1n, null])).toEqual(['1', null])
  expect(wireOfCell({ kind: 'bool' }, null)).toBeNull()
})
