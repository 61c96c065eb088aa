import { defineSchema, defineTable } from '@isotherm/core'
import { type PlainRow, CompiledTables } from '@isotherm/core/tools'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { rowOrder, totalOrder } from '../../../src/read/plan/order.js'
import { FanOutQuery } from '../../../src/read/query.js'
import { moment } from '../../support/arbitraries.js'
import { dialects } from '../../support/layout.js'
import { memoryDriver, servicesOf } from '../support/memory.js'

// The probe and its window, over shards that are as uneven as they may be: the rows that were read have to be the wanted rows, whatever
// the probe has returned.

afterEach(() => void vi.restoreAllMocks())

const SHARDS = 8

/** How the rows are spread: weights of the shards. */
const spreads = fc.oneof(
  fc.constant(Array<number>(SHARDS).fill(1)),
  fc.array(fc.constantFrom(0, 1, 2, 50), { minLength: SHARDS, maxLength: SHARDS }),
  fc
    .nat({ max: SHARDS - 1 })
    .map((hot) => Array.from({ length: SHARDS }, (_, at) => (at === hot ? 1000 : 1))),
)

const log = defineTable('Log', (t) => ({
  shard: t.shardKey({ shards: SHARDS, strategy: 'random' }),
  at: t.timestamp().key('desc'),
  id: t.uuidV4(),
}))

const idOf = (at: number): string => `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`

/** Rows in shards of these weights. The newest of a hot shard may all be newer than the others, or share one microsecond. */
function rowsOf(weights: readonly number[], seeds: readonly number[], newestAreHot: boolean): PlainRow[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return seeds.map((seed, id) => {
    let position = total === 0 ? 0 : seed % total
    const shard = Math.max(
      0,
      weights.findIndex((weight) => (position -= weight) < 0),
    )
    const isNew = newestAreHot && weights[shard] === Math.max(...weights)
    return { shard: BigInt(shard), at: moment((seed % 40) + (isNew ? 100 : 0), seed % 7), id: idOf(id) }
  })
}

describe.each(dialects)('the strategy probe-window in $name', (dialect) => {
  const table = new CompiledTables(defineSchema([log]), dialect).of('Log')
  const order = totalOrder(table.layout, [{ property: 'at', direction: 'desc' }])
  const compare = rowOrder(dialect, order)

  const query = (rows: readonly PlainRow[]) => {
    const driver = memoryDriver(table, rows)
    const fanOut = FanOutQuery.over<PlainRow>(servicesOf(driver, table), table)
      .orderBy('at', 'desc')
      .strategy('probe-window')
    return { driver, fanOut }
  }

  it('probe-window returns the first rows of all shards in order, page after page, however uneven the shards are', async () => {
    await fc.assert(
      fc.asyncProperty(
        spreads,
        fc.array(fc.nat({ max: 100_000 }), { maxLength: 150, size: 'max' }),
        fc.boolean(),
        fc.integer({ min: 1, max: 60 }),
        async (weights, seeds, newestAreHot, limit) => {
          const rows = rowsOf(weights, seeds, newestAreHot)
          const wanted = rows.toSorted(compare)
          expect(await query(rows).fanOut.limit(limit).all()).toStrictEqual(wanted.slice(0, limit))
          const size = Math.max(limit, 20)
          const found: PlainRow[] = []
          let cursor: string | undefined
          do {
            const page = await query(rows).fanOut.limit(size).after(cursor).page()
            found.push(...(page.rows as PlainRow[]))
            cursor = page.next
          } while (cursor !== undefined)
          expect(found).toStrictEqual(wanted)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('probe-window reads the rows in two calls when the shards are even', async () => {
    const seeds = Array.from({ length: 4000 }, (_, at) => at * 7919)
    const even = seeds.map((seed, id): PlainRow => ({
      shard: BigInt(id % SHARDS),
      at: moment(seed % 4000, 0),
      id: idOf(id),
    }))
    const { driver, fanOut } = query(even)
    expect(await fanOut.limit(50).all()).toStrictEqual(even.toSorted(compare).slice(0, 50))
    expect(driver.reads.map(({ ranges, limit }) => [ranges?.length, limit])).toStrictEqual([
      [1, expect.any(Number)],
      [SHARDS, expect.any(Number)],
    ])
  })

  it('probe-window stops after the second call when no shard can have rows behind the last row', async () => {
    const shards = 1_000
    const numbered = defineTable('Numbered', (t) => ({
      shard: t.shardKey({ shards, of: ['tag'] }),
      id: t.int64().key(),
      tag: t.string({ immutable: true }),
    }))
    const inMany = new CompiledTables(defineSchema([numbered]), dialect).of('Numbered')
    const row = { shard: BigInt(shards - 1), id: 5n, tag: 'a' }
    const driver = memoryDriver(inMany, [row])
    // The last shard is probed, which has the row.
    vi.spyOn(Math, 'random').mockReturnValue(1 - 0.5 / shards)
    const fanOut = FanOutQuery.over<PlainRow>(servicesOf(driver, inMany), inMany)
      .where({ id: 5n })
      .strategy('probe-window')
    expect(await fanOut.limit(2).all()).toStrictEqual([row])
    expect(driver.reads).toHaveLength(2)
  })
})
