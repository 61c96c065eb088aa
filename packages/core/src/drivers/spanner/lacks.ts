import type { Database } from '@google-cloud/spanner'
import type { Capability } from '../../database/driver.js'
import type { SqlDialect } from '../../model/sql-expression.js'
import { isEmulator } from './costs.js'

const EMULATOR: readonly Capability[] = [
  'uuid-type',
  'update-beside-defaults',
  'nanosecond-extremes',
  'concurrent-transactions',
]

/** What the engine behind a client does not have, although its dialect has it. */
export function lacksOf(database: Database, dialect: SqlDialect): readonly Capability[] {
  if (!isEmulator(database)) return []
  // It ends on an ORDER BY, or a GROUP BY, of a PostgreSQL numeric, and counts 1.5 and 1.50 as two values. Partitioned DML
  // it reads a second time as GoogleSQL, where a quoted name is a text.
  return dialect === 'spanner-postgresql' ? [...EMULATOR, 'numeric-order', 'partitioned-dml'] : EMULATOR
}
