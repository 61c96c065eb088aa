import type { Strategy } from '@isotherm/core'
import type { PlainRow } from '@isotherm/core/tools'
import { inspect } from 'node:util'
import { spannerPostgresql } from '@isotherm/spanner'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileWhere } from '../../../src/rows/filter.js'
import { predicateOf } from '../../../src/rows/predicate.js'
import { rowOrder, totalOrder, type WantedOrder } from '../../../src/read/plan/order.js'
import { FanOutQuery } from '../../../src/read/query.js'
import { moment } from '../../support/arbitraries.js'
import { dialects } from '../../support/layout.js'
import { indexedTable } from '../support/indexed.js'
import { keyOf } from '../support/key-order.js'
import { memoryDriver, servicesOf } from '../support/memory.js'
import { filters, named, sampleTables, type Filter, type SampleTable } from '../support/tables.js'

// A table or an index that is read by key, chunk by chunk and shard by shard, gives back the same rows in the same order
// as one that is filtered and sorted as a whole.

/** Rows of a table: no two have the same key. */
function tables({ layout, row }: SampleTable, maxLength = 40): fc.Arbitrary<PlainRow[]> {
  return fc.uniqueArray(row, { maxLength, selector: (each) => JSON.stringify(keyOf(layout, each)) })
}

/** What a query over these rows has to give back. */
function expected(
  { layout, dialect }: SampleTable,
  rows: readonly PlainRow[],
  { filter, wanted }: { readonly filter: Filter; readonly wanted: readonly WantedOrder[] },
): PlainRow[] {
  const matches = predicateOf(compileWhere(layout, filter), dialect)
  return rows.filter((row) => matches(row) === true).toSorted(rowOrder(dialect, totalOrder(layout, wanted)))
}

interface Question {
  readonly filter: Filter
  readonly wanted: readonly WantedOrder[]
  readonly index?: string
  readonly strategy: Strategy
}

function query(table: SampleTable, rows: readonly PlainRow[], question: Question): FanOutQuery<PlainRow> {
  const driver = memoryDriver(table.table, rows)
  let fanOut = FanOutQuery.over<PlainRow>(servicesOf(driver, table.table), table.table)
    .where(question.filter as never)
    .strategy(question.strategy)
  for (const { property, direction } of question.wanted) fanOut = fanOut.orderBy(property, direction)
  return question.index === undefined ? fanOut : fanOut.useIndex(question.index)
}

async function pages(fanOut: FanOutQuery<PlainRow>, size: number): Promise<PlainRow[]> {
  const rows: PlainRow[] = []
  let next: string | undefined
  do {
    const page = await fanOut.limit(size).after(next).page()
    expect(page.rows.length).toBe(page.next === undefined ? page.rows.length : size)
    rows.push(...(page.rows as PlainRow[]))
    if (rows.length > 100) throw new Error('It reads the same page for ever.')
    ;({ next } = page)
  } while (next !== undefined)
  return rows
}

/** Whether the rows are read by key: where their order is not that of a key, a statement sorts them. */
function isByKey(fanOut: FanOutQuery<PlainRow>): boolean {
  return fanOut.explain().calls.every(({ kind }) => kind === 'read')
}

/** Reads the same in one go, up to a limit, and page by page. */
async function check(
  table: SampleTable,
  rows: readonly PlainRow[],
  question: Question,
  limit: number,
): Promise<void> {
  fc.pre(isByKey(query(table, rows, question)))
  const whole = expected(table, rows, question)
  expect(await query(table, rows, question).all()).toStrictEqual(whole)
  expect(await query(table, rows, question).limit(limit).all()).toStrictEqual(whole.slice(0, limit))
  expect(await pages(query(table, rows, question), limit)).toStrictEqual(whole)
}

/** The parts of a key as an order, the shard left out. */
function keyOrder({ layout }: SampleTable): WantedOrder[] {
  return layout.table.primaryKey
    .filter(({ property }) => property !== layout.shard?.column.property)
    .map(({ property, order }) => ({ property, direction: order }))
}

const inKeyOrder = fc.constantFrom<Strategy>('merge-shards', 'probe-window')
const limits = fc.integer({ min: 1, max: 6 })
const options = { numRuns: 50, maxSkipsPerRun: 1000 }

describe.each(named(sampleTables))('a fan-out over a table with %s', (_, table) => {
  it('returns rows in key order with merge-shards and probe-window, all at once and page by page', async () => {
    const key = keyOrder(table)
    const question = fc.record({
      filter: fc.oneof(fc.constant<Filter>({}), filters(table)),
      wanted: fc.integer({ min: 0, max: key.length }).map((length) => key.slice(0, length)),
      strategy: inKeyOrder,
    })
    await fc.assert(
      fc.asyncProperty(tables(table), question, limits, (rows, request, limit) =>
        check(table, rows, request, limit),
      ),
      options,
    )
  })

  it('returns rows in any order with read-ranges, all at once and page by page', async () => {
    const properties = table.layout.fields.map(({ column }) => column.property)
    const question = fc.record({
      filter: fc.oneof(fc.constant<Filter>({}), filters(table)),
      wanted: fc
        .shuffledSubarray(properties, { maxLength: 3 })
        .chain((some) =>
          fc.tuple(
            ...some.map((property) =>
              fc.constantFrom('asc' as const, 'desc' as const).map((direction) => ({ property, direction })),
            ),
          ),
        ),
      strategy: fc.constant('read-ranges' as const),
    })
    await fc.assert(
      fc.asyncProperty(tables(table), question, limits, (rows, request, limit) =>
        check(table, rows, request, limit),
      ),
      options,
    )
  })
})

describe.each(named(sampleTables.filter(({ name }) => name.startsWith('no shard'))))(
  'NaN in the first key part of a table with %s',
  (_, table) => {
    const row = (ratio: number): PlainRow => ({ ratio, total: '0', active: null, page: null })
    const { nanIsValue } = table.dialect
    // The keys of some dialects take no NaN.
    const isStored = (ratio: number): boolean =>
      !Number.isNaN(ratio) || table.layout.byProperty.get('ratio')!.storesNoNan !== true
    const cases: readonly (readonly [Filter, whereNone: readonly number[], whereValue: readonly number[]])[] =
      [
        [{ ratio: NaN }, [], [NaN]],
        [{ ratio: { in: [NaN] } }, [], [NaN]],
        [{ ratio: { in: [NaN, 1.5] } }, [1.5], [1.5, NaN]],
        [{ ratio: { in: [NaN, 1.5] }, AND: [{ ratio: 1.5 }] }, [1.5], [1.5]],
        [{ ratio: NaN, AND: [{ ratio: { in: [1.5] } }] }, [], []],
        [{ ratio: { gte: NaN } }, [], [NaN]],
        [{ ratio: { lt: NaN }, AND: [{ ratio: 1.5 }] }, [], [1.5]],
        [{ ratio: { ne: NaN } }, [NaN, 1.5], [1.5]],
      ]

    it.each(cases.map((each) => [inspect(each[0]), ...each] as const))(
      'a fan-out returns the rows that match in the dialect, with the filter %s',
      async (__, filter, whereNone, whereValue) => {
        for (const strategy of ['merge-shards', 'probe-window', 'read-ranges'] as const) {
          const rows = [NaN, 1.5].filter(isStored).map(row)
          const read = await query(table, rows, { filter, wanted: [], strategy }).all()
          const wanted = (nanIsValue ? whereValue : whereNone).filter(isStored)
          expect(read.map(({ ratio }) => ratio)).toStrictEqual(wanted)
        }
      },
    )
  },
)

describe.each(dialects)('a fan-out by an index in $name', (dialect) => {
  const table = indexedTable(dialect)
  const withPage: Filter = { page: { ne: null } }
  const asc = (property: string): WantedOrder => ({ property, direction: 'asc' })
  const desc = (property: string): WantedOrder => ({ property, direction: 'desc' })

  const cases: readonly (readonly [string, readonly WantedOrder[], Filter])[] = [
    ['ByPage', [desc('page'), asc('ratio')], {}],
    ['ByPage', [desc('page'), asc('ratio'), asc('day')], {}],
    ['ByPage', [asc('ratio')], { page: 'a' }],
    ['ByPair', [asc('pair')], {}],
    ['ByPair', [asc('pair'), desc('page')], {}],
    ['ByRatio', [asc('ratio')], {}],
    ['ByRatio', [asc('ratio'), desc('userId')], {}],
    ['ByTime', [desc('at'), asc('day')], {}],
    ['PairAndPage', [asc('pair'), asc('page')], {}],
    ['PairAndPage', [asc('pair'), asc('page'), desc('userId')], {}],
    ['WithPage', [asc('page'), asc('day')], withPage],
    ['WithBoth', [asc('page'), asc('day')], { ...withPage, day: { ne: null } }],
  ]

  it.each(cases)('reads the index %s in the order %j with the filter %j', async (index, wanted, base) => {
    const filter = fc.oneof(fc.constant<Filter>({}), filters(table))
    const question = fc.tuple(filter, inKeyOrder).map(([more, strategy]): Question => ({
      filter: { AND: [base, more] },
      wanted,
      index,
      strategy,
    }))
    await fc.assert(
      fc.asyncProperty(tables(table), question, limits, (rows, request, limit) =>
        check(table, rows, request, limit),
      ),
      options,
    )
  })

  it('back-join completes the rows of an index that lacks columns', async () => {
    const question = fc.oneof(fc.constant<Filter>({}), filters(table)).map((filter): Question => ({
      filter,
      wanted: [asc('page')],
      index: 'Narrow',
      strategy: 'back-join',
    }))
    await fc.assert(
      fc.asyncProperty(tables(table), question, limits, async (rows, request, limit) => {
        // The filter may leave the index without an order.
        fc.pre(query(table, rows, request).explain().strategy === 'back-join')
        await check(table, rows, request, limit)
      }),
      options,
    )
  })

  it('uses an index with the wanted order without useIndex(), and returns the right rows', async () => {
    const question = fc.record({
      filter: fc.oneof(fc.constant<Filter>({}), filters(table)),
      wanted: fc.constantFrom(
        [desc('page'), asc('ratio')],
        [asc('pair')],
        [asc('ratio')],
        [asc('ratio'), desc('userId')],
      ),
      strategy: fc.constant('merge-shards' as const),
    })
    let runs = 0
    let useIndex = 0
    await fc.assert(
      fc.asyncProperty(tables(table), question, limits, async (rows, request, limit) => {
        runs++
        await check(table, rows, request, limit)
        useIndex += Number(query(table, rows, request).explain().index !== undefined)
      }),
      { ...options, numRuns: 100 },
    )
    // Some filters fix the columns that order the rows, or match no row: then the planner reads the table.
    expect(useIndex / runs).toBeGreaterThan(0.05)
  })
})

describe('an index with NULLS FIRST or NULLS LAST in PostgreSQL', () => {
  const table = indexedTable(spannerPostgresql)
  const rows = [null, 'a', 'b'].map((page, at): PlainRow => ({
    shardId: 0n,
    at: moment(0, 0),
    userId: BigInt(at),
    page,
    ratio: null,
    pair: '00000000-0000-4000-8000-000000000000',
    day: null,
  }))

  it.each([
    ['NullsFirst', 'asc'],
    ['NullsLast', 'desc'],
  ] as const)(
    'rows come in the default order of NULL, and not in that of the index %s',
    async (index, direction) => {
      for (const by of [{}, { index }]) {
        const question: Question = {
          filter: {},
          wanted: [{ property: 'page', direction }],
          strategy: 'merge-shards',
          ...by,
        }
        const fanOut = query(table, rows, question)
        // By a statement the database sorts, which it does as always.
        const first = isByKey(fanOut)
          ? (await fanOut.limit(1).all()).map(({ page }) => page)
          : ['by statement']
        expect([['by statement'], [direction === 'asc' ? 'a' : null]]).toContainEqual(first)
      }
    },
  )
})

describe.each(dialects)('the stream of a shard in $name', (dialect) => {
  const table = sampleTables.find((each) => each.dialect === dialect)!

  it('merge-shards returns rows in order when one microsecond holds more rows than a chunk', async () => {
    // All in one microsecond of one shard, and a few around it.
    const rows = Array.from({ length: 1700 }, (_, at): PlainRow => ({
      shardId: 2n,
      at: moment(at % 100 === 0 ? 1 : 0, (at * 7) % 1000),
      userId: BigInt(at),
      page: null,
    }))
    for (const wanted of [[], keyOrder(table)]) {
      const question: Question = { filter: { page: null }, wanted, strategy: 'merge-shards' }
      const read: PlainRow[] = []
      for await (const row of query(table, rows, question)) read.push(row as PlainRow)
      expect(read).toStrictEqual(expected(table, rows, question))
    }
  })

  it('merge-shards requests fewer than 100 of 5,000 rows for a limit of 10', async () => {
    const rows = Array.from({ length: 5000 }, (_, at): PlainRow => ({
      shardId: BigInt(at % 5),
      at: moment(at, 0),
      userId: BigInt(at),
      page: null,
    }))
    const driver = memoryDriver(table.table, rows)
    const fanOut = FanOutQuery.over<PlainRow>(servicesOf(driver, table.table), table.table).strategy(
      'merge-shards',
    )
    const read = await fanOut.limit(10).all()
    expect(read).toHaveLength(10)
    const total = driver.reads.reduce((sum, { limit }) => sum + limit!, 0)
    expect(total).toBeLessThan(100)
  })
})
