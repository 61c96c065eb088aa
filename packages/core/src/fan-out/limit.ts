import type { TableLayout } from '../dialects/layout.js'
import { invalidQuery } from './invalid-query.js'

/** A limit as it was given. @throws {IsothermError} `INVALID_QUERY` for one that is no number of rows. */
export function checkedLimit(layout: TableLayout, limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 1) return limit
  throw invalidQuery(layout, `has the limit ${limit}.`, 'A limit is a whole number from 1.')
}
