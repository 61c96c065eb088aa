import { createHistogram } from 'node:perf_hooks'
import type { Work } from './modes.js'

export interface Load {
  /** How many call at the same time, in this process. */
  readonly callers: number
  /** How many numbers they take in all. */
  readonly values: number
}

/** Latencies are milliseconds from the call to the end of the simulated application transaction. */
export interface LoadResult {
  /** Values a second. */
  readonly rate: number
  readonly p50: number
  readonly p75: number
  readonly p90: number
  readonly p99: number
  /** Microseconds of this process's user and system time per value; the engine's are not in it. */
  readonly cpu: number
}

export const LATENCIES = ['p50', 'p75', 'p90', 'p99'] as const

/**
 * Lets callers take numbers until there are as many as asked for.
 *
 * @param onCall is told how many numbers have been taken
 * @throws {Error} if two callers got the same number
 */
export async function runLoad(
  work: Work,
  { callers, values }: Load,
  onCall: (taken: number) => void = () => {},
): Promise<LoadResult> {
  const latencies = createHistogram({ figures: 4 })
  const numbers: bigint[] = []
  let asked = 0
  const caller = async (): Promise<void> => {
    while (asked < values) {
      asked += work.perCall
      const begun = performance.now()
      const taken = await work.call()
      // Whole microseconds from 1 on are what a histogram takes.
      latencies.record(Math.max(1, Math.round((performance.now() - begun) * 1_000)))
      numbers.push(...taken)
      onCall(numbers.length)
    }
  }
  const cpuBefore = process.cpuUsage()
  const begun = performance.now()
  await Promise.all(Array.from({ length: callers }, caller))
  const elapsed = performance.now() - begun
  const { user, system } = process.cpuUsage(cpuBefore)
  refuseTwice(numbers)
  const at = (percentile: number): number => latencies.percentile(percentile) / 1_000
  return {
    rate: (numbers.length / elapsed) * 1_000,
    p50: at(50),
    p75: at(75),
    p90: at(90),
    p99: at(99),
    cpu: (user + system) / numbers.length,
  }
}

/** A generator that is fast and wrong must not look good. */
function refuseTwice(numbers: readonly bigint[]): void {
  const different = new Set(numbers).size
  if (different === numbers.length) return
  throw new Error(`${numbers.length - different} of ${numbers.length} numbers were given out twice.`)
}
