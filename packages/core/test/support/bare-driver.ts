import type { Driver } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { SERVICE_COSTS } from '../../../spanner/src/driver/reachability.js'

/**
 * A driver of CQL without a database behind it, to which a test adds the calls that it needs: all other calls throw.
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
    dialect: cql,
    costs: SERVICE_COSTS,
    lacks: [],
    takes: [],
    read: refuse,
    query: refuse,
    run: refuse,
    writes: { commit: refuse, maxRows: refuse },
    atomic: { kind: 'conditional-writes', read: refuse, writeIf: refuse },
    applyDdl: refuse,
    readDdl: refuse,
  }
}
