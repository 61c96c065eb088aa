import type { CompiledTable } from '../../database/compiled-table.js'
import type { KeyRange } from '../../database/driver.js'
import type { Position } from '../../dialects/condition.js'
import type { TableLayout } from '../../dialects/layout.js'
import { invalidQuery } from '../invalid-query.js'
import type { FanOutRequest } from '../request.js'
import { backwards, readingOrder, type ReadingOrder } from './backward.js'
import type { PlannedRead } from './calls.js'
import { laneChunk } from './chunks.js'
import { fixedValue, type Constraints } from './constraints.js'
import type { Strategy } from './costs.js'
import { isImplied } from './implied.js'
import { boundedRange, clusteringFields, rangeUnder } from './key-ranges.js'
import { laneRest } from './lane-ranges.js'
import { lanesOf, MAX_LANES, type Lane, type Lanes } from './lanes.js'
import type { QueryShape } from './query-shape.js'

export type LaneStrategy = Extract<Strategy, 'merge-shards' | 'walk-buckets' | 'sort-here'>

const LANE_STRATEGIES: readonly Strategy[] = ['merge-shards', 'walk-buckets', 'sort-here']

/** How a table whose rows lie in partitions is read: which of them, in which order, and what of each. */
export interface LaneReading extends ReadingOrder {
  readonly lanes: Lanes
  readonly strategy: LaneStrategy
  /** Why the strategy that was asked for is not this one. */
  readonly obstacle: string | undefined
  readonly filtered: boolean
  readonly point: boolean
  /** What is left of a lane; undefined where nothing is. In the order of the keys, whichever way they are read. */
  rangeOf(lane: Lane): KeyRange | undefined
}

/**
 * @throws {IsothermError} `INVALID_QUERY` for partitions that the filter leaves open, for too many of them, for an index, and
 * for a strategy that wants what partitions have not.
 */
export function laneReading(
  { layout }: CompiledTable,
  request: FanOutRequest,
  constraints: Constraints,
): LaneReading {
  const { condition, order, after, forced, index } = request
  if (index) throw noIndex(layout, index.index.name)
  if (forced && !LANE_STRATEGIES.includes(forced)) throw noStatements(layout, forced)
  const lanes = lanesOf(layout, layout, order, constraints, after)
  const found = readingOrder(layout, lanes.terms, constraints)
  const obstacles: Readonly<Record<LaneStrategy, string | undefined>> = {
    'merge-shards': found ? tooWide(lanes) : "needs the key's order",
    'walk-buckets': unordered(lanes) ?? (found ? undefined : "needs the key's order"),
    'sort-here': undefined,
  }
  const isWalked = !obstacles['walk-buckets'] && lanes.groups.count > 1
  const best = isWalked ? 'walk-buckets' : obstacles['merge-shards'] ? 'sort-here' : 'merge-shards'
  const wish = forced as LaneStrategy | undefined
  const why = wish && obstacles[wish]
  const strategy = wish && !why ? wish : best
  // What is sorted here is read as it lies, and whole: its order is another one than the cursor's.
  const isSorted = strategy === 'sort-here'
  const { keys, reversed } = found && !isSorted ? found : { keys: layout, reversed: false }
  const position = after && !isSorted ? inTerms(lanes, request, after) : undefined
  const clustering = clusteringFields(keys)
  // The same below each partition key.
  const within = boundedRange([], clustering, constraints)
  const rest = position && laneRest(keys, lanes.terms, position, constraints)
  return {
    keys,
    reversed,
    lanes,
    strategy,
    obstacle: why && `${wish} ${why}`,
    filtered: !isImplied(condition, layout, constraints),
    point: clustering.every(({ field }) => fixedValue(constraints, field)),
    rangeOf(lane) {
      const range = rangeUnder(lane.wires, within)
      const left = rest ? rest(lane, range) : range
      return left && reversed ? backwards(left) : left
    },
  }
}

/** Reads of lanes, but for those of which nothing is left. */
export function laneCalls(reading: LaneReading, lanes: readonly Lane[], limit: number): PlannedRead[] {
  return lanes.flatMap((lane) => {
    const range = reading.rangeOf(lane)
    if (!range) return []
    const { shard, bucket } = lane
    return {
      kind: 'read',
      ...(shard !== undefined && { shard }),
      ...(bucket !== undefined && { bucket }),
      ranges: [range],
      limit,
      ...(reading.reversed && { reversed: true }),
    }
  })
}

/** How many partitions of several buckets are asked together at most, though one bucket may have more. */
const MOST_TOGETHER = 1_024

/** How many buckets at most are walked at a time, and how many at first: those ahead of the clock take no turn of their own. */
export function bucketsAtOnce({ lanes: { buckets, groups } }: LaneReading): {
  readonly first: number
  readonly most: number
} {
  const most = Math.max(1, Math.floor(MOST_TOGETHER / Math.max(1, groups.lanes)))
  return { first: Math.min(most, 1 + (buckets?.ahead ?? 0)), most }
}

/**
 * How many rows each of these lanes is asked for at first. One more shows where a group ends.
 *
 * @param atOnce how many lanes are asked together, where they are those of several buckets
 */
export function laneLimit(
  { keys, filtered, point }: LaneReading,
  wanted: number | undefined,
  lanes: number,
  atOnce = lanes,
): number {
  const shape: Pick<QueryShape, 'wanted' | 'filtered' | 'point'> = { wanted, filtered, point }
  const rows = laneChunk(shape, Math.max(1, lanes), Math.max(1, atOnce))
  return rows + (keys.grouped === undefined ? 0 : 1)
}

function inTerms({ terms }: Lanes, { order }: FanOutRequest, after: Position): Position {
  return terms.map(({ field }) => after[order.findIndex((term) => term.field === field)]!)
}

function unordered({ buckets, ordered }: Lanes): string | undefined {
  if (!buckets) return 'needs a time bucket in the partition key'
  return ordered ? undefined : 'needs the order of its time buckets'
}

function tooWide({ groups: { count, lanes } }: Lanes): string | undefined {
  return count * lanes > MAX_LANES ? `needs no more than ${MAX_LANES} partitions` : undefined
}

function noIndex(layout: TableLayout, name: string) {
  return invalidQuery(
    layout,
    `cannot be read by its index ${name}: a fan-out reads partitions, and an index has none of its own.`,
    'Leave byIndex out; to look rows up by another key, keep a table with that key and write it beside this one.',
  )
}

function noStatements(layout: TableLayout, strategy: Strategy) {
  return invalidQuery(
    layout,
    `cannot be read via ${strategy}, which needs one order, or statements, over several partitions.`,
    `Use ${LANE_STRATEGIES.join(', ')}, or leave via out.`,
  )
}
