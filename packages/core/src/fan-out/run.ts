import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import type { PlainRow } from '../database/codec.js'
import type { CompiledTable } from '../database/compiled-table.js'
import type { CallOptions, Driver, ReadAt, Reader } from '../database/driver.js'
import { predicateOf, type Predicate } from '../database/predicate.js'
import type { Position } from '../dialects/condition.js'
import { tableConstraints } from './constraints.js'
import { sortGroups } from './groups.js'
import { groupKey, rangeAfter, shardRange } from './key-ranges.js'
import { Merge, type Run } from './merge.js'
import { positionOf, rowAt, rowOrder, type CompareRows } from './order.js'
import {
  shardStatement,
  statementOver,
  STREAM_CHUNK,
  type FanOutPlan,
  type FanOutRequest,
  type PlannedRead,
  type PlannedStatement,
} from './plan.js'

export interface RunOptions extends CallOptions {
  readonly at?: ReadAt
}

/** One of the sorted streams that make up a result. */
interface Source {
  /** The next rows in order; none when there are no more. */
  next(): Promise<readonly PlainRow[]>
}

/** How many calls wait for their answers at once; more would only queue in the client. */
const IN_FLIGHT = 100

/** How many rows are handed on at a time. */
const BATCH = 256

/** Runs a plan: batches of rows, in order. Ending the iteration early gives everything back. */
export async function* runPlan(
  driver: Driver,
  table: CompiledTable,
  request: FanOutRequest,
  plan: FanOutPlan,
  options: RunOptions,
): AsyncGenerator<PlainRow[], void, undefined> {
  if (plan.calls.length === 0) return
  const snapshot = plan.snapshot ? await driver.snapshot(options) : undefined
  // Ends whatever is still being read ahead when the reader stops early.
  const ended = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, ended.signal]) : ended.signal
  // Each call listens to it, and there are as many as shards: no leak, whatever Node would say of more than ten.
  setMaxListeners(0, signal)
  try {
    const reader: Reader = snapshot ?? driver
    const readOptions = { ...options, signal }
    const compare = rowOrder(table.dialect, request.order)
    const matches = plan.filteredHere ? predicateOf(request.condition!, table.dialect) : undefined
    const sources =
      plan.strategy === 'read-ranges'
        ? [windowSource(reader, table, request, plan, { compare, matches, options: readOptions })]
        : chunkSources(reader, table, request, plan, { compare, matches, options: readOptions })
    yield* merged(sources, compare, request.limit)
  } finally {
    ended.abort()
    snapshot?.close()
  }
}

/** All key ranges in one read, sorted here. */
function windowSource(
  reader: Reader,
  table: CompiledTable,
  { order, after, limit }: FanOutRequest,
  plan: FanOutPlan,
  run: {
    readonly compare: CompareRows
    readonly matches: Predicate | undefined
    readonly options: RunOptions
  },
): Source {
  let done = false
  return {
    async next() {
      if (done) return []
      done = true
      const { ranges } = plan.calls[0] as PlannedRead
      const { layout, codec } = table
      const cells = await reader.read(
        { table: layout.table.name, ...indexOf(plan), columns: codec.columns, ranges },
        run.options,
      )
      const behind = after && rowAt(order, after)
      const rows: PlainRow[] = []
      for (const each of cells) {
        const row = codec.decode(each)
        if (run.matches && run.matches(row) !== true) continue
        if (behind && run.compare(row, behind) <= 0) continue
        rows.push(row)
      }
      rows.sort(run.compare)
      return limit === undefined ? rows : rows.slice(0, limit)
    },
  }
}

function indexOf({ index }: FanOutPlan): { readonly index?: string } {
  return index === undefined ? {} : { index }
}

/** A source per planned call, each read chunk by chunk: the next chunk begins after the last row of the one before. */
function chunkSources(
  reader: Reader,
  table: CompiledTable,
  request: FanOutRequest,
  plan: FanOutPlan,
  run: {
    readonly compare: CompareRows
    readonly matches: Predicate | undefined
    readonly options: RunOptions
  },
): Source[] {
  const { layout, codec, dialect } = table
  const { order, condition } = request
  const constraints = tableConstraints(layout, condition, dialect)
  const index = layout.indexes.find((each) => each.index.name === plan.index)
  const keys = index ?? layout
  const types = codec.columns.map((column) => column.type)
  const throttle = pLimit(IN_FLIGHT)
  const selection = {
    layout,
    ...(index && { index }),
    order,
    ...(plan.shards && { shards: plan.shards.read }),
    ...(condition && { condition }),
  }
  const behind = request.after && rowAt(order, request.after)

  const statementAfter = (call: PlannedStatement, after: Position, limit: number): PlannedStatement => {
    const more = { ...selection, after, ...(call.shards && { shards: call.shards }) }
    const statement =
      call.shard === undefined && plan.shards
        ? statementOver(table, { ...more, limit })
        : shardStatement(table, more, call.shard, limit)
    return { ...call, statement, limit }
  }

  const readAfter = (call: PlannedRead, last: PlainRow, limit: number): PlannedRead => {
    const whole = shardRange(keys, call.shard, constraints)
    const range =
      keys.grouped === undefined
        ? rangeAfter(keys, call.shard, whole, order, positionOf(order, last), constraints)
        : { ...whole, start: groupKey(keys, call.shard, last), startOpen: false }
    return { ...call, ranges: [range], limit }
  }

  const fetch = (call: PlannedRead | PlannedStatement): Promise<PlainRow[]> =>
    throttle(async () => {
      const cells =
        call.kind === 'read'
          ? await reader.read(
              { table: layout.table.name, ...indexOf(plan), columns: codec.columns, ...call },
              run.options,
            )
          : await reader.query(call.statement, types, run.options)
      return cells.map(codec.decode)
    })

  /** The rows of a chunk that are in their final order, and the call for those that follow. */
  const settle = (
    asked: PlannedRead | PlannedStatement,
    rows: PlainRow[],
  ): { readonly rows: readonly PlainRow[]; readonly next: PlannedRead | PlannedStatement | undefined } => {
    const limit = asked.limit!
    const last = rows.at(-1)
    const full = last !== undefined && rows.length === limit
    const more = Math.min(limit * 4, Math.max(STREAM_CHUNK, limit))
    if (asked.kind === 'statement')
      return { rows, next: full ? statementAfter(asked, positionOf(order, last), more) : undefined }
    if (keys.grouped === undefined) return { rows, next: full ? readAfter(asked, last, more) : undefined }
    const whole = sortGroups(rows, run.compare, {
      keyOf: (row) => groupKey(keys, asked.shard, row),
      // The last group may go on beyond the chunk.
      open: full,
      behind,
    })
    // A group that fills a chunk by itself is asked for again, with room for more.
    const room = whole.began ? more : limit * 4
    return { rows: whole.rows, next: full ? readAfter(asked, last, room) : undefined }
  }

  return plan.calls.map((first) => {
    let call: PlannedRead | PlannedStatement | undefined = first
    let ahead: Promise<PlainRow[]> | undefined
    return {
      async next() {
        while (call) {
          const settled = settle(call, await (ahead ?? fetch(call)))
          ahead = undefined
          call = settled.next
          if (call && request.limit === undefined) {
            // A stream will want the next chunk: fetch it while this one is being read.
            ahead = fetch(call)
            ahead.catch(() => {})
          }
          const matching = run.matches
            ? settled.rows.filter((row) => run.matches!(row) === true)
            : settled.rows
          if (matching.length > 0) return matching
        }
        return []
      },
    }
  })
}

async function* merged(
  sources: readonly Source[],
  compare: CompareRows,
  limit: number | undefined,
): AsyncGenerator<PlainRow[], void, undefined> {
  const merge = new Merge(compare)
  const first = await Promise.all(sources.map((source) => source.next()))
  first.forEach((rows, source) => {
    if (rows.length > 0) merge.add({ rows, at: 0, source })
  })
  let left = limit ?? Infinity
  let batch: PlainRow[] = []
  while (left > 0) {
    const before = batch.length
    const drained: Run<PlainRow> | undefined = merge.take(batch, Math.min(BATCH, before + left))
    left -= batch.length - before
    if (drained && left > 0) {
      const rows = await sources[drained.source]!.next()
      if (rows.length > 0) merge.add({ rows, at: 0, source: drained.source })
      continue
    }
    if (batch.length === 0) return
    yield batch
    if (batch.length < BATCH) return
    batch = []
  }
}
