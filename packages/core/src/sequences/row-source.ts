import { IsothermError } from '../errors.js'
import type { Driver } from '../database/driver.js'
import { transact } from '../database/transaction-scope.js'
import type { Numbering } from './numbering.js'
import { exhausted, wouldWait } from './refusals.js'
import type { Range, RangeSource } from './range-pool.js'
import { sequenceRow, wouldWaitForCaller, type SequenceRow } from './sequence-row.js'

/** Ranges of a row of the table of sequences, each taken in a transaction of its own. */
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

  fetch(wanted: number, signal: AbortSignal): Promise<Range> {
    const { row, driver } = this
    const numbering = this.#numbering
    return row.turnstile.run(async () => {
      // A transaction that has begun is not left behind: whoever closes the client next would find it at work.
      const taken = await transact(driver, async ({ context, life }) => {
        signal.throwIfAborted()
        const first = await row.next(context, life)
        signal.throwIfAborted()
        const size = numbering.countFrom(first, wanted)
        if (size === 0) throw this.exhausted()
        context.buffer([row.write('update', numbering.after(first, size))])
        return { first, size }
      }).catch(orAgain)
      const { first, size } = taken.value
      row.committed(numbering.after(first, size))
      return { size, numberAt: (place) => numbering.numberAt(first, place) }
    }, signal)
  }

  refuseWaiting(): void {
    if (wouldWaitForCaller(this.driver, this.row)) throw wouldWait(this.name)
  }

  exhausted(): IsothermError {
    return exhausted(this.name, this.#numbering.maximum)
  }
}

/** A range whose commit may or may not have taken place is given up: the numbers may be lost, and are never two people's. */
export function orAgain(error: unknown): never {
  if (!(error instanceof IsothermError) || (error.code !== 'OUTCOME_UNKNOWN' && error.code !== 'ABORTED'))
    throw error
  throw new IsothermError(error.code, error.message, { transient: true, cause: error })
}
