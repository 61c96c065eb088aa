import type { TableLayout } from '../dialects/layout.js'

/**
 * How many mutations one inserted row is worth: one for each column that gets a value (the database's own included), its
 * key columns once more, and the columns of each of its index entries.
 *
 * Source: https://cloud.google.com/spanner/quotas#note2
 */
export function mutationsPerRow(layout: TableLayout): number {
  const { table, key } = layout
  const columns = layout.columns.filter(({ made }) => made?.by !== 'generated' || made.stored).length
  const entries = table.indexes.reduce(
    (sum, index) => sum + index.parts.length + index.storing.length + key.length + (index.shard ? 1 : 0),
    0,
  )
  return columns + key.length + entries
}
