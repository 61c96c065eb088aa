import { columnsOf, type Layouts } from '../ddl/constraints.js'
import { indexColumns, type IndexColumn } from '../ddl/index-key.js'
import type { IndexLayout, PhysicalColumn, TableLayout } from '../layout.js'
import { quote } from './identifier.js'

/** Source: https://cloud.google.com/spanner/docs/reference/postgresql/data-definition-language#create_index */
export function createIndex(layouts: Layouts, layout: TableLayout, indexLayout: IndexLayout): string {
  const { index } = indexLayout
  const columns = indexColumns(layouts, layout, indexLayout)
  const including = columnsOf(layout, index.storing).map((column) => quote(column.name))
  const present = presentColumns(layout, indexLayout, columns)
  // The index is in the named schema of its table, and its name may not say so.
  const name = index.name.slice(index.name.indexOf('.') + 1)
  return [
    `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(layout.table.name)}`,
    `(${columns.map(indexPart).join(', ')})`,
    ...(including.length > 0 ? [`INCLUDE (${including.join(', ')})`] : []),
    ...(index.interleaveIn === undefined ? [] : [`INTERLEAVE IN ${quote(index.interleaveIn)}`]),
    ...(present.length > 0 ? [`WHERE ${present.join(' AND ')}`] : []),
  ].join(' ')
}

/** NULL is the highest value unless the index says otherwise. */
function indexPart({ column, order, nulls }: IndexColumn): string {
  const natural = order === 'asc' ? 'last' : 'first'
  return [
    quote(column.name),
    ...(order === 'desc' ? ['DESC'] : []),
    ...(nulls === undefined || nulls === natural ? [] : [`NULLS ${nulls.toUpperCase()}`]),
  ].join(' ')
}

/** There is no NULL_FILTERED: it is spelled out for the columns that can be NULL. */
function presentColumns(
  layout: TableLayout,
  { index }: IndexLayout,
  columns: readonly IndexColumn[],
): string[] {
  const present: readonly PhysicalColumn[] = index.nullFiltered
    ? columns.map(({ column }) => column).filter((column) => column.nullable)
    : columnsOf(layout, index.notNull)
  return present.map((column) => `${quote(column.name)} IS NOT NULL`)
}
