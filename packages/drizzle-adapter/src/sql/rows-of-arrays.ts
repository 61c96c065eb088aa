import { isComposite, type WireType } from '@isotherm/core/adapter'
import { is, Placeholder, SQL } from 'drizzle-orm'

/** How many parameters a statement may have. Source: https://cloud.google.com/spanner/quotas#query-limits */
export const MOST_PARAMETERS = 950

/** A column's values, on their way. */
export interface ArrayItems {
  readonly type: WireType
  encode(value: unknown): unknown
}

/** The values of a column, as they are sent. */
export interface ArrayParameter {
  readonly type: WireType
  readonly items: readonly unknown[]
}

/**
 * Rows as one parameter for each column, which is an array, since there may be no more than so many parameters. Undefined
 * where they cannot be: there are no arrays of arrays, and an array's item cannot be a default or an expression.
 *
 * @param isSql whether a value is one that the database works out
 */
export function arraysOf(
  columns: readonly (ArrayItems | undefined)[],
  rows: readonly (readonly unknown[])[],
  isSql: (value: unknown) => boolean,
): readonly ArrayParameter[] | undefined {
  const arrays: ArrayParameter[] = []
  for (const [at, column] of columns.entries()) {
    if (!column || isComposite(column.type)) return undefined
    const items: unknown[] = []
    for (const row of rows) {
      const value = row[at]
      if (value === undefined || isSql(value) || is(value, Placeholder)) return undefined
      const item = value === null ? null : column.encode(value)
      if (is(item, SQL)) return undefined
      items.push(item)
    }
    arrays.push({ type: { kind: 'array', of: column.type }, items })
  }
  return arrays
}
