import type { Dialect, SqlDialect } from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'

// For suites that run on every engine, where what they say goes by the language: the two dialects of CQL have one.

export type AnyDialect = SqlDialect | CqlDialect

export type Language = SqlDialect['name'] | 'cql'

export function isCql(dialect: Dialect): dialect is CqlDialect {
  return 'cql' in dialect
}

export function languageOf(dialect: AnyDialect): Language {
  return isCql(dialect) ? 'cql' : dialect.name
}

/** By their names, for what is read from a file, or told to another process. */
export const sqlDialects: Readonly<Record<SqlDialect['name'], SqlDialect>> = {
  googlesql,
  'spanner-postgresql': spannerPostgresql,
}
