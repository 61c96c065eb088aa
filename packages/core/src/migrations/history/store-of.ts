import type { MigrationDriver } from '../migration-driver.js'
import { ConditionalStore } from './conditional-store.js'
import type { MigrationStore } from './store.js'
import { HISTORY_TABLE } from './tables.js'
import { TransactionalStore } from './transactional-store.js'

/**
 * The way of an engine to keep a history.
 *
 * @param table of the history
 * @throws {IsothermError} `UNSUPPORTED` for a name that the engine does not take.
 */
export function storeOf(driver: MigrationDriver, table: string = HISTORY_TABLE): MigrationStore {
  return driver.transaction ? new TransactionalStore(driver, table) : new ConditionalStore(driver, table)
}
