import { targetOf } from '../model/cql-target.js'
import { checkDialect, type SqlDialect } from '../model/sql-expression.js'
import type { CqlTarget } from './cql/capabilities.js'
import { cqlDialect } from './cql/dialect.js'
import type { Dialect, DialectName } from './dialect.js'
import { googleSql } from './googlesql/dialect.js'
import { spannerPostgreSql } from './spanner-postgresql/dialect.js'

const sqlDialects: Readonly<Record<SqlDialect, Dialect>> = {
  googlesql: googleSql,
  'spanner-postgresql': spannerPostgreSql,
}

/**
 * @param target whose CQL; other dialects have no targets. Default: `cassandra`
 * @throws {IsothermError} `UNSUPPORTED` for a name that is no dialect, or a target that the dialect does not have.
 */
export function dialectNamed(name: DialectName, target?: CqlTarget): Dialect {
  checkDialect(name)
  const own = targetOf(name, target)
  return name === 'cql' ? cqlDialect(own!) : sqlDialects[name]
}
