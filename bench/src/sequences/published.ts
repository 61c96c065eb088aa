import type { SequenceMode } from '@isotherm/cli/bench'

/** One row of the published table: values a second, and milliseconds. */
export interface PublishedRow {
  readonly mode: SequenceMode
  readonly title: string
  readonly callers: number
  readonly rate: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

/**
 * What was published with the table `sequences(name, next_value)` that this tool has too: the service, threads in place of
 * callers, and the same application transaction of 10 ms.
 */
export const PUBLISHED: readonly PublishedRow[] = [
  { mode: 'sync', title: 'sync', callers: 10, rate: 34, p50: 27, p90: 1189, p99: 2703 },
  { mode: 'sync', title: 'sync', callers: 50, rate: 30.6, p50: 1191, p90: 3513, p99: 5982 },
  { mode: 'async', title: 'async', callers: 10, rate: 66.5, p50: 28, p90: 611, p99: 1460 },
  { mode: 'async', title: 'async', callers: 50, rate: 78.1, p50: 29, p90: 1695, p99: 3442 },
  { mode: 'batch', title: 'batch 200', callers: 10, rate: 494, p50: 18, p90: 20, p99: 38 },
  { mode: 'batch', title: 'batch 200', callers: 50, rate: 1195, p50: 27, p90: 55, p99: 168 },
  {
    mode: 'async-batch',
    title: 'async batch 200, low-water 50',
    callers: 10,
    rate: 512,
    p50: 18,
    p90: 20,
    p99: 30,
  },
  {
    mode: 'async-batch',
    title: 'async batch 200, low-water 50',
    callers: 50,
    rate: 1622,
    p50: 24,
    p90: 28,
    p99: 30,
  },
]

/** The sizes of that table. */
export const PUBLISHED_SIZES = { batch: 200, lowWater: 50, ranges: 'fixed', transactionMs: 10 } as const
