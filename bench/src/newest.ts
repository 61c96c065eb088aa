import { deepStrictEqual } from 'node:assert'
import type { Database } from '@google-cloud/spanner'
import type { Database as Isotherm } from '@isotherm/core'
import { spanner } from '@isotherm/core/spanner'
import {
  AccessLog,
  createAccessLog,
  loadAccessLog,
  openAccessLog,
  SHARDS,
  type Access,
} from './access-log.js'
import type { Benchmark } from './benchmark.js'
import { CountingDriver } from './counting-driver.js'
import { compare, type Comparison, type Workload } from './harness.js'
import { AS_JSON, COLUMNS, fromRaw, type RawAccess } from './raw-access-log.js'

const ROWS = 52_000
const PAGE = 50

export const newest: Benchmark = {
  name: 'newest',
  title: `newest ${PAGE} of ${ROWS.toLocaleString('en')} rows in ${SHARDS} shards: fanOut().page() against ${SHARDS} reads`,
  async run(context) {
    const { database, db } = await createAccessLog(context)
    await loadAccessLog(db, ROWS, context)
    const counter = new CountingDriver(spanner(database))
    const expected = await pageOf(openAccessLog(counter.driver))
    const fetched = counter.rows

    const against = async (
      name: string,
      limit: number,
      targets: Workload['targets'],
    ): Promise<Comparison> => {
      const raw = await newestByHand(database, limit)
      deepStrictEqual(raw.rows, expected, 'Both sides read the same.')
      const comparison = await compare({
        name,
        per: 'page',
        operations: 1,
        turns: 2,
        rounds: 15,
        warmUp: 4,
        targets,
        raw: () => newestByHand(database, limit),
        ours: () => pageOf(db),
      })
      return { ...comparison, notes: [`rows fetched: raw ${raw.fetched}, ours ${fetched}`] }
    }
    const least = mostInOneShard(expected)
    return [
      await against(`${SHARDS} reads with limit ${PAGE}`, PAGE, { wall: 1.1 }),
      // Nobody knows this limit beforehand: the least that reads of each shard could cost.
      await against(`${SHARDS} reads with limit ${least}, known from the result (a lower bound)`, least, {}),
    ]
  },
}

function mostInOneShard(rows: readonly Access[]): number {
  const counts = new Array<number>(SHARDS).fill(0)
  for (const { shardId } of rows) counts[Number(shardId)]!++
  return Math.max(...counts)
}

async function pageOf(db: Isotherm): Promise<Access[]> {
  const { rows } = await db.fanOut(AccessLog).orderBy('accessedAt', 'desc').limit(PAGE).page()
  return rows
}

/** One snapshot, all shards at once, each in key order: what a careful user writes. */
async function newestByHand(database: Database, limit: number): Promise<{ rows: Access[]; fetched: number }> {
  const [snapshot] = await database.getSnapshot()
  try {
    const found = await Promise.all(
      Array.from({ length: SHARDS }, async (_, shard) => {
        const range = { startClosed: [shard], endClosed: [shard] }
        const request = { columns: COLUMNS, ranges: [range], limit, ...AS_JSON }
        const [rows] = await snapshot.read('AccessLog', request as never)
        return rows as unknown as RawAccess[]
      }),
    )
    const all = found.flat().sort(newestFirst)
    return { rows: all.slice(0, PAGE).map(fromRaw), fetched: all.length }
  } finally {
    snapshot.end()
  }
}

function newestFirst(a: RawAccess, b: RawAccess): number {
  return (
    b.AccessedAt.getTime() - a.AccessedAt.getTime() ||
    nanoseconds(b) - nanoseconds(a) ||
    (a.Id < b.Id ? -1 : 1)
  )
}

/** Within the millisecond, which is all that `getTime` knows. */
function nanoseconds({ AccessedAt }: RawAccess): number {
  return AccessedAt.getMicroseconds() * 1000 + AccessedAt.getNanoseconds()
}
