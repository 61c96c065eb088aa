import { IsothermError } from '../errors.js'

const SQL_DIALECTS = ['googlesql', 'spanner-postgresql'] as const
const DIALECTS = [...SQL_DIALECTS, 'cql'] as const

/** The dialects whose SQL a schema may hold. */
export type SqlDialect = (typeof SQL_DIALECTS)[number]

/** Those and `cql`, which has no expressions: what a schema lies in, and what a driver speaks. */
export type DialectName = (typeof DIALECTS)[number]

/** @throws {IsothermError} `UNSUPPORTED` for a name that is no dialect. */
export function checkDialect(name: string): asserts name is DialectName {
  if ((DIALECTS as readonly string[]).includes(name)) return
  throw new IsothermError('UNSUPPORTED', `${JSON.stringify(name)} is not a dialect.`, {
    fix: `Use one of ${DIALECTS.join(', ')}.`,
  })
}

/** Whether schemas hold expressions in this dialect. */
export function isSqlDialect(name: DialectName): name is SqlDialect {
  return (SQL_DIALECTS as readonly string[]).includes(name)
}

/**
 * SQL that goes into DDL as it is: one text for every dialect, or one for each. It is code, not data: never build it from
 * what a user typed.
 *
 * @example
 * { googlesql: "CURRENT_DATE('UTC')", 'spanner-postgresql': 'current_date' }
 */
export type SqlExpression = string | { readonly [Dialect in SqlDialect]?: string }

/** The text for one dialect; undefined where none is given, and always for `cql`, which has no expressions. */
export function sqlFor(expression: SqlExpression, dialect: DialectName): string | undefined {
  if (!isSqlDialect(dialect)) return undefined
  return typeof expression === 'string' ? expression : expression[dialect]
}
