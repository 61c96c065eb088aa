import { spanner } from '@isotherm/spanner'
import { sharedEmulator } from '../support/spanner.js'
import type { WithDatabase } from './planned.js'

/** Databases of Spanner's emulator. */
export const onEmulator: WithDatabase = async (dialect, ddl, work) => {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl })
  try {
    return await work(spanner(client))
  } finally {
    await client.delete()
  }
}
