import type { ColumnBuilder } from './column-builder.js'
import { columnBuilders, type TableBuilder } from './column-builders.js'
import type { ColumnDefinition } from './column.js'
import { definitionKey, type TableModel } from './model.js'
import type { IndexOptions } from './secondary-index.js'
import type { TableDefinition, TableOptions } from './table.js'

export interface DefineTableOptions<Property extends string = string> extends TableOptions<Property> {
  readonly indexes?: readonly IndexOptions<Property>[]
}

/**
 * Declares a table without a class. What `@Table` and its decorators say, `defineTable` can say too.
 *
 * @example
 * const UserAccessLog = defineTable('UserAccessLog', (t) => ({
 *   shardId: t.shardKey({ shards: 64, of: ['userId'] }),
 *   lastAccess: t.descTimestamp({ default: 'now' }),
 *   userId: t.int64().key(),
 *   page: t.string({ length: 1024, nullable: true }),
 * }))
 */
export function defineTable<Columns extends Record<string, ColumnBuilder<unknown>>>(
  name: string,
  columns: (t: TableBuilder) => Columns,
  options: DefineTableOptions<keyof Columns & string> = {},
): TableModel<{ [Property in keyof Columns]: Columns[Property]['value'] }> & { readonly name: string } {
  const { indexes = [], ...tableOptions } = options
  const definition: TableDefinition = {
    name,
    columns: Object.entries(columns(columnBuilders)).map(([property, builder]): ColumnDefinition => ({
      property,
      ...builder.patch,
    })),
    indexes,
    options: tableOptions,
  }
  return { name, [definitionKey]: () => definition }
}
