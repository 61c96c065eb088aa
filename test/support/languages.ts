import type { Dialect, SqlDialect } from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'

// For suites on every engine whose expected texts depend on the language: the two dialects of CQL have one language.

export type AnyDialect = SqlDialect | CqlDialect

export type Language = SqlDialect['name'] | 'cql'

export function isCql(dialect: Dialect): dialect is CqlDialect {
  return 'cql' in dialect
}

export function languageOf(dialect: AnyDialect): Language {
  return isCql(dialect) ? 'cql' : dialect.name
}

/** The dialects by their names, for files and for other processes. */
export const sqlDialects: Readonly<Record<SqlDialect['name'], SqlDialect>> = {
  googlesql,
  'spanner-postgresql': spannerPostgresql,
}
