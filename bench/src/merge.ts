import { deepStrictEqual } from 'node:assert'
import { fingerprint } from '@isotherm/core/keys'
import { googlesql } from '@isotherm/spanner'
// The merge is not exported: it is measured from the inside.
import { CompiledTables } from '../../packages/core/dist/rows/compiled-table.js'
import { Merge } from '../../packages/core/dist/read/run/streams.js'
import { rowOrder, rowRank, totalOrder } from '../../packages/core/dist/read/plan/order.js'
import { preciseDate } from '../../packages/core/dist/keys/precise-date.js'
import { AccessLog, accessAt, schema, SHARDS } from './access-log.js'
import type { Benchmark } from './benchmark.js'
import { compare } from './harness.js'

/** As many as a stream holds at once. */
const ROWS = 32_000
const TURNS = 16
const MIN_PER_SECOND = 2_000_000

type AnyRow = Record<string, unknown>

export const merge: Benchmark = {
  name: 'merge',
  title: `the merge alone: ${ROWS.toLocaleString('en')} rows of ${SHARDS} sorted sources in memory, against sort()`,
  async run() {
    const table = new CompiledTables(schema, googlesql).of(AccessLog)
    const order = totalOrder(table.layout, [{ property: 'accessedAt', direction: 'desc' }])
    const newestFirst = rowOrder(table.dialect, order)
    const rank = rowRank(table.dialect, order)
    const sources = sourcesOf(newestFirst)
    const merged = (): AnyRow[] => mergeAll(sources, newestFirst, rank)
    const sorted = (): AnyRow[] => sources.flat().sort(newestFirst)
    deepStrictEqual(merged(), sorted(), 'Both sides give the same.')
    const comparison = await compare({
      name: 'rows of a log by time, newest first',
      per: 'row',
      operations: ROWS,
      turns: TURNS,
      rounds: 9,
      warmUp: 2,
      targets: {},
      raw: () => Promise.resolve(sorted()),
      ours: () => Promise.resolve(merged()),
    })
    const perSecond = 1_000_000 / comparison.wall.ours.median
    const met = perSecond >= MIN_PER_SECOND ? 'met' : 'MISSED'
    return [
      {
        ...comparison,
        notes: [
          `${Math.round(perSecond).toLocaleString('en')} rows/s; at least ${MIN_PER_SECOND.toLocaleString('en')}: ${met}`,
        ],
      },
    ]
  },
}

function sourcesOf(order: (a: AnyRow, b: AnyRow) => number): AnyRow[][] {
  const sources = Array.from({ length: SHARDS }, (): AnyRow[] => [])
  const start = Date.parse('2026-01-01T00:00:00Z')
  for (let at = 0; at < ROWS; at++) {
    const spread = Number(BigInt.asUintN(32, fingerprint(String(at))))
    const shard = spread % SHARDS
    sources[shard]!.push({
      ...accessAt(at),
      shardId: BigInt(shard),
      id: crypto.randomUUID(),
      accessedAt: preciseDate(new Date(start + (spread % 40_000_000)).toISOString()),
    })
  }
  for (const source of sources) source.sort(order)
  return sources
}

function mergeAll(
  sources: readonly AnyRow[][],
  order: (a: AnyRow, b: AnyRow) => number,
  rank: (row: AnyRow) => number,
): AnyRow[] {
  const runs = new Merge(order, sources, rank)
  const out: AnyRow[] = []
  for (;;) {
    const drained = runs.take(out, Infinity)
    if (drained === undefined) return out
    runs.refill(drained, [])
  }
}
