import type { Schema } from '../../model/schema.js'
import type { TableLayout } from '../layout.js'
import type { CqlDdlSyntax } from './ddl-syntax.js'
import { storedTables, type StoredTable } from './stored-table.js'

/**
 * The statements that make a schema, in the order in which they must run: each user type after those within it, tables, and
 * their indexes.
 *
 * @param layouts those of `schema.tables`, in their order
 */
export function cqlDdl(schema: Schema, layouts: readonly TableLayout[], syntax: CqlDdlSyntax): string[] {
  return [
    ...(schema.userTypes ?? []).map((type) => syntax.type(type)),
    ...storedTables(layouts).flatMap((table) => [
      syntax.table(table),
      ...storedIndexes(table).map((index) => syntax.index(table.name, index)),
    ]),
  ]
}

/** An index of a table of the database. */
export type StoredIndex = Parameters<CqlDdlSyntax['index']>[1]

export function storedIndexes({ layouts }: Pick<StoredTable, 'layouts'>): StoredIndex[] {
  return layouts.flatMap(({ indexes }) =>
    indexes.map(({ index, key }) => {
      const { name, type } = key[0]!.column
      return { name: index.name, column: { name, type } }
    }),
  )
}
