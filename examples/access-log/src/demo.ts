import type { Writable } from 'node:stream'
import { compileDdl, openDatabase } from '@isotherm/core'
import type { DemoEngine } from './engine.js'
import { ingest, type Ingested } from './ingest.js'
import type { LogSource } from './log-source.js'
import type { Progress } from './progress.js'
import {
  ddlSection,
  heatSection,
  newestSection,
  pagesSection,
  planSection,
  statusSection,
  storedSection,
  type Request,
} from './report.js'
import { RequestLog, schema, SHARDS } from './request-log.js'

export interface DemoOptions {
  readonly engine: DemoEngine
  readonly log: LogSource
  readonly out: Writable
  readonly progress: Progress
  /** Of the lines that are printed, in characters. */
  readonly width: number
  readonly signal?: AbortSignal
}

/** What the demo found, beside what it printed. */
export interface DemoResult {
  readonly ingested: Ingested
  readonly inTable: number
  readonly byShard: readonly number[]
  readonly newest: readonly Request[]
}

const NEWEST = 20
const PAGE = 5

/** Stores a log in a new database and prints what reading all shards as one table is like. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { engine, log, out, progress, width, signal } = options
  const print = (lines: readonly string[]): void => void out.write(`${lines.join('\n')}\n`)

  const ddl = compileDdl(schema, { dialect: engine.dialect })
  const db = openDatabase({ driver: await engine.open(ddl), schema })
  print(ddlSection(ddl, width))

  print(['', 'Storing the log'])
  const ingested = await ingest(db, engine.dialect, log, progress, signal)
  const requests = db.fanOut(RequestLog).options({ signal })
  const inTable = await requests.count()
  print(storedSection(ingested, inTable, width))

  const byShard = Array.from({ length: SHARDS }, () => 0)
  for (const group of await requests.groupBy('shard').count()) byShard[Number(group.shard)] = group.count
  print(heatSection(byShard, ingested.byClient, width))

  const latest = requests.orderBy('time', 'desc')
  const query = latest.limit(NEWEST)
  const newest = await query.all()
  print(newestSection(newest, SHARDS, width))

  const pages = latest.limit(PAGE)
  const first = await pages.page()
  const second = first.next === undefined ? undefined : await pages.after(first.next).page()
  print(pagesSection(first.rows, second?.rows, newest, width))

  print(statusSection(await requests.groupBy('status').count(), width))
  print(planSection(String(query.explain()), width))
  return { ingested, inTable, byShard, newest }
}
