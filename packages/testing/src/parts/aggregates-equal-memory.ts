import { type Dialect, defineSchema, defineTable } from '@isotherm/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { precise } from '../data/precise.js'
import {
  type Cell,
  type ReferenceDialect,
  type ReferenceOrder,
  type ReferenceRow,
  matches,
  sortRows,
} from '../data/reference.js'
import { type TestDatabase, type Traits, part } from '../part.js'
import { comparableRow } from '../data/values.js'

// What groups of rows must equal, computed in memory and without any of the code under test. A decimal is a whole number of
// hundredths here, which compares and adds up as decimals do.

interface ReferenceMeasure {
  readonly compute: 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'
  /** Absent where rows are counted. */
  readonly property?: string
}

interface ReferenceGroups {
  readonly by: readonly string[]
  readonly measures: Readonly<Record<string, ReferenceMeasure>>
  readonly having: Readonly<Record<string, unknown>>
  readonly order: readonly ReferenceOrder[]
  readonly limit: number | undefined
}

function hundredths(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  return BigInt(whole + fraction.padEnd(2, '0')) * (decimal.startsWith('-') ? -1n : 1n)
}

function decimalOf(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(3, '0')
  const shown = `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, '')
  return value < 0n ? `-${shown}` : shown
}

/** A text that is the same for the same values only. */
function identity(cell: Cell): string {
  if (cell === null) return 'null'
  if (Buffer.isBuffer(cell)) return `bytes ${cell.toString('hex')}`
  return cell instanceof Date ? cell.toISOString() : `${typeof cell} ${String(cell)}`
}

function sumOf(values: readonly Cell[]): Cell {
  if (values.length === 0) return null
  const isWhole = values.every((value) => typeof value === 'bigint')
  return isWhole
    ? values.reduce((sum, value) => sum + value, 0n)
    : values.reduce<number>((sum, value) => sum + Number(value), 0)
}

function extreme(values: readonly Cell[], direction: 'asc' | 'desc', dialect: ReferenceDialect): Cell {
  // There NaN is the lowest, but is what MAX gives as well.
  if (!dialect.nanIsValue && values.some((value) => Number.isNaN(value))) return NaN
  const named = values.map((value) => ({ value }))
  return sortRows(named, [{ property: 'value', direction }], dialect)[0]?.value ?? null
}

function computed(
  { compute, property }: ReferenceMeasure,
  rows: readonly ReferenceRow[],
  dialect: ReferenceDialect,
): Cell {
  if (property === undefined) return rows.length
  const values = rows.map((row) => row[property]!).filter((value) => value !== null)
  switch (compute) {
    case 'sum':
      return sumOf(values)
    case 'avg':
      return values.length === 0 ? null : Number(sumOf(values)) / values.length
    case 'min':
      return extreme(values, 'asc', dialect)
    case 'max':
      return extreme(values, 'desc', dialect)
    default:
      return new Set(values.map(identity)).size
  }
}

function groupRows(
  rows: readonly ReferenceRow[],
  { by, measures, having, order, limit }: ReferenceGroups,
  dialect: ReferenceDialect,
): ReferenceRow[] {
  const groups = new Map<string, ReferenceRow[]>()
  for (const row of rows) {
    const key = JSON.stringify(by.map((property) => identity(row[property]!)))
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const results = [...groups.values()].map((members): ReferenceRow => ({
    ...Object.fromEntries(by.map((property) => [property, members[0]![property]!])),
    ...Object.fromEntries(
      Object.entries(measures).map(([name, measure]) => [name, computed(measure, members, dialect)]),
    ),
  }))
  const total = [...order, ...by.map((property) => ({ property, direction: 'asc' as const }))]
  return sortRows(
    results.filter((group) => matches(group, having, dialect) === true),
    total,
    dialect,
  ).slice(0, limit)
}

const SHARDS = [1, 7, 16]
const TABLES = 60
const QUERIES = 12

const sales = (shards: number) =>
  defineTable(
    `Sale${shards}`,
    (t) => ({
      shard: t.shardKey({ shards, of: ['id'] }),
      id: t.int64().key(),
      kind: t.string({ nullable: true }),
      big: t.int64({ nullable: true }),
      small: t.int64({ as: 'number', nullable: true }),
      ratio: t.float64({ nullable: true }),
      price: t.numeric({ nullable: true }),
      day: t.date({ nullable: true }),
      at: t.timestamp({ nullable: true }),
      ok: t.bool({ nullable: true }),
      pair: t.uuid({ storage: 'int64-pair', nullable: true }),
      raw: t.bytes({ nullable: true }),
    }),
    {
      suppress:
        shards === 1
          ? [{ rule: 'monotonic-first-key', reason: 'One shard is a boundary case of the reader.' }]
          : [],
    },
  )
type Sales = ReturnType<typeof sales>

const uuids = ['1', '2', '7'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`)

// Few values, so that groups have several rows, and floats whose sums are exact.
const values: Readonly<Record<string, fc.Arbitrary<Cell>>> = {
  kind: fc.constantFrom('', 'a', 'b', '\u{1F600}', '\uFF5E', "'; --"),
  big: fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n, 7n),
  small: fc.constantFrom(Number.MAX_SAFE_INTEGER, -3, 0, 4),
  ratio: fc.constantFrom(NaN, -Infinity, Infinity, -1.5, 0, 2.25, 2.5),
  price: fc.constantFrom('-1.5', '0', '0.25', '10', '99999999999999999999.75'),
  day: fc.constantFrom('0001-01-01', '1969-12-31', '2026-11-21'),
  ok: fc.boolean(),
  pair: fc.constantFrom(...uuids),
  raw: fc.constantFrom(Buffer.of(), Buffer.of(255, 0), Buffer.of(128)),
}
/** Of a second, beside each other. */
const fractions = {
  9: ['999000000', '999000001', '999001000'],
  6: ['999000000', '999001000', '999002000'],
  3: ['998000000', '999000000'],
} as const
const momentsIn = ({ timestampDigits }: Traits): fc.Arbitrary<Cell> =>
  fc.constantFrom(
    ...fractions[timestampDigits].map((fraction) => precise(`1969-12-31T23:59:59.${fraction}Z`)),
  )
const valuesIn = (traits: Traits): Readonly<Record<string, fc.Arbitrary<Cell>>> => ({
  ...values,
  at: momentsIn(traits),
})
const properties = [...Object.keys(values), 'at']
const id = fc.bigInt({ min: -2n, max: 40n })
const rowsIn = (traits: Traits) =>
  fc.uniqueArray(
    fc.record({
      id,
      ...Object.fromEntries(
        Object.entries(valuesIn(traits)).map(([name, value]) => [name, fc.option(value, { freq: 4 })]),
      ),
    }) as fc.Arbitrary<ReferenceRow>,
    { maxLength: 30, size: 'max', selector: (row) => row['id'] },
  )

const comparisonOf = (name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .oneof(
      fc.constant(null),
      fc.record({ eq: value }),
      fc.record({ ne: fc.option(value) }),
      fc.record({ gte: value }),
      fc.record({ lt: value }),
      fc.record({ gt: value, lte: value }),
      fc.record({ in: fc.array(value, { maxLength: 2 }) }),
    )
    .map((operators) => ({ [name]: operators }))

const where = (traits: Traits) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.array(id, { maxLength: 4 }).map((ids) => ({ id: { in: ids } })) },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom('kind', 'big', 'ratio', 'at', 'ok', 'raw')
        .chain((name) => comparisonOf(name, valuesIn(traits)[name]!)),
    },
  )

const NUMBERS = ['big', 'small', 'ratio', 'price']
const measure = (traits: Traits): fc.Arbitrary<ReferenceMeasure> => {
  const extremes = traits.everyExtreme ? ['ok', 'raw'] : []
  const of = (compute: ReferenceMeasure['compute'], among: readonly string[]) =>
    fc.constantFrom(...among).map((property) => ({ compute, property }))
  return fc.oneof(
    fc.constant({ compute: 'count' as const }),
    of('countDistinct', properties),
    of('sum', NUMBERS),
    // The emulator's average of floats is none where one of them is infinite.
    of('avg', ['big', 'small']),
    of('min', [...NUMBERS, 'kind', 'day', 'at', ...extremes]),
    of('max', [...NUMBERS, 'kind', 'day', 'at', ...extremes]),
  )
}

/** Values that a measure may have, or nearly has. */
function near({ compute, property }: ReferenceMeasure, traits: Traits): fc.Arbitrary<unknown> {
  if (compute === 'count' || compute === 'countDistinct') return fc.integer({ min: 0, max: 6 })
  if (compute === 'avg') return fc.constantFrom(-2, -0.75, 0, 1e15)
  if (compute !== 'sum' || property === 'ratio') return valuesIn(traits)[property!]!
  return property === 'price'
    ? fc.constantFrom('0', '-3', '20', '199999999999999999999.5')
    : fc.constantFrom(0n, -1n, 6n, 2n ** 64n - 2n, -(2n ** 70n))
}

const direction = fc.constantFrom('asc' as const, 'desc' as const)

/** Groups without measures: the combinations of values that occur. */
const distinct: fc.Arbitrary<ReferenceGroups> = fc
  .uniqueArray(fc.constantFrom(...properties), { minLength: 1, maxLength: 2 })
  .chain((by) =>
    fc.record({
      by: fc.constant(by),
      measures: fc.constant({}),
      having: fc.constant({}),
      order: fc.uniqueArray(fc.record({ property: fc.constantFrom(...by), direction }), {
        maxLength: 2,
        selector: ({ property }) => property,
      }),
      limit: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    }),
  )

const measured = (traits: Traits): fc.Arbitrary<ReferenceGroups> =>
  fc
    .record({
      by: fc.uniqueArray(fc.constantFrom(...properties), { minLength: 1, maxLength: 2 }),
      one: measure(traits),
      two: measure(traits),
      limit: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    })
    .chain(({ by, one, two, limit }) =>
      fc.record({
        by: fc.constant(by),
        measures: fc.constant({ one, two }),
        having: fc.oneof(
          fc.constant({}),
          comparisonOf('one', near(one, traits)),
          comparisonOf('two', near(two, traits)),
        ),
        // Averages differ in their last digits from those of the reference: no order is to depend on them.
        order: fc.uniqueArray(
          fc.record({
            property: fc.constantFrom(
              ...by,
              ...(one.compute === 'avg' ? [] : ['one']),
              ...(two.compute === 'avg' ? [] : ['two']),
            ),
            direction,
          }),
          { maxLength: 2, selector: ({ property }) => property },
        ),
        limit: fc.constant(limit),
      }),
    )

const groups = (traits: Traits): fc.Arbitrary<ReferenceGroups> =>
  fc.oneof({ weight: 4, arbitrary: measured(traits) }, { weight: 1, arbitrary: distinct })

const query = (traits: Traits) => fc.record({ where: where(traits), groups: groups(traits) })
type Query = { readonly where: Record<string, unknown>; readonly groups: ReferenceGroups }

/** What the reference computes in: decimals in hundredths, and whole numbers as such. */
const exact: Readonly<
  Record<string, { readonly from: (value: Cell) => Cell; readonly to: (value: Cell) => Cell }>
> = {
  price: { from: (value) => hundredths(value as string), to: (value) => decimalOf(value as bigint) },
  small: { from: (value) => BigInt(value as number), to: Number },
}

/** How the values of a measure are exact; a sum of whole numbers stays one. */
function exactly({ compute, property }: ReferenceMeasure) {
  if (compute === 'min' || compute === 'max') return exact[property!]
  return compute === 'sum' && property === 'price' ? exact['price'] : undefined
}

function mapped(input: unknown, map: (value: Cell) => Cell): unknown {
  if (Array.isArray(input)) return input.map((each) => mapped(each, map))
  if (input === null) return null
  if (typeof input !== 'object' || input instanceof Date || Buffer.isBuffer(input)) return map(input as Cell)
  return Object.fromEntries(Object.entries(input).map(([name, each]) => [name, mapped(each, map)]))
}

/** Applies to each value of an object the one of its maps that has the value's name. */
function mappedByName(input: object, maps: Readonly<Record<string, ((value: Cell) => Cell) | undefined>>) {
  return Object.fromEntries(
    Object.entries(input).map(([name, each]) => [name, maps[name] ? mapped(each, maps[name]) : each]),
  )
}

function expected(all: readonly ReferenceRow[], { where, groups }: Query, dialect: Dialect): object[] {
  const { measures, by, having } = groups
  const kinds = {
    ...Object.fromEntries(by.map((property) => [property, exact[property]])),
    ...Object.fromEntries(Object.entries(measures).map(([name, measure]) => [name, exactly(measure)])),
  }
  const renamed = (direction: 'from' | 'to') =>
    Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, kind?.[direction]]))
  const rows = all
    .filter((row) => matches(row, where, dialect) === true)
    .map((row) => mappedByName(row, { price: exact['price']!.from, small: exact['small']!.from }))
  return groupRows(
    rows as ReferenceRow[],
    { ...groups, having: mappedByName(having, renamed('from')) },
    dialect,
  ).map((group) => mappedByName(group, renamed('to')))
}

/** Averages to the digits that every way of adding up has in common. */
function shown(found: readonly object[], { measures }: ReferenceGroups): object[] {
  return found.map((group) =>
    Object.fromEntries(
      Object.entries(comparableRow(group)).map(([name, value]) => [
        name,
        measures[name]?.compute === 'avg' && typeof value === 'number' ? value.toPrecision(9) : value,
      ]),
    ),
  )
}

async function check(
  { db }: TestDatabase,
  dialect: Dialect,
  table: Sales,
  all: readonly ReferenceRow[],
  request: Query,
): Promise<void> {
  const { by, measures, having, order, limit } = request.groups
  const select = Object.fromEntries(
    Object.entries(measures).map(([name, { compute, property }]) => [name, { [compute]: property ?? true }]),
  )
  const [first, ...others] = by as ['kind', ...'kind'[]]
  let query = db
    .fanOut(table)
    .where(request.where)
    .groupBy(first, ...others)
    .select(select as { one: { count: true } })
    .having(having)
  for (const { property, direction } of order) query = query.orderBy(property as 'one', direction)
  const found = await (limit === undefined ? query : query.limit(limit)).all()
  expect(shown(found, request.groups)).toEqual(shown(expected(all, request, dialect), request.groups))
}

export const aggregatesEqualMemory = part([], ({ dialect, traits, database }) => {
  it(
    `a fan-out computes the same groups as a reference in memory, for ${TABLES} random tables, ${QUERIES} queries each`,
    { timeout: 300_000 },
    async () => {
      const tables = SHARDS.map(sales)
      const own = await database(defineSchema(tables))
      await fc.assert(
        fc.asyncProperty(
          rowsIn(traits),
          fc.constantFrom(...tables.keys()),
          fc.array(query(traits), { minLength: QUERIES, maxLength: QUERIES }),
          async (all, at, queries) => {
            const table = tables[at]!
            await own.empty(`Sale${SHARDS[at]!}`)
            await own.db.insert(table, all as never, { allowMultipleCommits: true })
            for (const request of queries) await check(own, dialect, table, all, request as Query)
          },
        ),
        { numRuns: TABLES, endOnFailure: true },
      )
    },
  )
})
