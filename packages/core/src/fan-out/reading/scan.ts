import type { PlainRow } from '../../database/codec.js'
import type { PlannedRead } from '../planning/calls.js'
import { streamChunk } from '../planning/chunks.js'
import { laneCalls } from '../planning/lane-reading.js'
import { laneReadAfter } from '../planning/lane-ranges.js'
import type { Lane } from '../planning/lanes.js'
import type { Reading } from './reading.js'

/**
 * Every matching row of partitions, in no order: chunk by chunk, as many partitions at once as calls may be in flight.
 *
 * @param scanned the partitions, made as they are read
 * @param take is given the matching rows of each chunk, which it may keep, and tells whether it wants more
 */
export async function scanLanes(
  reading: Reading,
  scanned: Iterable<readonly Lane[]>,
  take: (rows: readonly PlainRow[]) => boolean,
): Promise<void> {
  const { groups } = reading.lanes!.lanes
  const readers = Math.min(reading.driver.costs.inFlight, groups.count * groups.lanes)
  const calls = scanCalls(reading, scanned, streamChunk(Math.max(1, readers)))
  const read = async (): Promise<void> => {
    // All take from the same calls: where one leaves, none is left for the others.
    for (const call of calls) if (!(await scanLane(reading, call, take))) return
  }
  await Promise.all(Array.from({ length: readers }, read))
}

function* scanCalls(
  reading: Reading,
  scanned: Iterable<readonly Lane[]>,
  limit: number,
): Generator<PlannedRead, void, undefined> {
  for (const group of scanned) {
    const calls = laneCalls(reading.lanes!, group, limit)
    reading.asks(calls)
    yield* calls
  }
}

/** Whether more is wanted. */
async function scanLane(
  reading: Reading,
  first: PlannedRead,
  take: (rows: readonly PlainRow[]) => boolean,
): Promise<boolean> {
  const { keys, matches, report } = reading
  let call: PlannedRead | undefined = first
  try {
    while (call) {
      const rows: PlainRow[] = await reading.fetch(call)
      const last: PlainRow | undefined = rows.length === call.limit ? rows.at(-1) : undefined
      call = last && laneReadAfter(keys, call, last, call.limit!)
      const matching = matches ? rows.filter((row) => matches(row) === true) : rows
      report.hold(matching.length - rows.length)
      if (!take(matching)) return false
    }
  } catch (error) {
    reading.lose(first, error)
  }
  return true
}
