import { IsothermError } from '@isotherm/core'
import type { DrizzleTypeError } from 'drizzle-orm'

/**
 * What `selectDistinctOn` is, wherever Drizzle has it.
 *
 * @throws {IsothermError} `UNSUPPORTED` always.
 */
export function refuseDistinctOn(
  _on: DrizzleTypeError<'Spanner has no DISTINCT ON: group by the columns, and take any_value(…) of the others'>,
  ..._fields: unknown[]
): never {
  throw new IsothermError('UNSUPPORTED', 'Spanner has no DISTINCT ON.', {
    fix: 'Group by the columns, and select sql`any_value(…)` of the others.',
  })
}

/** @throws {IsothermError} `UNSUPPORTED` always. */
export function refuseSetTransaction(): never {
  throw new IsothermError('UNSUPPORTED', 'Spanner has no SET TRANSACTION.', {
    fix: 'Give the options to db.transaction(work, options).',
  })
}
