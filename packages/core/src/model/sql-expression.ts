import { IsothermError } from '../errors.js'

const SQL_DIALECTS = ['googlesql', 'spanner-postgresql'] as const

/** The dialects whose SQL a schema may hold. */
export type SqlDialect = (typeof SQL_DIALECTS)[number]

/** @throws {IsothermError} `UNSUPPORTED` for a name that is no dialect. */
export function checkDialect(name: string): asserts name is SqlDialect {
  if ((SQL_DIALECTS as readonly string[]).includes(name)) return
  throw new IsothermError('UNSUPPORTED', `${JSON.stringify(name)} is not a dialect.`, {
    fix: `Use one of ${SQL_DIALECTS.join(', ')}.`,
  })
}

/**
 * SQL that goes into DDL as it is: one text for every dialect, or one for each. It is code, not data: never build it from
 * what a user typed.
 *
 * @example
 * { googlesql: "CURRENT_DATE('UTC')", 'spanner-postgresql': 'current_date' }
 */
export type SqlExpression = string | { readonly [Dialect in SqlDialect]?: string }

/** The text for one dialect; undefined where none is given. */
export function sqlFor(expression: SqlExpression, dialect: SqlDialect): string | undefined {
  return typeof expression === 'string' ? expression : expression[dialect]
}
