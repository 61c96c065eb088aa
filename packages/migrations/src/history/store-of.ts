import { type MigrationDriver, checkArguments, migrationDriver } from '../options.js'
import { ConditionalStore } from './conditional-store.js'
import type { MigrationStore } from './store.js'
import { HISTORY_TABLE } from './tables.js'
import { TransactionalStore } from './transactional-store.js'
import { type CallOptions, type Driver, checkOptions } from '@isotherm/core/engine'
import { CALL_OPTIONS, decided } from '@isotherm/core/tools'
import type { LeaseHolder } from './lease-options.js'

/**
 * The way of an engine to keep a history.
 *
 * @param table of the history
 * @throws {IsothermError} `INVALID_OPTION` for a name that the engine does not take.
 */
export function storeOf(driver: MigrationDriver, table: string = HISTORY_TABLE): MigrationStore {
  const { atomic } = driver
  return atomic.kind === 'transactions'
    ? new TransactionalStore(driver, table)
    : new ConditionalStore(driver, atomic, table)
}

/** Who is migrating a database that has been migrated before; undefined where no migration runs. */
export async function leaseHolder(driver: Driver, call: CallOptions = {}): Promise<LeaseHolder | undefined> {
  checkArguments('leaseHolder', { driver })
  checkOptions('leaseHolder', CALL_OPTIONS, call)
  return storeOf(await decided(migrationDriver(driver), call)).holder(call)
}
