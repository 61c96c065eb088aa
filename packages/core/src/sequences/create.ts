import type { Driver } from '../database/driver.js'
import { wouldWait } from './refusals.js'
import { wouldWaitForCaller, type SequenceRow } from './sequence-row.js'
import { takerOf } from './taker-of.js'

/**
 * Makes a sequence's row where there is none; whether it did. A row that is there stays as it is.
 *
 * @throws {IsothermError} `SEQUENCE_WOULD_WAIT` in a transaction that it would wait for.
 */
export async function createRow(driver: Driver, row: SequenceRow, start: bigint): Promise<boolean> {
  if (wouldWaitForCaller(driver, row)) throw wouldWait(row.name)
  const taker = takerOf(driver)
  return row.turnstile.run(() => taker.create(row, start))
}
