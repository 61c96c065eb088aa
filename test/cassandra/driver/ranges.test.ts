import * as fc from 'fast-check'
import { type Driver, defineSchema, defineTable } from '@isotherm/core'
import { cassandra } from '@isotherm/cassandra'
import type { ArrayOrObject, Client, QueryOptions } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'
import type { Cells, KeyRange, ReadRequest, TableLayout, Wire } from '@isotherm/core/engine'
import { sampledDialects, testKeyspace } from '../support/keyspace.js'
import { byNodeClock } from '../../support/cassandra.js'

const directions = ['asc', 'desc'] as const
const mixes = directions.flatMap((a) => directions.flatMap((b) => directions.map((c) => [a, b, c] as const)))

function nameOf(mix: readonly string[]): string {
  return `in_${mix.join('_')}`
}

const schema = defineSchema([
  ...mixes.map((mix) =>
    defineTable(nameOf(mix), (t) => ({
      day: t.string().key(),
      a: t.int64().key(mix[0]),
      b: t.int64().key(mix[1]),
      c: t.int64().key(mix[2]),
    })),
  ),
  defineTable('item', (t) => ({
    list: t.string().key(),
    place: t.int32().key(),
    text: t.string({ nullable: true }),
  })),
])

const values = ['-1', '0', '5'] as const
const bounds = fc.array(fc.constantFrom(...values), { maxLength: 3 })
const ranges = fc.record({
  mix: fc.constantFrom(...mixes),
  start: bounds,
  startOpen: fc.boolean(),
  end: bounds,
  endOpen: fc.boolean(),
  reversed: fc.boolean(),
  limit: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
})

/** By the values alone, part by part, as far as both go. */
function compareKeys(mix: readonly string[], a: readonly Wire[], b: readonly Wire[]): number {
  for (const [at, order] of mix.entries()) {
    if (at >= a.length || at >= b.length) return 0
    const difference = Number(a[at]) - Number(b[at])
    if (difference !== 0) return order === 'asc' ? difference : -difference
  }
  return 0
}

function withPrefix(prefix: readonly Wire[], range: KeyRange): KeyRange {
  return { ...range, start: [...prefix, ...range.start], end: [...prefix, ...range.end] }
}

function wholeOf(...prefix: readonly Wire[]): KeyRange {
  return { start: prefix, startOpen: false, end: prefix, endOpen: false }
}

/** A client whose every page comes behind one that has no rows, and is not the last. */
function withEmptyPages(client: Client): Client {
  const execute = (text: string, values: ArrayOrObject, options: QueryOptions): Promise<unknown> => {
    const [, empty, state] = /^(empty:)?(.*)$/.exec(String(options.pageState ?? ''))!
    if (empty === undefined) return Promise.resolve({ rows: [], pageState: `empty:${state}` })
    const { pageState: _, ...rest } = options
    return client.execute(text, values, state === '' ? rest : { ...rest, pageState: state! })
  }
  return new Proxy(client, {
    get: (target, name): unknown => (name === 'execute' ? execute : Reflect.get(target, name)),
  })
}

async function fill(
  driver: Driver,
  layout: TableLayout,
  rows: readonly (readonly Wire[])[],
  columns: readonly string[] = layout.columns.map(({ name }) => name),
): Promise<void> {
  for (let from = 0; from < rows.length; from += 30) {
    const some = rows.slice(from, from + 30)
    await driver.writes.commit([{ op: 'upsert', table: layout.table.name, layout, columns, rows: some }])
  }
}

describe.each(sampledDialects)('reads of ranges in $name', async (dialect) => {
  const { driver, layout, client } = await testKeyspace(schema, dialect)
  const item = layout('item')
  const text = item.columns.slice(2)
  const read = (request: Partial<ReadRequest>): Promise<Cells[]> =>
    driver.read({ layout: item, columns: text, ...request })
  const numbered = (list: string, count: number): Wire[][] =>
    Array.from({ length: count }, (_, place) => [list, place, `${list}${place}`])

  it('return the rows of a range for every mix of ascending and descending key columns', async () => {
    const keys = values.flatMap((a) => values.flatMap((b) => values.map((c) => [a, b, c] as const)))
    for (const mix of mixes) {
      // Rows of another partition are none of the range's.
      for (const day of ['d', 'e'])
        await fill(
          driver,
          layout(nameOf(mix)),
          keys.map((key) => [day, ...key]),
        )
    }
    await fc.assert(
      fc.asyncProperty(ranges, async ({ mix, reversed, limit, ...range }) => {
        const table = layout(nameOf(mix))
        const rows = await driver.read({
          layout: table,
          columns: table.columns.slice(1),
          ranges: [withPrefix(['d'], range)],
          ...(limit !== undefined && { limit }),
          ...(reversed && { reversed }),
        })
        const wanted = keys
          .filter((key) => {
            const fromStart = compareKeys(mix, key, range.start)
            const toEnd = compareKeys(mix, range.end, key)
            return fromStart >= (range.startOpen ? 1 : 0) && toEnd >= (range.endOpen ? 1 : 0)
          })
          .toSorted((a, b) => (reversed ? -1 : 1) * compareKeys(mix, a, b))
          .slice(0, limit)
        expect(rows).toEqual(wanted.map((key) => key.map(BigInt)))
      }),
      { numRuns: 300 },
    )
  })

  it('return rows in the order of the ranges, up to one limit for all ranges', async () => {
    for (const list of ['x', 'y', 'z']) await fill(driver, item, numbered(list, 3))
    const all = { ranges: ['z', 'nothing', 'x', 'y'].map((list) => wholeOf(list)) }
    const inOrder = ['z0', 'z1', 'z2', 'x0', 'x1', 'x2', 'y0', 'y1', 'y2']
    expect(await read(all)).toEqual(inOrder.map((each) => [each]))
    expect(await read({ ...all, limit: 4 })).toEqual(inOrder.slice(0, 4).map((each) => [each]))
    expect(await read({ ...all, limit: 4, reversed: true })).toEqual([['z2'], ['z1'], ['z0'], ['x2']])
    expect(await read({ ...all, limit: 0 })).toEqual([])
    expect(await read({ ranges: [] })).toEqual([])
  })

  it('return the rows of 300 ranges, more than are requested at once', async () => {
    const lists = Array.from({ length: 300 }, (_, at) => `many${at}`)
    for (const list of [lists[0]!, lists[150]!, lists[299]!]) await fill(driver, item, numbered(list, 2))
    const rows = await read({ ranges: lists.map((list) => wholeOf(list)) })
    const wanted = ['many00', 'many01', 'many1500', 'many1501', 'many2990', 'many2991']
    expect(rows).toEqual(wanted.map((each) => [each]))
    expect(await read({ ranges: lists.map((list) => wholeOf(list)), limit: 3 })).toEqual(
      wanted.slice(0, 3).map((each) => [each]),
    )
  })

  it('return the rows of existing keys in the order of the keys', async () => {
    await fill(driver, item, numbered('k', 3))
    const keys: Wire[][] = [
      ['k', 2],
      ['k', 7],
      ['nobody', 0],
      ['k', null],
      ['k', 0],
    ]
    expect(await read({ keys })).toEqual([['k2'], ['k0']])
    expect(await read({ keys, limit: 1 })).toEqual([['k2']])
    expect(await read({ keys: [] })).toEqual([])
  })

  it('continue after pages without rows', async () => {
    const many = 5_200
    await fill(driver, item, numbered('paged', many))
    const paged = cassandra(withEmptyPages(client), { dialect })
    const rows = await paged.read({ layout: item, columns: text, ranges: [wholeOf('paged')] })
    expect(rows).toEqual(numbered('paged', many).map(([, , text]) => [text]))
    const some = await paged.read({ layout: item, columns: text, ranges: [wholeOf('paged')], limit: 7 })
    expect(some).toEqual(rows.slice(0, 7))
  })

  it('continue after deleted rows', async () => {
    const many = 400
    await fill(driver, item, numbered('deleted', many))
    await client.execute(`DELETE FROM "item" WHERE "list" = 'deleted' AND "place" < 100`, [], byNodeClock)
    const gone = Array.from({ length: 90 }, (_, at): Wire[] => ['deleted', at + 100])
    for (let from = 0; from < gone.length; from += 30)
      await driver.writes.commit([
        { op: 'delete', table: 'item', layout: item, keys: gone.slice(from, from + 30) },
      ])
    const rows = await read({ ranges: [wholeOf('deleted')] })
    expect(rows).toHaveLength(many - 190)
    expect(rows[0]).toEqual(['deleted190'])
    expect(rows.at(-1)).toEqual([`deleted${many - 1}`])
    expect(await read({ ranges: [wholeOf('deleted')], limit: 25 })).toEqual(rows.slice(0, 25))
  })

  it('throw UNSUPPORTED_QUERY if a read would scan all nodes', async () => {
    const refused = [
      { layout: item, columns: text },
      { layout: item, columns: text, ranges: [wholeOf()] },
      { layout: item, columns: text, ranges: [{ ...wholeOf('a'), end: ['b'] }] },
      { layout: item, columns: text, index: 'by_text', ranges: [wholeOf('a')] },
    ]
    for (const request of refused) {
      await expect(driver.read(request)).rejects.toMatchObject({ code: 'UNSUPPORTED_QUERY', table: 'item' })
    }
  })
})
