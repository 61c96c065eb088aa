import { innerTypes } from '@isotherm/core/adapter'
import { canBeKey, describeType, isFrozen, typesWithin, type TypeKind } from '@isotherm/core/engine'
import { canBeHashed } from '@isotherm/core/tools'
import { defineSchema, defineTable, type ColumnType, type TableBuilder } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { canBeIndexed, growsWithTime, TYPE_KINDS } from '../../src/model/column-type.js'
import { hashText } from '../../src/keys/shard.js'
import { findingsOf } from '../support/refusal.js'

const int32 = { kind: 'int32' } as const
const text = { kind: 'string', length: 'max' } as const

/** One type of each kind. */
const types: { readonly [Kind in TypeKind]: Extract<ColumnType, { readonly kind: Kind }> } = {
  bool: { kind: 'bool' },
  int64: { kind: 'int64' },
  int32,
  int16: { kind: 'int16' },
  int8: { kind: 'int8' },
  varint: { kind: 'varint' },
  float32: { kind: 'float32' },
  float64: { kind: 'float64' },
  numeric: { kind: 'numeric' },
  decimal: { kind: 'decimal' },
  string: text,
  ascii: { kind: 'ascii' },
  bytes: { kind: 'bytes', length: 'max' },
  date: { kind: 'date' },
  time: { kind: 'time' },
  timestamp: { kind: 'timestamp' },
  duration: { kind: 'duration' },
  json: { kind: 'json' },
  uuid: { kind: 'uuid' },
  timeuuid: { kind: 'timeuuid' },
  inet: { kind: 'inet' },
  counter: { kind: 'counter' },
  array: { kind: 'array', of: int32 },
  set: { kind: 'set', of: int32 },
  map: { kind: 'map', key: text, of: int32 },
  tuple: { kind: 'tuple', of: [int32, text] },
  udt: { kind: 'udt', name: 'address' },
  vector: { kind: 'vector', of: 'float32', dimensions: 3 },
}

function kindsThat(is: (type: ColumnType) => boolean): readonly TypeKind[] {
  return TYPE_KINDS.filter((kind) => is(types[kind]))
}

describe('functions over the kinds of column types', () => {
  it('TYPE_KINDS lists every kind of column type', () => {
    expect(TYPE_KINDS.toSorted()).toStrictEqual(Object.keys(types).toSorted())
  })

  it('canBeKey() returns false for durations, JSON, counters, unfrozen collections and unfrozen user types', () => {
    const noKeys = ['duration', 'json', 'counter', 'array', 'set', 'map', 'udt']
    expect(kindsThat((type) => !canBeKey(type))).toStrictEqual(noKeys)
  })

  it('canBeIndexed() returns false for durations, JSON, counters, arrays and unfrozen user types', () => {
    expect(kindsThat((type) => !canBeIndexed(type))).toStrictEqual([
      'duration',
      'json',
      'counter',
      'array',
      'udt',
    ])
  })

  it('canBeKey() returns true for frozen collections and user types if all nested types can be keys', () => {
    const frozen = { frozen: true } as const
    const list = { kind: 'array', of: int32, ...frozen } as const
    expect(canBeKey(list)).toBe(true)
    expect(canBeKey({ ...types.set, ...frozen })).toBe(true)
    expect(canBeKey({ ...types.map, ...frozen })).toBe(true)
    expect(canBeKey({ ...types.udt, ...frozen })).toBe(true)
    expect(canBeKey({ kind: 'array', of: list })).toBe(false)
    expect(canBeKey({ kind: 'array', of: list, ...frozen })).toBe(true)
    expect(canBeKey({ kind: 'array', of: { kind: 'duration' }, ...frozen })).toBe(false)
    expect(canBeKey({ kind: 'tuple', of: [int32, { kind: 'json' }] })).toBe(false)
  })

  it('canBeHashed() returns true for types whose text is the same on all engines', () => {
    expect(kindsThat(canBeHashed)).toStrictEqual([
      'bool',
      'int64',
      'int32',
      'int16',
      'int8',
      'varint',
      'string',
      'ascii',
      'bytes',
      'date',
      'timestamp',
      'uuid',
      'timeuuid',
      'inet',
    ])
  })

  it('growsWithTime() returns true only for date, timestamp and timeuuid', () => {
    expect(kindsThat(growsWithTime)).toStrictEqual(['date', 'timestamp', 'timeuuid'])
  })

  it('typesWithin() lists a type and its nested types, and isFrozen() returns true for tuples and vectors', () => {
    expect(typesWithin({ kind: 'map', key: text, of: { kind: 'tuple', of: [int32] } })).toStrictEqual([
      { kind: 'map', key: text, of: { kind: 'tuple', of: [int32] } },
      text,
      { kind: 'tuple', of: [int32] },
      int32,
    ])
    expect(innerTypes(types.vector)).toStrictEqual([])
    expect(kindsThat(isFrozen)).toStrictEqual(['tuple', 'vector'])
  })

  it('describeType() names the element types, the user type or the dimensions', () => {
    expect(describeType(types.array)).toBe('array of int32')
    expect(describeType({ kind: 'map', key: text, of: types.tuple })).toBe(
      'map from string to tuple of int32, string',
    )
    expect(describeType(types.udt)).toBe('user type address')
    expect(describeType(types.vector)).toBe('vector of 3')
  })
})

describe('hashText() of an integer', () => {
  it('returns the same text for a number and a bigint, so that a wider column keeps its shards', () => {
    for (const number of [0, -0, 7, -128, 32_767, -2_147_483_648])
      expect(hashText([number])).toBe(hashText([BigInt(number)]))
    expect(hashText([2n ** 200n])).toBe(String(2n ** 200n))
  })
})

describe('defineSchema() with column types', () => {
  const messagesOf = (column: (t: TableBuilder) => ReturnType<TableBuilder['parentKey']>) =>
    findingsOf(defineTable('Log', (t) => ({ id: t.uuidV4(), column: column(t) as never }))).map(
      ({ message, column: property }) => `${property} ${message}`,
    )
  const unfrozen = { kind: 'array', of: int32 } as never

  it.each<[string, Parameters<typeof messagesOf>[0], string]>([
    [
      'a list of lists that are not frozen',
      (t) => t.array(unfrozen),
      'is an array of array of int32 that is not frozen, but a type within a type has to be frozen.',
    ],
    [
      'a map to sets that are not frozen',
      (t) => t.map(text, { kind: 'set', of: int32 } as never),
      'is a map of set of int32 that is not frozen, but a type within a type has to be frozen.',
    ],
    [
      'a list of counters',
      (t) => t.array({ kind: 'counter' }),
      'is an array of counters, but a counter has to be a column of its own.',
    ],
    [
      'a set of durations',
      (t) => t.set({ kind: 'duration' }),
      'is a set of duration, and durations have no order.',
    ],
    [
      'a map with durations as keys',
      (t) => t.map({ kind: 'duration' }, text),
      'is a map from duration to string, and durations have no order.',
    ],
    [
      'a set of tuples that contain a duration',
      (t) => t.set({ kind: 'tuple', of: [int32, { kind: 'duration' }] }),
      'is a set of tuple of int32, duration, and durations have no order.',
    ],
    [
      'a map whose keys are lists of durations',
      (t) => t.map({ kind: 'array', of: { kind: 'duration' }, frozen: true } as never, text),
      'is a map from array of duration to string, and durations have no order.',
    ],
    [
      'a set of UUIDs stored in two columns',
      (t) => t.set({ kind: 'uuid', storage: 'int64-pair' }),
      "is a set of UUIDs stored as 'int64-pair', which holds one value a column.",
    ],
    ['a tuple without elements', (t) => t.tuple([]), 'is a tuple without types.'],
    ['a vector of zero dimensions', (t) => t.vector(0), 'has 0 dimensions.'],
    ['a vector of 1.5 dimensions', (t) => t.vector(1.5), 'has 1.5 dimensions.'],
    ['a set of strings of length zero', (t) => t.set({ kind: 'string', length: 0 }), 'has the length 0.'],
    ['a set of an unknown kind', (t) => t.set({ kind: 'money' } as never), ".kind is 'money'."],
    [
      'an unknown kind inside an array in a tuple',
      (t) => t.tuple([{ kind: 'array', of: { kind: 'money' }, frozen: true } as never]),
      "[0].of.kind is 'money'.",
    ],
  ])('rejects %s', (_, column, message) => {
    const path = /^[.[]/.test(message) ? `of${message}` : message
    expect(messagesOf(column)).toStrictEqual([`column ${path}`])
  })

  it('accepts frozen types inside collections, and durations in arrays and map values', () => {
    const Log = defineTable('Log', (t) => ({
      id: t.uuidV4(),
      lists: t.array({ kind: 'array', of: int32, frozen: true }),
      spans: t.array({ kind: 'duration' }),
      named: t.map(text, {
        kind: 'tuple',
        of: [{ kind: 'duration' }, { kind: 'vector', of: 'float32', dimensions: 2 }],
      }),
    }))
    expect(
      defineSchema([Log])
        .tables[0]!.columns.slice(1)
        .map(({ type }) => type),
    ).toStrictEqual([
      { kind: 'array', of: { kind: 'array', of: int32, frozen: true } },
      { kind: 'array', of: { kind: 'duration' } },
      {
        kind: 'map',
        key: text,
        of: { kind: 'tuple', of: [{ kind: 'duration' }, { kind: 'vector', of: 'float32', dimensions: 2 }] },
      },
    ])
  })

  it.each(['json', 'counter', 'duration'] as const)(
    'rejects a column of type %s in the primary key',
    (kind) => {
      const Log = defineTable('Log', (t) => ({ id: (t[kind] as TableBuilder['json'])().key() }))
      expect(findingsOf(Log).map(({ message }) => message)).toContain(
        `is in the primary key, but is of type ${kind}.`,
      )
    },
  )

  it('accepts a frozen set in the primary key, and rejects a set that is not frozen', () => {
    const Frozen = defineTable('Log', (t) => ({ id: t.set(int32, { frozen: true }).key() }))
    expect(defineSchema([Frozen]).tables[0]!.columns[0]!.type).toStrictEqual({
      kind: 'set',
      of: int32,
      frozen: true,
    })
    const Loose = defineTable('Log', (t) => ({ id: t.set(int32).key() }))
    expect(findingsOf(Loose)).toMatchObject([
      { message: 'is in the primary key, but is of type set of int32.' },
    ])
  })

  it.each(['decimal', 'time', 'duration', 'numeric'] as const)(
    'rejects a shard that hashes a column of type %s',
    (kind) => {
      const Log = defineTable('Log', (t) => ({
        shard: t.shardKey({ shards: 4, of: ['value'] }),
        id: t.uuidV4(),
        value: (t[kind] as TableBuilder['decimal'])({ immutable: true }),
      }))
      expect(findingsOf(Log)).toMatchObject([
        { column: 'shard', message: `hashes value, of type ${kind}, whose text differs between engines.` },
      ])
    },
  )
})
