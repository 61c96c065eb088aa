import { defineSchema, defineTable, type Database, type Dialect, type Strategy } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { includeCosts } from '../data/include-costs.js'
import { type Traits, part } from '../part.js'
import { cut, precise } from '../data/precise.js'
import { matches, sortRows, type Cell, type ReferenceOrder, type ReferenceRow } from '../data/reference.js'

// What a row's children are must equal the filter, sort and slice of all of them in memory, however they are read.

const RUNS = 20
const SHARDS = 3
/** On Cassandra, the children are in tables of their own, not in the partitions of their parents. */
const own = { rows: 'own' } as const

const tablesOf = ({ nullKeys: nullable }: Traits) => {
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
      tags: t.array({ kind: 'string', length: 'max' }, { nullable: true }),
    }),
    { interleaveIn: () => Site, ...own },
  )
  const Line = defineTable(
    'Line',
    (t) => ({
      ...site(t),
      placed: t.parentKey<Date>(),
      number: t.parentKey<bigint | null>(),
      line: t.int64().key(),
    }),
    { interleaveIn: () => Order, ...own },
  )
  // A child that has the name of one of its columns.
  const Mark = defineTable('Mark', (t) => ({ ...site(t), mark: t.string({ length: 10 }).key() }), {
    interleaveIn: () => Site,
    ...own,
  })
  return { Site, Order, Line, Mark }
}

// Few values, so that keys share their beginnings, and ties and matching filters are frequent.
const timesOf = ({ timestampDigits }: Traits): Date[] => {
  const moments = ['998', '999', '999000001', '999001'].map((fraction) =>
    cut(precise(`1969-12-31T23:59:59.${fraction}Z`), timestampDigits),
  )
  return moments.filter(
    (each, at) => moments.findIndex((other) => other.toISOString() === each.toISOString()) === at,
  )
}
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

function treesOf(traits: Traits): fc.Arbitrary<Tree> {
  const times = timesOf(traits)
  const keyPart = (of: fc.Arbitrary<Cell>) => (traits.nullKeys ? orNull(of) : of)
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

const condition = (times: readonly Date[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.oneof(
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
const queryFor = (traits: Traits) =>
  fc.record({
    where: fc.option(condition(timesOf(traits)), { nil: undefined }),
    order: fc.oneof<fc.Arbitrary<ReferenceOrder[]>[]>(
      fc.constant<ReferenceOrder[]>([]),
      fc.constant<ReferenceOrder[]>([{ property: 'placed', direction: 'desc' }]),
      fc.uniqueArray(fc.record({ property, direction }), { maxLength: 2, selector: (term) => term.property }),
    ),
    limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    pageSize: fc.integer({ min: 1, max: 9 }),
    strategy: fc.constantFrom<Strategy | undefined>(undefined, ...traits.strategies),
  })
type Query = ReturnType<typeof queryFor> extends fc.Arbitrary<infer T> ? T : never

const asc = (property: string): ReferenceOrder => ({ property, direction: 'asc' })
const desc = (property: string): ReferenceOrder => ({ property, direction: 'desc' })

function expected(tree: Tree, { where = {}, order, limit }: Query, dialect: Dialect): ReferenceRow[] {
  const sharded = (row: ReferenceRow): ReferenceRow => ({
    shard: BigInt(shardOf(row['zone'] as string | null, SHARDS, { dialect })),
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

export const include = part(['interleaving'], async ({ dialect, traits, database }) => {
  const { Site, Order, Line, Mark } = tablesOf(traits)
  const whole = await database(defineSchema([Site, Order, Line, Mark]))
  const { db } = whole
  const strategies = traits.includeStrategies

  /** Puts these rows in the place of all others. */
  const refill = async ({ sites, orders, lines, marks }: Tree): Promise<void> => {
    for (const table of ['Line', 'Order', 'Mark', 'Site']) await whole.empty(table)
    await db.insert(Site, sites as never, traits.unchecked)
    await db.insert(Order, orders.map((each) => ({ ...each, tags: ['t'] })) as never, traits.unchecked)
    await db.insert(Line, lines as never, traits.unchecked)
    await db.insert(Mark, marks as never, traits.unchecked)
  }

  const queryOf = (through: Database, { where, order, limit, strategy }: Query) => {
    const sites = through.fanOut(Site).include('orders', Order, {
      ...(where && { where: where as object }),
      orderBy: order.map(({ property, direction }) => [property as 'note', direction] as const),
      ...(limit !== undefined && { limit }),
      include: (orders) => orders.include('lines', Line, { orderBy: ['line', 'desc'], limit: 2 }),
    })
    const both = sites.include('marks', Mark)
    return strategy ? both.strategy(strategy) : both
  }

  it.each(strategies)(
    'include() with strategy %s returns the filtered, sorted and limited children of each row, in all pages',
    async (strategy) => {
      const forcing = whole.withCosts(includeCosts[strategy])
      await fc.assert(
        fc.asyncProperty(treesOf(traits), queryFor(traits), async (tree, question) => {
          await refill(tree)
          const wanted = expected(tree, question, dialect)
          const sites = queryOf(forcing, question)
          expect(sites.explain().includes?.map(({ strategy }) => strategy)).toEqual([strategy, strategy])

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
    },
  )

  it.each(strategies)(
    'include() with strategy %s accepts names of tables for children and grandchildren',
    async (strategy) => {
      const [opened, placed] = timesOf(traits) as [Date, Date]
      const site = { opened, id: ids[0]!, zone: 'a' }
      const order = { ...site, placed, number: 5n }
      await refill({ sites: [site], orders: [order], lines: [{ ...order, line: 3n }], marks: [] })
      const [found] = await whole
        .withCosts(includeCosts[strategy])
        .fanOut('Site')
        .include('orders', 'Order', { where: { number: 5n } })
        .include('lines', 'Line', { limit: 1, orderBy: [['number', 'desc'], ['line']] })
        .all()
      expect(found).toMatchObject({ ...site, orders: [{ number: 5n }], lines: [{ number: 5n, line: 3n }] })
    },
  )
})
