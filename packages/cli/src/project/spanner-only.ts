import type { DialectName, SqlDialect } from '@isotherm/core'
import { CommandError } from '../command-error.js'

/**
 * The dialect, for what only Spanner has.
 *
 * @param what the subject of a sentence: `Resharding`
 * @throws {CommandError} `USAGE` for CQL.
 */
export function spannerOnly(dialect: DialectName, what: string, fix: string): SqlDialect {
  if (dialect !== 'cql') return dialect
  throw new CommandError('USAGE', `${what} is for Spanner, and the dialect is cql.`, { fix })
}
