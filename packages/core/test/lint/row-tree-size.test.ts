import type { Workload } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf, live } from './support/live.js'

const inherited = { type: { kind: 'int64' }, inherited: true } as const

function findings(customer?: Workload, order?: Workload, line?: Workload) {
  const schema = live({
    Customer: { columns: { c: 'int64' }, key: ['c'], ...(customer && { workload: customer }) },
    Order: {
      columns: { c: inherited, o: 'int64' },
      key: ['c', 'o'],
      parent: 'Customer',
      ...(order && { workload: order }),
    },
    Line: {
      columns: { c: inherited, o: inherited, l: 'int64' },
      key: ['c', 'o', 'l'],
      parent: 'Order',
      ...(line && { workload: line }),
    },
  })
  return findingsOf('spanner/row-tree-size', schema)
}

const GIB = 1024 ** 3

describe('spanner/row-tree-size', () => {
  it('reports a row tree larger than one split at its root table, and shows the calculation', () => {
    const found = findings(
      { rowBytes: 500 },
      { rowBytes: 200, childrenPerRow: 100_000 },
      { rowBytes: 300, childrenPerRow: 100 },
    )
    expect(found).toStrictEqual([
      {
        rule: 'spanner/row-tree-size',
        severity: 'warning',
        table: 'Customer',
        message:
          'One row of Customer with what is interleaved in it comes to 2.8 GiB or more (500 B of Customer + 100,000 × ' +
          '200 B of Order + 10,000,000 × 300 B of Line), and a row tree is assumed to stay in one split up to 2 GiB.',
        fix:
          'Put a part of the key of the largest table (a month, a shard) into the key of its parent, so that a tree ' +
          'holds less; or make it a table of its own.',
        link: 'docs/lint/spanner/row-tree-size.md',
      },
    ])
  })

  it('accepts a row tree of exactly 2 GiB, and reports a larger tree', () => {
    expect(findings(undefined, { rowBytes: GIB, childrenPerRow: 2 })).toStrictEqual([])
    expect(findings({ rowBytes: 1 }, { rowBytes: GIB, childrenPerRow: 2 })).toHaveLength(1)
  })

  it('ignores tables without a stated row size or number of children', () => {
    expect(findings()).toStrictEqual([])
    expect(
      findings({ rowBytes: 100 }, { rowBytes: 1e9 }, { rowBytes: 1e9, childrenPerRow: 100 }),
    ).toStrictEqual([])
    expect(findings(undefined, { childrenPerRow: 100 }, { rowBytes: GIB, childrenPerRow: 1 })).toHaveLength(1)
  })

  it('adds up the sizes of all child tables of a parent table', () => {
    const child = { columns: { c: inherited, x: 'int64' }, key: ['c', 'x'], parent: 'Root' } as const
    const expected = { rowBytes: 1024, childrenPerRow: 1024 ** 2 }
    const schema = (second: Workload) =>
      live({
        Root: { columns: { c: 'int64' }, key: ['c'] },
        A: { ...child, workload: expected },
        B: { ...child, workload: second },
      })
    expect(findingsOf('spanner/row-tree-size', schema(expected))).toStrictEqual([])
    expect(findingsOf('spanner/row-tree-size', schema({ ...expected, rowBytes: 1025 }))).toHaveLength(1)
  })
})
