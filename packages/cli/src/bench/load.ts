import type { SequenceWork } from './sequence-work.js'

export interface Load {
  /** How many call at the same time, in this thread. */
  readonly callers: number
  /** How many numbers they take in all. Default: as many as they can. */
  readonly values?: number
  /** For how long they call, in milliseconds. Default: until they have their numbers. */
  readonly milliseconds?: number
}

/**
 * How many calls took each number of microseconds, to four figures: a long run needs no more memory than a short one. A
 * call is from its beginning to the end of the simulated application transaction.
 */
type Latencies = ReadonlyMap<number, number>

/** The numbers that callers took: data that is passed between processes. */
export interface Taken {
  readonly numbers: BigInt64Array
  readonly latencies: Latencies
  readonly milliseconds: number
}

/** Latencies in milliseconds. */
export interface LoadResult {
  /** Values a second. */
  readonly rate: number
  readonly p50: number
  readonly p75: number
  readonly p90: number
  readonly p99: number
  /** Microseconds of user and system time per value, of the processes that call; the engine's are not in it. */
  readonly cpu: number
}

export const LATENCIES = ['p50', 'p75', 'p90', 'p99'] as const

/**
 * Has callers take numbers for the requested time, or until the requested count is reached.
 *
 * @param onCall gets how many numbers have been taken
 */
export async function takeNumbers(
  work: SequenceWork,
  { callers, values = Infinity, milliseconds = Infinity }: Load,
  onCall: (taken: number) => void = () => {},
): Promise<Taken> {
  const latencies = new Map<number, number>()
  const numbers = new NumberList()
  const begun = performance.now()
  let requestedCount = 0
  const caller = async (): Promise<void> => {
    while (requestedCount < values && performance.now() - begun < milliseconds) {
      requestedCount += work.perCall
      const called = performance.now()
      const taken = await work.call()
      const latency = Number(((performance.now() - called) * 1_000).toPrecision(4))
      latencies.set(latency, (latencies.get(latency) ?? 0) + 1)
      for (const number of taken) numbers.push(number)
      onCall(numbers.length)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return { numbers: numbers.toArray(), latencies, milliseconds: performance.now() - begun }
}

/** Eight bytes for each number: an array of `bigint` takes four times as much. */
class NumberList {
  #numbers = new BigInt64Array(1_024)
  length = 0

  push(number: bigint): void {
    if (this.length === this.#numbers.length) {
      const longer = new BigInt64Array(2 * this.length)
      longer.set(this.#numbers)
      this.#numbers = longer
    }
    this.#numbers[this.length++] = number
  }

  toArray(): BigInt64Array {
    return this.#numbers.slice(0, this.length)
  }
}

/**
 * The figures of threads that took numbers side by side.
 *
 * @param cpuMicroseconds of all of them together
 */
export function loadResult(parts: readonly Taken[], cpuMicroseconds: number): LoadResult {
  const calls = new Map<number, number>()
  let count = 0
  let elapsed = 0
  for (const { numbers, latencies, milliseconds } of parts) {
    elapsed = Math.max(elapsed, milliseconds)
    count += numbers.length
    for (const [latency, times] of latencies) calls.set(latency, (calls.get(latency) ?? 0) + times)
  }
  const at = percentilesOf(calls)
  return {
    rate: (count / elapsed) * 1_000,
    p50: at(50),
    p75: at(75),
    p90: at(90),
    p99: at(99),
    cpu: count === 0 ? 0 : cpuMicroseconds / count,
  }
}

/** In milliseconds; 0 if there was no call. */
function percentilesOf(latencies: Latencies): (percentile: number) => number {
  const ascending = [...latencies].toSorted(([one], [other]) => one - other)
  const total = ascending.reduce((sum, [, times]) => sum + times, 0)
  return (percentile) => {
    let below = 0
    for (const [latency, times] of ascending) {
      below += times
      if (below >= (total * percentile) / 100) return latency / 1_000
    }
    return 0
  }
}

/**
 * Takes numbers in this thread alone.
 *
 * @throws {Error} if a number was given out twice.
 */
export async function runLoad(
  work: SequenceWork,
  load: Load,
  onCall?: (taken: number) => void,
): Promise<LoadResult> {
  const before = process.cpuUsage()
  const taken = await takeNumbers(work, load, onCall)
  const { user, system } = process.cpuUsage(before)
  refuseTwice([taken.numbers])
  return loadResult([taken], user + system)
}

/**
 * A generator that is fast and wrong must not look good. Numbers are sorted: a `Set` holds at most 2^24.
 *
 * @throws {Error} if a number was given out twice.
 */
export function refuseTwice(parts: readonly BigInt64Array[]): void {
  const all = new BigInt64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const numbers of parts) {
    all.set(numbers, end)
    end += numbers.length
  }
  all.sort()
  let repeated = 0
  for (let at = 1; at < all.length; at++) if (all[at] === all[at - 1]) repeated++
  if (repeated > 0) throw new Error(`${repeated} of ${all.length} numbers were returned twice.`)
}
