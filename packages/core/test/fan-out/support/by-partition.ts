import { defineSchema, type Schema } from '@isotherm/core'
import { keyspacesCql } from '@isotherm/cassandra'
import { shardOf } from '@isotherm/core/keys'
import * as fc from 'fast-check'
import type { PlainRow } from '../../../src/engine/codec.js'
import { CompiledTables, type CompiledTable } from '../../../src/rows/compiled-table.js'
import { FanOutQuery } from '../../../src/read/query.js'
import { bucketOf } from '../../../src/keys/time-bucket.js'
import { logTable, type LogTable } from '../../support/layout.js'
import { partitionedDriver, type PartitionedDriver, type Script } from './partitioned.js'
import type { Filter } from './tables.js'

// Tables whose rows lie in partitions, of every shape that a partition key has, and rows of them whose values are few.

/** When it is, in tests whose clock stands still. */
export const NOW = new Date('2026-03-10T12:30:00Z')

export interface PartitionedTable {
  readonly name: string
  readonly schema: Schema
  readonly table: CompiledTable
  readonly row: fc.Arbitrary<PlainRow>
  /** The condition that every query needs: it fixes the columns that the partition key leaves open. */
  readonly base: fc.Arbitrary<Filter>
  readonly filter: fc.Arbitrary<Filter>
}

const at = (text: string): fc.Arbitrary<Date> =>
  fc.nat({ max: 3 }).map((milliseconds) => new Date(Date.parse(text) + milliseconds))

/** Ties, both sides of a day, an hour and a month, an empty month between them; one is ahead of the clock. */
const times = fc.oneof(
  ...[
    '2026-03-11T00:00:00Z',
    '2026-03-10T12:00:00Z',
    '2026-03-10T11:59:59.998Z',
    '2026-03-09T23:59:59.998Z',
    '2026-02-28T12:00:00Z',
    '2025-12-31T23:59:59.998Z',
  ].map(at),
)

const uuid = fc
  .constantFrom('0', '7', '8', 'f')
  .chain((digit) =>
    fc.constantFrom('0', '9').map((end) => `${digit.repeat(8)}-0000-4000-8000-00000000000${end}`),
  )

const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  at: times,
  sent: times,
  on: fc.constantFrom('2026-03-11', '2026-03-10', '2026-02-28', '2025-12-31'),
  customer: fc.constantFrom('', 'a', 'ab', '\u{1F600}', '\uFFFF'),
  user: fc.bigInt({ min: -1n, max: 2n }),
  kind: fc.integer({ min: -1, max: 2 }),
  open: fc.boolean(),
  id: uuid,
  pair: uuid,
  ratio: fc.option(fc.constantFrom(Number.NaN, -Infinity, -1, 0, 1.5)),
  page: fc.option(fc.constantFrom('', 'a', 'ab', 'b')),
}

function partitionedTable(
  name: string,
  table: LogTable,
  options: {
    readonly derived?: (row: PlainRow) => PlainRow
    readonly chosen?: Readonly<Record<string, fc.Arbitrary<unknown>>>
    readonly base?: fc.Arbitrary<Filter>
  } = {},
): PartitionedTable {
  const { derived = () => ({}), chosen = {}, base = fc.constant({}) } = options
  const schema = defineSchema([logTable(...table)])
  const compiled = compiledIn(schema)
  const { layout } = compiled
  const named = { ...values, ...chosen }
  const own = Object.fromEntries(
    layout.table.columns.flatMap(({ property }) => (property in named ? [[property, named[property]!]] : [])),
  )
  const row = fc.record(own).map((made): PlainRow => {
    const all: PlainRow = { ...made, ...derived(made) }
    return Object.fromEntries(
      layout.fields.map(({ column: { property }, accept }) => {
        const value = all[property]
        return [property, value === null ? null : accept(value)]
      }),
    )
  })
  return { name, schema, table: compiled, row, base, filter: filters(compiled, row) }
}

/** Filters of every operator, joined in every way. */
function filters({ layout }: CompiledTable, row: fc.Arbitrary<PlainRow>): fc.Arbitrary<Filter> {
  const leaves = layout.fields.map(({ column: { property, type } }) => {
    const value = row.map((each) => each[property]).filter((each) => each !== null)
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
  const leaf = fc.oneof(...leaves)
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 4, arbitrary: fc.array(leaf, { maxLength: 3 }).map((all) => ({ AND: all })) },
    { weight: 1, arbitrary: fc.array(leaf, { maxLength: 3 }).map((all) => ({ OR: all })) },
    { weight: 1, arbitrary: leaf.map((each) => ({ NOT: each })) },
  )
}

const day = (row: PlainRow): unknown => bucketOf(row['at'] as Date, 'day')

export const partitionedTables: readonly PartitionedTable[] = [
  partitionedTable(
    'days and random shards',
    [
      (t) => ({
        day: t.timeBucket({ by: 'day', of: 'at', since: '2025-12-31' }),
        shard: t.shardKey({ shards: 3, strategy: 'random', first: 1 }),
        at: t.descTimestamp(),
        id: t.uuidV4(),
        page: t.string({ nullable: true }),
      }),
    ],
    { derived: (row) => ({ day: day(row) }), chosen: { shard: fc.bigInt({ min: 1n, max: 3n }) } },
  ),
  partitionedTable(
    'hours without shards, ascending',
    [
      (t) => ({
        hour: t.timeBucket({ by: 'hour', of: 'at', ahead: 12 }),
        at: t.timestamp().key(),
        kind: t.int32().key('desc'),
        user: t.int64().key(),
        ratio: t.float64({ nullable: true }),
      }),
      {
        suppress: [
          {
            rule: 'cassandra/time-partition',
            reason: 'A scan over partitions without shards is read as well.',
          },
        ],
      },
    ],
    {
      derived: (row) => ({ hour: bucketOf(row['at'] as Date, 'hour') }),
      base: fc.constantFrom(
        { at: { gte: new Date('2026-03-09T00:00:00Z') } },
        { at: { gt: new Date('2026-02-28') } },
      ),
    },
  ),
  partitionedTable(
    'months of a date, hashed shards and UUIDs in two columns',
    [
      (t) => ({
        shard: t.shardKey({ shards: 2, of: ['user'] }),
        month: t.timeBucket({ by: 'month', of: 'on', since: '2025-01-01' }),
        on: t.date().key('desc'),
        user: t.int64().key('desc'),
        pair: t.uuid({ storage: 'int64-pair' }).key(),
        open: t.bool({ nullable: true }),
      }),
    ],
    {
      derived: (row) => ({
        month: bucketOf(row['on'] as string, 'month'),
        shard: BigInt(shardOf(row['user'] as bigint, 2)),
      }),
    },
  ),
  partitionedTable(
    'weeks of a time that is not a key part',
    [
      (t) => ({
        week: t.timeBucket({ by: 'week', of: 'sent', since: '2025-12-01' }),
        open: t.bool().key(),
        kind: t.int16().key(),
        id: t.uuidV4(),
        sent: t.timestamp({ immutable: true }),
      }),
      { partitionKey: ['week', 'open'] },
    ],
    { derived: (row) => ({ week: bucketOf(row['sent'] as Date, 'week') }) },
  ),
  partitionedTable(
    'customers and years',
    [
      (t) => ({
        customer: t.string().key(),
        year: t.timeBucket({ by: 'year', of: 'at', since: '2024-01-01' }),
        at: t.timestamp().key('desc'),
        kind: t.int8().key(),
        page: t.string({ nullable: true }),
      }),
    ],
    {
      derived: (row) => ({ year: bucketOf(row['at'] as Date, 'year') }),
      base: fc.constantFrom<Filter>({ customer: 'a' }, { customer: { in: ['', 'ab', '\uFFFF', 'a'] } }),
    },
  ),
  partitionedTable(
    'days that the filter limits',
    [
      (t) => ({
        on: t.date().key(),
        shard: t.shardKey({ shards: 4, of: ['customer'] }),
        customer: t.string().key('desc'),
        kind: t.int32().key(),
        ratio: t.float64({ nullable: true }),
      }),
      { partitionKey: ['on', 'shard'] },
    ],
    {
      derived: (row) => ({ shard: BigInt(shardOf(row['customer'] as string, 4)) }),
      base: fc.constantFrom<Filter>(
        { on: '2026-03-10' },
        { on: { gte: '2026-02-27', lte: '2026-03-11' } },
        { on: { gt: '2026-02-28', lt: '2026-03-11' } },
      ),
    },
  ),
  partitionedTable(
    'partitions of one row',
    [
      (t) => ({
        user: t.int64().key(),
        page: t.string({ nullable: true }),
        ratio: t.float64({ nullable: true }),
      }),
    ],
    { base: fc.constant({ user: { in: [-1n, 0n, 1n, 5n] } }) },
  ),
]

/** By name, for `describe.each`. */
export const namedByPartition = partitionedTables.map((table) => [table.name, table] as const)

export interface ByPartition {
  readonly query: FanOutQuery<PlainRow>
  readonly driver: PartitionedDriver
}

/** A table called Log, in a schema of its own. */
export function compiledByPartition(table: LogTable): CompiledTable {
  return compiledIn(defineSchema([logTable(...table)]))
}

function compiledIn(schema: Schema): CompiledTable {
  return new CompiledTables(schema, keyspacesCql).of('Log')
}

/** A table of rows in memory, to be read partition by partition. */
export function byPartition(table: CompiledTable, rows: readonly PlainRow[], script?: Script): ByPartition {
  const driver = partitionedDriver([[table, rows]], script)
  return { driver, query: FanOutQuery.over<PlainRow>({ driver, tables: { of: () => table } }, table) }
}
