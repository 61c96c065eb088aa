import type { Database, SqlDialect } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import type { LogSource } from './log-source.js'
import { parseLine, type ParsedRequest } from './parse-line.js'
import type { Progress } from './progress.js'
import { RequestLog, SHARDS } from './request-log.js'

export interface MalformedLine {
  readonly line: number
  readonly text: string
}

export interface Ingested {
  /** Lines that hold anything at all. */
  readonly read: number
  readonly stored: number
  readonly malformed: { readonly count: number; readonly first: readonly MalformedLine[] }
  readonly seconds: number
  /** Rows per shard, had the shard been a hash of the client: for comparison. */
  readonly byClient: readonly number[]
}

// One commit after the other: the emulator runs one read-write transaction at a time and aborts the others, so that two
// at once took five times as long as one, and four fifteen times. A real instance would take many at once.
const ROWS_PER_COMMIT = 1_000
const MALFORMED_SHOWN = 3

/** Stores a log's requests while it is being read, so that a log of any size needs little memory. */
export async function ingest(
  db: Database,
  dialect: SqlDialect,
  log: LogSource,
  progress: Progress,
  signal?: AbortSignal,
): Promise<Ingested> {
  const began = performance.now()
  const byClient = Array.from({ length: SHARDS }, () => 0)
  const first: MalformedLine[] = []
  let [line, read, stored, malformed] = [0, 0, 0, 0]
  let batch: ParsedRequest[] = []

  const commit = async (): Promise<void> => {
    await db.insert(RequestLog, batch, { signal })
    stored += batch.length
    batch = []
    progress.update(log.position(), stored)
  }

  progress.start(log.total)
  try {
    for await (const text of log.lines) {
      line++
      if (text.trim() === '') continue
      read++
      const request = parseLine(text)
      if (request === undefined) {
        malformed++
        if (first.length < MALFORMED_SHOWN) first.push({ line, text })
        continue
      }
      byClient[shardOf(request.client, SHARDS, { dialect })]!++
      if (batch.push(request) === ROWS_PER_COMMIT) await commit()
    }
    if (batch.length > 0) await commit()
  } finally {
    progress.stop()
  }
  const seconds = (performance.now() - began) / 1000
  return { read, stored, malformed: { count: malformed, first }, seconds, byClient }
}
