import type { CallOptions, Driver } from '../../database/driver.js'
import { migrationDriver } from '../migration-driver.js'
import type { LeaseHolder } from './lease-options.js'
import { storeOf } from './store-of.js'

/** Who is migrating a database that has been migrated before; undefined where nobody is. */
export async function leaseHolder(driver: Driver, call: CallOptions = {}): Promise<LeaseHolder | undefined> {
  return storeOf(migrationDriver(driver)).holder(call)
}
