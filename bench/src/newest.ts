import { deepStrictEqual } from 'node:assert'
import type { Database } from '@google-cloud/spanner'
import type { Database as Isotherm } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { spanner } from '@isotherm/spanner'
import {
  AccessLog,
  accessAt,
  createAccessLog,
  loadAccessLog,
  openAccessLog,
  SHARDS,
  type Access,
} from './access-log.js'
import type { Benchmark, BenchmarkContext } from './benchmark.js'
import { CountingDriver } from './counting-driver.js'
import { compare, type Comparison, type Workload } from './harness.js'
import { AS_JSON, COLUMNS, fromRaw, type RawAccess } from './raw-access-log.js'
import { throughSlowNetwork } from './slow-network.js'

const ROWS = 52_000
const PAGE = 50
/** Milliseconds that the network adds, in each direction. */
const DELAY = 20

export const newest: Benchmark = {
  name: 'newest',
  title: `newest ${PAGE} of ${ROWS.toLocaleString('en')} rows in ${SHARDS} shards: fanOut().page() against reads by hand`,
  async run(context) {
    const uniform = await loaded(context, 0)
    const hot = await loaded(context, PAGE)
    const expected = await pageOf(uniform.db)
    const min = maxInOneShard(expected)
    return [
      await against(uniform, `keys uniform, ${SHARDS} reads with limit ${PAGE}`, PAGE, 400, { wall: 1 }),
      // This limit is not known beforehand: the least that reads of each shard could cost.
      await against(
        uniform,
        `keys uniform, ${SHARDS} reads with limit ${min}, known from the result (a lower bound)`,
        min,
        400,
        {},
      ),
      await against(hot, `all in one shard, ${SHARDS} reads with limit ${PAGE}`, PAGE, 700, { wall: 1.5 }),
      await roundTrips(context, uniform, 'keys uniform', 2.2),
      await roundTrips(context, hot, 'all in one shard', 5),
    ]
  },
}

interface Loaded {
  readonly database: Database
  readonly db: Isotherm
}

/** @param hot how many of the newest rows are in one shard, by their ids */
async function loaded(context: BenchmarkContext, hot: number): Promise<Loaded> {
  const own = await createAccessLog(context)
  await loadAccessLog(own.db, ROWS - hot, context)
  const rows = Array.from({ length: hot }, (_, at) => ({
    ...accessAt(at),
    id: idInShard(7),
    accessedAt: new Date(Date.now() + at),
  }))
  await own.db.insert(AccessLog, rows)
  return own
}

function idInShard(shard: number): string {
  for (;;) {
    const id = crypto.randomUUID()
    if (shardOf(id, SHARDS) === shard) return id
  }
}

const MEASURED = { per: 'page', operations: 1, turns: 2, rounds: 15, warmUp: 4 } as const

async function against(
  { database, db }: Loaded,
  name: string,
  limit: number,
  maxRows: number,
  targets: Workload['targets'],
): Promise<Comparison> {
  const raw = await newestByHand(database, limit)
  deepStrictEqual(raw.rows, await pageOf(db), 'Both sides read the same.')
  const fetched = await rowsFetched(database)
  const comparison = await compare({
    name,
    ...MEASURED,
    targets,
    raw: () => newestByHand(database, limit),
    ours: () => pageOf(db),
  })
  const met = fetched.at(-1)! <= maxRows ? 'met' : 'MISSED'
  return {
    ...comparison,
    notes: [
      `rows fetched: raw ${raw.fetched}, ours ${fetched[50]} (median of ${fetched.length} pages), ` +
        `${fetched[95]} (95th percentile), ${fetched.at(-1)} (most); at most ${maxRows}: ${met}`,
    ],
  }
}

async function rowsFetched(database: Database): Promise<number[]> {
  return (await countedPages(database)).map((counter) => counter.rows).sort((a, b) => a - b)
}

/** Many pages, since each probes another shard. */
async function countedPages(
  database: Database,
): Promise<{ readonly reads: number; readonly rows: number }[]> {
  const counters: { readonly reads: number; readonly rows: number }[] = []
  for (let page = 0; page < 101; page++) {
    const counter = new CountingDriver(spanner(database))
    await pageOf(openAccessLog(counter.driver))
    counters.push(counter)
  }
  return counters
}

/** A page over a slow network, against one read of one row over the same: what is left of a ratio is round trips. */
async function roundTrips(
  context: BenchmarkContext,
  { database }: Loaded,
  name: string,
  target: number,
): Promise<Comparison> {
  const emulator = await context.spanner()
  const slow = await throughSlowNetwork(emulator.host, database, DELAY)
  try {
    const db = openAccessLog(spanner(slow.database))
    const [snapshot] = await slow.database.getSnapshot()
    const request = { columns: COLUMNS, ranges: [{ startClosed: [0], endClosed: [0] }], limit: 1, ...AS_JSON }
    try {
      const comparison = await compare({
        name: `${name}, ${DELAY} ms away: in round trips, those of one read`,
        ...MEASURED,
        // Page by page: one in seven takes a round trip more.
        turns: 1,
        rounds: 61,
        // The session is to be warm, and so is the code that a page runs.
        warmUp: 20,
        targets: { wall: target },
        raw: () => snapshot.read('AccessLog', request as never),
        ours: () => pageOf(db),
      })
      const reads = (await countedPages(database)).map((counter) => counter.reads)
      const mean = reads.reduce((sum, count) => sum + count, 0) / reads.length
      return {
        ...comparison,
        notes: [`reads one after another: ${mean.toFixed(2)} a page (mean of ${reads.length} pages)`],
      }
    } finally {
      snapshot.end()
    }
  } finally {
    await slow.close()
  }
}

function maxInOneShard(rows: readonly Access[]): number {
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
