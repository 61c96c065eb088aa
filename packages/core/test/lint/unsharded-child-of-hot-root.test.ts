import type { Workload } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf, live, verdicts, type LiveColumn, type LiveTable } from './support/live.js'

const shardOf = (shards: number): LiveColumn => ({
  type: { kind: 'int64' },
  source: { kind: 'shard', strategy: 'hash', shards, of: ['bucket'], computedBy: 'client' },
})

function findings(root: LiveTable['columns'], own: LiveTable['columns'], expected?: number | Workload) {
  const inherited = Object.fromEntries(
    Object.entries(root).map(([name, column]) => [name, { ...asObject(column), inherited: true }]),
  )
  const schema = live({
    Root: { columns: root, key: Object.keys(root) },
    Child: {
      columns: { ...inherited, ...own },
      key: [...Object.keys(root), ...Object.keys(own)],
      parent: 'Root',
      ...(expected !== undefined && {
        workload: typeof expected === 'number' ? { writesPerSecond: expected } : expected,
      }),
    },
  })
  return findingsOf('spanner/unsharded-child-of-hot-root', schema)
}

function asObject(column: LiveColumn): Exclude<LiveColumn, string> {
  return typeof column === 'string' ? { type: { kind: column } as never } : column
}

describe('spanner/unsharded-child-of-hot-root', () => {
  it('reports a child that starts with a timestamp under few parent rows, and shows the calculation', () => {
    expect(findings({ bucket: shardOf(4) }, { at: 'timestamp', id: 'uuid' }, 20_000)).toStrictEqual([
      {
        rule: 'spanner/unsharded-child-of-hot-root',
        severity: 'warning',
        table: 'Child',
        column: 'at',
        message:
          '20,000 rows a second end in 4 key ranges, behind the last in each of the 4 rows that Root can have: 5,000 a ' +
          'second in each, and one split is assumed to take 1,000.',
        fix:
          'Put a part that does not grow and has many values before at, or interleave Child in a table that has many ' +
          'rows to write to at a time.',
        link: 'docs/lint/spanner/unsharded-child-of-hot-root.md',
      },
    ])
  })

  it('reports an error above 22,500 writes per second in one key range, the highest published figure for a node', () => {
    expect(verdicts(findings({ test: 'bool' }, { at: 'timestamp' }, 45_002))).toStrictEqual([
      'Child.at error',
    ])
    expect(verdicts(findings({ test: 'bool' }, { at: 'timestamp' }, 45_000))).toStrictEqual([
      'Child.at warning',
    ])
  })

  it('warns about writes that all go to the newest rows of a parent whose key grows', () => {
    const [finding] = findings({ day: 'date' }, { at: 'timestamp', id: 'uuid' }, 50_000)
    expect(finding).toMatchObject({ severity: 'warning', table: 'Child' })
    expect(finding!.message).toContain(
      'in 1 key range, if they belong to the newest rows of Root: 50,000 a second',
    )
  })

  it('counts the values of a shard between the parent key and the timestamp', () => {
    expect(findings({ test: 'bool' }, { bucket: shardOf(10), at: 'timestamp' }, 20_000)).toStrictEqual([])
    expect(findings({ test: 'bool' }, { bucket: shardOf(9), at: 'timestamp' }, 20_000)).toHaveLength(1)
  })

  it.each<[string, LiveTable['columns'], LiveTable['columns'], number | undefined]>([
    ['a parent whose key has many values', { userId: 'int64' }, { at: 'timestamp' }, 1_000_000],
    [
      'a child whose next key part is a UUID',
      { bucket: shardOf(2) },
      { id: 'uuid', at: 'timestamp' },
      1_000_000,
    ],
    [
      'a parent of days with a child whose next key part is a user',
      { day: 'date' },
      { userId: 'int64', at: 'timestamp' },
      1_000_000,
    ],
    ['a child with few writes', { bucket: shardOf(2) }, { at: 'timestamp' }, 2_000],
    ['a child without a workload', { day: 'date' }, { at: 'timestamp' }, undefined],
  ])('reports nothing for %s', (_, root, own, writesPerSecond) => {
    expect(findings(root, own, writesPerSecond)).toStrictEqual([])
  })

  it('reports more writes to one root row than one split takes, regardless of the number of root rows', () => {
    expect(findings({ userId: 'int64' }, { at: 'timestamp' }, { writesPerRootRow: 5_000 })).toStrictEqual([
      {
        rule: 'spanner/unsharded-child-of-hot-root',
        severity: 'warning',
        table: 'Child',
        column: 'at',
        message:
          '5,000 rows a second of one row of Root end in 1 key range: one split is assumed to take 1,000.',
        fix: 'Put a shard of 5 values or more into the key of Child before at, or into the key of Root.',
        link: 'docs/lint/spanner/unsharded-child-of-hot-root.md',
      },
    ])
    expect(
      findings({ userId: 'int64' }, { bucket: shardOf(2), at: 'timestamp' }, { writesPerRootRow: 5_000 }),
    ).toMatchObject([
      {
        message:
          '5,000 rows a second of one row of Root end in 2 key ranges: 2,500 a second in each, and one split is assumed to take 1,000.',
        fix: 'Give bucket 5 values or more. The number cannot be changed later without a new table.',
      },
    ])
    expect(
      verdicts(findings({ userId: 'int64' }, { at: 'timestamp' }, { writesPerRootRow: 22_501 })),
    ).toStrictEqual(['Child.at error'])
  })

  it.each<[string, LiveTable['columns'], number]>([
    ['as many writes as one split takes', { at: 'timestamp' }, 1_000],
    ['as many shards as the writes need', { bucket: shardOf(5), at: 'timestamp' }, 5_000],
    ['rows whose key starts with a UUID', { id: 'uuid', at: 'timestamp' }, 1_000_000],
  ])('reports nothing for %s under one root row', (_, own, writesPerRootRow) => {
    expect(findings({ userId: 'int64' }, own, { writesPerRootRow })).toStrictEqual([])
  })

  it('computes the writes per root row from the root table, not from the direct parent', () => {
    const inherited = { type: { kind: 'int64' }, inherited: true } as const
    const schema = (order: LiveColumn) =>
      live({
        Root: { columns: { r: 'int64' }, key: ['r'] },
        Order: { columns: { r: inherited, o: order }, key: ['r', 'o'], parent: 'Root' },
        Line: {
          columns: { r: inherited, o: { ...asObject(order), inherited: true }, l: 'timestamp' },
          key: ['r', 'o', 'l'],
          parent: 'Order',
          workload: { writesPerRootRow: 3_000 },
        },
      })
    expect(findingsOf('spanner/unsharded-child-of-hot-root', schema('uuid'))).toStrictEqual([])
    expect(verdicts(findingsOf('spanner/unsharded-child-of-hot-root', schema('timestamp')))).toStrictEqual([
      'Line.o warning',
    ])
  })
})
