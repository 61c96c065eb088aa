import { MOST_AT_ONCE } from './numbering.js'
import { IsothermError } from '../errors.js'
import { fixedPace } from './pace.js'
import type { SequenceOptions, SequencePlace } from './place.js'
import { TableSequence } from './table-sequence.js'

export interface BatchOptions extends SequenceOptions {
  /** How many numbers a process takes at a time. Default: 200. */
  readonly size?: number
}

/**
 * Unique numbers, of which each process takes a range at a time: in no order over all, and what a process has left when it
 * ends is a gap. One call of a range waits for the database.
 *
 * @example
 * const orders = batch(db, 'order', { size: 500 })
 * const number = await orders.next()
 */
export function batch(place: SequencePlace, name: string, options: BatchOptions = {}): TableSequence {
  const { size = 200, ...rest } = options
  refuseOtherSize(name, 'size', size, 1)
  return new TableSequence(place, name, rest, fixedPace(size))
}

/** @throws {IsothermError} `INVALID_VALUE`. */
export function refuseOtherSize(name: string, what: string, given: unknown, least: number): void {
  if (Number.isSafeInteger(given) && (given as number) >= least && (given as number) <= MOST_AT_ONCE) return
  throw new IsothermError('INVALID_VALUE', `The ${what} of ${JSON.stringify(name)} is ${String(given)}.`, {
    fix: `It is a whole number from ${least} to ${MOST_AT_ONCE.toLocaleString('en')}.`,
  })
}
