import { spanner } from '@isotherm/spanner'
import { AccessLog, openAccessLog } from './access-log.js'
import { spannerClass } from './raw-access-log.js'

/** Rows that a stream holds at most. */
const MAX_HELD = 96_000

// One ordered scan of a database that its first argument names; prints what it took.

const [, project, instance, name] = /projects\/([^/]+)\/instances\/([^/]+)\/databases\/([^/]+)/.exec(
  process.argv[2]!,
)!
for (const kind of ['', '_FOR_RW', '_PARTITIONED_OPS'])
  process.env[`GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS${kind}`] = 'false'
const Spanner = await spannerClass()
const client = new Spanner({ projectId: project! })
const database = client.instance(instance!).database(name!)
const db = openAccessLog(spanner(database))
let maxRowsHeld = 0
db.on('fanOut', (report) => (maxRowsHeld = Math.max(maxRowsHeld, report.maxRowsHeld)))

let rows = 0
let heap = 0
for await (const row of db.fanOut(AccessLog).orderBy('accessedAt', 'desc')) {
  if (row && ++rows % 10_000 === 0) heap = Math.max(heap, process.memoryUsage().heapUsed)
}
await database.close()
void client.close()
// What the guide promises: more would grow with the table.
if (maxRowsHeld > MAX_HELD) throw new Error(`${maxRowsHeld} rows were held at once.`)
const megabytes = (heap / 2 ** 20).toFixed(0)
console.log(
  `${rows.toLocaleString('en')} rows in order, at most ${maxRowsHeld.toLocaleString('en')} held at once (of ${MAX_HELD.toLocaleString('en')} at most), ${megabytes} MB of heap`,
)
