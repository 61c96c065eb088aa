import { type ColumnBuilder, type TableBuilder, defineTable } from '@isotherm/core'
import { type Hashable } from '@isotherm/core/keys'
import { precise } from './precise.js'
import { randomUUID } from 'node:crypto'

export const SHARDS = 16

interface HashedType {
  readonly column: (t: TableBuilder, nullable: boolean) => ColumnBuilder<unknown>
  readonly values: readonly NonNullable<Hashable>[]
  /** The database cannot write its text, in PostgreSQL. */
  readonly split?: true
}

const uuids = Array.from({ length: 8 }, () => randomUUID() as string)

/** Every type that can be hashed, with what is easily got wrong: signs, zero, no text, the past, ends of the range. */
export const types: Readonly<Record<string, HashedType>> = {
  int64: {
    column: (t, nullable) => t.int64({ nullable }).key(),
    values: [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n, 1n, 7n, 10n ** 18n],
  },
  number: {
    column: (t, nullable) => t.int64({ as: 'number', nullable }).key(),
    values: [-(2 ** 53 - 1), 2 ** 53 - 1, -1, 0, 1, 7, 1e15],
  },
  string: {
    column: (t, nullable) => t.string({ length: 100, nullable }).key(),
    values: ['', '\\N', '|', 'a\\b', "it's", 'Zürich', '東京', '\u{10FFFF}', '\u0001'],
  },
  bytes: {
    column: (t, nullable) => t.bytes({ length: 100, nullable }).key(),
    values: ['', '5c4e', '00', 'ff', '7c', 'c328', '80ff00'].map((hex) => Buffer.from(hex, 'hex')),
  },
  bool: { column: (t, nullable) => t.bool({ nullable }).key(), values: [true, false] },
  date: {
    column: (t, nullable) => t.date({ nullable }).key(),
    values: [
      '0001-01-01',
      '0987-06-05',
      '1582-10-10',
      '1969-12-31',
      '1970-01-01',
      '2026-11-21',
      '9999-12-31',
    ],
  },
  timestamp: {
    column: (t, nullable) => t.timestamp({ nullable }).key(),
    values: [
      '0001-01-01T00:00:00.000000000Z',
      '1969-12-31T23:59:59.999999999Z',
      '1969-12-31T23:59:59.000000001Z',
      '1970-01-01T00:00:00.000000999Z',
      '2026-11-21T12:00:00.123456789Z',
      '9999-12-31T23:59:59.999999999Z',
    ].map(precise),
  },
  uuid: { column: (t, nullable) => t.uuid({ nullable }).key(), values: uuids },
  uuid_pair: {
    column: (t, nullable) => t.uuid({ nullable, storage: 'int64-pair' }).key(),
    values: uuids,
    split: true,
  },
  uuid_bytes: {
    column: (t, nullable) => t.uuid({ nullable, storage: 'bytes' }).key(),
    values: uuids,
    split: true,
  },
}

export const names = Object.keys(types)

type By = 'database' | 'client'

/** `nullable`: as far as keys can be. */
function hashed(name: string, by: By, nullable: boolean) {
  return defineTable(`Of_${name}_by_${by}`, (t) => ({
    shard: t.shardKey({ shards: SHARDS, of: ['value'], computedBy: by }),
    value: types[name]!.column(t, nullable),
    id: t.int64().key(),
    note: t.string({ nullable: true }),
  }))
}

/** All of them in one hash. */
function composite(by: By, nullable: boolean) {
  const parts = names.filter((name) => !types[name]!.split)
  return defineTable(`Composite_by_${by}`, (t) => ({
    shard: t.shardKey({ shards: SHARDS, of: parts, computedBy: by }),
    ...Object.fromEntries(parts.map((name) => [name, types[name]!.column(t, nullable)])),
    id: t.int64().key(),
  }))
}

/** The hashed columns are outside of the key. */
export const Given = defineTable('Given', (t) => ({
  shard: t.shardKey({ shards: 7, of: ['region', 'id'] }),
  id: t.int64().key(),
  region: t.string({ length: 20, immutable: true, nullable: true }),
  note: t.string({ nullable: true }),
}))

/** The same, by the client in every dialect. */
export const GivenToClient = defineTable('GivenToClient', (t) => ({
  shard: t.shardKey({ shards: 7, of: ['region'], computedBy: 'client' }),
  id: t.int64().key(),
  region: t.string({ length: 20, immutable: true, nullable: true }),
  note: t.string({ nullable: true }),
}))

/** Its region is its own: that of the row of `Given` may be another one. */
export const GivenPart = defineTable(
  'GivenPart',
  (t) => ({
    shard: t.parentKey<bigint>(),
    id: t.parentKey<bigint>(),
    part: t.int64().key(),
    region: t.string({ length: 20 }),
    note: t.string({ nullable: true }),
  }),
  { interleaveIn: () => Given, onDelete: 'no action', rows: 'own' },
)

/** Each type's hash and that of all, by the client or the database where it can. */
export const variantsBy = (computedBy: readonly By[]) =>
  names.flatMap((name) =>
    computedBy.filter((by) => by === 'client' || !types[name]!.split).map((by) => [name, by] as const),
  )

export function hashTables(
  variants: readonly (readonly [name: string, by: By])[],
  computedBy: readonly By[],
  nullable: boolean,
) {
  return [
    ...variants.map(([name, by]) => hashed(name, by, nullable)),
    ...computedBy.map((by) => composite(by, nullable)),
    Given,
    GivenToClient,
  ]
}
