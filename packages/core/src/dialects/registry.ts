import { IsothermError } from '../errors.js'
import type { Dialect, DialectName } from './dialect.js'
import { googleSql } from './googlesql/dialect.js'
import { spannerPostgreSql } from './spanner-postgresql/dialect.js'

const dialects: Readonly<Record<DialectName, Dialect>> = {
  googlesql: googleSql,
  'spanner-postgresql': spannerPostgreSql,
}

/** @throws {IsothermError} `UNSUPPORTED` for a name that is no dialect. */
export function dialectNamed(name: DialectName): Dialect {
  if (Object.hasOwn(dialects, name)) return dialects[name]
  throw new IsothermError('UNSUPPORTED', `${JSON.stringify(name)} is not a dialect.`, {
    fix: `Use one of ${Object.keys(dialects).join(', ')}.`,
  })
}
