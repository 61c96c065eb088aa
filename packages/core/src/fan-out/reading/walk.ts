import type { PlainRow } from '../../database/codec.js'
import { losesRows } from '../children/with-children.js'
import type { PlannedCall } from '../planning/calls.js'
import { bucketsAtOnce, laneCalls, laneLimit } from '../planning/lane-reading.js'
import type { Lane } from '../planning/lanes.js'
import { firstRows } from './first-rows.js'
import type { Reading } from './reading.js'
import { chunkSources, merged, MOST_AT_ONCE } from './sources.js'

/** Buckets that together give fewer rows than this leave a stream waiting: more of them are asked for next time. */
const FEW = 1_000

/** Rows of partitions that are merged, for as many as are wanted. */
export async function* mergedLanes(
  reading: Reading,
  calls: readonly PlannedCall[],
  wanted: number | undefined,
): AsyncGenerator<PlainRow[], void, undefined> {
  reading.asks(calls)
  // Rows that get lost leave their places to those that follow, however many.
  if (wanted !== undefined && wanted <= MOST_AT_ONCE && !losesRows(reading)) {
    const rows = await firstRows(reading, calls, wanted)
    if (rows.length > 0) yield rows
    return
  }
  const sources = chunkSources(reading, calls, reading.behind)
  if (losesRows(reading)) yield* merged(sources, reading, undefined, wanted)
  else yield* merged(sources, reading, wanted)
}

/** The rows of some buckets in order, as many as are still wanted. */
export type Turn = (
  groups: readonly (readonly Lane[])[],
  left: number | undefined,
) => AsyncIterable<PlainRow[]>

/**
 * One time bucket after another, newest or oldest first, and no further than the wanted rows reach. While they give too few,
 * twice as many are read at a time: a year of empty days takes nine turns.
 */
export async function* inTurns(
  { request, lanes }: Reading,
  turn: Turn,
  canLose: boolean,
): AsyncGenerator<PlainRow[], void, undefined> {
  const walk = lanes!.lanes.groups[Symbol.iterator]()
  const { first, most } = bucketsAtOnce(lanes!)
  let left = request.limit
  let together = first
  for (;;) {
    const groups: (readonly Lane[])[] = []
    while (groups.length < together) {
      const { done, value } = walk.next()
      if (done) break
      groups.push(value)
    }
    if (groups.length === 0) return
    let found = 0
    for await (const rows of turn(groups, left)) {
      found += rows.length
      if (rows.length > 0) yield rows
    }
    // Rows that get lost leave their places to those that follow.
    if (left !== undefined && !canLose) {
      left -= found
      if (left <= 0) return
    }
    together = left === undefined && found >= FEW ? 1 : Math.min(most, together * 2)
  }
}

/** Bucket by bucket, the rows of its partitions merged. */
export function walkBuckets(reading: Reading): AsyncGenerator<PlainRow[], void, undefined> {
  const lanes = reading.lanes!
  const turn: Turn = (groups, left) => {
    // Each bucket is asked as if it had all the wanted rows: the first one mostly has.
    const each = lanes.lanes.groups.lanes
    const limit = laneLimit(lanes, left, each, groups.length * each)
    return mergedLanes(
      reading,
      groups.flatMap((group) => laneCalls(lanes, group, limit)),
      left,
    )
  }
  return inTurns(reading, turn, losesRows(reading))
}
