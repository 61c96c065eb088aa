import { IsothermError, type Driver } from '@isotherm/core'
import { LEASE_TABLE } from '@isotherm/migrations'

const HOUR = 3_600_000

/** Takes a lease for an hour, like another process. */
export async function leaveLease(driver: Driver): Promise<void> {
  const now = Date.now()
  const [since, until] = [new Date(now - 1000).toISOString(), new Date(now + HOUR).toISOString()]
  await driver.writes.commit([
    {
      op: 'upsert',
      table: LEASE_TABLE,
      columns: ['name', 'holder', 'description', 'since', 'valid_until'],
      rows: [['migrate', crypto.randomUUID(), 'grave:4711', since, until]],
    },
  ])
}

/** Lets the present lease expire now, if there is a lease. */
export async function endLease(driver: Driver): Promise<void> {
  const columns = ['name', 'valid_until']
  const row = ['migrate', new Date(Date.now() - 1000).toISOString()]
  try {
    await driver.writes.commit([{ op: 'update', table: LEASE_TABLE, columns, rows: [row] }])
  } catch (error) {
    if (!(error instanceof IsothermError && error.code === 'NOT_FOUND')) throw error
  }
}
