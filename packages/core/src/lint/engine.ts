import type { DialectName } from '../model/sql-expression.js'

/** What places rows by their keys: heat depends on it. Keyspaces is Cassandra, with limits of its own. */
export type Engine = 'spanner' | 'cassandra'

export function engineOf(dialect: DialectName): Engine {
  return dialect === 'cql' ? 'cassandra' : 'spanner'
}
