import type { Driver } from '@isotherm/core'
import { SERVICE_COSTS } from '../../src/drivers/spanner/costs.js'

/**
 * A driver of CQL without a database behind it, to be given what a test needs: all else it refuses.
 *
 * @param purpose what it is for, as a sentence of its errors
 */
export function bareDriver(purpose: string): Driver {
  const refuse = (): never => {
    throw new Error(purpose)
  }
  return {
    name: 'memory',
    system: 'memory',
    dialect: 'cql',
    target: 'cassandra',
    costs: SERVICE_COSTS,
    lacks: [],
    takes: [],
    read: refuse,
    query: refuse,
    run: refuse,
    write: refuse,
    applyDdl: refuse,
    readDdl: refuse,
  }
}
