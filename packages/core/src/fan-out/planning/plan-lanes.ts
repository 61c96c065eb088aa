import type { PlannedRead } from './calls.js'
import { bucketSource } from './buckets.js'
import { bucketsAtOnce, laneCalls, laneLimit, type LaneReading } from './lane-reading.js'
import { partitionFields } from './key-ranges.js'
import { bucketText } from './lanes.js'
import type { FanOutRequest } from '../request.js'

/** The time buckets that are walked, in their order. */
export interface PlannedBuckets {
  readonly by: string
  /** The time that they are of. */
  readonly of: string
  readonly first: string
  readonly last: string
  readonly count: number
}

/** What a plan says of partitions. */
export interface PlannedLanes {
  readonly strategy: LaneReading['strategy']
  readonly reason: string
  /** How many partitions are read at most. */
  readonly partitions: number
  readonly buckets?: PlannedBuckets
  readonly filteredHere: boolean
  /** Those that are made at first: of one time bucket, and of those ahead of the clock; of what is merged at once, all. */
  readonly calls: readonly PlannedRead[]
}

export function planLanes(reading: LaneReading, { limit, forced }: FanOutRequest): PlannedLanes {
  const { strategy, obstacle, lanes, filtered } = reading
  const { count, lanes: each } = lanes.groups
  const buckets = plannedBuckets(reading)
  return {
    strategy,
    reason: forced ? (obstacle ?? 'asked for') : reasonFor(reading, limit),
    partitions: count * each,
    ...(buckets && { buckets }),
    filteredHere: filtered,
    calls: firstCalls(reading, limit),
  }
}

function firstCalls(reading: LaneReading, limit: number | undefined): readonly PlannedRead[] {
  const { groups } = reading.lanes
  if (reading.strategy === 'merge-shards') {
    const all = [...groups].flat()
    return laneCalls(reading, all, laneLimit(reading, limit, all.length))
  }
  const isMerged = reading.strategy === 'walk-buckets'
  const isWalked = isMerged || reading.lanes.ordered
  const calls: PlannedRead[] = []
  let left = isWalked ? bucketsAtOnce(reading).first : 1
  const rows = laneLimit(reading, isMerged ? limit : undefined, groups.lanes, left * groups.lanes)
  for (const group of groups) {
    calls.push(...laneCalls(reading, group, rows))
    left--
    if (left <= 0 && calls.length > 0) break
  }
  return calls
}

function plannedBuckets({ keys, lanes: { buckets } }: LaneReading): PlannedBuckets | undefined {
  if (!buckets?.ends) return undefined
  const source = partitionFields(keys).map(bucketSource).find(Boolean)!
  const [first, last] = buckets.ends
  return {
    by: source.by,
    of: source.of,
    first: bucketText(first),
    last: bucketText(last),
    count: buckets.count,
  }
}

function reasonFor({ strategy, lanes, keys, reversed }: LaneReading, limit: number | undefined): string {
  const { count, lanes: each } = lanes.groups
  const ties = keys.grouped === undefined ? '' : ', but for ties, which are sorted here'
  const how = `${reversed ? ', read backwards' : ''}${ties}`
  switch (strategy) {
    case 'sort-here':
      return lanes.ordered && count > 1
        ? 'the order is not that of the key, so that all rows of one time bucket after another are read and sorted here'
        : `the order is not that of the key, so that all rows of ${partitions(count * each)} are read and sorted here`
    case 'walk-buckets': {
      const far = limit === undefined ? 'one after another' : 'only as far as rows are wanted'
      return `the time buckets stand in the wanted order, and are read ${far}; in each partition it is that of the key${how}`
    }
    case 'merge-shards':
      return count * each === 1
        ? `the filter leaves one partition, whose key order is the wanted order${how}`
        : `the key order of each partition is the wanted order${how}`
  }
}

function partitions(count: number): string {
  return count === 1 ? 'one partition' : `${count} partitions`
}
