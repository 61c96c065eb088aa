import type { Sequence } from '../schema.js'
import type { Report } from './report.js'

const MAX_INT64 = 2n ** 63n - 1n

function isPositiveInt64(text: string): boolean {
  if (typeof text !== 'string' || !/^\d{1,19}$/.test(text)) return false
  return BigInt(text) >= 1n && BigInt(text) <= MAX_INT64
}

/** The counters of a sequence, or of a column that is one. */
export function checkCounters(
  { startCounter, skipRange }: Pick<Sequence, 'startCounter' | 'skipRange'>,
  report: Report,
  column?: string,
): void {
  if (startCounter !== undefined && !isPositiveInt64(startCounter)) {
    report(`starts at ${startCounter}.`, 'startCounter is a positive 64-bit integer.', column)
  }
  if (
    skipRange &&
    !(
      isPositiveInt64(skipRange[0]) &&
      isPositiveInt64(skipRange[1]) &&
      BigInt(skipRange[0]) <= BigInt(skipRange[1])
    )
  ) {
    report(
      `skips ${skipRange[0]} to ${skipRange[1]}.`,
      'skipRange is two positive 64-bit integers, the lower one first.',
      column,
    )
  }
}
