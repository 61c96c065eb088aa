import type { Driver } from '../database/driver.js'
import { transact } from '../database/transaction-scope.js'
import type { Numbering } from './numbering.js'
import type { RangeTaker, TakenRange } from './range-taker.js'
import { exhausted } from './refusals.js'
import type { SequenceRow } from './sequence-row.js'

/** Reads a row and writes it in one transaction, which is not the caller's. */
export class TransactionalTaker implements RangeTaker {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  async take(
    row: SequenceRow,
    numbering: Numbering,
    wanted: number,
    signal: AbortSignal,
  ): Promise<TakenRange> {
    // A transaction that has begun is not left behind: whoever closes the client next would find it at work.
    const { value } = await transact(this.#driver, async ({ context, life }) => {
      signal.throwIfAborted()
      const first = await row.next(context, life)
      signal.throwIfAborted()
      const size = numbering.countFrom(first, wanted)
      if (size === 0) throw exhausted(row.name, numbering.maximum)
      context.buffer([row.write('update', numbering.after(first, size))])
      return { first, size }
    })
    return value
  }

  async create(row: SequenceRow, start: bigint): Promise<boolean> {
    const { value } = await transact(this.#driver, async ({ context, life }) => {
      if ((await row.find(context, life)) !== undefined) return false
      context.buffer([row.write('insert', start)])
      return true
    })
    return value
  }
}
