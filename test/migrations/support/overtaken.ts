import type { Driver } from '@isotherm/core'
import { leaseHolder, migrationStatus, type Migration } from '@isotherm/migrations'
import { expect } from 'vitest'

/** The result of a migrator that slept in the second of three migrations while another took its lease: an error, and no record. */
export const OVERTAKEN = {
  error: { code: 'MIGRATION_LOCKED', message: expect.stringContaining('grave:4711 has taken over') },
  status: [{ state: 'applied' }, { state: 'partly', done: 0 }, { state: 'pending' }],
  holder: { description: 'grave:4711' },
}

/** The error of the migrator, and the status and lease after it. */
export async function endOf(work: Promise<unknown>, driver: Driver, migrations: readonly Migration[]) {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return {
    error,
    status: await migrationStatus(driver, migrations),
    holder: await leaseHolder(driver),
  }
}
