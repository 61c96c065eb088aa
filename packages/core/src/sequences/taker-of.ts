import { conditionalOf } from '../database/capabilities.js'
import type { Driver } from '../database/driver.js'
import { ConditionalTaker } from './conditional-taker.js'
import type { RangeTaker } from './range-taker.js'
import { TransactionalTaker } from './transactional-taker.js'

/**
 * The way of an engine to take numbers off a row.
 *
 * @throws {IsothermError} `UNSUPPORTED` for one that has neither transactions nor conditional writes.
 */
export function takerOf(driver: Driver): RangeTaker {
  return driver.transaction ? new TransactionalTaker(driver) : new ConditionalTaker(conditionalOf(driver))
}
