import type { CallOptions, Driver } from '../engine/driver.js'
import { exhausted, wouldWait } from './refusals.js'
import { type SequenceRow, sequenceRow, wouldWaitForCaller } from './sequence-row.js'
import { allocatorOf } from './range-allocators.js'
import { IsothermError } from '../errors.js'
import { decided } from '../engine/undecided.js'
import type { Numbering } from './numbering.js'
import type { Range, RangeSource } from './reserved-numbers.js'

/**
 * Makes a sequence's row if it does not exist. Returns whether it did. An existing row stays as it is.
 *
 * @throws {IsothermError} `SEQUENCE_WOULD_WAIT` in a transaction that it would wait for.
 */
export async function createRow(driver: Driver, row: SequenceRow, start: bigint): Promise<boolean> {
  if (wouldWaitForCaller(driver, row)) throw wouldWait(row.name)
  const allocator = allocatorOf(driver)
  return row.lock.run(() => allocator.create(row, start))
}

/** Ranges of a row of the table of sequences, each taken for itself: not in the caller's transaction. */
export class RowSource implements RangeSource {
  readonly name: string
  readonly #driverOf: () => Driver
  readonly #table: string
  readonly #numbering: Numbering
  #driver: Driver | undefined

  constructor(driverOf: () => Driver, table: string, name: string, numbering: Numbering) {
    this.#driverOf = driverOf
    this.#table = table
    this.name = name
    this.#numbering = numbering
  }

  get driver(): Driver {
    return (this.#driver ??= this.#driverOf())
  }

  get row(): SequenceRow {
    return sequenceRow(this.driver, this.#table, this.name)
  }

  /** Asks the database which dialect it speaks, if the caller did not name it. */
  async decide(call?: CallOptions): Promise<void> {
    this.#driver = await decided(this.driver, call)
  }

  async fetch(wanted: number, signal: AbortSignal): Promise<Range> {
    if (this.driver.undecided) await this.decide({ signal })
    const { row, driver } = this
    const numbering = this.#numbering
    const allocator = allocatorOf(driver)
    return row.lock.run(async () => {
      const { first, size } = await allocator.take(row, numbering, wanted, signal).catch(orAgain)
      row.committed(numbering.after(first, size))
      return { size, numberAt: (position) => numbering.numberAt(first, position) }
    }, signal)
  }

  refuseWaiting(): void {
    // While the dialect is not known, the caller cannot have a transaction on this database.
    if (this.driver.undecided) return
    if (wouldWaitForCaller(this.driver, this.row)) throw wouldWait(this.name)
  }

  exhausted(): IsothermError {
    return exhausted(this.name, this.#numbering.maximum)
  }
}

/** A range whose commit may or may not have happened is given up: its numbers may be lost, but are never returned twice. */
export function orAgain(error: unknown): never {
  if (!(error instanceof IsothermError) || (error.code !== 'OUTCOME_UNKNOWN' && error.code !== 'ABORTED'))
    throw error
  throw new IsothermError(error.code, error.message, { retryable: true, cause: error })
}
