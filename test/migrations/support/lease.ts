import { IsothermError, type Driver } from '@isotherm/core'
import { LEASE_TABLE } from '@isotherm/migrations'

const HOUR = 3_600_000

/** A lease for an hour, as another process would take it. */
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

/** The lease that stands ends now, as if its time had passed; there may be none yet. */
export async function endLease(driver: Driver): Promise<void> {
  const columns = ['name', 'valid_until']
  const row = ['migrate', new Date(Date.now() - 1000).toISOString()]
  try {
    await driver.writes.commit([{ op: 'update', table: LEASE_TABLE, columns, rows: [row] }])
  } catch (error) {
    if (!(error instanceof IsothermError && error.code === 'NOT_FOUND')) throw error
  }
}
