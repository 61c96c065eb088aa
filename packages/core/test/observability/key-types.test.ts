import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TableSkew } from '../../src/observability/skew.js'
import { sampleTables, named } from '../fan-out/support/tables.js'

describe.each(named(sampleTables))('skew detection on a table with %s', (_, { layout, row }) => {
  it('accepts reads and writes of any key values without an error', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 100 }), (rows) => {
        const skew = new TableSkew(layout, () => {})
        expect(() => {
          skew.keys('reads', rows)
          skew.keys('writes', rows)
          skew.shards(rows, undefined)
        }).not.toThrow()
      }),
    )
  })

  it('reports one key, and its shard if there are shards, after 1,000 writes of the same row', () => {
    fc.assert(
      fc.property(row, (one) => {
        const events: unknown[] = []
        const skew = new TableSkew(layout, (event) => events.push(event))
        for (let call = 0; call < 1000; call++) skew.keys('writes', [one])
        expect(events).toHaveLength(layout.shard ? 2 : 1)
        expect(events.at(-1)).toMatchObject({ of: 'key', by: 'writes', share: 1, rows: 1000 })
      }),
      { numRuns: 10 },
    )
  })
})
