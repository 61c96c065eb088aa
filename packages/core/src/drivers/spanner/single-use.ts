import type { Database, Snapshot } from '@google-cloud/spanner'
import type { ReadOptions } from '../../database/driver.js'
import { isSessionLost } from './errors.js'
import type { Bounds } from './requests.js'
import { MAX_ATTEMPTS, openInTime } from './sessions.js'

/**
 * Reads once, as of one moment, in one round trip. The client's own `table.read` and `getSnapshot` take two: they begin a
 * transaction before they read in it.
 *
 * @param deadline for all of it, in milliseconds
 */
export async function singleUse<T>(
  database: Database,
  bounds: Bounds,
  call: ReadOptions,
  deadline: number,
  read: (snapshot: Snapshot, call: ReadOptions) => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + deadline
  for (let attempt = 1; ; attempt++) {
    const { snapshot, release } = await openInTime(database, bounds, endsAt - performance.now(), call)
    let lost: unknown
    try {
      return await read(snapshot, { ...call, deadline: endsAt - performance.now() })
    } catch (error) {
      if (!isSessionLost(error) || attempt === MAX_ATTEMPTS) throw error
      // The database forgets idle sessions.
      lost = (error as Error).cause
    } finally {
      release(lost)
    }
  }
}
