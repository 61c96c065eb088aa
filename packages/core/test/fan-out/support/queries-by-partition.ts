import type { FanOutQuery } from '@isotherm/core'
import type { PlainRow } from '@isotherm/core/tools'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { compileWhere } from '../../../src/rows/filter.js'
import { predicateOf } from '../../../src/rows/predicate.js'
import { rowOrder, totalOrder, type WantedOrder } from '../../../src/read/plan/order.js'
import type { PartitionedTable } from './by-partition.js'
import { keyOf } from './partitioned.js'
import type { Filter } from './tables.js'

// Queries over tables whose rows lie in partitions, and their expected rows.

export interface Question {
  readonly filter: Filter
  readonly wanted: readonly WantedOrder[]
  readonly strategy: 'merge-shards' | 'bucket-scan' | 'client-sort' | undefined
  readonly limit: number
}

export function questions({ table, base, filter }: PartitionedTable): fc.Arbitrary<Question> {
  const properties = table.layout.fields.map(({ column }) => column.property)
  const clustering = table.layout.table.primaryKey.slice(table.layout.partition)
  const direction = fc.constantFrom('asc' as const, 'desc' as const)
  const asKey = clustering.map(({ property, order }): WantedOrder => ({ property, direction: order }))
  const turned = asKey.map((term): WantedOrder => ({
    ...term,
    direction: term.direction === 'asc' ? 'desc' : 'asc',
  }))
  return fc.record({
    filter: fc.tuple(base, filter).map(([first, more]) => ({ AND: [first, more] })),
    wanted: fc.oneof(
      fc.nat({ max: asKey.length }).map((length) => asKey.slice(0, length)),
      fc.nat({ max: turned.length }).map((length) => turned.slice(0, length)),
      fc
        .constantFrom('at', 'on', 'sent', 'day', 'hour', 'month', 'week', 'year')
        .chain((property) =>
          direction.map((each) => (properties.includes(property) ? [{ property, direction: each }] : [])),
        ),
      fc.uniqueArray(fc.record({ property: fc.constantFrom(...properties), direction }), {
        maxLength: 3,
        selector: ({ property }) => property,
      }),
    ),
    strategy: fc.constantFrom(undefined, undefined, 'merge-shards', 'bucket-scan', 'client-sort'),
    limit: fc.integer({ min: 1, max: 12 }),
  })
}

export function rowsOf({ table, row }: PartitionedTable, maxLength = 40): fc.Arbitrary<PlainRow[]> {
  return fc.uniqueArray(row, {
    maxLength,
    size: 'max',
    selector: (each) => JSON.stringify(keyOf(table.layout, each)),
  })
}

export function queryOf(
  query: FanOutQuery<PlainRow>,
  { filter, wanted, strategy }: Question,
): FanOutQuery<PlainRow> {
  const filtered = query.where(filter as never)
  const ordered = wanted.reduce((all, { property, direction }) => all.orderBy(property, direction), filtered)
  return strategy ? ordered.strategy(strategy) : ordered
}

export function expected(
  { table }: PartitionedTable,
  rows: readonly PlainRow[],
  { filter, wanted }: Question,
): PlainRow[] {
  const { layout, dialect } = table
  const matches = predicateOf(compileWhere(layout, filter), dialect)
  return rows.filter((row) => matches(row) === true).toSorted(rowOrder(dialect, totalOrder(layout, wanted)))
}

/** Page by page; something may happen in between. */
export async function paged(
  query: FanOutQuery<PlainRow>,
  size: number,
  between: () => void = () => {},
): Promise<PlainRow[]> {
  const rows: PlainRow[] = []
  let next: string | undefined
  do {
    const page = await query.limit(size).after(next).page()
    expect(page.rows.length).toBe(page.next === undefined ? page.rows.length : size)
    rows.push(...(page.rows as PlainRow[]))
    if (rows.length > 200) throw new Error('It reads the same page for ever.')
    ;({ next } = page)
    between()
  } while (next !== undefined)
  return rows
}
