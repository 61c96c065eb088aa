import type { PlainRow } from '../../database/codec.js'
import type { PlannedRead } from '../planning/calls.js'
import { rangeUpTo } from '../planning/key-ranges.js'
import { positionOf } from '../order.js'
import { planFanOut } from '../planning/plan.js'
import type { FanOutRequest } from '../request.js'
import type { Reading } from './reading.js'
import { chunkSources, merged } from './sources.js'

/** All key ranges in one read, sorted here. */
export async function readWindow(reading: Reading): Promise<PlainRow[]> {
  const { plan, request, behind, report } = reading
  const read = await reading.fetch(plan.calls[0]!)
  const rows = inOrder(reading, read, behind).slice(0, request.limit)
  report.hold(rows.length - read.length)
  return rows
}

/** Those of the rows that match and are not behind, in order. */
function inOrder(
  { matches, compare }: Reading,
  rows: readonly PlainRow[],
  behind: PlainRow | undefined,
): PlainRow[] {
  return rows
    .filter((row) => (!matches || matches(row) === true) && (!behind || compare(row, behind) > 0))
    .sort(compare)
}

/** How often a window is looked for before the shards are read one by one. */
const ROUNDS = 3

/**
 * A few rows of one shard, then one read of all shards up to the last of them. A window that holds too few rows is followed
 * by another one; one that holds too many is narrowed.
 */
export async function* probeWindow(reading: Reading): AsyncGenerator<PlainRow[], void, undefined> {
  const { plan, table, driver, report } = reading
  // What follows is read by the same keys, whatever else the planner might make of the rest.
  const request: FanOutRequest = { ...reading.request, index: reading.index }
  let left = request.limit!
  let { after } = request
  let { behind } = reading
  let [probe, window] = plan.calls as [PlannedRead, PlannedRead]
  for (let round = 1; round <= ROUNDS; round++) {
    const probed = await reading.fetch(probe)
    report.hold(-probed.length)
    // A shard that ends before says nothing of the others: they may all end here.
    const last = probed.length < probe.limit! ? undefined : probed.at(-1)
    const rows = await rowsUpTo(reading, window, { last, wanted: left, behind })
    if (!rows) break
    if (rows.length > 0) yield rows
    left -= rows.length
    if (left <= 0 || !last) return
    const reached = rows.at(-1) ?? last
    // Where the key only groups, a probe can end among rows that were read before.
    if (!behind || reading.compare(reached, behind) > 0) behind = reached
    after = positionOf(request.order, behind)
    const next = planFanOut(table, { ...request, after, limit: left, forced: 'probe-window' }, driver)
    ;[probe, window] = next.calls as [PlannedRead, PlannedRead]
  }
  const rest = planFanOut(table, { ...request, after, limit: left, forced: 'merge-shards' }, driver)
  yield* merged(chunkSources(reading, rest.calls, behind), reading, left)
}

/**
 * The wanted rows of a window in order, fewer where it holds no more; undefined where it takes too long to get to them. A read
 * that ends before the window does has shown how far the wanted rows reach: the shard that it ended in, and those that it did
 * not get to, are read up to there.
 */
async function rowsUpTo(
  reading: Reading,
  window: PlannedRead,
  {
    last,
    wanted,
    behind,
  }: { readonly last: PlainRow | undefined; readonly wanted: number; readonly behind: PlainRow | undefined },
): Promise<PlainRow[] | undefined> {
  const { keys, plan, report } = reading
  const shards = plan.shards!.read
  let open = window.ranges.map((range, at) => ({ range, shard: shards[at]! }))
  let end = last
  let found: PlainRow[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const ranges = open.map(({ range, shard }) => (end ? rangeUpTo(keys, shard, range, end) : range))
    const read = await reading.fetch({ ...window, ranges })
    const all = inOrder(reading, [...found, ...read], behind)
    report.hold(Math.min(all.length, wanted) - found.length - read.length)
    if (read.length < window.limit!) return all.slice(0, wanted)
    const cut = lastShard(reading, read)
    if (cut === undefined || all.length < wanted) break
    end = all[wanted - 1]
    const { property } = keys.shard!.column
    found = all.slice(0, wanted).filter((row) => row[property] !== cut)
    report.hold(found.length - wanted)
    const ascending = keys.key[0]!.order === 'asc'
    open = open.filter(({ shard }) => (ascending ? BigInt(shard) >= cut : BigInt(shard) <= cut))
  }
  report.hold(-found.length)
  return undefined
}

/** The shard that a read ended in; undefined where rows do not say. */
function lastShard({ keys }: Reading, rows: readonly PlainRow[]): bigint | undefined {
  const { field } = keys.key[0]!
  return field === keys.shard ? (rows.at(-1)![field.column.property] as bigint | undefined) : undefined
}
