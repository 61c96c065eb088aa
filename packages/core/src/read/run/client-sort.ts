import type { PlainRow } from '../../engine/codec.js'
import { type PlannedCall, type PlannedRead, readAfter } from '../plan/calls.js'
import { type FanOutPlan, MAX_SORTED, type PlanOutcome } from '../plan/plan.js'
import type { Execution } from './execution.js'

/** All matching rows of a plan's partitions, after a client-side sort; no rows if they are more than fit into memory. */
export async function* sortedRows(
  execution: Execution,
  plan: FanOutPlan,
): AsyncGenerator<PlainRow[], PlanOutcome, undefined> {
  const sorting = new Sorting(execution, plan)
  await scanRows(execution, plan, (rows) => sorting.take(rows))
  const rows = sorting.rows()
  if (!rows) return { found: 0, tooMany: true }
  if (rows.length > 0) yield rows
  return { found: rows.length }
}

/**
 * Every matching row of a plan's partitions, in no order: chunk by chunk, as many partitions at once as calls may be in flight.
 *
 * @param take is given the matching rows of each chunk, which it may keep, and tells whether it wants more
 */
export async function scanRows(
  execution: Execution,
  plan: FanOutPlan,
  take: (rows: readonly PlainRow[]) => boolean,
): Promise<void> {
  const calls = callsOf(execution, plan)
  const readers = Math.min(plan.inFlight, plan.partitions ?? plan.inFlight)
  const read = async (): Promise<void> => {
    // All take from the same calls: where one leaves, none is left for the others.
    for (const call of calls) if (!(await scanPartition(execution, call, take))) return
  }
  await Promise.all(Array.from({ length: readers }, read))
}

function* callsOf(execution: Execution, plan: FanOutPlan): Generator<PlannedCall, void, undefined> {
  for (const calls of execution.scan(plan)) {
    execution.asks(calls)
    yield* calls
  }
}

/** Whether more is wanted. */
async function scanPartition(
  execution: Execution,
  first: PlannedCall,
  take: (rows: readonly PlainRow[]) => boolean,
): Promise<boolean> {
  const { keys, matches, report } = execution
  let call: PlannedCall | undefined = first
  try {
    while (call) {
      const rows: PlainRow[] = await execution.fetch(call)
      const last: PlainRow | undefined = rows.length === call.limit ? rows.at(-1) : undefined
      call = last && readAfter(keys, call as PlannedRead, last, call.limit!)
      const matching = matches ? rows.filter((row) => matches(row) === true) : rows
      report.hold(matching.length - rows.length)
      if (!take(matching)) return false
    }
  } catch (error) {
    execution.lose(first, error)
  }
  return true
}

/** Keeps the first rows in order: rows beyond the limit are soon dropped. */
class Sorting {
  readonly #execution: Execution
  readonly #behind: PlainRow | undefined
  readonly #limit: number
  readonly #room: number
  #kept: PlainRow[] = []
  /** There are enough rows before this one. */
  #last: PlainRow | undefined
  #isTooMany = false

  constructor(execution: Execution, plan: FanOutPlan) {
    const { limit = Infinity } = plan.merge!
    this.#execution = execution
    this.#behind = execution.behind(plan)
    this.#limit = limit
    this.#room = Math.min(limit, MAX_SORTED)
  }

  /** Whether it has room for more. */
  take(rows: readonly PlainRow[]): boolean {
    const { compare, report } = this.#execution
    const behind = this.#behind
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
    this.#execution.report.hold(this.#kept.length - before)
    return this.#kept
  }

  #giveUp(): void {
    this.#isTooMany = true
    this.#kept = []
  }

  #shrink(): void {
    this.#kept = this.#kept.sort(this.#execution.compare).slice(0, this.#room)
    this.#last = this.#kept.length === this.#room ? this.#kept.at(-1) : undefined
  }
}
