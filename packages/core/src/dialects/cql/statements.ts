import type { CqlCapabilities } from './capabilities.js'
import { readStatements } from './read-statements.js'
import type { CqlStatements } from './statement.js'
import { writeStatements } from './write-statements.js'

export type { CqlRead, CqlStatement, CqlStatements, WriteClauses } from './statement.js'

/** @param has what the target's CQL has */
export function cqlStatements(has: Pick<CqlCapabilities, 'tupleRelations'>): CqlStatements {
  return { ...readStatements(has), ...writeStatements() }
}
