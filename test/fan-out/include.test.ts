import {
  defineSchema,
  defineTable,
  type CostProfile,
  type Database,
  type DialectName,
  type IncludeWay,
  type Strategy,
} from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { precise } from '../support/precise.js'
import { matches, sortRows, type Cell, type ReferenceOrder, type ReferenceRow } from '../support/reference.js'
import { dialects, testDatabase } from '../support/spanner.js'

// What a row's children are must equal the filter, sort and slice of all of them in memory, however they are read.

const RUNS = 20
const SHARDS = 3
const cascade = { onDelete: 'cascade' } as const

const tablesOf = (dialect: DialectName) => {
  // The PostgreSQL dialect has no NULL in a key.
  const nullable = dialect === 'googlesql'
  const Site = defineTable('Site', (t) => ({
    shard: t.shardKey({ shards: SHARDS, of: ['zone'] }),
    opened: t.descTimestamp(),
    id: t.uuidV4({ storage: 'int64-pair' }),
    zone: t.string({ length: 20, nullable }).key(),
    title: t.string({ nullable: true }),
  }))
  const site = (t: Parameters<Parameters<typeof defineTable>[1]>[0]) => ({
    shard: t.parentKey<bigint>(),
    opened: t.parentKey<Date>(),
    id: t.parentKey<string>(),
    zone: t.parentKey<string | null>(),
  })
  const Order = defineTable(
    'Order',
    (t) => ({
      ...site(t),
      placed: t.descTimestamp(),
      number: t.int64({ nullable }).key('desc'),
      note: t.string({ nullable: true }),
      price: t.float64({ nullable: true }),
      tags: t.array({ kind: 'string', length: 'max' }),
    }),
    { interleaveIn: () => Site, ...cascade },
  )
  const Line = defineTable(
    'Line',
    (t) => ({
      ...site(t),
      placed: t.parentKey<Date>(),
      number: t.parentKey<bigint | null>(),
      line: t.int64().key(),
    }),
    { interleaveIn: () => Order, ...cascade },
  )
  // A child that has the name of one of its columns.
  const Mark = defineTable('Mark', (t) => ({ ...site(t), mark: t.string({ length: 10 }).key() }), {
    interleaveIn: () => Site,
    ...cascade,
  })
  return { Site, Order, Line, Mark }
}

// Few values, so that keys share their beginnings, and ties and matching filters are frequent.
const times = ['000000', '000001', '001000'].map((ns) => precise(`1969-12-31T23:59:59.999${ns}Z`))
const ids = ['0', '7'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`)
const orNull = (of: fc.Arbitrary<Cell>): fc.Arbitrary<Cell> => fc.option(of, { freq: 3 })
const keyText = (row: ReferenceRow, of: readonly string[]): string =>
  JSON.stringify(
    of.map((each) => row[each]),
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  )

const SITE_KEY = ['opened', 'id', 'zone']
const ORDER_KEY = [...SITE_KEY, 'placed', 'number']

interface Tree {
  readonly sites: readonly ReferenceRow[]
  readonly orders: readonly ReferenceRow[]
  readonly lines: readonly ReferenceRow[]
  readonly marks: readonly ReferenceRow[]
}

const unique = (of: fc.Arbitrary<ReferenceRow>, key: readonly string[], maxLength: number) =>
  fc.uniqueArray(of, { maxLength, size: 'max', selector: (row) => keyText(row, key) })

/** Rows with the keys of some of these, and values of their own. */
function below(
  parents: readonly ReferenceRow[],
  key: readonly string[],
  own: Readonly<Record<string, fc.Arbitrary<Cell>>>,
): fc.Arbitrary<ReferenceRow> {
  return fc.tuple(fc.constantFrom(...parents), fc.record(own)).map(([parent, values]) => ({
    ...Object.fromEntries(key.map((property) => [property, parent[property]!])),
    ...values,
  }))
}

function treesOf(dialect: DialectName): fc.Arbitrary<Tree> {
  const keyPart = (of: fc.Arbitrary<Cell>) => (dialect === 'googlesql' ? orNull(of) : of)
  const site = fc.record({
    opened: fc.constantFrom(...times),
    id: fc.constantFrom(...ids),
    zone: keyPart(fc.constantFrom('', 'a', 'b', '\u{1F600}')),
    title: orNull(fc.constantFrom('x', 'y')),
  }) as fc.Arbitrary<ReferenceRow>
  const none = fc.constant<ReferenceRow[]>([])
  return unique(site, SITE_KEY, 12).chain((sites): fc.Arbitrary<Tree> => {
    if (sites.length === 0) return fc.constant<Tree>({ sites, orders: [], lines: [], marks: [] })
    const mark = below(sites, SITE_KEY, { mark: fc.constantFrom('m', 'n') })
    const order = below(sites, SITE_KEY, {
      placed: fc.constantFrom(...times),
      number: keyPart(fc.bigInt({ min: -2n, max: 3n })),
      note: orNull(fc.constantFrom('', 'a', 'ab', 'b')),
      price: orNull(fc.constantFrom(NaN, -1.5, 0, 2, Infinity)),
    })
    return unique(order, ORDER_KEY, 60).chain((orders) => {
      const line = () => below(orders, ORDER_KEY, { line: fc.bigInt({ min: 0n, max: 2n }) })
      return fc.record({
        sites: fc.constant(sites),
        orders: fc.constant(orders),
        lines: orders.length === 0 ? none : unique(line(), [...ORDER_KEY, 'line'], 40),
        marks: unique(mark, [...SITE_KEY, 'mark'], 10),
      })
    })
  })
}

const condition: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.constant({ note: null }),
  fc.constantFrom('a', 'b').map((note) => ({ note: { startsWith: note } })),
  fc.constantFrom(NaN, 0, 2).map((price) => ({ price: { lte: price } })),
  fc.constantFrom(...times).map((placed) => ({ placed: { gt: placed } })),
  fc.constantFrom(...times).map((placed) => ({ placed, number: { lt: 2n } })),
  fc.constantFrom(...times).map((placed) => ({ placed: { lte: placed }, NOT: { note: 'a' } })),
  fc.constantFrom('a', 'b').map((zone) => ({ zone })),
  fc.constant({ number: { in: [] } }),
)
const direction = fc.constantFrom('asc' as const, 'desc' as const)
const property = fc.constantFrom<string>('placed', 'number', 'note', 'price', 'zone', 'shard')
const query = fc.record({
  where: fc.option(condition, { nil: undefined }),
  order: fc.oneof<fc.Arbitrary<ReferenceOrder[]>[]>(
    fc.constant<ReferenceOrder[]>([]),
    fc.constant<ReferenceOrder[]>([{ property: 'placed', direction: 'desc' }]),
    fc.uniqueArray(fc.record({ property, direction }), { maxLength: 2, selector: (term) => term.property }),
  ),
  limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  pageSize: fc.integer({ min: 1, max: 9 }),
  strategy: fc.constantFrom<Strategy | undefined>(
    undefined,
    'read-ranges',
    'merge-shards',
    'probe-window',
    'push-down',
  ),
})
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never

const asc = (property: string): ReferenceOrder => ({ property, direction: 'asc' })
const desc = (property: string): ReferenceOrder => ({ property, direction: 'desc' })

function expected(tree: Tree, { where = {}, order, limit }: Query, dialect: DialectName): ReferenceRow[] {
  const sharded = (row: ReferenceRow): ReferenceRow => ({
    shard: BigInt(shardOf(row['zone'] as string | null, SHARDS)),
    ...row,
  })
  const childrenOf = (row: ReferenceRow, key: readonly string[], all: readonly ReferenceRow[]) =>
    all.filter((each) => keyText(each, key) === keyText(row, key)).map(sharded)
  return sortRows(tree.sites, [desc('opened'), asc('id'), asc('zone')], dialect).map((site) => ({
    ...sharded(site),
    orders: sortRows(
      childrenOf(site, SITE_KEY, tree.orders).filter((each) => matches(each, where, dialect) === true),
      [...order, desc('placed'), desc('number')],
      dialect,
    )
      .slice(0, limit)
      .map((each) => ({
        ...each,
        tags: ['t'],
        lines: sortRows(childrenOf(each, ORDER_KEY, tree.lines), [desc('line')], dialect).slice(0, 2),
      })),
    marks: sortRows(childrenOf(site, SITE_KEY, tree.marks), [asc('mark')], dialect),
  })) as never
}

/** Costs that leave no choice; what they do to the rows' own strategy is overruled. */
const forced: Record<IncludeWay, Partial<CostProfile>> = {
  read: { statement: 1e9 },
  statement: { statement: -1e9, statementsScan: false },
}
const ways = ['read', 'statement'] as const

describe.each(dialects)('children in %s', async (dialect) => {
  const { Site, Order, Line, Mark } = tablesOf(dialect)
  const own = await testDatabase(defineSchema([Site, Order, Line, Mark]), dialect)
  const { db, empty } = own

  const asked = (database: Database, { where, order, limit, strategy }: Query) => {
    const sites = database.fanOut(Site).include('orders', Order, {
      ...(where && { where: where as object }),
      orderBy: order.map(({ property, direction }) => [property as 'note', direction] as const),
      ...(limit !== undefined && { limit }),
      include: (orders) => orders.include('lines', Line, { orderBy: ['line', 'desc'], limit: 2 }),
    })
    const both = sites.include('marks', Mark)
    return strategy ? both.via(strategy) : both
  }

  it.each(ways)('are those of each row, filtered, sorted and cut, by %s, page by page', async (way) => {
    const database = own.withCosts(forced[way])
    await fc.assert(
      fc.asyncProperty(treesOf(dialect), query, async (tree, question) => {
        await empty('Site')
        await db.insert(Site, tree.sites as never)
        await db.insert(Order, tree.orders.map((each) => ({ ...each, tags: ['t'] })) as never)
        await db.insert(Line, tree.lines as never)
        await db.insert(Mark, tree.marks as never)
        const wanted = expected(tree, question, dialect)
        const sites = asked(database, question)
        expect(sites.explain().includes?.map(({ via }) => via)).toEqual([way, way])

        expect(await sites.all()).toEqual(wanted)
        const paged: object[] = []
        let next: string | undefined
        do {
          const page = await sites.limit(question.pageSize).after(next).page()
          paged.push(...page.rows)
          ;({ next } = page)
        } while (next !== undefined)
        expect(paged).toEqual(wanted)
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  const many = Array.from({ length: 300 }, (_, n) => ({
    shard: BigInt(shardOf('a', SHARDS)),
    opened: times[0]!,
    id: `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`,
    zone: 'a',
  }))
  const orderOf = (site: (typeof many)[number], number: bigint) => ({
    ...site,
    placed: times[1]!,
    number,
    tags: [],
  })

  it.each(ways)('are of the moment of their rows, by %s', async (way) => {
    await empty('Site')
    await db.insert(Site, many)
    await db.insert(
      Order,
      many.map((site) => orderOf(site, 1n)),
    )
    const seen: number[] = []
    const sites = own.withCosts(forced[way]).fanOut(Site).include('orders', Order)
    for await (const { orders } of sites) {
      // After the first batch, before the second.
      if (seen.length === 0) await db.insert(Order, [orderOf(many.at(-1)!, 2n)])
      seen.push(orders.length)
    }
    expect(seen).toEqual(many.map(() => 1))
    expect((await sites.all()).at(-1)!.orders).toHaveLength(2)
  })

  it.each(ways)(
    'of one page are of one moment, though a single call has read the rows, by %s',
    async (way) => {
      await empty('Site')
      await db.insert(Site, many.slice(0, 1))
      const sites = own.withCosts(forced[way]).fanOut(Site).where(many[0]!).include('orders', Order)
      const plan = sites.explain()
      expect([plan.calls.length, plan.snapshot]).toEqual([1, true])
      expect((await sites.page()).rows.map(({ orders }) => orders)).toEqual([[]])
    },
  )

  it.each(ways)(
    'are found by the names of their tables as well, below their children too, by %s',
    async (way) => {
      await empty('Site')
      const [site] = many
      await db.insert(Site, [site!])
      await db.insert(Order, [orderOf(site!, 5n)])
      await db.insert(Line, [{ ...site!, placed: times[1]!, number: 5n, line: 3n }])
      const [found] = await own
        .withCosts(forced[way])
        .fanOut('Site')
        .include('orders', 'Order', { where: { number: 5n } })
        .include('lines', 'Line', { limit: 1, orderBy: [['number', 'desc'], ['line']] })
        .all()
      expect(found).toMatchObject({ ...site, orders: [{ number: 5n }], lines: [{ number: 5n, line: 3n }] })
    },
  )
})

describe('children whose keys have what equals nothing in them', () => {
  const Probe = defineTable('Probe', (t) => ({
    level: t.float64({ nullable: true }).key(),
    id: t.int64().key(),
  }))
  const Reading = defineTable(
    'Reading',
    (t) => ({ level: t.parentKey<number | null>(), id: t.parentKey<bigint>(), reading: t.int64().key() }),
    { interleaveIn: () => Probe, ...cascade },
  )

  it.each(ways)('find their parents, by %s', async (way) => {
    const { db, withCosts } = await testDatabase(defineSchema([Probe, Reading]))
    const probes = [null, NaN, 0, 1].map((level, at) => ({ level, id: BigInt(at % 2) }))
    const keys = probes.map(({ level, id }) => [Number.isNaN(level) ? 'NaN' : level, String(id)])
    await db.driver.write([
      { op: 'insert', table: 'Probe', columns: ['level', 'id'], rows: keys },
      {
        op: 'insert',
        table: 'Reading',
        columns: ['level', 'id', 'reading'],
        rows: keys.flatMap((key) => ['1', '2'].map((reading) => [...key, reading])),
      },
    ])
    const found = await withCosts(forced[way])
      .fanOut(Probe)
      .include('newest', Reading, { orderBy: ['reading', 'desc'], limit: 1 })
      .all()
    expect(found).toEqual(probes.map((probe) => ({ ...probe, newest: [{ ...probe, reading: 2n }] })))
  })
})
