import type { PlainRow } from '../../engine/codec.js'
import type { Wire } from '../../layout/layout.js'
import type { CompareRows } from '../plan/order.js'
import { streamChunk } from '../plan/costs.js'
import { type PlannedCall, readAfter, statementAfter } from '../plan/calls.js'
import { orderingWires } from '../plan/key-ranges.js'
import type { FanOutPlan } from '../plan/plan.js'
import type { Execution } from './execution.js'

// A key that several rows may share, or that is coarser than its value, puts rows in order only in groups: rows within a
// group need a client-side sort.

interface Groups {
  /** The key parts that make a row's group. */
  keyOf(row: PlainRow): readonly Wire[]
  /** Whether the last group may have more rows than are here. */
  readonly open: boolean
  /** Rows up to this one are left out: they were read before. */
  readonly behind: PlainRow | undefined
}

/**
 * Rows of whole groups, sorted. Rows of an open last group are left out, to be read again from its start; `began` says
 * whether another group came before it.
 */
export function sortGroups(
  rows: readonly PlainRow[],
  compare: CompareRows,
  { keyOf, open, behind }: Groups,
): { readonly rows: readonly PlainRow[]; readonly began: boolean } {
  const end = open ? startOfLastGroup(rows, keyOf) : rows.length
  const whole = rows.slice(0, end)
  // Groups come in order, so this mostly finds the rows sorted.
  whole.sort(compare)
  return {
    rows: behind ? whole.filter((row) => compare(row, behind) > 0) : whole,
    began: end > 0,
  }
}

function startOfLastGroup(rows: readonly PlainRow[], keyOf: Groups['keyOf']): number {
  let start = rows.length - 1
  const last = JSON.stringify(keyOf(rows[start]!))
  while (start > 0 && JSON.stringify(keyOf(rows[start - 1]!)) === last) start--
  return start
}

/**
 * Merges sorted streams into one order: a loser tree, so that a row costs one comparison per level and no allocation.
 *
 * Each inner node holds the source that lost there, and the winner of all stands above: when a source moves on to its next
 * row, only the nodes between its leaf and the top have to be played again.
 */
export class Merge<Row> {
  readonly #compare: (a: Row, b: Row) => number
  readonly #rank: (row: Row) => number
  /** The ranks of each run's rows: worked out together, while the rows are at hand, and then next to one another. */
  readonly #ranks: Float64Array[]
  readonly #runs: (readonly Row[])[]
  /** How far each run has been taken. */
  readonly #at: Int32Array
  /** The loser at each inner node; at 0 the winner. */
  readonly #tree: Int32Array

  /**
   * @param runs the first rows of each stream; empty for a stream without rows
   * @param rank a number with the same order as `compare`, or a constant: it is computed once for each row
   */
  constructor(
    compare: (a: Row, b: Row) => number,
    runs: readonly (readonly Row[])[],
    rank: (row: Row) => number = () => 0,
  ) {
    this.#compare = compare
    this.#rank = rank
    this.#ranks = runs.map((rows) => this.#ranked(rows))
    this.#runs = [...runs]
    this.#at = new Int32Array(runs.length)
    this.#tree = new Int32Array(Math.max(1, runs.length))
    this.#tree[0] = this.#play(1)
  }

  /**
   * Moves rows to `out` until it holds `max`, or until a run is drained: its source is returned, and nothing may be taken
   * before `refill` has been called with its next rows. `undefined`: `out` is full, or no source has a row left.
   */
  take(out: Row[], max: number): number | undefined {
    const tree = this.#tree
    while (out.length < max) {
      const source = tree[0]!
      const run = this.#runs[source]
      if (run === undefined) return undefined
      const at = this.#at[source]!
      if (at === run.length) return undefined
      out.push(run[at]!)
      this.#at[source] = at + 1
      if (at + 1 === run.length) return source
      this.#replay(source)
    }
    return undefined
  }

  /** The next rows of a source that was drained; none when it has ended. */
  refill(source: number, rows: readonly Row[]): void {
    this.#runs[source] = rows
    this.#at[source] = 0
    this.#ranks[source] = this.#ranked(rows)
    this.#replay(source)
  }

  #ranked(rows: readonly Row[]): Float64Array {
    const ranks = new Float64Array(rows.length)
    for (let at = 0; at < rows.length; at++) ranks[at] = this.#rank(rows[at]!)
    return ranks
  }

  /** Plays all below a node, and gives the winner back. Leaves are the nodes from the number of sources on. */
  #play(node: number): number {
    const sources = this.#runs.length
    if (node >= sources) return node - sources
    const left = this.#play(2 * node)
    const right = this.#play(2 * node + 1)
    const leftWins = this.#wins(left, right)
    this.#tree[node] = leftWins ? right : left
    return leftWins ? left : right
  }

  #replay(source: number): void {
    const tree = this.#tree
    let winner = source
    for (let node = (source + this.#runs.length) >> 1; node > 0; node >>= 1) {
      const other = tree[node]!
      if (this.#wins(winner, other)) continue
      tree[node] = winner
      winner = other
    }
    tree[0] = winner
  }

  /** A source that has no row left loses against all. */
  #wins(a: number, b: number): boolean {
    const ofA = this.#runs[a]!
    const atA = this.#at[a]!
    if (atA === ofA.length) return false
    const ofB = this.#runs[b]!
    const atB = this.#at[b]!
    if (atB === ofB.length) return true
    const rankA = this.#ranks[a]![atA]!
    const rankB = this.#ranks[b]![atB]!
    return rankA === rankB ? this.#compare(ofA[atA]!, ofB[atB]!) <= 0 : rankA < rankB
  }
}

/** The rows of one partition, or of one statement, in order. */
interface Stream {
  /** The next rows; empty when there are no more. */
  next(): Promise<readonly PlainRow[]>
}

/** The rows of a plan's calls, merged: in waves, or as streams. */
export async function* mergedRows(
  execution: Execution,
  plan: FanOutPlan,
): AsyncGenerator<PlainRow[], number, undefined> {
  execution.asks(plan.calls)
  const { waves, limit } = plan.merge!
  if (!waves) return yield* mergedStreams(execution, plan)
  const rows = await firstRows(execution, plan, limit!)
  if (rows.length > 0) yield rows
  return rows.length
}

/** A stream per call, each read chunk by chunk: the next chunk begins after the last row of the one before. */
function streamsOf(execution: Execution, plan: FanOutPlan): Stream[] {
  const { report } = execution
  const behind = execution.behind(plan)
  const isAhead = plan.merge!.ahead
  // Entries of an index are filtered once they are rows.
  const matches = plan.strategy === 'back-join' ? undefined : execution.matches
  return plan.calls.map((first) => {
    let call: PlannedCall | undefined = first
    let ahead: Promise<PlainRow[]> | undefined
    /** The second half of a chunk. */
    let rest: readonly PlainRow[] = []
    return {
      async next() {
        if (rest.length > 0) {
          const rows = rest
          rest = []
          // A stream will want the next chunk: it is fetched while this half is being read.
          ahead = call && execution.fetch(call)
          ahead?.catch(() => {})
          return rows
        }
        while (call) {
          let rows: PlainRow[]
          try {
            rows = await (ahead ?? execution.fetch(call))
          } catch (error) {
            execution.lose(call, error)
            call = undefined
            return []
          }
          ahead = undefined
          const settled = settle(execution, plan, call, rows, behind)
          call = settled.next
          const matching = matches ? settled.rows.filter((row) => matches(row) === true) : settled.rows
          report.hold(matching.length - rows.length)
          if (matching.length === 0) continue
          if (!call || !isAhead || matching.length === 1) return matching
          const half = Math.ceil(matching.length / 2)
          rest = matching.slice(half)
          return matching.slice(0, half)
        }
        return []
      },
    }
  })
}

/** The rows of a chunk that are in their final order, and the call for the following ones. */
function settle(
  execution: Execution,
  plan: FanOutPlan,
  call: PlannedCall,
  rows: PlainRow[],
  behind: PlainRow | undefined,
): { readonly rows: readonly PlainRow[]; readonly next: PlannedCall | undefined } {
  const { keys, compare, table } = execution
  const limit = call.limit!
  const last = rows.at(-1)
  const full = last !== undefined && rows.length === limit
  const more = Math.max(limit, Math.min(limit * 4, streamChunk(plan.calls.length)))
  if (call.kind === 'statement')
    return { rows, next: full ? statementAfter(table, execution.selection, call, last, more) : undefined }
  if (keys.grouped === undefined) return { rows, next: full ? readAfter(keys, call, last, more) : undefined }
  const whole = sortGroups(rows, compare, {
    keyOf: (row) => orderingWires(keys, row),
    // The last group may go on beyond the chunk.
    open: full,
    behind,
  })
  // A group that fills a chunk by itself is asked for again, with room for more.
  const room = whole.began ? more : limit * 4
  return { rows: whole.rows, next: full ? readAfter(keys, call, last, room) : undefined }
}

/** Rows of all streams in order, in batches; how many they were. */
async function* mergedStreams(
  execution: Execution,
  plan: FanOutPlan,
): AsyncGenerator<PlainRow[], number, undefined> {
  const { limit = Infinity, batch: size } = plan.merge!
  const streams = streamsOf(execution, plan)
  const merge = new Merge(
    execution.compare,
    await Promise.all(streams.map((stream) => stream.next())),
    execution.rank,
  )
  let taken = 0
  let batch: PlainRow[] = []
  while (taken < limit) {
    const before = batch.length
    const drained = merge.take(batch, Math.min(size, before + limit - taken))
    taken += batch.length - before
    if (drained !== undefined && taken < limit) {
      merge.refill(drained, await streams[drained]!.next())
      continue
    }
    if (batch.length === 0) break
    yield batch
    if (batch.length < size) break
    batch = []
  }
  return taken
}

/** The known rows of one of the sorted streams. */
interface Known {
  readonly rows: PlainRow[]
  /** How far it has been read, whether its rows match or not; absent before that. */
  reached?: PlainRow
  /** The call for what follows; absent where nothing does. */
  next: PlannedCall | undefined
}

/**
 * The first rows of several sorted streams together. All streams are asked at once; streams that can still hold one of the
 * wanted rows are asked again, also at once, until none can: a stream that has been read beyond the last wanted row has
 * nothing to add.
 */
async function firstRows(execution: Execution, plan: FanOutPlan, wanted: number): Promise<PlainRow[]> {
  const { compare, rank, report } = execution
  const behind = execution.behind(plan)
  const streams = plan.calls.map((next): Known => ({ rows: [], next }))
  let open: readonly Known[] = streams
  for (;;) {
    await Promise.all(open.map((stream) => advance(execution, plan, stream, behind)))
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

async function advance(
  execution: Execution,
  plan: FanOutPlan,
  stream: Known,
  behind: PlainRow | undefined,
): Promise<void> {
  const { matches, report } = execution
  const call = stream.next!
  try {
    const rows = await execution.fetch(call)
    const settled = settle(execution, plan, call, rows, behind)
    stream.next = settled.next
    const matching = matches ? settled.rows.filter((row) => matches(row) === true) : settled.rows
    report.hold(matching.length - rows.length)
    for (const row of matching) stream.rows.push(row)
    const reached = settled.rows.at(-1)
    if (reached) stream.reached = reached
  } catch (error) {
    stream.next = undefined
    execution.lose(call, error)
  }
}
