import type { PlainRow } from '../../engine/codec.js'
import type { PlannedRead } from '../plan/calls.js'
import { MAX_WINDOWS } from '../plan/costs.js'
import { rangesUpTo } from '../plan/key-ranges.js'
import { positionOf } from '../plan/order.js'
import type { FanOutPlan, PlanOutcome } from '../plan/plan.js'
import type { Execution } from './execution.js'

type Window = AsyncGenerator<PlainRow[], PlanOutcome, undefined>

/** All key ranges in one read, with a client-side sort. */
export async function* readWindow(execution: Execution, plan: FanOutPlan): Window {
  const read = await execution.fetch(plan.calls[0]!)
  const rows = inOrder(execution, read, execution.behind(plan)).slice(0, plan.limit)
  execution.report.hold(rows.length - read.length)
  yield rows
  return { found: rows.length }
}

/** The rows that match and are after the position, in order. */
function inOrder(
  { matches, compare }: Execution,
  rows: readonly PlainRow[],
  behind: PlainRow | undefined,
): PlainRow[] {
  return rows
    .filter((row) => (!matches || matches(row) === true) && (!behind || compare(row, behind) > 0))
    .sort(compare)
}

/** A few rows of one shard, then one read of all shards up to the last of them. */
export async function* probedWindow(execution: Execution, plan: FanOutPlan): Window {
  const { report, compare, order } = execution
  const behind = execution.behind(plan)
  const [probe, window] = plan.calls as [PlannedRead, PlannedRead]
  const probed = await execution.fetch(probe)
  report.hold(-probed.length)
  // If the shard has fewer rows, nothing follows for the others: all of them may have fewer.
  const last = probed.length < probe.limit! ? undefined : probed.at(-1)
  const rows = await rowsUpTo(execution, window, { last, wanted: plan.limit!, behind })
  if (!rows) return { found: 0, tooMany: true }
  if (rows.length > 0) yield rows
  const found = rows.length
  if (!last) return { found }
  const reached = rows.at(-1) ?? last
  // If the key only groups, a probe can end among rows that were read before.
  const isAhead = !behind || compare(reached, behind) > 0
  return { found, reached: isAhead ? positionOf(order, reached) : plan.after! }
}

/**
 * The wanted rows of a window in order, fewer if the window has fewer; undefined if it takes too long to find them. A read
 * that ends before the window does has shown how far the wanted rows reach: the shard in which it ended, and the shards
 * after it, are read up to that key.
 */
async function rowsUpTo(
  execution: Execution,
  window: PlannedRead,
  {
    last,
    wanted,
    behind,
  }: { readonly last: PlainRow | undefined; readonly wanted: number; readonly behind: PlainRow | undefined },
): Promise<PlainRow[] | undefined> {
  const { keys, report } = execution
  let open = window.ranges
  let end = last
  let found: PlainRow[] = []
  for (let round = 1; round <= MAX_WINDOWS; round++) {
    const ranges = end ? rangesUpTo(keys, open, end) : open
    const read = await execution.fetch({ ...window, ranges })
    const all = inOrder(execution, [...found, ...read], behind)
    report.hold(Math.min(all.length, wanted) - found.length - read.length)
    if (read.length < window.limit!) return all.slice(0, wanted)
    const cut = lastShard(execution, read)
    if (cut === undefined || all.length < wanted) break
    end = all[wanted - 1]
    const { property } = keys.shard!.column
    found = all.slice(0, wanted).filter((row) => row[property] !== cut)
    report.hold(found.length - wanted)
    const ascending = keys.key[0]!.order === 'asc'
    open = open.filter(({ start: [shard] }) =>
      ascending ? BigInt(shard as string) >= cut : BigInt(shard as string) <= cut,
    )
  }
  report.hold(-found.length)
  return undefined
}

/** The shard that a read ended in; undefined where rows do not say. */
function lastShard({ keys }: Execution, rows: readonly PlainRow[]): bigint | undefined {
  const { field } = keys.key[0]!
  return field === keys.shard ? (rows.at(-1)![field.column.property] as bigint | undefined) : undefined
}
