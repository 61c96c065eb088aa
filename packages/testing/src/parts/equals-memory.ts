import {
  defineSchema,
  defineTable,
  type Database,
  type Dialect,
  type FanOutQuery,
  type Model,
} from '@isotherm/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type TestDatabase, type TestedEngine, type Traits, part } from '../part.js'
import { sortRows, type ReferenceRow } from '../data/reference.js'
import {
  expected,
  KEY_ORDER,
  keyOf,
  queryFor,
  rowsFor,
  sharded,
  SHARDS,
  type Query,
} from '../data/readings.js'

/** How many tables, and how many queries over each of them: a query is a hundred calls where no statement reads them all. */
const tablesOn = ({ transactions }: Traits): number => (transactions ? 125 : 50)
const QUERIES = 8

const readings = (shards: number, { nullKeys }: Traits) =>
  defineTable(
    `Reading${shards}`,
    (t) => ({
      shard: t.shardKey({ shards, of: ['sensor'] }),
      at: t.timestamp().key('desc'),
      sensor: t.string({ length: 100, nullable: nullKeys }).key(),
      id: t.int64().key(),
      value: t.float64({ nullable: true }),
      note: t.string({ nullable: true }),
      ok: t.bool({ nullable: true }),
      raw: t.bytes({ nullable: true }),
      amount: t.numeric({ nullable: true }),
      day: t.date({ nullable: true }),
    }),
    {
      suppress:
        shards === 1
          ? [{ rule: 'monotonic-first-key', reason: 'One shard is a boundary case of the reader.' }]
          : [],
    },
  )

function plain(found: readonly object[]): ReferenceRow[] {
  return found.map((each) => {
    const { amount: _, ...rest } = each as ReferenceRow
    return rest
  })
}

type ReadingTable = ReturnType<typeof readings>
type ReadingFields = ReadingTable extends Model<infer Fields> ? Fields : never

interface Setting extends TestDatabase {
  readonly dialect: Dialect
  readonly traits: Traits
  readonly tables: readonly ReadingTable[]
  /** The same database, as if its statements did not scan. */
  readonly service: Database
}

/** Puts these rows in the place of all others. */
async function refilled(
  { db, tables, empty, dialect, traits }: Setting,
  shards: number,
  rows: readonly ReferenceRow[],
): Promise<ReferenceRow[]> {
  const table = tables[SHARDS.indexOf(shards)]!
  await empty(table.name)
  await db.insert(table, rows as never, traits.unchecked)
  return sharded(rows, shards, { dialect })
}

async function setting({ dialect, traits, database }: TestedEngine): Promise<Setting> {
  const tables = SHARDS.map((shards) => readings(shards, traits))
  const own = await database(defineSchema(tables))
  return { tables, dialect, traits, service: own.withCosts({ statementsScan: false }), ...own }
}

function asking(
  { db, service, tables }: Setting,
  shards: number,
  { where, order, strategy, scans }: Query,
): FanOutQuery<ReadingFields> {
  const table = tables[SHARDS.indexOf(shards)]!
  let fanOut = (scans ? db : service).fanOut(table).where(where)
  for (const { property, direction } of order) fanOut = fanOut.orderBy(property as 'at', direction)
  return strategy ? fanOut.strategy(strategy) : fanOut
}

/** Page by page; what is done between two pages may be told. */
async function paged(
  fanOut: FanOutQuery<ReadingFields>,
  { pageSizes }: Query,
  rows: number,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ReferenceRow[]> {
  const found: object[] = []
  let cursor: string | undefined
  for (let turn = 0; ; turn++) {
    // A page of one row is as good as any, but hundreds of them take their time.
    const size = Math.max(pageSizes[turn % pageSizes.length]!, Math.ceil(rows / 8))
    const page = await fanOut.limit(size).after(cursor).page()
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
  const fanOut = asking(own, shards, query)
  const said = `${query.strategy}, limit ${query.limit}`
  const streamed: object[] = []
  for await (const each of query.limit === undefined ? fanOut : fanOut.limit(query.limit)) streamed.push(each)
  expect(plain(streamed), `${said}, as a stream`).toEqual(wanted.slice(0, query.limit))
  expect(await paged(fanOut, query, all.length), `${said}, in pages`).toEqual(wanted)
  expect(await fanOut.count()).toBe(wanted.length)
}

export const equalsMemory = part([], (engine) => {
  const { dialect, traits } = engine
  const tables = tablesOn(traits)
  const query = queryFor(traits, traits.strategies)
  it(
    `a fan-out equals the filter, sort and slice of the rows in memory, for ${tables * QUERIES} random queries`,
    { timeout: 600_000 },
    async () => {
      const own = await setting(engine)
      await fc.assert(
        fc.asyncProperty(
          rowsFor(traits),
          fc.constantFrom(...SHARDS),
          fc.array(query, { minLength: QUERIES, maxLength: QUERIES }),
          async (all, shards, queries) => {
            const stored = await refilled(own, shards, all)
            for (const each of queries) await check(own, shards, stored, each)
          },
        ),
        { numRuns: tables, endOnFailure: false },
      )
    },
  )

  it(
    'pages of a fan-out contain each row that existed at the start once, in order, despite inserts between pages',
    { timeout: 600_000 },
    async () => {
      const own = await setting(engine)
      await fc.assert(
        fc.asyncProperty(rowsFor(traits), fc.constantFrom(...SHARDS), query, async (all, shards, request) => {
          const half = Math.ceil(all.length / 2)
          const later = all.slice(half)
          const stored = await refilled(own, shards, all.slice(0, half))
          const table = own.tables[SHARDS.indexOf(shards)]!
          const found = await paged(asking(own, shards, request), request, half, () =>
            own.db.insert(table, later.splice(0, 2) as never, traits.unchecked),
          )
          const atStart = new Set(stored.map(keyOf))
          const wanted = expected(stored, request, dialect)
          expect(found.filter((each) => atStart.has(keyOf(each)))).toEqual(wanted)
          // Those that came meanwhile are in their places, if they are there.
          expect(new Set(found.map(keyOf)).size).toBe(found.length)
          expect(found).toEqual(sortRows(found, [...request.order, ...KEY_ORDER], dialect))
        }),
        { numRuns: 200, endOnFailure: false },
      )
    },
  )
})
