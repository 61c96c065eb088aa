import { type CounterWrites, partitionCounters } from '@isotherm/core/engine'
import type { CqlStatements } from '../cql/statements.js'
import { checkKeyLength } from './key-lengths.js'
import type { Session } from './execute.js'

/**
 * Additions to counters, one request each: they are never batched with one another, and an addition whose answer is lost
 * cannot be sent again.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/counter-column.html
 */
export function counterWrites(session: Session, statements: CqlStatements): CounterWrites {
  return partitionCounters(async (layout, { key, amounts }, options) => {
    checkKeyLength(layout, key, session)
    const statement = statements.add(layout, key, amounts)
    await session.call('once', options, (call) => call.write(statement))
  })
}
