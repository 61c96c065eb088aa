import { IsothermError } from '../errors.js'
import type { BeginOptions } from '../database/driver.js'
import { Limits, withRetries } from '../database/retries.js'
import type { MigrationDriver } from './migration-driver.js'
import { Pace, pause } from './pace.js'

/** How long to ask again while the database is busy with transactions, in milliseconds: the emulator makes nobody wait. */
const PATIENCE = 30_000

/** Begins a change of the schema; again, under the same id, while it may be that the database has not heard of it. */
export async function beginChange(
  { schemaChanges }: MigrationDriver,
  statements: readonly string[],
  operation: string,
  { again, ...call }: BeginOptions,
): Promise<void> {
  const endsAt = performance.now() + PATIENCE
  const pace = new Pace(20, 500)
  for (;;) {
    const limits = new Limits(call)
    try {
      await withRetries(
        () => schemaChanges.begin(statements, operation, { ...limits.options, ...(again && { again }) }),
        limits,
      )
      return
    } catch (error) {
      const isBusy = error instanceof IsothermError && error.code === 'ABORTED'
      if (!isBusy || performance.now() > endsAt) throw error
    }
    await pause(pace.next(), call.signal)
  }
}
