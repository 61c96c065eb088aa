import type { PlainRow } from '../../database/codec.js'
import type { Position } from '../../dialects/condition.js'
import type { Selection } from '../../dialects/statement.js'
import { streamChunk } from '../planning/chunks.js'
import {
  shardStatement,
  statementOver,
  type PlannedCall,
  type PlannedRead,
  type PlannedStatement,
} from '../planning/calls.js'
import { sortGroups } from './groups.js'
import { groupKey, rangeAfter, shardRange } from '../planning/key-ranges.js'
import { laneReadAfter } from '../planning/lane-ranges.js'
import { Merge } from './merge.js'
import { positionOf } from '../order.js'
import type { Reading } from './reading.js'

/** One of the sorted streams that make up a result. */
export interface Source {
  /** The next rows in order; none when there are no more. */
  next(): Promise<readonly PlainRow[]>
}

/** How many rows are handed on at a time. */
const BATCH = 256

/** How many rows of partitions are looked for all at once: for more of them, chunks are read ahead. */
export const MOST_AT_ONCE = 10_000

/**
 * A source per call, each read chunk by chunk: the next chunk begins after the last row of the one before.
 *
 * @param behind rows up to this one are left out where a chunk may hold some
 */
export function chunkSources(
  reading: Reading,
  calls: readonly PlannedCall[],
  behind: PlainRow | undefined,
): Source[] {
  const { request, report, plan } = reading
  const isStream = request.limit === undefined || (reading.lanes && request.limit > MOST_AT_ONCE)
  // Entries of an index are filtered once they are rows.
  const matches = plan.strategy === 'back-join' ? undefined : reading.matches
  return calls.map((first) => {
    let call: PlannedCall | undefined = first
    let ahead: Promise<PlainRow[]> | undefined
    /** The second half of a chunk. */
    let rest: readonly PlainRow[] = []
    return {
      async next() {
        if (rest.length > 0) {
          const rows = rest
          rest = []
          // A stream will want the next chunk: it is fetched while this half is being read.
          ahead = call && reading.fetch(call)
          ahead?.catch(() => {})
          return rows
        }
        while (call) {
          let rows: PlainRow[]
          try {
            rows = await (ahead ?? reading.fetch(call))
          } catch (error) {
            reading.lose(call, error)
            call = undefined
            return []
          }
          ahead = undefined
          const settled = settle(reading, call, rows, behind)
          call = settled.next
          const matching = matches ? settled.rows.filter((row) => matches(row) === true) : settled.rows
          report.hold(matching.length - rows.length)
          if (matching.length === 0) continue
          if (!call || !isStream || matching.length === 1) return matching
          const half = Math.ceil(matching.length / 2)
          rest = matching.slice(half)
          return matching.slice(0, half)
        }
        return []
      },
    }
  })
}

/** The rows of a chunk that are in their final order, and the call for those that follow. */
export function settle(
  reading: Reading,
  asked: PlannedCall,
  rows: PlainRow[],
  behind: PlainRow | undefined,
): { readonly rows: readonly PlainRow[]; readonly next: PlannedCall | undefined } {
  const { keys, compare, plan } = reading
  const limit = asked.limit!
  const last = rows.at(-1)
  const full = last !== undefined && rows.length === limit
  const more = Math.max(limit, Math.min(limit * 4, streamChunk(plan.calls.length)))
  if (asked.kind === 'statement')
    return { rows, next: full ? statementAfter(reading, asked, last, more) : undefined }
  if (keys.grouped === undefined)
    return { rows, next: full ? readAfter(reading, asked, last, more) : undefined }
  const whole = sortGroups(rows, compare, {
    keyOf: (row) => groupKey(keys, asked.shard, row),
    // The last group may go on beyond the chunk.
    open: full,
    behind,
  })
  // A group that fills a chunk by itself is asked for again, with room for more.
  const room = whole.began ? more : limit * 4
  return { rows: whole.rows, next: full ? readAfter(reading, asked, last, room) : undefined }
}

function statementAfter(
  { table, index, request, plan }: Reading,
  call: PlannedStatement,
  last: PlainRow,
  limit: number,
): PlannedStatement {
  const { order, condition } = request
  const shards = call.shards ?? plan.shards?.read
  const after: Position = positionOf(order, last)
  const selection: Selection = {
    layout: table.layout,
    ...(index && { index }),
    ...(shards && { shards }),
    ...(condition && { condition }),
    order,
    after,
  }
  const statement =
    call.shard === undefined && plan.shards
      ? statementOver(table, { ...selection, limit })
      : shardStatement(table, selection, call.shard, limit)
  return { ...call, statement, limit }
}

function readAfter(reading: Reading, call: PlannedRead, last: PlainRow, limit: number): PlannedRead {
  const {
    keys,
    constraints,
    request: { order },
  } = reading
  if (reading.lanes) return laneReadAfter(keys, call, last, limit)
  const whole = shardRange(keys, call.shard, constraints)
  const range =
    keys.grouped === undefined
      ? rangeAfter(keys, call.shard, whole, order, positionOf(order, last), constraints)
      : { ...whole, start: groupKey(keys, call.shard, last), startOpen: false }
  return { ...call, ranges: [range], limit }
}

/** Rows of all sources in order, in batches of `most` rows at most. */
export async function* merged(
  sources: readonly Source[],
  { compare, rank }: Reading,
  limit: number | undefined,
  most = BATCH,
): AsyncGenerator<PlainRow[], void, undefined> {
  const merge = new Merge(compare, await Promise.all(sources.map((source) => source.next())), rank)
  const size = Math.min(BATCH, most)
  let left = limit ?? Infinity
  let batch: PlainRow[] = []
  while (left > 0) {
    const before = batch.length
    const drained = merge.take(batch, Math.min(size, before + left))
    left -= batch.length - before
    if (drained !== undefined && left > 0) {
      merge.refill(drained, await sources[drained]!.next())
      continue
    }
    if (batch.length === 0) return
    yield batch
    if (batch.length < size) return
    batch = []
  }
}
