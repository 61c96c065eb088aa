import type { PlainRow } from '../../database/codec.js'
import type { TableLayout } from '../../dialects/layout.js'
import { losesRows } from '../children/with-children.js'
import { invalidQuery } from '../invalid-query.js'
import type { Lane } from '../planning/lanes.js'
import type { Reading } from './reading.js'
import { scanLanes } from './scan.js'
import { inTurns } from './walk.js'

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
  if (ordered) {
    yield* inTurns(reading, (some, left) => inParts(reading, some, canLose ? undefined : left), canLose)
    return
  }
  const rows = await sorted(reading, groups, canLose ? undefined : request.limit)
  if (!rows) throw tooMany(reading.table.layout)
  yield rows
}

/** Buckets that together have more rows than are sorted at once are read again, in two halves. */
async function* inParts(
  reading: Reading,
  groups: readonly (readonly Lane[])[],
  limit = Infinity,
): AsyncGenerator<PlainRow[], void, undefined> {
  const rows = await sorted(reading, groups, limit)
  if (rows) {
    yield rows
    return
  }
  if (groups.length === 1) throw tooMany(reading.table.layout)
  const half = Math.ceil(groups.length / 2)
  let left = limit
  for (const some of [groups.slice(0, half), groups.slice(half)]) {
    if (left <= 0) return
    for await (const part of inParts(reading, some, left)) {
      left -= part.length
      yield part
    }
  }
}

/** Undefined where they are too many. */
async function sorted(
  reading: Reading,
  groups: Iterable<readonly Lane[]>,
  limit?: number,
): Promise<PlainRow[] | undefined> {
  const sorting = new Sorting(reading, limit)
  await scanLanes(reading, groups, (rows) => sorting.take(rows))
  return sorting.rows()
}

/** The first rows of those that it takes: of the rows that a limit leaves out, none is kept for long. */
class Sorting {
  readonly #reading: Reading
  readonly #limit: number
  readonly #room: number
  #kept: PlainRow[] = []
  /** There are enough rows before this one. */
  #last: PlainRow | undefined
  #isTooMany = false

  constructor(reading: Reading, limit = Infinity) {
    this.#reading = reading
    this.#limit = limit
    this.#room = Math.min(limit, MOST_SORTED)
  }

  /** Whether it has room for more. */
  take(rows: readonly PlainRow[]): boolean {
    const { compare, behind, report } = this.#reading
    const before = this.#kept.length
    if (!this.#isTooMany) {
      for (const row of rows) {
        const isWanted =
          (!behind || compare(row, behind) > 0) && (!this.#last || compare(row, this.#last) < 0)
        if (isWanted) this.#kept.push(row)
      }
      if (this.#limit > this.#room && this.#kept.length > this.#room) this.#giveUp()
      // At twice the room, so that each row is sorted a few times, however many there are.
      else if (this.#kept.length > 2 * this.#room) this.#shrink()
    }
    report.hold(this.#kept.length - before - rows.length)
    return !this.#isTooMany
  }

  /** Sorted; undefined where they are too many. */
  rows(): PlainRow[] | undefined {
    if (this.#isTooMany) return undefined
    const before = this.#kept.length
    this.#shrink()
    this.#reading.report.hold(this.#kept.length - before)
    return this.#kept
  }

  #giveUp(): void {
    this.#isTooMany = true
    this.#kept = []
  }

  #shrink(): void {
    this.#kept = this.#kept.sort(this.#reading.compare).slice(0, this.#room)
    this.#last = this.#kept.length === this.#room ? this.#kept.at(-1) : undefined
  }
}

function tooMany(layout: TableLayout) {
  return invalidQuery(
    layout,
    `would have more than ${MOST_SORTED} rows sorted here, since its partitions have another order.`,
    `Give a limit of ${MOST_SORTED} or fewer, narrow the filter, or order by what its key is ordered by.`,
  )
}
