import { callback, checkArgument, kind, recordOf, text } from '@isotherm/core/adapter'
import {
  type ColumnBuilderBase,
  Table,
  type TableConfig,
  type UpdateTableConfig,
  entityKind,
  is,
} from 'drizzle-orm'
import { type ExtraConfig, buildColumn, furnish } from '../../drizzle-internals.js'
import type { Check, ForeignKeyBuilder, PrimaryKeyBuilder, UniqueConstraintBuilder } from './constraints.js'
import { type SpannerColumnTypes, columnTypes } from '../columns/all.js'
import { type BuildColumn, type SpannerColumn, SpannerColumnBuilder } from '../columns/common.js'
import type { IndexBuilder } from './indexes.js'
import type { Interleaving, TableWorkload, RowDeletionPolicy, TableSuppression } from './table-options.js'

interface SpannerTableConfig extends TableConfig<SpannerColumn> {
  columns: Record<string, SpannerColumn>
}

/** A table of a Spanner database. */
export class SpannerTable<T extends TableConfig = SpannerTableConfig> extends Table<T> {
  static override readonly [entityKind]: string = 'SpannerTable'
}

export type AnySpannerTable<TPartial extends Partial<TableConfig> = object> = SpannerTable<
  UpdateTableConfig<SpannerTableConfig, TPartial>
>

/** A table whose columns are its properties too: `users.id`. */
export type SpannerTableWithColumns<T extends TableConfig> = SpannerTable<T> & {
  [Key in keyof T['columns']]: T['columns'][Key]
}

/** The columns of a table, from their builders. */
export type BuildColumns<TName extends string, TBuilders extends Record<string, ColumnBuilderBase>> = {
  [Key in keyof TBuilders]: BuildColumn<
    TName,
    {
      _: Omit<TBuilders[Key]['_'], 'name'> & {
        name: TBuilders[Key]['_']['name'] extends '' ? Key & string : TBuilders[Key]['_']['name']
      }
    }
  >
} & {}

/** The values that the third argument of `spannerTable` may return. */
export type SpannerTableExtra =
  | IndexBuilder
  | UniqueConstraintBuilder
  | Check
  | ForeignKeyBuilder
  | PrimaryKeyBuilder
  | Interleaving
  | RowDeletionPolicy
  | TableWorkload
  | TableSuppression

/** The table that a name and builders of columns declare. */
type DeclaredTable<
  TName extends string,
  TSchema extends string | undefined,
  TBuilders extends Record<string, ColumnBuilderBase>,
> = SpannerTableWithColumns<{
  name: TName
  schema: TSchema
  columns: BuildColumns<TName, TBuilders>
  dialect: 'spanner'
}>

/** Declares tables, those of one named schema or those of none. */
export interface SpannerTableFn<TSchema extends string | undefined = undefined> {
  /**
   * Declares a table.
   *
   * @example
   * export const users = spannerTable(
   *   'User',
   *   { id: uuidV4(), name: string({ length: 100 }).notNull() },
   *   (t) => [index('users_by_name').on(t.name)],
   * )
   */
  <TName extends string, TBuilders extends Record<string, ColumnBuilderBase>>(
    name: TName,
    columns: TBuilders,
    extra?: (self: BuildColumns<TName, TBuilders>) => readonly SpannerTableExtra[],
  ): DeclaredTable<TName, TSchema, TBuilders>
  /**
   * Declares a table with the types of columns at hand.
   *
   * @example
   * export const users = spannerTable('User', (t) => ({ id: t.uuidV4(), name: t.string({ length: 100 }) }))
   */
  <TName extends string, TBuilders extends Record<string, ColumnBuilderBase>>(
    name: TName,
    columns: (types: SpannerColumnTypes) => TBuilders,
    extra?: (self: BuildColumns<TName, TBuilders>) => readonly SpannerTableExtra[],
  ): DeclaredTable<TName, TSchema, TBuilders>
}

const TABLE_NAME = text("'User'")
const COLUMNS = recordOf(
  kind('a column, such as string() or int64()', (value) => is(value, SpannerColumnBuilder)),
  'columns: { id: uuidV4(), name: string() }',
)
const EXTRA = kind('a function: (t) => [index().on(t.name)]', isExtraConfig)

function isExtraConfig(value: unknown): value is ExtraConfig {
  return typeof value === 'function'
}

type ColumnBuilders = Readonly<Record<string, ColumnBuilderBase>>

/** @param rename from the name that is given to the name in the database */
export function spannerTableIn<TSchema extends string | undefined>(
  schema: TSchema,
  rename: (name: string) => string = (name) => name,
): SpannerTableFn<TSchema> {
  function declare<TName extends string, TBuilders extends Record<string, ColumnBuilderBase>>(
    name: TName,
    columns: TBuilders | ((types: SpannerColumnTypes) => TBuilders),
    extra?: (self: BuildColumns<TName, TBuilders>) => readonly SpannerTableExtra[],
  ): DeclaredTable<TName, TSchema, TBuilders>
  function declare(
    name: string,
    columns: ColumnBuilders | ((types: SpannerColumnTypes) => ColumnBuilders),
    extra?: unknown,
  ): unknown {
    checkArgument('spannerTable', 'name', TABLE_NAME, name)
    const builders: unknown = typeof columns === 'function' ? columns(columnTypes) : columns
    checkArgument(`spannerTable('${name}')`, 'columns', COLUMNS, builders)
    if (extra !== undefined) checkArgument(`spannerTable('${name}')`, 'the third argument', EXTRA, extra)
    const table = new SpannerTable(rename(name), schema, name)
    const built = buildColumns(builders as ColumnBuilders, table)
    furnish(table, built, isExtraConfig(extra) ? extra : undefined)
    return Object.assign(table, built)
  }
  return declare
}

/** The columns of a table or a view, from their builders. */
function buildColumns(builders: ColumnBuilders, table: Table): Record<string, SpannerColumn> {
  return Object.fromEntries(
    Object.entries(builders).map(([property, builder]) => [
      property,
      buildColumn(builder, property, table) as SpannerColumn,
    ]),
  )
}

export const spannerTable: SpannerTableFn = spannerTableIn(undefined)

/**
 * Like `spannerTable`, for tables whose names in the database all have something in common.
 *
 * @example
 * const shopTable = spannerTableCreator((name) => `shop_${name}`)
 */
export function spannerTableCreator(rename: (name: string) => string): SpannerTableFn {
  checkArgument('spannerTableCreator', 'rename', callback, rename)
  return spannerTableIn(undefined, rename)
}
