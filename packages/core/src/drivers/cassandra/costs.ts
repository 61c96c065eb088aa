import type { CostProfile } from '../../database/driver.js'

/**
 * Cassandra in one region. There are no statements to choose instead of reads by key, so that most of these are never asked
 * for; a connection takes 3,000 calls a second on Keyspaces, and more elsewhere.
 */
export const CASSANDRA_COSTS: CostProfile = {
  roundTrip: 2,
  call: 0.1,
  statement: 0,
  range: 0.1,
  row: 0.01,
  scannedRow: 0.002,
  statementsScan: false,
  concurrency: 100,
  inFlight: 256,
}
