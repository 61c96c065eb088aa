import type { ColumnSchema, Workload } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf, live, verdicts, type LiveColumn } from './support/live.js'

function sharded(
  shards: number,
  more: Partial<Extract<ColumnSchema['source'], { kind: 'shard' }>> = {},
): LiveColumn {
  const source = {
    kind: 'shard',
    strategy: 'hash',
    shards,
    of: ['userId'],
    computedBy: 'database',
    ...more,
  } as const
  return { type: { kind: 'int64' }, source }
}

function findings(shard: LiveColumn, workload: Workload | undefined, key = ['shard', 'at', 'userId']) {
  const columns = { shard, at: 'timestamp', day: 'date', userId: 'int64', test: 'bool' } as const
  return findingsOf(
    'spanner/shard-count',
    live({ Log: { columns, key, ...(workload && { workload: workload }) } }),
  )
}

describe('spanner/shard-count', () => {
  it('reports too few shards for the stated writes, and shows the calculation and the assumed limit per split', () => {
    expect(findings(sharded(4), { writesPerSecond: 20_000 })).toStrictEqual([
      {
        rule: 'spanner/shard-count',
        severity: 'warning',
        table: 'Log',
        column: 'shard',
        message:
          '20,000 rows a second end in 4 key ranges, since shard has 4 values: 5,000 a second in each, and one split is ' +
          'assumed to take 1,000.',
        fix: 'Use 20 values or more. The number cannot be changed later without a new table.',
        link: 'docs/lint/spanner/shard-count.md',
      },
    ])
  })

  it('reports an error above 22,500 writes per second in one shard, the highest published figure for a node', () => {
    expect(verdicts(findings(sharded(2), { writesPerSecond: 45_000 }))).toStrictEqual(['Log.shard warning'])
    const [finding] = findings(sharded(2), { writesPerSecond: 45_002 })
    expect(finding).toMatchObject({ severity: 'error', message: expect.stringContaining('22,500') })
  })

  it.each([
    [1, 1_000],
    [20, 20_000],
    [64, 1],
  ])('accepts %d shards for %d rows per second', (shards, writesPerSecond) => {
    expect(findings(sharded(shards), { writesPerSecond })).toStrictEqual([])
  })

  it('counts the negative values of a signed shard, and multiplies by the values of a BOOL after the shard', () => {
    const expected = { writesPerSecond: 10_000 }
    expect(findings(sharded(6, { signed: true }), expected)).toStrictEqual([])
    expect(findings(sharded(5, { signed: true }), expected)).toHaveLength(1)
    expect(findings(sharded(5), expected, ['shard', 'test', 'at', 'userId'])).toStrictEqual([])
    const [finding] = findings(sharded(4), expected, ['shard', 'test', 'at', 'userId'])
    expect(finding).toMatchObject({ fix: expect.stringContaining('Use 5 values or more') })
  })

  it('reports nothing when the key part after the shard lets Spanner split within a shard', () => {
    for (const key of [
      ['shard', 'userId', 'at'],
      ['shard', 'day', 'userId'],
      ['shard', 'userId'],
    ]) {
      expect(findings(sharded(1), { writesPerSecond: 1_000_000, nodes: 100 }, key)).toStrictEqual([])
    }
    expect(findings(sharded(1), { writesPerSecond: 2_000 }, ['shard', 'day', 'at'])).toHaveLength(1)
  })

  it('reports fewer shards than nodes when the workload states no writes', () => {
    const [finding] = findings(sharded(4), { nodes: 10 })
    expect(finding!.message).toBe(
      'shard has 4 values for 10 nodes: at most 4 of them take inserts at a time.',
    )
    expect(findings(sharded(4), { nodes: 10, writesPerSecond: 100 })).toStrictEqual([])
  })

  it('reports far more shards than the stated nodes and writes can use', () => {
    const [finding] = findings(sharded(2048), { nodes: 10 })
    expect(finding).toMatchObject({
      severity: 'warning',
      fix: expect.stringContaining('100 are enough'),
    })
    expect(findings(sharded(100), { nodes: 10 })).toStrictEqual([])
    expect(findings(sharded(2048), { nodes: 10, writesPerSecond: 2_048_000 })).toStrictEqual([])
    expect(findings(sharded(2048), { writesPerSecond: 10 })).toStrictEqual([])
    expect(findings(sharded(2048), { nodes: 10 }, ['shard', 'userId', 'at'])).toHaveLength(1)
  })

  it('reports nothing for a table whose workload is absent or states only a row size', () => {
    expect(findings(sharded(1), undefined)).toStrictEqual([])
    expect(findings(sharded(2048), { rowBytes: 10 })).toStrictEqual([])
  })

  it('checks the shard of an index over a timestamp too', () => {
    const table = (shards: number) =>
      live({
        Log: {
          columns: { id: 'int64', at: 'timestamp', page: 'string' },
          key: ['id'],
          indexes: [
            { name: 'ByAt', on: ['at'], shard: { column: 'ByAt_shard', shards, of: ['id'] } },
            { name: 'ByPage', on: ['page'], shard: { column: 'ByPage_shard', shards: 1, of: ['id'] } },
          ],
          workload: { writesPerSecond: 8_000 },
        },
      })
    expect(verdicts(findingsOf('spanner/shard-count', table(4)))).toStrictEqual(['ByAt warning'])
    expect(findingsOf('spanner/shard-count', table(8))).toStrictEqual([])
  })
})
