import { IsothermError } from '../../errors.js'
import { sqlFor, type SqlDialect, type SqlExpression } from '../../model/sql-expression.js'

/** What a dialect does not have: which table (or other object), what of it, and what to do instead. */
export function unsupported(object: string, what: string, fix: string, property?: string): IsothermError {
  const where = property === undefined ? object : `${object}.${property}`
  return new IsothermError('UNSUPPORTED', `${where} ${what}`, {
    fix,
    table: object,
    ...(property !== undefined && { column: property }),
  })
}

/** @throws {IsothermError} `UNSUPPORTED` where an expression is given for other dialects only. */
export function requiredSql(
  expression: SqlExpression,
  dialect: SqlDialect,
  object: string,
  part: string,
): string {
  const text = sqlFor(expression, dialect)
  if (text !== undefined) return text
  throw unsupported(
    object,
    `has no SQL for ${part} in ${dialect}.`,
    `Give one: { '${dialect}': '…' } beside the others.`,
  )
}
