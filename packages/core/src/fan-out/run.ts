import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import type { PlainRow } from '../database/codec.js'
import type { CompiledTable } from '../database/compiled-table.js'
import type { CallOptions, Driver, ReadAt, Reader } from '../database/driver.js'
import { predicateOf, type Predicate } from '../database/predicate.js'
import type { Position } from '../dialects/condition.js'
import { constraintsOf } from './constraints.js'
import { rangeAfter, shardRange } from './key-ranges.js'
import { Merge, type Run } from './merge.js'
import { positionOf, rowAt, rowOrder, type CompareRows } from './order.js'
import {
  shardStatement,
  statementFor,
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
    const matches = plan.filteredHere ? predicateOf(request.condition!) : undefined
    const sources =
      plan.strategy === 'read-ranges'
        ? [windowSource(reader, table, request, plan, { compare, matches, options: readOptions })]
        : chunkSources(reader, driver, table, request, plan, { matches, options: readOptions })
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
        { table: layout.table.name, columns: codec.columns, ranges },
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

/** A source per planned call, each read chunk by chunk: the next chunk begins after the last row of the one before. */
function chunkSources(
  reader: Reader,
  driver: Driver,
  table: CompiledTable,
  request: FanOutRequest,
  plan: FanOutPlan,
  run: { readonly matches: Predicate | undefined; readonly options: RunOptions },
): Source[] {
  const { layout, codec } = table
  const { order, condition } = request
  const constraints = constraintsOf(condition)
  const types = codec.columns.map((column) => column.type)
  const throttle = pLimit(IN_FLIGHT)
  const selection = {
    layout,
    order,
    ...(plan.shards && { shards: plan.shards.read }),
    ...(condition && { condition }),
  }

  const followUp = (call: PlannedRead | PlannedStatement, after: Position, limit: number): typeof call => {
    if (call.kind === 'read') {
      const range = rangeAfter(layout, call.shard, shardRange(layout, call.shard, constraints), order, after)
      return { ...call, ranges: [range], limit }
    }
    const more = { ...selection, after }
    const statement =
      call.shard === undefined && plan.shards
        ? statementFor(table, { ...more, limit }, { shape: { keyOrdered: false }, costs: driver.costs })
        : shardStatement(table, more, call.shard, limit)
    return { ...call, statement, limit }
  }

  const fetch = (call: PlannedRead | PlannedStatement): Promise<PlainRow[]> =>
    throttle(async () => {
      const cells =
        call.kind === 'read'
          ? await reader.read({ table: layout.table.name, columns: codec.columns, ...call }, run.options)
          : await reader.query(call.statement, types, run.options)
      return cells.map(codec.decode)
    })

  return plan.calls.map((first) => {
    let call: PlannedRead | PlannedStatement | undefined = first
    let ahead: Promise<PlainRow[]> | undefined
    return {
      async next() {
        while (call) {
          const asked: PlannedRead | PlannedStatement = call
          const rows: PlainRow[] = await (ahead ?? fetch(asked))
          ahead = undefined
          const last = rows.at(-1)
          call =
            last && rows.length === asked.limit
              ? followUp(
                  asked,
                  positionOf(order, last),
                  Math.min(asked.limit * 4, Math.max(STREAM_CHUNK, asked.limit)),
                )
              : undefined
          if (call && request.limit === undefined) {
            // A stream will want the next chunk: fetch it while this one is being read.
            ahead = fetch(call)
            ahead.catch(() => {})
          }
          const matching = run.matches ? rows.filter((row) => run.matches!(row) === true) : rows
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
