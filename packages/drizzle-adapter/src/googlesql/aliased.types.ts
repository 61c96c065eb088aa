import type { Column, DrizzleTypeError, MakeColumnConfig, Simplify, SQL, Table } from 'drizzle-orm'
import type { SpannerColumn } from './columns/common.js'

/** A column under another table's name. */
export type ChangeColumnTableName<TColumn extends Column, TAlias extends string> = SpannerColumn<
  MakeColumnConfig<TColumn['_'], TAlias>
>

export type MapColumnsToTableAlias<TColumns, TAlias extends string> = {
  [Key in keyof TColumns]: TColumns[Key] extends Column
    ? ChangeColumnTableName<TColumns[Key], TAlias>
    : TColumns[Key]
} & {}

/** What a subquery or a view selects, as columns of its own. */
export type AddAliasToSelection<TSelection, TAlias extends string> = string extends keyof TSelection
  ? // Of fields that nobody knows, nothing is known under another name either.
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
