import { RowSource, createRow } from './row-source.js'
import { MAX_AT_ONCE, Numbering } from './numbering.js'
import {
  type AdaptiveBounds,
  AdaptivePrefetch,
  type PrefetchPolicy,
  onDemandPrefetch,
  fixedPrefetch,
} from './prefetch-policy.js'
import {
  SEQUENCE_OPTIONS,
  type SequenceOptions,
  type SequenceTarget,
  checkSequence,
  driverAt,
  tableIn,
} from './sequence-target.js'
import { RangeSequence } from './reserved-numbers.js'
import { IsothermError } from '../errors.js'
import { type Kind, type OptionKinds, anything, either, oneOf, options, required } from '../options.js'

/** A sequence of the table, whose numbers are taken outside of the transactions that use them. */
export class TableSequence extends RangeSequence {
  readonly #source: RowSource
  readonly #numbering: Numbering

  /** @internal */
  constructor(target: SequenceTarget, name: string, options: SequenceOptions, prefetch: PrefetchPolicy) {
    const numbering = new Numbering(name, options)
    const source = new RowSource(() => driverAt(target), tableIn(options), name, numbering)
    super(source, prefetch, numbering.bitReversed)
    this.#source = source
    this.#numbering = numbering
  }

  /** Makes the sequence, beginning at `start`, if it does not exist. Returns whether it did. */
  async create(): Promise<boolean> {
    await this.#source.decide()
    return createRow(this.#source.driver, this.#source.row, this.#numbering.start)
  }
}

export interface BatchOptions extends SequenceOptions {
  /** How many numbers a process takes at a time. Default: 200. */
  readonly size?: number
}

const BATCH_OPTIONS: OptionKinds<BatchOptions> = { ...SEQUENCE_OPTIONS, size: anything }

/**
 * Unique numbers. Each process takes a range at a time: the numbers are not in order over all processes, and the numbers
 * that a process has left when it ends are a gap. One call of a range waits for the database.
 *
 * @example
 * const orders = batch(db, 'order', { size: 500 })
 * const number = await orders.next()
 */
export function batch(target: SequenceTarget, name: string, options: BatchOptions = {}): TableSequence {
  checkSequence('batch', BATCH_OPTIONS, { target, name, options })
  const { size = 200, ...rest } = options
  refuseOtherSize(name, 'size', size, 1)
  return new TableSequence(target, name, rest, fixedPrefetch(size))
}

/** @throws {IsothermError} `INVALID_VALUE`. */
function refuseOtherSize(name: string, what: string, value: unknown, min: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= MAX_AT_ONCE) return
  throw new IsothermError('INVALID_VALUE', `The ${what} of ${JSON.stringify(name)} is ${String(value)}.`, {
    fix: `It is a whole number from ${min} to ${MAX_AT_ONCE.toLocaleString('en')}.`,
  })
}

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

/** Their bounds are checked with the name of the sequence. */
export const RANGES: Kind = either(
  "'adaptive', { min, max } or { size, lowWater }",
  oneOf('adaptive'),
  options({ min: anything, max: anything }),
  options({ size: required(anything), lowWater: anything }),
)

const ASYNCHRONOUS_BATCH_OPTIONS: OptionKinds<AsynchronousBatchOptions> = {
  ...SEQUENCE_OPTIONS,
  ranges: RANGES,
}

/**
 * Unique numbers. Each process reserves a range at a time, and fetches the next range in the background before the last has
 * run out: callers do not wait, not even in a transaction. The numbers are not in order over all processes, and the numbers
 * that a process has left when it ends are a gap.
 *
 * @example
 * const orders = asynchronousBatch(db, 'order')
 * const number = await orders.next()
 * await orders.close() // when the process ends
 */
export function asynchronousBatch(
  target: SequenceTarget,
  name: string,
  options: AsynchronousBatchOptions = {},
): TableSequence {
  checkSequence('asynchronousBatch', ASYNCHRONOUS_BATCH_OPTIONS, { target, name, options })
  const { ranges = 'adaptive', ...rest } = options
  return new TableSequence(target, name, rest, prefetchPolicyOf(name, ranges))
}

/** @throws {IsothermError} `INVALID_VALUE` for invalid sizes. */
export function prefetchPolicyOf(name: string, ranges: Ranges): PrefetchPolicy {
  if (ranges === 'adaptive') return new AdaptivePrefetch(name, {})
  if (!('size' in ranges)) return new AdaptivePrefetch(name, ranges)
  const { size, lowWater = Math.floor(size / 4) } = ranges
  refuseOtherSize(name, 'size', size, 1)
  refuseOtherSize(name, 'lowWater', lowWater, 0)
  return fixedPrefetch(size, lowWater)
}

/**
 * Numbers in order, each taken in a transaction of its own before the one that uses it: a number that is not used is a gap.
 * Calls at the same time get their numbers from one transaction.
 *
 * @example
 * const employees = asynchronous(db, 'employee')
 * const number = await employees.next()
 * await db.insert(Employee, [{ number, name }])
 */
export function asynchronous(
  target: SequenceTarget,
  name: string,
  options: SequenceOptions = {},
): TableSequence {
  checkSequence('asynchronous', SEQUENCE_OPTIONS, { target, name, options })
  return new TableSequence(target, name, options, onDemandPrefetch)
}
