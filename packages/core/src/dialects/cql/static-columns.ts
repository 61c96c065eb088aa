import type { Field, TableLayout } from '../layout.js'

const namesByFields = new WeakMap<readonly Field[], ReadonlySet<string>>()

/**
 * Names of the columns that all rows of a partition have in common: gathered once for a layout, since reads and writes ask
 * for them. A parent that lies beside its children has none: its partition is its one row.
 */
export function staticColumns({ fields }: Pick<TableLayout, 'fields'>): ReadonlySet<string> {
  let names = namesByFields.get(fields)
  if (!names) {
    const shared = fields.filter(({ column }) => column.static === true)
    names = new Set(shared.flatMap(({ physical }) => physical.map(({ name }) => name)))
    namesByFields.set(fields, names)
  }
  return names
}
