import { IsothermError } from '../../errors.js'
import { transactionsOf } from '../../database/capabilities.js'
import type { CallOptions, Driver, TransactionContext } from '../../database/driver.js'
import { Limits, withRetries } from '../../database/retries.js'

/** How often a commit is made whose answer is lost. */
const ATTEMPTS = 5

/**
 * A transaction that may be committed twice without harm: where the answer to its commit is lost, it is made again.
 */
export async function commitAgainIfLost<T>(
  driver: Driver,
  work: (context: TransactionContext) => Promise<T>,
  call: CallOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { value } = await withRetries(() => transactionsOf(driver)(work, call), new Limits(call))
      return value
    } catch (error) {
      const isLost = error instanceof IsothermError && error.code === 'OUTCOME_UNKNOWN'
      if (!isLost || attempt === ATTEMPTS || call.signal?.aborted) throw error
    }
  }
}
