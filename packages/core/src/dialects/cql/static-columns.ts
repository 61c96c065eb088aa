import type { TableLayout } from '../layout.js'

/**
 * Names of the columns that all rows of a partition have in common. A parent that lies beside its children has none: its
 * partition is its one row.
 */
export function staticColumns({ fields }: Pick<TableLayout, 'fields'>): ReadonlySet<string> {
  return new Set(
    fields
      .filter(({ column }) => column.static === true)
      .flatMap(({ physical }) => physical.map(({ name }) => name)),
  )
}
