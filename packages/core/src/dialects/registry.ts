import { checkDialect } from '../model/sql-expression.js'
import type { Dialect, DialectName } from './dialect.js'
import { googleSql } from './googlesql/dialect.js'
import { spannerPostgreSql } from './spanner-postgresql/dialect.js'

const dialects: Readonly<Record<DialectName, Dialect>> = {
  googlesql: googleSql,
  'spanner-postgresql': spannerPostgreSql,
}

/** @throws {IsothermError} `UNSUPPORTED` for a name that is no dialect. */
export function dialectNamed(name: DialectName): Dialect {
  checkDialect(name)
  return dialects[name]
}
