import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlainRow } from '../../../src/engine/codec.js'
import { compileWhere } from '../../../src/rows/filter.js'
import { predicateOf } from '../../../src/rows/predicate.js'
import type { Condition } from '../../../src/layout/statement.js'
import { isImpossible, tableConstraints } from '../../../src/read/plan/constraints.js'
import { shardRange } from '../../../src/read/plan/key-ranges.js'
import { shardsToRead } from '../../../src/read/plan/partitions.js'
import { isInRange } from '../support/key-order.js'
import { filters, named, sampleTables, type SampleTable } from '../support/tables.js'

// Rows outside the shards that are read would be lost: for any filter, each row that matches must lie in a shard that is read, inside the
// range that is read of it.

const shardIn = (row: PlainRow): number => Number(row['shardId'])

/** Why a read by this filter would miss the row, although it matches; an empty list if it would not. */
function missed({ dialect, layout }: SampleTable, condition: Condition | undefined, row: PlainRow): string[] {
  const constraints = tableConstraints(layout, condition, dialect)
  const shards = shardsToRead(layout, layout, constraints)
  const range = shardRange(layout, shards && shardIn(row), constraints)
  return [
    ...(isImpossible(constraints) ? ['the filter counts as impossible'] : []),
    ...(shards?.includes(shardIn(row)) === false ? ['its shard is not read'] : []),
    ...(isInRange(dialect, layout, row, range) ? [] : ['it is outside the range of its shard']),
  ]
}

describe.each(named(sampleTables))('shard pruning for a table with %s', (_, table) => {
  const { dialect, layout, row } = table

  it('every row that matches the filter lies in a shard and a key range that is read', () => {
    let runs = 0
    let matched = 0
    fc.assert(
      fc.property(filters(table), fc.array(row, { minLength: 5, maxLength: 20 }), (filter, rows) => {
        runs++
        const condition = compileWhere(layout, filter)
        const matches = predicateOf(condition, dialect)
        const matching = rows.filter((each) => matches(each) === true)
        matched += matching.length
        expect(matching.flatMap((each) => missed(table, condition, each))).toStrictEqual([])
      }),
      { numRuns: 1000 },
    )
    // Else the property says nothing.
    expect(matched / runs).toBeGreaterThan(1)
  })

  it('shardsToRead() returns sorted shards without duplicates', () => {
    fc.assert(
      fc.property(filters(table), (filter) => {
        const shards = shardsToRead(
          layout,
          layout,
          tableConstraints(layout, compileWhere(layout, filter), dialect),
        )
        const sorted = shards && [...new Set(shards)].toSorted((a, b) => a - b)
        expect(shards).toStrictEqual(sorted)
        expect(shards === undefined).toBe(layout.shard === undefined)
      }),
    )
  })

  it('every row is read when the query has no filter', () => {
    fc.assert(
      fc.property(row, (each) => {
        expect(missed(table, undefined, each)).toStrictEqual([])
      }),
    )
  })
})
