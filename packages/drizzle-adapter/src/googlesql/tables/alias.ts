import {
  type Column,
  type ColumnsSelection,
  type DrizzleTypeError,
  type MakeColumnConfig,
  type SQL,
  type Simplify,
  type Table,
  type UpdateTableConfig,
  View,
  aliasedTable,
  entityKind,
} from 'drizzle-orm'
import type { SpannerColumn } from '../columns/common.js'
import { checkArgument, text } from '@isotherm/core/adapter'
import { tableOrView } from '../../arguments.js'
import type { SpannerTable, SpannerTableWithColumns } from './table.js'

/** A column under another table's name. */
export type ChangeColumnTableName<TColumn extends Column, TAlias extends string> = SpannerColumn<
  MakeColumnConfig<TColumn['_'], TAlias>
>

export type MapColumnsToTableAlias<TColumns, TAlias extends string> = {
  [Key in keyof TColumns]: TColumns[Key] extends Column
    ? ChangeColumnTableName<TColumns[Key], TAlias>
    : TColumns[Key]
} & {}

/** The selected fields of a subquery or a view, as columns of its own. */
export type AddAliasToSelection<TSelection, TAlias extends string> = string extends keyof TSelection
  ? // Fields that are unknown stay unknown under another name.
    TSelection
  : AliasedFields<TSelection, TAlias>

type AliasedFields<TSelection, TAlias extends string> = Simplify<{
  [Key in keyof TSelection]: TSelection[Key] extends Column
    ? ChangeColumnTableName<TSelection[Key], TAlias>
    : TSelection[Key] extends Table
      ? AddAliasToSelection<TSelection[Key]['_']['columns'], TAlias>
      : TSelection[Key] extends SQL | SQL.Aliased | DrizzleTypeError<string>
        ? TSelection[Key]
        : TSelection[Key] extends Record<string, unknown>
          ? MapColumnsToTableAlias<TSelection[Key], TAlias>
          : never
}>

/** The parts of a view that queries need. */
export abstract class SpannerViewBase<
  TName extends string = string,
  TExisting extends boolean = boolean,
  TSelectedFields extends ColumnsSelection = ColumnsSelection,
> extends View<TName, TExisting, TSelectedFields> {
  static override readonly [entityKind]: string = 'SpannerViewBase'
  declare readonly _: View<TName, TExisting, TSelectedFields>['_'] & { readonly viewBrand: 'SpannerViewBase' }
}

/** A view whose columns are its properties too. */
export type SpannerViewWithSelection<
  TName extends string = string,
  TExisting extends boolean = boolean,
  TSelectedFields extends ColumnsSelection = ColumnsSelection,
> = SpannerViewBase<TName, TExisting, TSelectedFields> & TSelectedFields

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

const ALIAS = text("'manager'")

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
): BuildAliasTable<TTable, TAlias>
export function alias(table: SpannerTable | SpannerViewBase, name: string): unknown {
  checkArgument('alias', 'table', tableOrView, table)
  checkArgument('alias', 'name', ALIAS, name)
  return aliasedTable(table, name)
}
