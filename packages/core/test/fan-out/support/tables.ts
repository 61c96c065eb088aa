import { createHash } from 'node:crypto'
import { defineSchema, type Schema } from '@isotherm/core'
import { fingerprint, shardOf, type Hashable, type ShardOptions } from '@isotherm/core/keys'
import * as fc from 'fast-check'
import type { PlainRow } from '../../../src/engine/codec.js'
import { CompiledTables, type CompiledTable } from '../../../src/rows/compiled-table.js'
import type { Dialect } from '../../../src/engine/dialect.js'
import type { TableLayout } from '../../../src/layout/layout.js'
import { moment } from '../../support/arbitraries.js'
import { dialects, logTable, type LogTable } from '../../support/layout.js'

/** A table, and rows of it whose values are few, so that filters and keys meet them. */
export interface SampleTable {
  readonly name: string
  readonly dialect: Dialect
  readonly schema: Schema
  readonly table: CompiledTable
  readonly layout: TableLayout
  readonly row: fc.Arbitrary<PlainRow>
}

const uuids = ['0', '7', '9', 'a', 'f'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`)

/** For each property, a few values with their neighbours; NULL where the column takes it. */
export const few: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  userId: fc.bigInt({ min: -2n, max: 4n }),
  at: fc.constantFrom(moment(-1, 999_999), moment(0, 0), moment(0, 1), moment(0, 1000), moment(5, 0)),
  day: fc.option(fc.constantFrom('0001-01-01', '1969-12-31', '1970-01-01', '2026-02-03')),
  region: fc.option(fc.constantFrom('', 'a', 'ab', 'abc', 'b', '\uD7FF', '\uFFFF', '\u{10000}')),
  page: fc.option(fc.constantFrom('', 'a', 'ab', 'b')),
  ratio: fc.option(fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, -1, 0, 1.5)),
  total: fc.constantFrom('-1.5', '0', '0.5', '10'),
  active: fc.option(fc.boolean()),
  count: fc.integer({ min: -2, max: 2 }),
  uuid: fc.constantFrom(...uuids),
  // Half of them have the same first half.
  pair: fc.constantFrom(
    ...uuids,
    ...['1', '8', 'f'].map((digit) => `${uuids[2]!.slice(0, 19)}${digit}${uuids[2]!.slice(20)}`),
  ),
  id: fc
    .integer({ min: 0, max: 0xffff })
    .map((at) => `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`),
}

type Derived = (row: PlainRow) => fc.Arbitrary<unknown>

/** Values that follow from other values of a row, computed without a layout. */
const hashing =
  (of: readonly string[], shards: number, options: ShardOptions = {}): Derived =>
  (row) =>
    fc.constant(BigInt(shardOf(hashables(row, of), shards, options)))

function hashables(row: PlainRow, of: readonly string[]): Hashable[] {
  return of.map((property) => row[property] as Hashable)
}

function notNull(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return values.filter((each) => each !== null)
}

export function sampleTable(
  dialect: Dialect,
  name: string,
  table: LogTable,
  derived: Readonly<Record<string, Derived>> = {},
): SampleTable {
  const schema = defineSchema([logTable(...table)])
  const compiled = new CompiledTables(schema, dialect).of('Log')
  const record = fc.record(
    Object.fromEntries(
      schema.tables[0]!.columns.filter(({ property }) => !(property in derived)).map(
        ({ property, nullable }) => {
          const values = nullable ? few[property]! : notNull(few[property]!)
          const { storesNoNan } = compiled.layout.byProperty.get(property)!
          return [property, storesNoNan ? values.filter((each) => !Number.isNaN(each)) : values]
        },
      ),
    ),
  )
  return {
    name: `${name} in ${dialect.name}`,
    dialect,
    schema,
    table: compiled,
    layout: compiled.layout,
    row: record.chain((row) =>
      fc
        .record(Object.fromEntries(Object.entries(derived).map(([property, make]) => [property, make(row)])))
        .map((made) => ({ ...row, ...made })),
    ),
  }
}

/** A part that descends where a key of the dialect can: not every type has a mirror. */
function descending({ name }: Dialect): 'asc' | 'desc' {
  return name === 'googlesql' ? 'desc' : 'asc'
}

/** As the SQL of another application would compute it. */
const ownShard = (row: Readonly<Record<string, unknown>>): number => 1 + ((Number(row['userId']) + 2) % 3)

function tablesIn(dialect: Dialect): SampleTable[] {
  const desc = descending(dialect)
  const of = (...table: Parameters<typeof sampleTable> extends [Dialect, ...infer Rest] ? Rest : never) =>
    sampleTable(dialect, ...table)
  return [
    of(
      'a hash of one key part',
      [
        (t) => ({
          shardId: t.shardKey({ shards: 5, of: ['userId'] }),
          at: t.descTimestamp(),
          userId: t.int64().key(),
          page: t.string({ nullable: true }),
        }),
      ],
      { shardId: hashing(['userId'], 5) },
    ),
    of(
      'a hash of nullable key parts in both directions',
      [
        (t) => ({
          shardId: t.shardKey({ shards: 4, of: ['region', 'userId', 'at'] }),
          region: t.string({ nullable: true }).key(),
          userId: t.int64().key('desc'),
          at: t.timestamp().key(),
          active: t.bool({ nullable: true }),
        }),
      ],
      { shardId: hashing(['region', 'userId', 'at'], 4) },
    ),
    of(
      'a hash of a column outside the key',
      [
        (t) => ({
          shardId: t.shardKey({ shards: 3, of: ['page'] }),
          region: t.string({ nullable: true }).key(desc),
          page: t.string({ nullable: true, immutable: true }),
        }),
      ],
      { shardId: hashing(['page'], 3) },
    ),
    of(
      'a random shard',
      [
        (t) => ({
          shardId: t.shardKey({ shards: 4, strategy: 'random' }),
          userId: t.int64().key(),
          uuid: t.uuidV4(),
          at: t.timestamp(),
        }),
      ],
      { shardId: () => fc.bigInt({ min: 0n, max: 3n }) },
    ),
    of('no shard', [
      (t) => ({
        ratio: t.float64({ nullable: true }).key(),
        total: t.numeric().key(desc),
        active: t.bool({ nullable: true }).key(),
        page: t.string({ nullable: true }),
      }),
    ]),
    of(
      'signed shards and a descending date',
      [
        (t) => ({
          shardId: t.shardKey({ shards: 3, of: ['count', 'pair'], signed: true }),
          // A mirror of NULL would be NULL, which the keys of the other dialect do not allow.
          day: t.date({ nullable: dialect.name === 'googlesql' }).key('desc'),
          count: t.int64({ as: 'number' }).key(),
          pair: t.uuid({ storage: 'int64-pair' }).key(),
          at: t.timestamp(),
        }),
      ],
      { shardId: hashing(['count', 'pair'], 3, { signed: true }) },
    ),
    of(
      'shards that start at -2, and UUIDs in two columns and in bytes',
      [
        (t) => ({
          shardId: t.shardKey({ shards: 4, of: ['uuid'], first: -2 }),
          pair: t.uuid({ storage: 'int64-pair' }).key(desc),
          uuid: t.uuid({ storage: 'bytes' }).key(),
          page: t.string({ nullable: true }),
        }),
      ],
      { shardId: hashing(['uuid'], 4, { first: -2 }) },
    ),
    of(
      'shards of a compute function, and a timestamp before other key parts',
      [
        (t) => ({
          shardId: t.shardKey({ shards: 3, of: ['userId'], first: 1, expression: '1', compute: ownShard }),
          at: t.timestamp().key('desc'),
          count: t.int64({ as: 'number' }).key('desc'),
          userId: t.int64().key(),
          day: t.date({ nullable: true }),
        }),
      ],
      { shardId: (row) => fc.constant(BigInt(ownShard(row))) },
    ),
    of(
      'whole hashes in its key',
      [
        (t) => ({
          hash: t.hashKey({ of: ['page', 'userId'] }),
          digest: t.hashKey({ of: ['region'], algorithm: 'sha256' }),
          at: t.timestamp().key('desc'),
          userId: t.int64().key(),
          page: t.string({ nullable: true, immutable: true }),
          region: t.string({ nullable: true, immutable: true }),
        }),
      ],
      {
        hash: ({ page, userId }) =>
          fc.constant(fingerprint(`${(page as string | null) ?? '\\N'}|${userId as bigint}`)),
        digest: ({ region }) =>
          fc.constant(
            createHash('sha256')
              .update((region as string | null) ?? '\\N')
              .digest(),
          ),
      },
    ),
  ]
}

export const sampleTables: readonly SampleTable[] = dialects.flatMap(tablesIn)

/** By name, for `describe.each`. */
export const named = (tables: readonly SampleTable[]) => tables.map((table) => [table.name, table] as const)

export type Filter = Record<string, unknown>

/** Filters over these properties, of every operator and nested in AND, OR and NOT. */
export function filters({ layout, row }: SampleTable): fc.Arbitrary<Filter> {
  const leaves = layout.fields.map(({ column }) => {
    const { property, type } = column
    const known = notNull(few[property] ?? row.map((each) => each[property]))
    // Values that no row has, too.
    const value = property === 'shardId' ? fc.oneof(known, fc.bigInt({ min: -4n, max: 5n })) : known
    const operators: fc.Arbitrary<Filter>[] = [
      fc
        .tuple(fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte'), value)
        .map(([op, each]) => ({ [op]: each })),
      fc.array(value, { maxLength: 3 }).map((list) => ({ in: list })),
      fc.array(value, { maxLength: 2 }).map((list) => ({ notIn: list })),
      fc.constantFrom<Filter>({ eq: null }, { ne: null }),
      fc.tuple(value, value).map(([from, to]) => ({ gte: from, lt: to })),
      ...(type.kind === 'string' ? [value.map((prefix) => ({ startsWith: prefix }))] : []),
    ]
    return fc.oneof(...operators).map((operator): Filter => ({ [property]: operator }))
  })
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(...leaves),
      fc.array(fc.oneof(...leaves), { minLength: 1, maxLength: 4 }).map((all) => ({ AND: all })),
      fc.record({ AND: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }, { noNullPrototype: true }),
      fc.record({ OR: fc.array(tie('filter'), { maxLength: 3 }) }, { noNullPrototype: true }),
      fc.record({ NOT: tie('filter') }, { noNullPrototype: true }),
    ),
  }))
  return filter
}
