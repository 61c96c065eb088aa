import type { Driver } from '../database/driver.js'
import { transact } from '../database/transaction-scope.js'
import { wouldWait } from './refusals.js'
import { wouldWaitForCaller, type SequenceRow } from './sequence-row.js'

/**
 * Makes a sequence's row where there is none; whether it did. A row that is there stays as it is.
 *
 * @throws {IsothermError} `SEQUENCE_WOULD_WAIT` in a transaction that it would wait for.
 */
export async function createRow(driver: Driver, row: SequenceRow, start: bigint): Promise<boolean> {
  if (wouldWaitForCaller(driver, row)) throw wouldWait(row.name)
  return row.turnstile.run(async () => {
    const { value } = await transact(driver, async ({ context, life }) => {
      if ((await row.find(context, life)) !== undefined) return false
      context.buffer([row.write('insert', start)])
      return true
    })
    return value
  })
}
