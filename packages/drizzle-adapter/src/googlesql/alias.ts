import { aliasedTable, type Table, type UpdateTableConfig, type View } from 'drizzle-orm'
import type { MapColumnsToTableAlias } from './aliased.types.js'
import type { SpannerTable, SpannerTableWithColumns } from './table.js'
import type { SpannerViewBase, SpannerViewWithSelection } from './view-base.js'

/** A table or a view under another name. */
export type BuildAliasTable<TTable extends Table | View, TAlias extends string> = TTable extends Table
  ? SpannerTableWithColumns<
      UpdateTableConfig<
        TTable['_']['config'],
        { name: TAlias; columns: MapColumnsToTableAlias<TTable['_']['columns'], TAlias> }
      >
    >
  : TTable extends View
    ? SpannerViewWithSelection<
        TAlias,
        TTable['_']['existing'],
        MapColumnsToTableAlias<TTable['_']['selectedFields'], TAlias>
      >
    : never

/**
 * A table or a view under another name, so that a query may have it twice.
 *
 * @example
 * const manager = alias(employees, 'manager')
 * db.select().from(employees).leftJoin(manager, eq(employees.managerId, manager.id))
 */
export function alias<TTable extends SpannerTable | SpannerViewBase, TAlias extends string>(
  table: TTable,
  name: TAlias,
): BuildAliasTable<TTable, TAlias> {
  return aliasedTable(table, name) as never
}
