import { summarise, type Summary } from './statistics.js'

// Not tinybench: that runs one task to its end before the next and knows no CPU time. On a shared machine only what lies
// side by side can be compared.
//
// No full garbage collection is forced in between: it throws compiled code away as well. Rows then cost three times the
// CPU on both sides, and a ratio of 1.2 looked like 0.97 (tried).

/** The same work by the vendor's client alone and by Isotherm. */
export interface Workload {
  readonly name: string
  /** One operation: `row`, `read`, `page`. */
  readonly per: string
  /** How many operations one call of `raw` or `ours` makes. Small, so that the two sides alternate quickly. */
  readonly operations: number
  readonly raw: () => Promise<unknown>
  readonly ours: () => Promise<unknown>
  /** What the ratio ours / raw may be. A measure without a target is for information. */
  readonly targets: { readonly cpu?: number; readonly wall?: number }
  /** How often each side is called in one round, in turn. */
  readonly turns: number
  /** Measured rounds. Default: 25. */
  readonly rounds?: number
  /** Rounds before those, for the compiler and the caches. Default: 5. */
  readonly warmUp?: number
}

/** Microseconds per operation of both sides, and ours divided by raw in each round. */
export interface Measure {
  readonly raw: Summary
  readonly ours: Summary
  readonly ratio: Summary
  readonly target?: number
  /** Whether the median ratio is within the target. */
  readonly met?: boolean
}

export interface Comparison {
  readonly name: string
  readonly per: string
  /** On each side, per round. */
  readonly operations: number
  readonly rounds: number
  /** User and system time of this process: the client's share, not the emulator's. */
  readonly cpu: Measure
  readonly wall: Measure
  readonly notes?: readonly string[]
}

/** Microseconds per operation. */
export interface Sample {
  readonly cpu: number
  readonly wall: number
}

/**
 * Runs both sides in turn, and compares them round by round: what disturbs the machine for longer than a turn disturbs
 * both. The side that begins changes every turn.
 */
export async function compare(workload: Workload): Promise<Comparison> {
  const { name, per, operations, targets, turns, rounds = 25, warmUp = 5 } = workload
  const raw: Sample[] = []
  const ours: Sample[] = []
  for (let round = -warmUp; round < rounds; round++) {
    const spent = { raw: new Stopwatch(), ours: new Stopwatch() }
    for (let turn = 0; turn < turns; turn++) {
      const rawFirst = (round + turn) % 2 === 0
      for (const side of rawFirst ? (['raw', 'ours'] as const) : (['ours', 'raw'] as const)) {
        await spent[side].time(workload[side])
      }
    }
    if (round < 0) continue
    raw.push(spent.raw.per(turns * operations))
    ours.push(spent.ours.per(turns * operations))
  }
  return comparisonOf({ name, per, operations: turns * operations, targets }, raw, ours)
}

/** Compares what was measured in the same rounds. @param of with the operations on each side per round */
export function comparisonOf(
  of: Pick<Workload, 'name' | 'per' | 'operations' | 'targets'>,
  raw: readonly Sample[],
  ours: readonly Sample[],
): Comparison {
  const { name, per, operations, targets } = of
  return {
    name,
    per,
    operations,
    rounds: raw.length,
    cpu: measure(raw, ours, 'cpu', targets.cpu),
    wall: measure(raw, ours, 'wall', targets.wall),
  }
}

/** Adds up the time of several calls, in microseconds. */
class Stopwatch {
  #cpu = 0
  #wall = 0

  async time(call: () => Promise<unknown>): Promise<void> {
    const cpu = process.cpuUsage()
    const wall = performance.now()
    await call()
    this.#wall += (performance.now() - wall) * 1_000
    const { user, system } = process.cpuUsage(cpu)
    this.#cpu += user + system
  }

  per(operations: number): Sample {
    return { cpu: this.#cpu / operations, wall: this.#wall / operations }
  }
}

function measure(
  raw: readonly Sample[],
  ours: readonly Sample[],
  which: keyof Sample,
  target: number | undefined,
): Measure {
  const ratio = summarise(ours.map((each, round) => each[which] / raw[round]![which]))
  return {
    raw: summarise(raw.map((each) => each[which])),
    ours: summarise(ours.map((each) => each[which])),
    ratio,
    ...(target !== undefined && { target, met: ratio.median <= target }),
  }
}

/** A function that runs `operation` for the next `count` items, at most `width` at a time. Both sides of a comparison get the same items. */
export function inTurn<Item>(
  items: readonly Item[],
  count: number,
  width: number,
  operation: (item: Item) => Promise<unknown>,
): () => Promise<void> {
  let from = 0
  return async () => {
    let next = from
    const end = from + count
    const worker = async (): Promise<void> => {
      while (next < end) await operation(items[next++]!)
    }
    await Promise.all(Array.from({ length: width }, worker))
    from = end + count <= items.length ? end : 0
  }
}
