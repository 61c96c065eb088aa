import { shardOf, type Hashable } from '@isotherm/core/keys'
import * as fc from 'fast-check'
import type { PlainRow } from '../../../src/database/codec.js'
import type { TableLayout } from '../../../src/dialects/layout.js'
import { moment } from '../../support/arbitraries.js'
import { logLayout } from '../../support/layout.js'

/** A table, and rows of it whose values are few, so that filters and keys meet them. */
export interface SampleTable {
  readonly name: string
  readonly layout: TableLayout
  readonly row: fc.Arbitrary<PlainRow>
}

/** For each property, a few values with their neighbours; NULL where the column takes it. */
export const few = {
  userId: fc.bigInt({ min: -2n, max: 4n }),
  at: fc.constantFrom(moment(-1, 999_999), moment(0, 0), moment(0, 1), moment(0, 1000), moment(5, 0)),
  region: fc.option(fc.constantFrom('', 'a', 'ab', 'abc', 'b', '\uD7FF', '\uFFFF', '\u{10000}')),
  page: fc.option(fc.constantFrom('', 'a', 'ab', 'b')),
  ratio: fc.option(fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, -1, 0, 1.5)),
  total: fc.constantFrom('-1.5', '0', '0.5', '10'),
  active: fc.option(fc.boolean()),
  uuid: fc.constantFrom(...['0', '9', 'a'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`)),
} satisfies Record<string, fc.Arbitrary<unknown>>

type Property = keyof typeof few

function table(
  name: string,
  columns: Parameters<typeof logLayout>[0],
  properties: readonly Property[],
  shard: (row: PlainRow) => fc.Arbitrary<bigint> | undefined,
): SampleTable {
  const values = fc.record(Object.fromEntries(properties.map((property) => [property, few[property]])))
  return {
    name,
    layout: logLayout(columns),
    row: values.chain((row) => {
      const own = shard(row)
      return own ? own.map((shardId) => ({ ...row, shardId })) : fc.constant({ ...row })
    }),
  }
}

const hashing =
  (shards: number, ...of: Property[]) =>
  (row: PlainRow): fc.Arbitrary<bigint> =>
    fc.constant(
      BigInt(
        shardOf(
          of.map((property) => row[property] as Hashable),
          shards,
        ),
      ),
    )

export const sampleTables: readonly SampleTable[] = [
  table(
    'a hash of one key part',
    (t) => ({
      shardId: t.shardKey({ shards: 5, of: ['userId'] }),
      at: t.descTimestamp(),
      userId: t.int64().key(),
      page: t.string({ nullable: true }),
    }),
    ['at', 'userId', 'page'],
    hashing(5, 'userId'),
  ),
  table(
    'a hash of nullable parts in either direction',
    (t) => ({
      shardId: t.shardKey({ shards: 4, of: ['region', 'userId', 'at'] }),
      region: t.string({ nullable: true }).key(),
      userId: t.int64().key('desc'),
      at: t.timestamp().key(),
      active: t.bool({ nullable: true }),
    }),
    ['region', 'userId', 'at', 'active'],
    hashing(4, 'region', 'userId', 'at'),
  ),
  table(
    'a hash of a column outside the key',
    (t) => ({
      shardId: t.shardKey({ shards: 3, of: ['page'] }),
      region: t.string({ nullable: true }).key('desc'),
      page: t.string({ nullable: true, immutable: true }),
    }),
    ['region', 'page'],
    hashing(3, 'page'),
  ),
  table(
    'a random shard',
    (t) => ({
      shardId: t.shardKey({ shards: 4, strategy: 'random' }),
      userId: t.int64().key(),
      uuid: t.uuidV4(),
      at: t.timestamp(),
    }),
    ['userId', 'uuid', 'at'],
    () => fc.bigInt({ min: 0n, max: 3n }),
  ),
  table(
    'no shard',
    (t) => ({
      ratio: t.float64({ nullable: true }).key(),
      total: t.numeric().key('desc'),
      active: t.bool({ nullable: true }).key(),
      page: t.string({ nullable: true }),
    }),
    ['ratio', 'total', 'active', 'page'],
    () => undefined,
  ),
]

type Filter = Record<string, unknown>

/** Filters over these properties, of every operator and nested in AND, OR and NOT. */
export function filters({ layout }: SampleTable): fc.Arbitrary<Filter> {
  const leaves = layout.fields.map(({ column }) => {
    const { property } = column
    const value =
      property === 'shardId'
        ? fc.bigInt({ min: -1n, max: 5n })
        : few[property as Property].filter((each: unknown) => each !== null)
    const operators: fc.Arbitrary<Filter>[] = [
      fc
        .tuple(fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte'), value)
        .map(([op, each]) => ({ [op]: each })),
      fc.array(value, { maxLength: 3 }).map((list) => ({ in: list })),
      fc.array(value, { maxLength: 2 }).map((list) => ({ notIn: list })),
      fc.constantFrom<Filter>({ eq: null }, { ne: null }),
      fc.tuple(value, value).map(([from, to]) => ({ gte: from, lt: to })),
      ...(column.type.kind === 'string' ? [value.map((prefix) => ({ startsWith: prefix }))] : []),
    ]
    return fc.oneof(...operators).map((operator): Filter => ({ [property]: operator }))
  })
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(...leaves),
      fc.array(fc.oneof(...leaves), { maxLength: 4 }).map((all) => ({ AND: all })),
      fc.record({ AND: fc.array(tie('filter'), { maxLength: 3 }) }, { noNullPrototype: true }),
      fc.record({ OR: fc.array(tie('filter'), { maxLength: 3 }) }, { noNullPrototype: true }),
      fc.record({ NOT: tie('filter') }, { noNullPrototype: true }),
    ),
  }))
  return filter
}
