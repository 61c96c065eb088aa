import {
  defineSchema,
  defineTable,
  type Database,
  type DialectName,
  type FanOutQuery,
  type Model,
} from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STRATEGIES } from '../../packages/core/src/fan-out/planning/costs.js'
import { precise } from '../support/precise.js'
import { matches, sortRows, type Cell, type ReferenceOrder, type ReferenceRow } from '../support/reference.js'
import { dialects, testDatabase, type TestDatabase } from '../support/spanner.js'

const SHARDS = [1, 2, 7, 16]

/** How many tables, and how many queries over each of them. */
const TABLES = 125
const QUERIES = 8

const readings = (shards: number, dialect: DialectName) =>
  defineTable(
    `Reading${shards}`,
    (t) => ({
      shard: t.shardKey({ shards, of: ['sensor'] }),
      at: t.timestamp().key('desc'),
      // The PostgreSQL dialect has no NULL in a key.
      sensor: t.string({ length: 100, nullable: dialect === 'googlesql' }).key(),
      id: t.int64().key(),
      value: t.float64({ nullable: true }),
      note: t.string({ nullable: true }),
      ok: t.bool({ nullable: true }),
      raw: t.bytes({ nullable: true }),
      amount: t.numeric({ nullable: true }),
      day: t.date({ nullable: true }),
    }),
    {
      except:
        shards === 1
          ? [{ rule: 'monotonic-first-key', reason: 'One shard is a boundary case of the reader.' }]
          : [],
    },
  )

// Few values, so that ties, equal keys and matching filters are frequent.
const texts = ['', 'a', 'ab', 'b', '\u{1F600}', '\uFF5E', '\u{10FFFF}', 'é', "'; --", '\\N', 'a\u0000']
const times = [0, 1, 2].flatMap((ms) =>
  ['000000', '000001', '001000'].map((ns) => `1969-12-31T23:59:59.99${ms}${ns}Z`),
)
const orNull = (of: fc.Arbitrary<Cell>): fc.Arbitrary<Cell> => fc.option(of, { freq: 4 })

const cells: Readonly<Record<string, fc.Arbitrary<Cell>>> = {
  at: fc.constantFrom(...times.map((text) => precise(text))),
  sensor: orNull(fc.constantFrom(...texts)),
  id: fc.constantFrom(-(2n ** 63n), -1n, 0n, 1n, 2n, 3n, 2n ** 63n - 1n),
  value: orNull(fc.constantFrom(NaN, -Infinity, -1.5, 0, 1e308, Infinity)),
  note: orNull(fc.constantFrom(...texts)),
  ok: orNull(fc.boolean()),
  raw: orNull(fc.constantFrom(Buffer.of(), Buffer.of(0), Buffer.of(255, 0), Buffer.of(128))),
  day: orNull(fc.constantFrom('0001-01-01', '1969-12-31', '2026-11-21')),
}
const properties = Object.keys(cells)
const orderable = [...properties, 'shard']

const rowsFor = (dialect: DialectName) =>
  fc.uniqueArray(
    fc.record({
      ...cells,
      ...(dialect !== 'googlesql' && { sensor: fc.constantFrom(...texts) }),
    }) as fc.Arbitrary<ReferenceRow>,
    {
      maxLength: 40,
      // Small tables are what fast-check would rather make; ties, pages and refills need some rows.
      size: 'max',
      selector: ({ at, sensor, id }) => `${(at as Date).toISOString()}/${sensor}/${id}`,
    },
  )

// The key's parts bound ranges, and prune: they are filtered by most.
const comparedProperty = fc.oneof(fc.constantFrom(...properties), fc.constantFrom('at', 'sensor'))
const comparison: fc.Arbitrary<Record<string, unknown>> = comparedProperty.chain((property) => {
  const value = cells[property]!.filter((cell) => cell !== null)
  const operators: fc.Arbitrary<unknown>[] = [
    fc.constant(null),
    value,
    fc.record({ eq: value }),
    fc.record({ ne: fc.option(value) }),
    fc.record({ gte: value, lt: value }),
    fc.record({ gt: value }),
    fc.record({ lte: value }),
    fc.record({ in: fc.array(value, { maxLength: 3 }) }),
    fc.record({ notIn: fc.array(value, { maxLength: 3 }) }),
    ...(property === 'sensor' || property === 'note'
      ? [fc.record({ startsWith: fc.constantFrom(...texts) })]
      : []),
  ]
  return fc.oneof(...operators).map((condition) => ({ [property]: condition }))
})
const where = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 6,
    arbitrary: fc.array(comparison, { minLength: 1, maxLength: 3 }).map((each) => Object.assign({}, ...each)),
  },
  { weight: 1, arbitrary: fc.array(comparison, { maxLength: 3 }).map((of) => ({ OR: of })) },
  { weight: 1, arbitrary: comparison.map((of) => ({ NOT: of })) },
  {
    weight: 1,
    arbitrary: fc.tuple(comparison, comparison).map(([a, b]) => ({ AND: [{ NOT: { OR: [a, b] } }, a] })),
  },
) as fc.Arbitrary<Record<string, unknown>>

const direction = fc.constantFrom('asc' as const, 'desc' as const)
// NULL and NaN have places of their own in an order.
const orderedProperty = fc.oneof(fc.constantFrom(...orderable), fc.constantFrom('value', 'note'))
const order: fc.Arbitrary<ReferenceOrder[]> = fc.oneof(
  fc.constant<ReferenceOrder[]>([]),
  fc.constant<ReferenceOrder[]>([{ property: 'at', direction: 'desc' }]),
  fc.uniqueArray(fc.record({ property: orderedProperty, direction }), {
    maxLength: 3,
    selector: (term) => term.property,
  }),
)

const query = fc.record({
  where,
  order,
  limit: fc.option(fc.integer({ min: 1, max: 45 }), { nil: undefined }),
  pageSizes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }),
  strategy: fc.constantFrom(undefined, ...STRATEGIES),
  // Of an engine whose statements do not scan the planner asks other things.
  scans: fc.boolean(),
})
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never

/** Ties of the wanted order are broken by the key, the shard aside. */
const KEY_ORDER: readonly ReferenceOrder[] = [
  { property: 'at', direction: 'desc' },
  { property: 'sensor', direction: 'asc' },
  { property: 'id', direction: 'asc' },
]

function expected(
  all: readonly ReferenceRow[],
  { where, order }: Query,
  dialect: DialectName,
): ReferenceRow[] {
  return sortRows(
    all.filter((each) => matches(each, where, dialect) === true),
    [...order, ...KEY_ORDER],
    dialect,
  )
}

function plain(found: readonly object[]): ReferenceRow[] {
  return found.map((each) => {
    const { amount: _, ...rest } = each as ReferenceRow
    return rest
  })
}

/** The rows as they must come back: each in its shard. */
function sharded(rows: readonly ReferenceRow[], shards: number): ReferenceRow[] {
  return rows.map((each) => ({ shard: BigInt(shardOf(each['sensor'] as string | null, shards)), ...each }))
}

type ReadingTable = ReturnType<typeof readings>
type ReadingFields = ReadingTable extends Model<infer Fields> ? Fields : never

interface Setting extends TestDatabase {
  readonly tables: readonly ReadingTable[]
  /** The same database, as if its statements did not scan. */
  readonly service: Database
}

function keyOf({ at, sensor, id }: ReferenceRow): string {
  return JSON.stringify([(at as Date).toISOString(), sensor, String(id)])
}

/** Puts these rows in the place of all others. */
async function refilled(
  { db, tables, empty }: Setting,
  shards: number,
  rows: readonly ReferenceRow[],
): Promise<ReferenceRow[]> {
  const table = tables[SHARDS.indexOf(shards)]!
  await empty(table.name)
  await db.insert(table, rows as never)
  return sharded(rows, shards)
}

async function setting(dialect: DialectName): Promise<Setting> {
  const tables = SHARDS.map((shards) => readings(shards, dialect))
  const own = await testDatabase(defineSchema(tables), dialect)
  return { tables, service: own.withCosts({ statementsScan: false }), ...own }
}

function asking(
  { db, service, tables }: Setting,
  shards: number,
  { where, order, strategy, scans }: Query,
): FanOutQuery<ReadingFields> {
  const table = tables[SHARDS.indexOf(shards)]!
  let asked = (scans ? db : service).fanOut(table).where(where)
  for (const { property, direction } of order) asked = asked.orderBy(property as 'at', direction)
  return strategy ? asked.via(strategy) : asked
}

/** Page by page; what is done between two pages may be told. */
async function paged(
  asked: FanOutQuery<ReadingFields>,
  { pageSizes }: Query,
  rows: number,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ReferenceRow[]> {
  const found: object[] = []
  let cursor: string | undefined
  for (let turn = 0; ; turn++) {
    // A page of one row is as good as any, but hundreds of them take their time.
    const size = Math.max(pageSizes[turn % pageSizes.length]!, Math.ceil(rows / 8))
    const page = await asked.limit(size).after(cursor).page()
    expect(page.rows.length).toBe(page.next === undefined ? page.rows.length : size)
    found.push(...page.rows)
    cursor = page.next
    if (cursor === undefined) return plain(found)
    await between()
  }
}

async function check(
  own: Setting,
  shards: number,
  all: readonly ReferenceRow[],
  query: Query,
): Promise<void> {
  const wanted = expected(all, query, own.dialect)
  const asked = asking(own, shards, query)
  const said = `${query.strategy}, limit ${query.limit}`
  const streamed: object[] = []
  for await (const each of query.limit === undefined ? asked : asked.limit(query.limit)) streamed.push(each)
  expect(plain(streamed), `${said}, as a stream`).toEqual(wanted.slice(0, query.limit))
  expect(await paged(asked, query, all.length), `${said}, in pages`).toEqual(wanted)
  expect(await asked.count()).toBe(wanted.length)
}

describe.each(dialects)('in %s, a fan-out', (dialect) => {
  it(
    `equals the filter, sort and slice of the rows in memory, for ${TABLES * QUERIES} random queries`,
    { timeout: 600_000 },
    async () => {
      const own = await setting(dialect)
      await fc.assert(
        fc.asyncProperty(
          rowsFor(dialect),
          fc.constantFrom(...SHARDS),
          fc.array(query, { minLength: QUERIES, maxLength: QUERIES }),
          async (all, shards, queries) => {
            const stored = await refilled(own, shards, all)
            for (const each of queries) await check(own, shards, stored, each)
          },
        ),
        { numRuns: TABLES, endOnFailure: false },
      )
    },
  )

  it(
    'gives every row that was there at the start exactly once, in order, whatever is inserted between pages',
    { timeout: 600_000 },
    async () => {
      const own = await setting(dialect)
      await fc.assert(
        fc.asyncProperty(rowsFor(dialect), fc.constantFrom(...SHARDS), query, async (all, shards, asked) => {
          const half = Math.ceil(all.length / 2)
          const later = all.slice(half)
          const stored = await refilled(own, shards, all.slice(0, half))
          const table = own.tables[SHARDS.indexOf(shards)]!
          const found = await paged(asking(own, shards, asked), asked, half, () =>
            own.db.insert(table, later.splice(0, 2) as never),
          )
          const atStart = new Set(stored.map(keyOf))
          const wanted = expected(stored, asked, dialect)
          expect(found.filter((each) => atStart.has(keyOf(each)))).toEqual(wanted)
          // Those that came meanwhile are in their places, if they are there.
          expect(new Set(found.map(keyOf)).size).toBe(found.length)
          expect(found).toEqual(sortRows(found, [...asked.order, ...KEY_ORDER], dialect))
        }),
        { numRuns: 200, endOnFailure: false },
      )
    },
  )
})
