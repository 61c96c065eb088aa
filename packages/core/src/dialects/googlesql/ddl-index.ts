import { columnsOf, type Layouts } from '../ddl/constraints.js'
import { indexColumns } from '../ddl/index-key.js'
import type { IndexLayout, TableLayout } from '../layout.js'
import { keyPart } from './ddl-table.js'
import { quote } from './identifier.js'

/** Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language#create_index */
export function createIndex(layouts: Layouts, layout: TableLayout, indexLayout: IndexLayout): string {
  const { index } = indexLayout
  const kind = `${index.unique ? 'UNIQUE ' : ''}${index.nullFiltered ? 'NULL_FILTERED ' : ''}INDEX`
  const parts = indexColumns(layouts, layout, indexLayout).map(({ column, order }) =>
    keyPart(column.name, order),
  )
  const names = (properties: readonly string[]): string[] =>
    columnsOf(layout, properties).map((column) => quote(column.name))
  const storing = names(index.storing)
  const present = names(index.notNull).map((column) => `${column} IS NOT NULL`)
  return [
    `CREATE ${kind} ${quote(index.name)} ON ${quote(layout.table.name)} (${parts.join(', ')})`,
    ...(storing.length > 0 ? [` STORING (${storing.join(', ')})`] : []),
    ...(present.length > 0 ? [` WHERE ${present.join(' AND ')}`] : []),
    ...(index.interleaveIn === undefined ? [] : [`, INTERLEAVE IN ${quote(index.interleaveIn)}`]),
  ].join('')
}
