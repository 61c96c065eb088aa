import { Column, is, isSQLWrapper, sql, type AnyColumn, type SQL, type SQLWrapper } from 'drizzle-orm'

export type Operand = AnyColumn | SQLWrapper

/** A value as its column sends it. */
export function operand(value: unknown, beside: Operand): unknown {
  return is(beside, Column) && !isSQLWrapper(value) ? sql.param(value, beside) : value
}

/**
 * Whether a text is like a pattern, upper case or lower.
 *
 * @example
 * db.select().from(users).where(ilike(users.name, 'ada%'))
 */
export function ilike(column: Operand, value: string | SQLWrapper): SQL {
  return sql`lower(${column}) like lower(${operand(value, column)})`
}

/** Whether a text is unlike a pattern, upper case or lower. */
export function notIlike(column: Operand, value: string | SQLWrapper): SQL {
  return sql`lower(${column}) not like lower(${operand(value, column)})`
}
