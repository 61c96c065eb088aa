import { deepStrictEqual } from 'node:assert'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Database } from '@google-cloud/spanner'
import type { Database as Isotherm } from '@isotherm/core'
import { AccessLog, createAccessLog, loadAccessLog, SHARDS } from './access-log.js'
import type { Benchmark, BenchmarkContext } from './benchmark.js'
import { compare, type Comparison } from './harness.js'
import { AS_JSON, COLUMNS } from './raw-access-log.js'

const ROWS = 52_000
const MANY = 300_000
/** Megabytes of JavaScript's heap: enough for the rows that a stream promises to hold at most, and far from enough for all of them. */
const HEAP = 144

export const scan: Benchmark = {
  name: 'scan',
  title: `all rows of ${SHARDS} shards in order: the fan-out as a stream against the client's read stream, in no order`,
  async run(context) {
    const { database, db } = await createAccessLog(context)
    await loadAccessLog(db, ROWS, context)
    deepStrictEqual([await streamed(db), await readByHand(database)], [ROWS, ROWS])
    const comparison = await compare({
      name: `${ROWS.toLocaleString('en')} rows, newest first`,
      per: 'row',
      operations: ROWS,
      turns: 1,
      rounds: 9,
      warmUp: 2,
      // 0.9 times the rows of a second are 1.11 times the seconds of a row.
      targets: { wall: 1 / 0.9 },
      raw: () => readByHand(database),
      ours: () => streamed(db),
    })
    return [{ ...comparison, notes: [await scanInSmallHeap(context)] }]
  },
}

async function streamed(db: Isotherm): Promise<number> {
  let rows = 0
  let before = Infinity
  for await (const { accessedAt } of db.fanOut(AccessLog).orderBy('accessedAt', 'desc')) {
    if (accessedAt.getTime() > before) throw new Error('The rows are not in order.')
    before = accessedAt.getTime()
    rows++
  }
  return rows
}

/** The client's own stream of the whole table, in the order of its shards. */
async function readByHand(database: Database): Promise<number> {
  const request = { columns: COLUMNS, ranges: [{ startClosed: [], endClosed: [] }], ...AS_JSON }
  let rows = 0
  for await (const row of database.table('AccessLog').createReadStream(request)) if (row) rows++
  return rows
}

/** In a process of its own whose heap is small: what it says of itself. */
async function scanInSmallHeap(context: BenchmarkContext): Promise<string> {
  const { database, db } = await createAccessLog(context)
  await loadAccessLog(db, MANY, context)
  const emulator = await context.spanner()
  const script = fileURLToPath(new URL('scan-process.js', import.meta.url))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`--max-old-space-size=${HEAP}`, script, database.formattedName_],
    { env: { ...process.env, SPANNER_EMULATOR_HOST: emulator.host } },
  )
  return `${stdout.trim()} with a heap of ${HEAP} MB`
}

export type { Comparison }
