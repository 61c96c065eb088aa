import type { PlainRow } from '../../database/codec.js'
import type { PlannedCall } from '../planning/calls.js'
import { Merge } from './merge.js'
import type { Reading } from './reading.js'
import { settle } from './sources.js'

/** What is known of one of the sorted streams. */
interface Known {
  readonly rows: PlainRow[]
  /** How far it has been read, whether its rows match or not; absent before that. */
  reached?: PlainRow
  /** The call for what follows; absent where nothing does. */
  next: PlannedCall | undefined
}

/**
 * The first so many rows of several sorted streams together. All are asked at once; those that can still hold one of the
 * wanted rows are asked again, at once too, until none can: a stream that has been read beyond the last wanted row that was
 * found has nothing to add.
 */
export async function firstRows(
  reading: Reading,
  calls: readonly PlannedCall[],
  wanted: number,
): Promise<PlainRow[]> {
  const { compare, rank, report } = reading
  const streams = calls.map((next): Known => ({ rows: [], next }))
  let open: readonly Known[] = streams
  for (;;) {
    await Promise.all(open.map((stream) => advance(reading, stream)))
    const found = firstOf(
      new Merge(
        compare,
        streams.map(({ rows }) => rows),
        rank,
      ),
      wanted,
    )
    const last = found.length < wanted ? undefined : found.at(-1)!
    open = streams.filter(({ next, reached }) => next && (!last || !reached || compare(reached, last) < 0))
    if (open.length > 0) continue
    report.hold(found.length - streams.reduce((held, { rows }) => held + rows.length, 0))
    return found
  }
}

function firstOf(merge: Merge<PlainRow>, wanted: number): PlainRow[] {
  const found: PlainRow[] = []
  for (;;) {
    const drained = merge.take(found, wanted)
    if (drained === undefined || found.length >= wanted) return found
    merge.refill(drained, [])
  }
}

async function advance(reading: Reading, stream: Known): Promise<void> {
  const { matches, report, behind } = reading
  const call = stream.next!
  try {
    const rows = await reading.fetch(call)
    const settled = settle(reading, call, rows, behind)
    stream.next = settled.next
    const matching = matches ? settled.rows.filter((row) => matches(row) === true) : settled.rows
    report.hold(matching.length - rows.length)
    for (const row of matching) stream.rows.push(row)
    const reached = settled.rows.at(-1)
    if (reached) stream.reached = reached
  } catch (error) {
    stream.next = undefined
    reading.lose(call, error)
  }
}
