import { IsothermError } from '@isotherm/core'
import { Column, is, SQL } from 'drizzle-orm'
import { nameInResults, nameOf } from '../../drizzle-internals.js'
import type { SelectedField } from '../../session/rows.js'
import type { SelectConfig } from './select-sql.js'

/** @throws {IsothermError} `INVALID_QUERY` for a column of a table that the query does not read. */
export function checkTables(
  fields: readonly SelectedField[],
  { source, joins }: SelectConfig,
  names: Readonly<Record<string, unknown>>,
): void {
  // Nobody knows what plain SQL reads.
  if (is(source, SQL) || joins.some((join) => is(join.source, SQL))) return
  for (const { field, path } of fields) {
    if (!is(field, Column) || nameInResults(field.table) in names) continue
    const table = nameOf(field.table)
    throw new IsothermError(
      'INVALID_QUERY',
      `The field ${path.join('.')} is a column of ${table}, which the query does not read.`,
      { fix: `Join ${table}.` },
    )
  }
}
