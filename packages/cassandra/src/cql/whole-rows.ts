import { type PhysicalColumn, type TableLayout, cellsExpire } from '@isotherm/core/engine'

/**
 * The columns that have a value in each row: those that cannot be NULL. Each cell has its own time to live, and the
 * database keeps the rest of a row: an update of one column makes that column stay, or expire later than the others. So a
 * row has expired if one of these columns is gone, and its other cells do not count as a row. Key columns, static ones, and
 * counters, which are NULL until they are added to, do not show this.
 */
export function requiredColumns({ fields, key }: TableLayout): readonly PhysicalColumn[] {
  const inKey = new Set(key.map(({ field }) => field))
  return fields
    .filter((field) => !inKey.has(field))
    .filter(({ column }) => !column.nullable && column.static !== true && column.type.kind !== 'counter')
    .flatMap(({ physical }) => physical)
}

/** The same for a table whose rows may expire; none for others. */
export function expiringColumns(layout: TableLayout): readonly PhysicalColumn[] {
  return cellsExpire(layout.table) ? requiredColumns(layout) : []
}
