import { defineTable, type ScalarType, type TableBuilder } from '@isotherm/core'

const scalars: readonly ScalarType[] = [
  { kind: 'bool' },
  { kind: 'int64' },
  { kind: 'float32' },
  { kind: 'float64' },
  { kind: 'numeric' },
  { kind: 'string', length: 36 },
  { kind: 'bytes', length: 16 },
  { kind: 'date' },
  { kind: 'timestamp' },
  { kind: 'json' },
  { kind: 'uuid' },
]

const columns = (nullable: boolean) => (t: TableBuilder) => ({
  id: t.uuidV4(),
  bool: t.bool({ nullable }),
  int64: t.int64({ nullable }),
  float32: t.float32({ nullable }),
  float64: t.float64({ nullable }),
  numeric: t.numeric({ nullable }),
  text: t.string({ nullable }),
  shortText: t.string({ nullable, length: 1 }),
  longText: t.string({ nullable, length: 2_621_440 }),
  bytes: t.bytes({ nullable }),
  shortBytes: t.bytes({ nullable, length: 1 }),
  longBytes: t.bytes({ nullable, length: 10_485_760 }),
  date: t.date({ nullable }),
  timestamp: t.timestamp({ nullable }),
  timestampNow: t.timestamp({ nullable, default: 'now' }),
  timestampCommit: t.timestamp({ nullable, default: 'commit' }),
  json: t.json({ nullable }),
  uuid: t.uuid({ nullable }),
})

const arrays = (nullable: boolean) => (t: TableBuilder) => ({
  id: t.uuidV4(),
  ...Object.fromEntries(scalars.map((type) => [`${type.kind}s`, t.array(type, { nullable })])),
  texts: t.array({ kind: 'string', length: 'max' }, { nullable }),
})

export const columnTypeModels = [
  defineTable('ColumnTypes', columns(false)),
  defineTable('NullableColumnTypes', columns(true)),
  defineTable('ArrayTypes', arrays(false)),
  defineTable('NullableArrayTypes', arrays(true)),
]

const key = (nullable: boolean, order: 'asc' | 'desc') => (t: TableBuilder) => ({
  bool: t.bool({ nullable }).key(order),
  int64: t.int64({ nullable }).key(order),
  float32: t.float32({ nullable }).key(order),
  float64: t.float64({ nullable }).key(order),
  numeric: t.numeric({ nullable }).key(order),
  text: t.string({ nullable, length: 36 }).key(order),
  bytes: t.bytes({ nullable, length: 16 }).key(order),
  date: t.date({ nullable }).key(order),
  timestamp: t.timestamp({ nullable }).key(order),
  uuid: t.uuid({ nullable }).key(order),
})

export const keyTypeModels = [
  defineTable('KeyTypes', key(false, 'asc')),
  defineTable('NullableKeyTypes', key(true, 'desc')),
  defineTable('KeyInAnotherOrder', (t) => ({ a: t.int64().key('desc'), b: t.int64(), c: t.int64().key() }), {
    primaryKey: ['c', 'b', 'a'],
  }),
]
