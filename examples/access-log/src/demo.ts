import type { Writable } from 'node:stream'
import {
  type Generated,
  type Row,
  Column,
  DescTimestamp,
  ShardKey,
  Table,
  UuidV4,
  compileDdl,
  defineSchema,
  openDatabase,
} from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import type { SingleBar } from 'cli-progress'
import type { DemoEngine } from './engine.js'
import type { LogSource } from './log/log-source.js'
import { type ParsedRequest, parseLine } from './log/parse-line.js'
import { bars, count, grid, requestGrid, share, shown } from './print.js'

// The model, the writes and the reads. Everything else in this folder finds an engine, reads a file, or reads what was typed.

const SHARDS = 64

/** One request of a web server's access log. */
@Table('RequestLog')
export class RequestLog {
  // Hashing the row's own random id keeps every shard equally warm. Hashing the client would keep one client's rows
  // together, but also all the writes of a busy crawler: right where reads by client matter more than an even load.
  @ShardKey({ shards: SHARDS, of: ['id'] }) shard!: Generated<bigint>
  // Newest first in each shard, so the newest rows of all are a short read from the top of every shard.
  @DescTimestamp() time!: Date
  // A log's times are whole seconds: this tells two requests of one client in the same second apart.
  @UuidV4() id!: Generated<string>
  @Column.string() client!: string
  // NULL where the client sent something that is not a request line; then `path` is what it sent.
  @Column.string({ nullable: true }) method!: string | null
  @Column.string() path!: string
  @Column.int64() status!: bigint
  @Column.int64({ nullable: true }) bytes!: bigint | null
  @Column.string({ nullable: true }) referrer!: string | null
  @Column.string({ nullable: true }) agent!: string | null
}

const schema = defineSchema([RequestLog])

export interface DemoOptions {
  readonly engine: DemoEngine
  readonly log: LogSource
  readonly out: Writable
  readonly progress?: SingleBar
  readonly signal?: AbortSignal
}

export interface DemoResult {
  readonly inTable: number
  readonly byShard: readonly number[]
  /** Rows in each shard, had the shard been a hash of the client: for comparison. */
  readonly byClient: readonly number[]
  readonly newest: readonly Row<RequestLog>[]
  readonly pages: readonly (readonly Row<RequestLog>[])[]
}

/** The emulator runs one read-write transaction at a time. A real instance would take many at once. */
const ROWS_PER_COMMIT = 1_000
const NEWEST = 20
const PAGE = 5

/** Stores a log in a new database, and prints what reading all shards as one table is like. */
export async function runDemo({ engine, log, out, progress, signal }: DemoOptions): Promise<DemoResult> {
  const print = (text: string): void => void out.write(`${text}\n`)
  const { dialect } = engine
  const ddl = compileDdl(schema, { dialect })
  const db = openDatabase({ driver: await engine.open(ddl), schema })
  print(`\n${ddl.join(';\n')};\n`)

  // Writes: in batches, while the file is read, so that a log of any size needs little memory.
  const byClient = new Array<number>(SHARDS).fill(0)
  const malformed: string[] = []
  let [line, read, stored] = [0, 0, 0]
  let batch: ParsedRequest[] = []
  const store = async (): Promise<void> => {
    // On Cassandra each shard's rows are a commit of their own.
    await db.insert(RequestLog, batch, { signal, allowMultipleCommits: true })
    stored += batch.length
    batch = []
    progress?.update(log.position(), { rows: stored })
  }
  const began = performance.now()
  progress?.start(log.total ?? 0, 0, { rows: 0 })
  for await (const text of log.lines) {
    line++
    if (text.trim() === '') continue
    read++
    const request = parseLine(text)
    if (!request) {
      if (malformed.length < 3) malformed.push(`  line ${line}: ${shown(text)}`)
      continue
    }
    byClient[shardOf(request.client, SHARDS, { dialect })]!++
    if (batch.push(request) === ROWS_PER_COMMIT) await store()
  }
  if (batch.length > 0) await store()
  progress?.stop()
  const seconds = (performance.now() - began) / 1000

  // Reads: all shards as one table.
  const requests = db.fanOut(RequestLog).options({ signal })
  const inTable = await requests.count()
  print(`${count(inTable)} rows stored of ${count(read)} read, ${count(stored / seconds)} a second`)
  if (stored < read) print(`Left out ${count(read - stored)} malformed lines:\n${malformed.join('\n')}`)

  const byShard = new Array<number>(SHARDS).fill(0)
  for (const group of await requests.groupBy('shard').count()) byShard[Number(group.shard)] = group.count
  print(`\nRows in each of the ${SHARDS} shards\n${bars(byShard)}`)
  const keys = [
    ['hash of the id, as here', share(Math.max(...byShard), inTable)],
    ['hash of the client', share(Math.max(...byClient), inTable)],
    // By definition: each new row goes to the end of the last split.
    ['the time', share(1, 1)],
    ['an even share', share(1, SHARDS)],
  ]
  print(grid(['a key that begins with', 'has in its fullest shard'], keys))

  const latest = requests.orderBy('time', 'desc')
  const query = latest.limit(NEWEST)
  const newest = await query.all()
  print(`\nThe newest ${newest.length} of all shards (UTC)\n${requestGrid(newest)}`)

  const first = await latest.limit(PAGE).page()
  const second = first.next === undefined ? undefined : await latest.limit(PAGE).after(first.next).page()
  print(`\nPage 1\n${requestGrid(first.rows)}`)
  print(second ? `Page 2, after the cursor of page 1\n${requestGrid(second.rows)}` : 'There is no next page.')

  const statuses = await requests.groupBy('status').count()
  const ofStatus = statuses.map((each) => [each.status, count(each.count), share(each.count, inTable)])
  print(`\nRequests by status\n${grid(['status', 'requests', 'share'], ofStatus)}`)
  print(`\nHow the newest ${NEWEST} were read\n${String(query.explain())}`)
  return { inTable, byShard, byClient, newest, pages: [first.rows, second?.rows ?? []] }
}
