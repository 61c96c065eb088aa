import type { ReadRequest } from '@isotherm/core/engine'
import { type PlainRow, CompiledTables } from '@isotherm/core/tools'
import {
  defineSchema,
  defineTable,
  IsothermError,
  type Driver,
  type TransactionalDriver,
  type Dialect,
} from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileWhere } from '../../../src/rows/filter.js'
import { predicateOf } from '../../../src/rows/predicate.js'
import { rowOrder, totalOrder } from '../../../src/read/plan/order.js'
import { FanOutQuery } from '../../../src/read/query.js'
import { moment } from '../../support/arbitraries.js'
import { dialects } from '../../support/layout.js'
import { refusal } from '../../support/refusal.js'
import { memoryDriver } from '../support/memory.js'

// Children that are read by key are those that a filter over all of them would find, cut and sorted for each row.

const SHARDS = 3

function tablesIn(dialect: Dialect) {
  const cascade = { onDelete: 'cascade' } as const
  const Site = defineTable(
    'Site',
    (t) => ({
      shard: t.shardKey({ shards: SHARDS, of: ['site'] }),
      opened: t.descTimestamp(),
      site: t.int64().key(),
      title: t.string(),
      size: t.string(),
    }),
    {
      indexes: [
        { name: 'ByTitle', on: ['title'] },
        { name: 'Covering', on: ['title'], storing: ['size'] },
      ],
    },
  )
  const Order = defineTable(
    'Order',
    (t) => ({
      shard: t.parentKey<bigint>(),
      opened: t.parentKey<Date>(),
      site: t.parentKey<bigint>(),
      placed: t.descTimestamp(),
      note: t.string({ nullable: true }),
    }),
    { interleaveIn: () => Site, ...cascade },
  )
  const Line = defineTable(
    'Line',
    (t) => ({
      shard: t.parentKey<bigint>(),
      opened: t.parentKey<Date>(),
      site: t.parentKey<bigint>(),
      placed: t.parentKey<Date>(),
      line: t.int64().key('desc'),
    }),
    { interleaveIn: () => Order, ...cascade },
  )
  const Other = defineTable('Other', (t) => ({ other: t.int64().key() }), {
    suppress: [{ rule: 'monotonic-first-key', reason: 'For a test.' }],
  })
  const tables = new CompiledTables(defineSchema([Site, Order, Line, Other]), dialect)
  return { Site, Order, Line, Other, tables }
}

interface Rows {
  readonly sites: readonly PlainRow[]
  readonly orders: readonly PlainRow[]
  readonly lines: readonly PlainRow[]
}

const times = [moment(0, 0), moment(0, 1), moment(0, 1000), moment(1, 0)]

const rows: fc.Arbitrary<Rows> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...times), fc.bigInt({ min: 0n, max: 5n })), {
    maxLength: 8,
    selector: ([opened, site]) => `${opened.toISOString()} ${site}`,
  })
  .chain((keys) => {
    const sites = keys.map(([opened, site]) => ({ shard: BigInt(shardOf(site, SHARDS)), opened, site }))
    const orders = fc.tuple(
      ...sites.map((site) => fc.subarray(times).map((some) => some.map((placed) => ({ ...site, placed })))),
    )
    return orders.chain((families) => {
      const all = families.flat()
      return fc.record({
        sites: fc.constant(sites.map((site) => ({ ...site, title: `t${site.site % 2n}`, size: 's' }))),
        orders: fc.tuple(
          ...all.map((order) => fc.constantFrom(null, 'a', 'b').map((note) => ({ ...order, note }))),
        ),
        lines: fc.constant(all.flatMap((order) => [1n, 2n].map((line) => ({ ...order, line })))),
      })
    })
  })

const query = fc.record({
  where: fc.constantFrom<PlainRow[]>(
    {},
    { note: 'a' },
    { note: null },
    { placed: { gte: times[1] } },
    { placed: { lt: times[2] }, note: { ne: null } },
    { placed: times[1] },
    { opened: times[0] },
  ),
  orderBy: fc.constantFrom<(readonly [string, ('asc' | 'desc')?])[]>(
    [],
    ['note', 'desc'] as never,
    [['note']],
    [['note', 'desc'], ['placed']],
    [['placed', 'desc']],
  ),
  limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  page: fc.integer({ min: 1, max: 5 }),
  strategy: fc.constantFrom('merge-shards' as const, 'read-ranges' as const, 'probe-window' as const),
})

describe.each(dialects)('include() in $name', (dialect) => {
  const { tables, Other } = tablesIn(dialect)
  const [site, order, line] = ['Site', 'Order', 'Line'].map((name) => tables.of(name)) as [
    ReturnType<typeof tables.of>,
    ReturnType<typeof tables.of>,
    ReturnType<typeof tables.of>,
  ]

  function over({ sites, orders, lines }: Rows) {
    const driver = memoryDriver(site, sites, [
      [order, orders],
      [line, lines],
    ])
    // Statements at a prohibitive cost: this driver has no statements.
    const costs = { ...driver.costs, statement: 1e9 }
    const reading = { ...driver, costs }
    return { driver, sites: FanOutQuery.over<PlainRow>({ driver: reading, tables }, site) }
  }

  const isChild = (row: PlainRow) => (each: PlainRow) =>
    each['site'] === row['site'] && each['opened'] === row['opened']

  it('returns the children of each row, filtered, sorted and limited, with their own children', async () => {
    await fc.assert(
      fc.asyncProperty(rows, query, async (all, { where, orderBy, limit, page, strategy }) => {
        const { sites } = over(all)
        const matches = predicateOf(compileWhere(order.layout, where), dialect)
        const terms = (typeof orderBy[0] === 'string' ? [orderBy as never] : orderBy).map(
          ([property, direction = 'asc' as const]) => ({ property, direction }),
        )
        const expected = [...all.sites].sort(rowOrder(dialect, totalOrder(site.layout, []))).map((row) => ({
          ...row,
          orders: all.orders
            .filter((each) => isChild(row)(each) && matches(each) === true)
            .sort(rowOrder(dialect, totalOrder(order.layout, terms)))
            .slice(0, limit)
            .map((each) => ({
              ...each,
              lines: all.lines
                .filter((below) => isChild(row)(below) && below['placed'] === each['placed'])
                .sort(rowOrder(dialect, totalOrder(line.layout, []))),
            })),
        }))
        const query = sites.strategy(strategy).include('orders', 'Order', {
          where,
          orderBy,
          ...(limit !== undefined && { limit }),
          include: (orders) => orders.include('lines', 'Line'),
        })
        expect(await query.all()).toStrictEqual(expected)
        const paged: PlainRow[] = []
        let next: string | undefined
        do {
          const found = await query.limit(page).after(next).page()
          paged.push(...found.rows)
          ;({ next } = found)
        } while (next !== undefined)
        expect(paged).toStrictEqual(expected)
      }),
      { numRuns: 100 },
    )
  })

  const numbered = (count: number): Rows => {
    const sites = Array.from({ length: count }, (_, n) => ({
      shard: BigInt(shardOf(BigInt(n), SHARDS)),
      opened: times[0],
      site: BigInt(n),
      title: `t${n % 2}`,
      size: 's',
    }))
    const orders = sites.map(({ shard, opened, site }) => ({
      shard,
      opened,
      site,
      placed: times[0],
      note: null,
    }))
    return { sites, orders, lines: [] }
  }
  const ofOrders = ({ reads }: { readonly reads: readonly ReadRequest[] }) =>
    reads.filter((request) => request.layout.table.name === 'Order').map(({ ranges }) => ranges?.length)

  it('reads the children of 256 rows per call, and no children of rows beyond the page', async () => {
    const stream = over(numbered(300))
    expect(await stream.sites.include('orders', 'Order').all()).toHaveLength(300)
    expect(ofOrders(stream.driver)).toStrictEqual([256, 44])
    const page = over(numbered(30))
    const { rows: found, next } = await page.sites.include('orders', 'Order').limit(10).page()
    expect([found.length, typeof next]).toStrictEqual([10, 'string'])
    expect(ofOrders(page.driver)).toStrictEqual([10])
  })

  it('reads only the key range of the children that the filter leaves', async () => {
    const { driver, sites } = over(numbered(1))
    await sites.include('orders', 'Order', { where: { placed: { gte: times[1]! } } }).all()
    const [range] = driver.reads.find((request) => request.layout.table.name === 'Order')!.ranges!
    expect(range!.end.length).toBe(range!.start.length + 1)
  })

  it('accepts a cursor of the same query without include()', async () => {
    const { sites } = over(numbered(9))
    const { next } = await sites.limit(3).page()
    const more = await sites.include('orders', 'Order').limit(3).after(next).page()
    expect(more.rows.map((row) => row['site'])).toStrictEqual([3n, 4n, 5n])
  })

  it.each([
    ['ByTitle', 'back-join'],
    ['Covering', 'merge-shards'],
  ] as const)('returns children with rows that the index %s has found', async (index, strategy) => {
    const { sites } = over(numbered(6))
    const query = sites.orderBy('title').include('orders', 'Order').useIndex(index).strategy(strategy)
    expect(query.explain().strategy).toBe(strategy)
    const found = await query.all()
    expect(found.map((row) => [row['site'], row.orders.map((each) => each['site'])])).toStrictEqual(
      [0n, 2n, 4n, 1n, 3n, 5n].map((each) => [each, [each]]),
    )
  })

  describe('include() when the children of one shard cannot be read', () => {
    const failing = (driver: TransactionalDriver, broken: string): Driver => {
      const read: Driver['read'] = (request, options) =>
        request.layout.table.name === 'Order' && request.ranges!.some(({ start }) => start[0] === broken)
          ? Promise.reject(new IsothermError('TIMEOUT', 'Too late.'))
          : driver.read(request, options)
      return {
        ...driver,
        read,
        snapshot: async (options) => ({ ...(await driver.snapshot(options)), read }),
      }
    }
    const all = numbered(40)
    const kept = all.sites.filter(({ shard }) => shard !== 1n).map((row) => row['site'])
    const failingSites = () => {
      // Shards have a health of their own in each layout.
      const fresh = tablesIn(dialect).tables
      const [parent, child] = [fresh.of('Site'), fresh.of('Order')]
      const driver = memoryDriver(parent, all.sites, [[child, all.orders]])
      return FanOutQuery.over<PlainRow>({ driver: failing(driver, '1'), tables: fresh }, parent).include(
        'orders',
        'Order',
      )
    }

    it('rejects with TIMEOUT when the read times out', async () => {
      await expect(failingSites().all()).rejects.toMatchObject({ code: 'TIMEOUT' })
    })

    it('fills a partial page with rows of other shards', async () => {
      const query = failingSites().onShardError('partial')
      const found = await query.limit(7).page()
      expect(found.rows.map((row) => row['site'])).toStrictEqual(kept.slice(0, 7))
      expect(found.rows.map(({ orders }) => orders.length)).toStrictEqual(Array(7).fill(1))
      expect(found.missing.map(({ shard }) => shard)).toStrictEqual([1])
      const rest = await query.after(found.next).page()
      expect(rest.rows.map((row) => row['site'])).toStrictEqual(kept.slice(7))
    })
  })

  type Sites = FanOutQuery<PlainRow>
  it.each<[string, (sites: Sites) => unknown, string]>([
    [
      'the name of an existing property',
      (sites) => sites.include('title', 'Order'),
      'Site has the property "title" already. Include the children under another name.',
    ],
    [
      'the name of another include',
      (sites) => sites.include('a', 'Order').include('a' as string, 'Line'),
      'Site has the property "a" already. Include the children under another name.',
    ],
    [
      'the name __proto__',
      (sites) => sites.include('__proto__', 'Order'),
      `Site cannot give its rows the property "__proto__". Name what is included: include('orders', Order).`,
    ],
    [
      'a table that is not interleaved in the parent',
      (sites) => sites.include('others', Other),
      'Site cannot include Other, which is not interleaved in it. ' +
        'Include a table whose rows lie within those of Site, or read Other by a query of its own.',
    ],
    [
      'the parent table itself',
      (sites) => sites.include('sites', 'Site'),
      'Site cannot include Site, which is not interleaved in it. ' +
        'Include a table whose rows lie within those of Site, or read Site by a query of its own.',
    ],
    [
      'the parent table among the children',
      (sites) => sites.include('orders', 'Order', { include: (orders) => orders.include('up', 'Site') }),
      'Order cannot include Site, which is not interleaved in it. ' +
        'Include a table whose rows lie within those of Order, or read Site by a query of its own.',
    ],
    [
      'the limit 0',
      (sites) => sites.include('orders', 'Order', { limit: 0 }),
      'Order has the limit 0. A limit is a whole number from 1.',
    ],
    [
      'an order by an unknown property',
      (sites) => sites.include('orders', 'Order', { orderBy: ['colour'] }),
      'Order has no property "colour" to order by. Choose from shard, opened, site, placed, note.',
    ],
    [
      'an order that is not a list',
      (sites) => sites.include('orders', 'Order', { orderBy: 'note' as never }),
      'Order takes a property and a direction, or a list of such, as the order of an include. ' +
        "Write orderBy: ['property', 'desc'].",
    ],
    [
      'the filter undefined',
      (sites) => sites.include('orders', 'Order', { where: undefined as never }),
      'Order takes an object of properties and conditions as its filter. Write where({ property: value }).',
    ],
    [
      'undefined in a condition',
      (sites) => sites.include('orders', 'Order', { where: { note: { eq: undefined } } }),
      'Order has undefined for note.eq in its filter. Leave the property out for no condition; null is for IS NULL.',
    ],
    [
      'a filter on an unknown property',
      (sites) => sites.include('orders', 'Order', { where: { colour: 1 } }),
      'Order has no property "colour" to filter by. Choose from shard, opened, site, placed, note.',
    ],
  ])('rejects an include with %s', (_, ask, said) => {
    const { code, message } = refusal(() => ask(over(numbered(1)).sites))
    expect([code, message]).toStrictEqual(['INVALID_QUERY', said])
  })
})
