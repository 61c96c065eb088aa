import type { Database } from '@google-cloud/spanner'
import type { CostProfile } from '../../database/driver.js'

/** Cloud Spanner in one region: calls cost milliseconds, a statement reads no more than its WHERE selects. */
export const SERVICE_COSTS: CostProfile = {
  roundTrip: 5,
  call: 0.2,
  statement: 2,
  range: 0.05,
  row: 0.01,
  scannedRow: 0.002,
  statementsScan: false,
  concurrency: 100,
  inFlight: 100,
}

/** Measured on the emulator: reads by key are quick, a statement walks through the whole table. */
const EMULATOR_COSTS: CostProfile = {
  roundTrip: 1,
  call: 0.3,
  statement: 3,
  range: 0.1,
  row: 0.02,
  scannedRow: 0.02,
  statementsScan: true,
  concurrency: 2,
  inFlight: 100,
}

export function costsOf(database: Database): CostProfile {
  return isEmulator(database) ? EMULATOR_COSTS : SERVICE_COSTS
}

interface ClientOptions {
  readonly servicePath?: string
  readonly apiEndpoint?: string
  readonly sslCreds?: { _isSecure?: () => boolean }
}

/** The emulator is what the environment names, and what is spoken to without TLS. */
export function isEmulator(database: Database): boolean {
  if (process.env['SPANNER_EMULATOR_HOST']) return true
  const client = (database as unknown as { parent?: { parent?: { options?: ClientOptions } } }).parent?.parent
  return client?.options?.sslCreds?._isSecure?.() === false
}
