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
  number: t.int64({ nullable, as: 'number' }),
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

const portableKey = (t: TableBuilder) => ({
  bool: t.bool().key(),
  int64: t.int64().key(),
  float64: t.float64().key(),
  text: t.string({ length: 36 }).key(),
  bytes: t.bytes({ length: 16 }).key(),
  date: t.date().key(),
  timestamp: t.timestamp().key(),
  uuid: t.uuid().key(),
})

export const keyTypeModels = [
  defineTable('KeyTypes', portableKey),
  defineTable('KeyInAnotherOrder', (t) => ({ a: t.int64().key('desc'), b: t.int64(), c: t.int64().key() }), {
    primaryKey: ['c', 'b', 'a'],
  }),
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

/** Key types that the PostgreSQL dialect does not support. */
export const everyKeyTypeModels = [
  defineTable('EveryKeyType', key(false, 'asc')),
  defineTable('NullableKeyTypes', key(true, 'desc')),
]

const PairParent = defineTable('PairParent', (t) => ({ id: t.uuidV4({ storage: 'int64-pair' }) }))

/** UUIDs stored in one column or in two. */
export const uuidStorageModels = [
  defineTable('UuidBytes', (t) => ({
    id: t.uuidV4({ storage: 'bytes' }),
    other: t.uuid({ storage: 'bytes', nullable: true }),
  })),
  PairParent,
  defineTable(
    'PairChild',
    (t) => ({
      id: t.parentKey<string>(),
      second: t.uuidV4({ storage: 'int64-pair', name: 'second_id' }),
      refers: t.uuid({ storage: 'int64-pair', nullable: true }),
      kept: t.uuid({ storage: 'int64-pair' }),
    }),
    {
      interleaveIn: () => PairParent,
      onDelete: 'cascade',
      foreignKeys: [{ columns: ['refers'], references: () => PairParent }],
      indexes: [
        { on: ['refers'], storing: ['kept'] },
        { name: 'PairRefers', on: [{ property: 'refers', order: 'desc' }], unique: true, nullFiltered: true },
      ],
    },
  ),
]

const NativeUuids = defineTable(
  'NativeUuids',
  (t) => ({
    id: t.uuidV4({ storage: 'native' }),
    other: t.uuid({ storage: 'native', nullable: true }),
  }),
  { indexes: [{ on: ['other'], shard: { shards: 8, of: ['id'] } }] },
)

export const nativeUuidModels = [
  NativeUuids,
  defineTable('NativeUuidShards', (t) => ({
    shardId: t.shardKey({ shards: 64, of: ['tenant', 'id'] }),
    id: t.uuidV4({ storage: 'native' }),
    tenant: t.bytes({ length: 16 }).key(),
  })),
]
