import { refuseOtherSize } from './batch.js'
import { AdaptivePace, fixedPace, type AdaptiveBounds, type Pace } from './pace.js'
import type { SequenceOptions, SequencePlace } from './place.js'
import { TableSequence } from './table-sequence.js'

/**
 * How large the ranges are, and when the next is fetched: `adaptive` by the rate at which numbers go and the time that a fetch
 * takes, within bounds; or always the same.
 */
export type Ranges =
  | 'adaptive'
  | AdaptiveBounds
  | {
      readonly size: number
      /** The next range is fetched once no more numbers than this are left. Default: a quarter of the size. */
      readonly lowWater?: number
    }

export interface AsynchronousBatchOptions extends SequenceOptions {
  /** Default: `adaptive`. */
  readonly ranges?: Ranges
}

/**
 * Unique numbers, of which each process takes a range at a time, the next one in the background before the last has run out:
 * nobody waits, not even in a transaction. In no order over all, and what a process has left when it ends is a gap.
 *
 * @example
 * const orders = asynchronousBatch(db, 'order')
 * const number = await orders.next()
 * await orders.close() // when the process ends
 */
export function asynchronousBatch(
  place: SequencePlace,
  name: string,
  options: AsynchronousBatchOptions = {},
): TableSequence {
  const { ranges = 'adaptive', ...rest } = options
  return new TableSequence(place, name, rest, paceOf(name, ranges))
}

/** @throws {IsothermError} `INVALID_VALUE` for sizes that are none. */
export function paceOf(name: string, ranges: Ranges): Pace {
  if (ranges === 'adaptive') return new AdaptivePace(name, {})
  if (!('size' in ranges)) return new AdaptivePace(name, ranges)
  const { size, lowWater = Math.floor(size / 4) } = ranges
  refuseOtherSize(name, 'size', size, 1)
  refuseOtherSize(name, 'lowWater', lowWater, 0)
  return fixedPace(size, lowWater)
}
