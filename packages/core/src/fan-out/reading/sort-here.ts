import type { PlainRow } from '../../database/codec.js'
import type { TableLayout } from '../../dialects/layout.js'
import { losesRows } from '../children/with-children.js'
import { invalidQuery } from '../invalid-query.js'
import type { Lane } from '../planning/lanes.js'
import type { Reading } from './reading.js'
import { scanLanes } from './scan.js'
import { inTurns, type Turn } from './walk.js'

/** How many rows are sorted here at most. */
const MOST_SORTED = 100_000

/**
 * All matching rows of all partitions, sorted here: of one time bucket after another where the order allows, and else at once.
 *
 * @throws {IsothermError} `INVALID_QUERY` for more rows than are sorted in memory.
 */
export async function* sortHere(reading: Reading): AsyncGenerator<PlainRow[], void, undefined> {
  const { request, lanes } = reading
  const { groups, ordered } = lanes!.lanes
  // Rows that get lost leave their places to those that follow, however many.
  const canLose = losesRows(reading)
  const turn: Turn = async function* (some, left) {
    yield await sorted(reading, some, canLose ? undefined : left)
  }
  if (ordered) yield* inTurns(reading, turn, canLose)
  else yield await sorted(reading, groups, canLose ? undefined : request.limit)
}

/** Of the rows that a limit leaves out, none is kept for long. */
async function sorted(
  reading: Reading,
  groups: Iterable<readonly Lane[]>,
  limit = Infinity,
): Promise<PlainRow[]> {
  const { compare, behind, table, report } = reading
  const room = Math.min(limit, MOST_SORTED)
  let kept: PlainRow[] = []
  /** There are enough rows before this one. */
  let last: PlainRow | undefined
  const shrink = (): void => {
    if (limit > room && kept.length > room) throw tooMany(table.layout)
    kept = kept.sort(compare).slice(0, room)
    last = kept.length === room ? kept.at(-1) : undefined
  }
  await scanLanes(reading, groups, (rows) => {
    const before = kept.length
    for (const row of rows) {
      const isWanted = (!behind || compare(row, behind) > 0) && (!last || compare(row, last) < 0)
      if (isWanted) kept.push(row)
    }
    // At twice the room, so that each row is sorted a few times, however many there are.
    if (kept.length > 2 * room) shrink()
    report.hold(kept.length - before - rows.length)
  })
  const held = kept.length
  shrink()
  report.hold(kept.length - held)
  return kept
}

function tooMany(layout: TableLayout) {
  return invalidQuery(
    layout,
    `would have more than ${MOST_SORTED} rows sorted here, since its partitions have another order.`,
    'Give a limit, narrow the filter, or order by what its key is ordered by.',
  )
}
