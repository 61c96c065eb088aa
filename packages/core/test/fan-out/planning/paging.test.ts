import { isDeepStrictEqual } from 'node:util'
import { spannerPostgresql } from '@isotherm/spanner'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlainRow } from '../../../src/engine/codec.js'
import { compileWhere } from '../../../src/rows/filter.js'
import { predicateOf } from '../../../src/rows/predicate.js'
import type { TableLayout } from '../../../src/layout/layout.js'
import { tableConstraints } from '../../../src/read/plan/constraints.js'
import { isKeyOrder, restAfter, shardRange } from '../../../src/read/plan/key-ranges.js'
import { positionOf, rowOrder, totalOrder, type WantedOrder } from '../../../src/read/plan/order.js'
import { dialects } from '../../support/layout.js'
import { isInRange, keyOf, shardKey } from '../support/key-order.js'
import { filters, named, sampleTables, type SampleTable } from '../support/tables.js'

// Where a shard is read in key order, the next page is read from a key on: it holds every row that comes after the last
// one of this page, and no other. Where the key only groups, it holds the rest of that row's group as well.

/** The first terms of the key's own order within a shard. */
function keyOrders({ layout }: SampleTable): fc.Arbitrary<WantedOrder[]> {
  const parts = layout.table.primaryKey
    .filter(({ property }) => property !== layout.shard?.column.property)
    .map(({ property, order }): WantedOrder => ({ property, direction: order }))
  return fc.integer({ min: 0, max: parts.length }).map((length) => parts.slice(0, length))
}

/** The same with the shard somewhere among it, in either direction. */
function ordersWithShard(table: SampleTable): fc.Arbitrary<WantedOrder[]> {
  return fc
    .tuple(keyOrders(table), fc.nat({ max: table.layout.key.length }), fc.constantFrom('asc', 'desc'))
    .map(([parts, at, direction]) => parts.toSpliced(at, 0, { property: 'shardId', direction }))
}

/** A filter, a row that matches it, and others. */
const situations = (table: SampleTable) =>
  fc.tuple(filters(table), table.row, fc.array(table.row, { minLength: 10, maxLength: 10 }))

/** Rows that a page read by key from `last` on would hold though they come before it, or lack though they come after. */
function misplaced(
  { dialect, layout }: SampleTable,
  wanted: readonly WantedOrder[],
  [filter, last, others]: readonly [Record<string, unknown>, PlainRow, readonly PlainRow[]],
): PlainRow[] {
  const condition = compileWhere(layout, filter)
  const constraints = tableConstraints(layout, condition, dialect)
  const order = totalOrder(layout, wanted)
  const matches = predicateOf(condition, dialect)
  const compare = rowOrder(dialect, order)
  const isAfter = (row: PlainRow, other: PlainRow): boolean => compare(row, other) < 0
  fc.pre(matches(last) === true)
  // Where the order is not the key's, pages are not read by key.
  if (!isKeyOrder(layout, order, constraints)) return []
  return others.filter((other) => {
    if (matches(other) !== true) return false
    const shard = layout.shard && Number(other['shardId'])
    const range = shardRange(layout, shard, constraints)
    const rest = restAfter(layout, order, positionOf(order, last), constraints)(shardKey(shard), range)
    const expected = isAfter(last, other) || inGroup(layout, last, other)
    return (rest !== undefined && isInRange(dialect, layout, other, rest)) !== expected
  })
}

/** Whether a key that only groups puts both rows into one group, whatever their shards. */
function inGroup({ key, grouped, shard }: TableLayout, a: PlainRow, b: PlainRow): boolean {
  if (grouped === undefined) return false
  const groupOf = (row: PlainRow) =>
    keyOf({ key: key.slice(0, grouped).filter(({ field }) => field !== shard), shard }, row)
  return isDeepStrictEqual(groupOf(a), groupOf(b))
}

const options = { numRuns: 500, maxSkipsPerRun: 1000 }

describe.each(named(sampleTables))('paging over a table with %s', (_, table) => {
  it('the next page reads the rows after the last row of the previous page, and the group of that row', () => {
    fc.assert(
      fc.property(keyOrders(table), situations(table), (wanted, situation) => {
        expect(misplaced(table, wanted, situation)).toStrictEqual([])
      }),
      options,
    )
  })
})

describe.each(named(sampleTables.filter(({ layout }) => layout.shard)))(
  'paging in an order that includes the shard, over a table with %s',
  (_, table) => {
    it('the next page reads the rows after the last row of the previous page in an order with the shard', () => {
      fc.assert(
        fc.property(ordersWithShard(table), situations(table), (wanted, situation) => {
          expect(misplaced(table, wanted, situation)).toStrictEqual([])
        }),
        options,
      )
    })
  },
)

describe.each(dialects)('isKeyOrder() in $name', (dialect) => {
  const { layout } = sampleTables.find((each) => each.dialect === dialect)!
  const asc = (property: string): WantedOrder => ({ property, direction: 'asc' })
  const desc = (property: string): WantedOrder => ({ property, direction: 'desc' })
  const isKey = (wanted: readonly WantedOrder[], filter: Record<string, unknown> = {}): boolean =>
    isKeyOrder(
      layout,
      totalOrder(layout, wanted),
      tableConstraints(layout, compileWhere(layout, filter), dialect),
    )

  /** Where `at` has a mirror of microseconds, the key groups by it, and later terms are sorted client-side. */
  const groups = dialect === spannerPostgresql

  // The key within a shard is `at DESC, userId`.
  it.each<[readonly WantedOrder[], boolean]>([
    [[], true],
    [[desc('at')], true],
    [[desc('at'), asc('userId')], true],
    [[asc('at')], false],
    [[desc('at'), desc('userId')], groups],
    [[asc('userId')], false],
    [[asc('page')], false],
    [[desc('at'), asc('page')], groups],
  ])('says whether %j is the order of the key: %s', (wanted, expected) => {
    expect(isKey(wanted)).toBe(expected)
  })

  it('ignores properties that the filter fixes to one value', () => {
    expect(isKey([asc('userId')], { userId: 7n })).toBe(true)
    expect(isKey([asc('userId'), desc('at')], { userId: 7n })).toBe(true)
    expect(isKey([desc('userId')], { at: new Date(0) })).toBe(false)
    expect(isKey([asc('page')], { page: null })).toBe(true)
    expect(isKey([asc('page')], { page: { in: ['a', 'b'] } })).toBe(false)
    expect(isKey([asc('userId')], { OR: [{ userId: 7n }] })).toBe(false)
  })
})

describe('rowOrder()', () => {
  it('is a total order in which only rows with the same key are equal', () => {
    for (const { dialect, layout, row } of sampleTables) {
      const properties = layout.fields.map(({ column }) => column.property)
      const wanted = fc
        .shuffledSubarray(properties)
        .chain((some) =>
          fc.tuple(
            ...some.map((property) =>
              fc.constantFrom('asc', 'desc').map((direction) => ({ property, direction })),
            ),
          ),
        )
      fc.assert(
        fc.property(wanted, row, row, row, (terms, a, b, c) => {
          const compare = rowOrder(dialect, totalOrder(layout, terms))
          const keyOf = (each: PlainRow): string => JSON.stringify(positionOf(totalOrder(layout, []), each))
          expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0)
          // Rows that are equal in the order have the same key; a row of that key need not be the same row here.
          expect(compare(a, b) !== 0 || keyOf(a) === keyOf(b)).toBe(true)
          const [first, second, third] = [a, b, c].toSorted(compare)
          expect(compare(first!, third!)).toBeLessThanOrEqual(0)
          expect(compare(first!, second!)).toBeLessThanOrEqual(0)
        }),
        { numRuns: 100 },
      )
    }
  })
})
