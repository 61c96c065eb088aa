import { setTimeout as delay } from 'node:timers/promises'
import { summarise, type Summary } from './statistics.js'

// Not tinybench: that runs one task to its end before the next and knows no CPU time. On a shared machine only rounds
// that lie side by side can be compared, and the emulator's time, which is in the wall time of both, says little.

/** The same work by the vendor's client alone and by Isotherm. */
export interface Workload {
  readonly name: string
  /** One operation: `row`, `read`, `page`. */
  readonly per: string
  /** How many operations one call of `raw` or `ours` makes. */
  readonly operations: number
  readonly raw: () => Promise<unknown>
  readonly ours: () => Promise<unknown>
  /** What the ratio ours / raw may be. A measure without a target is for information. */
  readonly targets: { readonly cpu?: number; readonly wall?: number }
  /** Measured rounds; each runs both sides once. Default: 25. */
  readonly rounds?: number
  /** Rounds before those, for the compiler and the caches. Default: 10. */
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
  readonly operations: number
  readonly rounds: number
  /** User and system time of this process: the client's share, not the emulator's. */
  readonly cpu: Measure
  readonly wall: Measure
  readonly notes?: readonly string[]
}

interface Sample {
  readonly cpu: number
  readonly wall: number
}

/**
 * Runs both sides in turn, round by round, and compares them round by round: what disturbs the machine for longer than a
 * round disturbs both. The side that begins changes every round.
 */
export async function compare(workload: Workload): Promise<Comparison> {
  const { name, per, operations, targets, rounds = 25, warmUp = 10 } = workload
  const raw: Sample[] = []
  const ours: Sample[] = []
  for (let round = -warmUp; round < rounds; round++) {
    const rawFirst = round % 2 === 0
    const first = await sample(rawFirst ? workload.raw : workload.ours, operations)
    const second = await sample(rawFirst ? workload.ours : workload.raw, operations)
    if (round < 0) continue
    raw.push(rawFirst ? first : second)
    ours.push(rawFirst ? second : first)
  }
  return {
    name,
    per,
    operations,
    rounds,
    cpu: measure(raw, ours, 'cpu', targets.cpu),
    wall: measure(raw, ours, 'wall', targets.wall),
  }
}

async function sample(run: () => Promise<unknown>, operations: number): Promise<Sample> {
  // Each side starts with a clean heap, and without what the other left for later.
  await delay(1)
  globalThis.gc?.()
  const cpu = process.cpuUsage()
  const wall = performance.now()
  await run()
  const wallSpent = (performance.now() - wall) * 1000
  const spent = process.cpuUsage(cpu)
  return { cpu: (spent.user + spent.system) / operations, wall: wallSpent / operations }
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

/** Runs `operation` for each item, at most `width` at a time. */
export async function inFlight<Item>(
  items: readonly Item[],
  width: number,
  operation: (item: Item) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) await operation(items[next++]!)
  }
  await Promise.all(Array.from({ length: width }, worker))
}
