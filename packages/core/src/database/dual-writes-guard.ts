import { IsothermError } from '../errors.js'
import type { TransactionContext } from './driver.js'

/**
 * Sees to it that no write to two tables is committed by halves: one that failed after it had changed something, and whose
 * error the application has caught.
 */
export class WholeWrites {
  /** For the writes: it notes what they have changed. */
  readonly context: TransactionContext
  #changes = 0
  #halfMade: { readonly cause: unknown } | undefined

  constructor(context: TransactionContext) {
    this.context = {
      ...context,
      returning: async (statement, types) => {
        const rows = await context.returning(statement, types)
        this.#changes += rows.length
        return rows
      },
      execute: async (statements) => {
        // Of several, some may have run before one is refused.
        this.#changes += statements.length - 1
        const counts = await context.execute(statements)
        this.#changes += counts.reduce((sum, count) => sum + count, 0)
        return counts
      },
      buffer: (mutations) => {
        this.#changes += mutations.length
        context.buffer(mutations)
      },
    }
  }

  async whole<T>(write: () => Promise<T>): Promise<T> {
    const before = this.#changes
    try {
      return await write()
    } catch (cause) {
      if (this.#changes > before) this.#halfMade ??= { cause }
      throw cause
    }
  }

  /** @throws {IsothermError} `CANCELLED` where a write was left half made. */
  refuseHalfMade(): void {
    if (!this.#halfMade) return
    const { cause } = this.#halfMade
    throw new IsothermError(
      'CANCELLED',
      `Nothing was committed: a write to two tables was left half made (${(cause as Error).message}).`,
      { fix: 'Let the error end the transaction, and do what is to be done instead in another one.', cause },
    )
  }
}
