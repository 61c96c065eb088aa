import { type Driver, defineSchema, defineTable } from '@isotherm/core'
import type { Cells, ReadRequest } from '@isotherm/core/engine'
import { CompiledTables } from '@isotherm/core/tools'
import { googlesql } from '@isotherm/spanner'
import { expect, it } from 'vitest'
import { BUCKETS, type Digest, Imbalance, verifyTables } from '../src/reshard/verify.js'

// What a comparison holds in memory does not grow with the tables, nor with their differences.

const schema = defineSchema([
  defineTable('Old', (t) => ({ id: t.uuidV4(), time: t.int64().key() })),
  defineTable('Made', (t) => ({ time: t.int64().key(), id: t.uuidV4() })),
])

/** A driver of two tables: one is empty, the other has this many rows. */
function driverOf(full: 'Old' | 'Made', rows: number, read: (table: string) => void): Driver {
  const cellsOf = (at: number): Cells => {
    const cells = [BigInt(at), `id ${at}`]
    return full === 'Made' ? cells : cells.toReversed()
  }
  const reader = {
    async read({ layout, ranges, limit }: ReadRequest): Promise<Cells[]> {
      const table = layout.table.name
      read(table)
      if (table !== full) return []
      const [range] = ranges!
      const begin = range!.startOpen ? Number(range!.start[full === 'Made' ? 0 : 1]) + 1 : 0
      return Array.from({ length: Math.min(limit!, rows - begin) }, (_, at) => cellsOf(begin + at))
    },
  }
  const snapshot = async () => ({ ...reader, readTimestamp: new Date(), close() {} })
  return { ...reader, snapshot } as unknown as Driver
}

const digest = (bucket: number, content: bigint): Digest => ({ key: [], group: '', bucket, content })

it('Imbalance.buckets() returns buckets that differ, within the limits of buckets and rows', () => {
  const imbalance = new Imbalance()
  // Equal rows in a different order.
  for (const content of [2n ** 128n - 1n, 5n]) imbalance.add(digest(1, content))
  for (const content of [5n, 2n ** 128n - 1n]) imbalance.subtract(digest(1, content))
  expect([...imbalance.buckets(100, 1_000)]).toEqual([])
  for (let bucket = 2; bucket < BUCKETS; bucket++) {
    for (let row = 0; row < 10; row++) imbalance.add(digest(bucket, BigInt(row + 1)))
  }
  expect([...imbalance.buckets(3, 1_000)]).toEqual([2, 3, 4])
  expect([...imbalance.buckets(100, 35)]).toEqual([2, 3, 4])
  expect([...imbalance.buckets(100, 1)]).toEqual([2])
})

it.each([
  ['Old', 'missing'],
  ['Made', 'extra'],
] as const)(
  'verifyTables() reports a hundred of the rows that only %s has, with the kind %s',
  async (full, kind) => {
    const tables = new CompiledTables(schema, googlesql)
    let reads = 0
    const driver = driverOf(full, 70_000, () => reads++)
    const { equal, tables: verified } = await verifyTables(driver, tables, [{ from: 'Old', to: 'Made' }])
    expect(equal).toBe(false)
    const [{ groups, differences }] = verified as [(typeof verified)[number]]
    expect(groups.length).toBe(64)
    const rows = groups.map(({ from, to }) => from.rows + to.rows)
    expect(rows.reduce((sum, each) => sum + each)).toBe(70_000)
    expect(differences.length).toBe(100)
    expect(new Set(differences.map((each) => each.kind))).toEqual(new Set([kind]))
    // Both tables are read at most twice.
    expect(reads).toBeLessThanOrEqual(2 * (71 + 1))
  },
)
