import { type TableLayout, storedTable } from '@isotherm/core/engine'
import { defineSchema, defineTable } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { describe, expect, it } from 'vitest'
import { type LogTable, fieldOf, looseTable } from '../../../core/test/support/layout.js'
import { refusal } from '../../../core/test/support/refusal.js'

function layoutsOf(models: readonly object[]): readonly TableLayout[] {
  const schema = defineSchema(models)
  return schema.tables.map((table) => cql.layout(table, schema))
}

function layoutOf(...table: LogTable): TableLayout {
  return layoutsOf([looseTable('Log', ...table)])[0]!
}

const keyOf = ({ key, partition }: TableLayout) => ({
  partition: key.slice(0, partition).map(({ column }) => column.name),
  clustering: key.slice(partition).map(({ column, order }) => `${column.name} ${order}`),
})

describe('cql.layout()', () => {
  it('ends the partition key after the last shard, after the first key part, or as partitionKey declares', () => {
    const columns: LogTable[0] = (t) => ({
      day: t.date().key(),
      shard: t.shardKey({ shards: 4, of: ['user'] }),
      at: t.descTimestamp(),
      user: t.int64({ name: 'user_id' }).key(),
    })
    expect(keyOf(layoutOf(columns))).toStrictEqual({
      partition: ['day', 'shard'],
      clustering: ['at desc', 'user_id asc'],
    })
    expect(keyOf(layoutOf(columns, { partitionKey: ['day', 'shard', 'at'] })).partition).toHaveLength(3)
    expect(keyOf(layoutOf((t) => ({ id: t.uuidV4(), line: t.int32().key() })))).toStrictEqual({
      partition: ['id'],
      clustering: ['line asc'],
    })
  })

  it('counts columns instead of properties in the partition key', () => {
    const layout = layoutOf((t) => ({
      id: t.uuidV4({ storage: 'int64-pair' }),
      line: t.uuidV4({ storage: 'int64-pair' }),
    }))
    expect(layout.partition).toBe(2)
    expect(keyOf(layout).clustering).toStrictEqual(['line_high asc', 'line_low asc'])
  })

  it('marks a table as reversible only when the key has clustering columns', () => {
    expect(layoutOf((t) => ({ id: t.uuidV4(), line: t.int32().key() })).reversible).toBe(true)
    expect(layoutOf((t) => ({ id: t.uuidV4() })).reversible).toBeUndefined()
    expect(layoutOf((t) => ({ id: t.uuidV4() })).grouped).toBeUndefined()
  })

  it('stores a shard as int32 in any key position, and returns the shard as a bigint', () => {
    const layout = layoutOf((t) => ({
      day: t.date().key(),
      shard: t.shardKey({ shards: 200, strategy: 'random', first: 1 }),
      id: t.uuidV4(),
    }))
    const shard = fieldOf(layout, 'shard')
    expect(layout.shard).toBe(shard)
    expect(shard.physical).toMatchObject([{ name: 'shard', type: { kind: 'int32' }, written: true }])
    expect(shard.fill).toMatchObject({ by: 'shard', source: { shards: 200 } })
    expect(shard.accept(7)).toBe(7n)
    expect(shard.physical[0]!.encode(7n)).toBe(7)
    expect(shard.parse([7])).toBe(7n)
    expect(shard.join?.([null, 7], 1)).toBe(7n)
    expect(shard.join?.([null, 7], 0)).toBeNull()
    expect(shard.compare(2n, 10n)).toBeLessThan(0)
    expect(refusal(() => shard.accept(2n ** 31n)).message).toBe(
      'Log.shard takes a shard of 32 bits, not 2147483648.',
    )
    expect(refusal(() => shard.parse(['7'])).message).toBe('Log.shard takes a shard.')
  })

  it('lets the client compute shards, hashes and default times', () => {
    const layout = layoutOf((t) => ({
      shard: t.shardKey({ shards: 8, of: ['name'] }),
      hash: t.hashKey({ of: ['name'] }),
      name: t.string().key(),
      at: t.descTimestamp({ default: 'now' }),
      stamp: t.timeUuid({ default: 'now' }),
    }))
    expect(layout.fields.map(({ fill }) => fill.by)).toStrictEqual([
      'shard',
      'hash',
      'caller',
      'clock',
      'timeuuid',
    ])
    expect(layout.columns.every(({ written, made }) => written && made === undefined)).toBe(true)
  })

  it('lets the caller set a shard with an SQL expression when the schema was read from JSON', () => {
    const schema = defineSchema([
      looseTable('Log', (t) => ({
        shard: t.shardKey({ shards: 8, of: ['id'], expression: 'MOD(id, 8)' }),
        id: t.int64().key(),
      })),
    ])
    const [table] = (JSON.parse(JSON.stringify(schema)) as typeof schema).tables
    const layout = cql.layout(table!)
    expect(fieldOf(layout, 'shard').fill).toStrictEqual({ by: 'caller' })
  })

  it('uses the type uuid for UUIDs stored as native or text, and 16 bytes for UUIDs stored as bytes', () => {
    const layout = layoutOf((t) => ({
      id: t.uuidV4({ storage: 'native' }),
      other: t.uuid({ storage: 'text' }),
      raw: t.uuid({ storage: 'bytes' }),
    }))
    expect(layout.columns.map(({ type }) => type)).toStrictEqual([
      { kind: 'uuid' },
      { kind: 'uuid' },
      { kind: 'bytes', length: 16 },
    ])
  })

  it('accepts an empty value as a part of the partition key, but not as the whole partition key', () => {
    const lone = layoutOf((t) => ({ name: t.string().key(), line: t.string().key() }))
    expect(refusal(() => fieldOf(lone, 'name').accept('')).message).toBe(
      'Log.name does not accept an empty value: it is the whole partition key.',
    )
    expect(fieldOf(lone, 'line').accept('')).toBe('')
    const both = layoutOf((t) => ({ name: t.string().key(), raw: t.bytes().key() }), {
      partitionKey: ['name', 'raw'],
    })
    expect(fieldOf(both, 'name').accept('')).toBe('')
    expect(fieldOf(both, 'raw').accept(Buffer.of())).toHaveLength(0)
    const bytes = layoutOf((t) => ({ raw: t.bytes().key() }))
    expect(() => fieldOf(bytes, 'raw').accept(Buffer.of())).toThrow('does not accept an empty value')
    const items = layoutOf((t) => ({ list: t.array({ kind: 'int32' }, { frozen: true }).key() }))
    expect(fieldOf(items, 'list').accept([])).toStrictEqual([])
  })

  it('rejects a column with the name of a generated column of a UUID pair', () => {
    const error = refusal(() =>
      layoutOf((t) => ({ id: t.uuidV4({ storage: 'int64-pair' }), clash: t.int64({ name: 'id_low' }) })),
    )
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', table: 'Log', column: 'id_low' })
  })
})

describe('cql.layout() with interleaved tables', () => {
  const Owner = defineTable('owner', (t) => ({ id: t.uuidV4(), name: t.string() }))
  const Line = defineTable(
    'line',
    (t) => ({ id: t.parentKey<string>(), line: t.int32().key(), sku: t.string() }),
    { interleaveIn: () => Owner, onDelete: 'cascade' },
  )
  const Event = defineTable(
    'event',
    (t) => ({ id: t.parentKey<string>(), at: t.descTimestamp(), what: t.string() }),
    { interleaveIn: () => Owner, rows: 'own' },
  )

  it('stores the rows of a child in the partition of the parent, except for a child with rows: own', () => {
    const [owner, line, event] = layoutsOf([Owner, Line, Event])
    expect(owner).toMatchObject({ partition: 1, stored: { table: 'owner', as: 'static' } })
    expect(owner!.key).toHaveLength(1)
    expect(line).toMatchObject({ partition: 1, stored: { table: 'owner', as: 'rows beside static' } })
    expect(keyOf(line!)).toStrictEqual({ partition: ['id'], clustering: ['line asc'] })
    expect(event!.stored).toBeUndefined()
    expect([owner, line, event].map((each) => storedTable(each!))).toStrictEqual(['owner', 'owner', 'event'])
  })

  it('gives a table its own storage when the table has no stored child or is laid out without its schema', () => {
    const [owner] = layoutsOf([Owner, Event])
    expect(owner!.stored).toBeUndefined()
    const { tables } = defineSchema([Owner, Line])
    expect(cql.layout(tables[0]!).stored).toBeUndefined()
    expect(cql.layout(tables[1]!).stored).toBeUndefined()
  })

  it('lets the caller set an inherited shard when the child does not inherit the columns of the hash', () => {
    const Day = defineTable(
      'day',
      (t) => ({
        day: t.timeBucket({ by: 'day', of: 'at' }),
        shard: t.shardKey({ shards: 4, of: ['region'] }),
        id: t.int64().key(),
        at: t.timestamp({ immutable: true }),
        region: t.string({ immutable: true }),
      }),
      { partitionKey: ['day', 'shard', 'id'] },
    )
    const Reading = defineTable(
      'reading',
      (t) => ({
        day: t.parentKey<string>(),
        shard: t.parentKey<bigint>(),
        id: t.parentKey<bigint>(),
        time: t.timestamp().key(),
      }),
      { interleaveIn: () => Day, onDelete: 'cascade' },
    )
    const [day, reading] = layoutsOf([Day, Reading])
    expect(day!.fields.map(({ fill }) => fill.by)).toStrictEqual([
      'bucket',
      'shard',
      'caller',
      'caller',
      'caller',
    ])
    expect(reading!.fields.map(({ fill }) => fill.by)).toStrictEqual(['caller', 'caller', 'caller', 'caller'])
  })
})

describe('a vector column with an index', () => {
  const fieldsOf = (indexes: object[]) =>
    fieldOf(
      layoutOf((t) => ({ id: t.uuidV4(), v: t.vector(2) }), { indexes: indexes as never }),
      'v',
    )
  const indexed = fieldsOf([{ name: 'I', on: ['v'] }])
  const plain = fieldsOf([])
  const outside = 'Give finite numbers from -1e17 to 1e17.'

  it.each([
    [[0, 0], 'Give a vector with a finite length above zero: cosine similarity has no meaning without.'],
    [[-0, 0], 'Give a vector with a finite length above zero: cosine similarity has no meaning without.'],
    [[Number.NaN, 1], outside],
    [[1, Infinity], outside],
    [[-Infinity, 1], outside],
    [[3.4e38, 3.4e38], outside],
    [[Math.fround(1.0000001e17), 0], outside],
  ])('rejects %j with INVALID_VALUE, which a column without an index accepts', (value, fix) => {
    expect(() => indexed.accept(value)).toThrow(
      expect.objectContaining({ code: 'INVALID_VALUE', table: 'Log', column: 'v', fix }),
    )
    expect(plain.accept(value)).toHaveLength(2)
  })

  it.each([[[1e-40, 0]], [[0, -1e-45]], [[1e17, -1e17]], [[1, 2]]])('accepts %j', (value) => {
    expect(indexed.accept(value)).toEqual(plain.accept(value))
  })

  it('is checked item by item in a set and in the values of a map', () => {
    const of = { kind: 'vector', of: 'float32', dimensions: 2 } as const
    const layout = layoutOf(
      (t) => ({
        id: t.uuidV4(),
        set: t.set(of, { nullable: true }),
        map: t.map({ kind: 'int32' }, of, { nullable: true }),
        frozen: t.set(of, { frozen: true }),
      }),
      { indexes: ['set', 'map', 'frozen'].map((on) => ({ name: `By_${on}`, on: [on] })) as never },
    )
    const good = [1, 2]
    const bad = [0, 0]
    for (const [column, make] of [
      ['set', (...all: number[][]) => new Set(all)],
      ['map', (...all: number[][]) => new Map(all.entries())],
    ] as const) {
      const field = fieldOf(layout, column)
      expect(() => field.accept(make(good, bad))).toThrow(
        expect.objectContaining({ code: 'INVALID_VALUE', table: 'Log', column }),
      )
      expect(field.accept(make(good))).toEqual(make(good))
      expect(field.accept(make())).toBeNull()
    }
    // The index of a frozen value holds it as a whole.
    expect(fieldOf(layout, 'frozen').accept(new Set([bad]))).toEqual(new Set([bad]))
  })
})
