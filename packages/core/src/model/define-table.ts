import { RECORDED_BY } from '../copies.js'
import { declarationMistakes, listOf, options as optionsOf, type OptionKinds } from '../options.js'
import type { ColumnBuilder } from './column-builder.js'
import { columnBuilders, type TableBuilder } from './column-builders.js'
import { declaredColumns } from './declared-columns.js'
import { definitionKey, type TableModel } from './model.js'
import { originOf } from './origin.js'
import { INDEX, type IndexOptions } from './secondary-index.js'
import { TABLE, type TableDefinition, type TableOptions } from './table.js'

export interface DefineTableOptions<Property extends string = string> extends TableOptions<Property> {
  readonly indexes?: readonly IndexOptions<Property>[]
}

/**
 * Declares a table without a class. It can declare everything that `@Table` and its decorators can. `defineSchema` reports
 * mistakes, together with those of all other models.
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
  const declared = declaredColumns(columns, columnBuilders)
  const mistakes = [...declared.mistakes, ...declarationMistakes(DEFINE_TABLE, options)]
  const { indexes = [], ...tableOptions } = mistakes.length > 0 ? {} : options
  const definition: TableDefinition = {
    ...RECORDED_BY,
    name,
    columns: declared.columns,
    indexes,
    options: tableOptions,
    origin: originOf(defineTable),
    ...(mistakes.length > 0 && { mistakes }),
  }
  return Object.defineProperty({ name }, definitionKey, { value: () => definition }) as TableModel<never> & {
    readonly name: string
  }
}

const DEFINE_TABLE: OptionKinds<DefineTableOptions> = { ...TABLE, indexes: listOf(optionsOf(INDEX)) }
