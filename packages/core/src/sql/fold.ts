import type { SqlDialect } from '../model/sql-expression.js'

/**
 * A name as it compares with others. In GoogleSQL upper and lower case are the same; in the PostgreSQL dialect they are
 * not, and its tokens have lost the case that does not count.
 */
export function foldName(name: string, dialect: SqlDialect): string {
  return dialect === 'googlesql' ? name.toLowerCase() : name
}
