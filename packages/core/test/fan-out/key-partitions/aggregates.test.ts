import type { PlainRow } from '@isotherm/core/tools'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { compileWhere } from '../../../src/rows/filter.js'
import { predicateOf } from '../../../src/rows/predicate.js'
import { compiledByPartition, byPartition, namedByPartition, NOW } from '../support/by-partition.js'
import { FanOutQuery } from '../../../src/read/query.js'
import { keyOf, partitionedDriver } from '../support/partitioned.js'

// Groups of rows that lie in partitions are computed client-side, without keeping the rows.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})

afterEach(() => {
  vi.useRealTimers()
})

describe.each(namedByPartition)('client-side counts over %s', (_, own) => {
  it('count(), countDistinct() and groupBy() return the counts of the rows in memory', async () => {
    const { layout, dialect } = own.table
    const properties = layout.fields.map(({ column }) => column.property)
    const table = fc.uniqueArray(own.row, {
      maxLength: 30,
      size: 'max',
      selector: (each) => JSON.stringify(keyOf(layout, each)),
    })
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.tuple(own.base, own.filter).map(([first, more]) => ({ AND: [first, more] })),
        fc.constantFrom(...properties),
        fc.constantFrom(...properties),
        async (rows, filter, by, counted) => {
          const { query } = byPartition(own.table, rows)
          const matches = predicateOf(compileWhere(layout, filter), dialect)
          const found = rows.filter((row) => matches(row) === true)
          const asked = query.where(filter as never)
          expect(await asked.count()).toBe(found.length)
          const text = (value: unknown): string =>
            value instanceof Date ? value.toISOString() : `${typeof value} ${String(value)}`
          const distinct = (among: readonly PlainRow[]): number =>
            new Set(
              among
                .map((row) => row[counted])
                .filter((value) => value !== null)
                .map(text),
            ).size
          expect(await asked.countDistinct(counted)).toBe(distinct(found))
          const groups = await asked
            .groupBy(by)
            .select({ rows: { count: true }, kinds: { countDistinct: counted } })
            .all()
          const members = (key: string): PlainRow[] => found.filter((row) => text(row[by]) === key)
          const keys = [...new Set(found.map((row) => text(row[by])))]
          expect(new Map(groups.map((group) => [text(group[by]), [group['rows'], group['kinds']]]))).toEqual(
            new Map(keys.map((key) => [key, [members(key).length, distinct(members(key))]])),
          )
        },
      ),
      { numRuns: 20 },
    )
  })
})

const sales = compiledByPartition([
  (t) => ({
    shop: t.string().key(),
    id: t.int64().key(),
    big: t.int64({ nullable: true }),
    small: t.int16({ nullable: true }),
    count: t.int64({ as: 'number', nullable: true }),
    large: t.varint({ nullable: true }),
    ratio: t.float64({ nullable: true }),
    price: t.numeric({ nullable: true }),
    exact: t.decimal({ nullable: true }),
    kind: t.string({ nullable: true }),
    pair: t.uuid({ storage: 'int64-pair', nullable: true }),
    info: t.json({ nullable: true }),
  }),
])

function sale(id: number, given: PlainRow): PlainRow {
  const empty = Object.fromEntries(sales.layout.fields.map(({ column }) => [column.property, null]))
  return { ...empty, shop: 'a', id: BigInt(id), ...given }
}

const max = 2n ** 63n - 1n
const own = byPartition(sales, [
  sale(1, {
    big: max,
    small: 3,
    count: 9_007_199_254_740_991,
    large: 10n ** 40n,
    ratio: 0.5,
    price: '0.25',
    exact: '1.005',
    kind: 'x',
  }),
  sale(2, {
    big: max,
    small: -1,
    count: 9,
    large: 1n,
    ratio: 2,
    price: '-10',
    exact: '-0.0000000000005',
    kind: 'x',
  }),
  sale(3, { ratio: Number.NaN, kind: 'y', pair: 'ffffffff-0000-4000-8000-000000000000' }),
  sale(4, { pair: '0fffffff-0000-4000-8000-000000000000' }),
])
/** The row of a table that is given by name, whose types are not known. */
type Fields = Record<string, unknown>
const all = own.query.where({ shop: 'a' }) as FanOutQuery<Fields>

describe('client-side aggregates', () => {
  it('sum() is exact for integers and decimals of any size, and avg() returns a number or a decimal', async () => {
    expect(await all.sum('big')).toBe(2n * max)
    expect(await all.sum('small')).toBe(2n)
    expect(await all.sum('count')).toBe(9_007_199_254_741_000n)
    expect(await all.sum('large')).toBe(10n ** 40n + 1n)
    expect(await all.sum('price')).toBe('-9.75')
    expect(await all.sum('exact')).toBe('1.0049999999995')
    expect(await all.avg('big')).toBe(Number(max))
    expect(await all.avg('small')).toBe(1)
    expect(await all.avg('count')).toBe(4_503_599_627_370_500)
    expect(await all.avg('large')).toBe(5e39)
    expect(await all.avg('price')).toBe('-4.875')
    expect(await all.avg('exact')).toBe('0.5024999999998')
    expect(await all.where({ id: { lte: 2n } }).avg('ratio')).toBe(1.25)
    expect(await all.where({ id: { lte: 2n } }).sum('ratio')).toBe(2.5)
    const [nines, zeros] = ['9'.repeat(50), '0'.repeat(50)]
    const long = byPartition(sales, [sale(1, { exact: `${nines}.5` }), sale(2, { exact: `0.${zeros}4` })])
    const both = long.query.where({ shop: 'a' }) as FanOutQuery<Fields>
    expect(await both.sum('exact')).toBe(`${nines}.5${zeros.slice(1)}4`)
    expect(await both.avg('exact')).toBe(`4${nines.slice(1)}.75${zeros.slice(2)}2`)
  })

  it('min() and max() compare values as the database does, and reject types without an order', async () => {
    expect(await all.max('ratio')).toBeNaN()
    expect(await all.min('ratio')).toBe(0.5)
    // Halves are signed.
    expect(await all.max('pair')).toBe('0fffffff-0000-4000-8000-000000000000')
    expect(await all.min('pair')).toBe('ffffffff-0000-4000-8000-000000000000')
    expect(await all.min('price')).toBe('-10')
    expect(await all.max('kind')).toBe('y')
    await expect(async () => all.max('info')).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    await expect(async () => all.sum('kind')).rejects.toMatchObject({
      fix: 'Choose from id, big, small, count, large, ratio, price, exact.',
    })
  })

  it('sum(), avg() and min() of no rows return null, and counts return 0', async () => {
    const none = all.where({ id: 99n })
    expect([await none.sum('big'), await none.avg('price'), await none.min('kind')]).toEqual([
      null,
      null,
      null,
    ])
    expect([await none.count(), await none.countDistinct('kind')]).toEqual([0, 0])
    expect(await none.groupBy('kind').count()).toEqual([])
    expect(await all.where({ id: { in: [] } }).count()).toBe(0)
  })

  it('having, order and limit apply to groups, and NULL is a group of its own', async () => {
    const kinds = all.groupBy('kind').select({ rows: { count: true }, sum: { sum: 'big' } })
    expect(await kinds.all()).toEqual([
      { kind: null, rows: 1, sum: null },
      { kind: 'x', rows: 2, sum: 2n * max },
      { kind: 'y', rows: 1, sum: null },
    ])
    expect(
      await kinds
        .having({ rows: { lt: 2 } })
        .orderBy('kind', 'desc')
        .limit(1)
        .all(),
    ).toEqual([{ kind: 'y', rows: 1, sum: null }])
    expect(await all.groupBy('shop', 'kind').count()).toContainEqual({ shop: 'a', kind: 'x', count: 2 })
  })

  it('an aggregate reads only the columns that its filter and its measures use', async () => {
    own.driver.reads.length = 0
    await all.where({ ratio: { ne: null } }).sum('big')
    expect(own.driver.reads.map(({ columns }) => columns.map(({ name }) => name))).toEqual([
      ['shop', 'id', 'big', 'ratio'],
    ])
    await all.count()
    expect(own.driver.reads[1]!.columns.map(({ name }) => name)).toEqual(['id'])
  })
})

describe('aggregates of an engine with snapshots and without statements', () => {
  it('count() reads all partitions in one snapshot, and closes the snapshot', async () => {
    const rows = [sale(1, {}), sale(1, { shop: 'b' })]
    // Each read finds one row more than the one before.
    const growing = partitionedDriver([[sales, rows]], () => {
      rows.push(sale(10 + rows.length, {}), sale(10 + rows.length, { shop: 'b' }))
      return undefined
    })
    let closed = 0
    const driver = {
      ...growing,
      snapshot: async () => ({
        ...partitionedDriver([[sales, [...rows]]]),
        readTimestamp: undefined,
        close: () => void closed++,
      }),
    }
    const query = FanOutQuery.over<PlainRow>({ driver, tables: { of: () => sales } }, sales)
    expect(await query.where({ shop: { in: ['a', 'b'] } }).count()).toBe(2)
    expect(rows).toHaveLength(2)
    expect(closed).toBe(1)
  })
})
