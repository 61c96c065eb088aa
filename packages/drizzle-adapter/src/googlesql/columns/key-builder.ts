import type { ColumnDataType, HasDefault, IsPrimaryKey, NotNull } from 'drizzle-orm'
import type { DeclaredColumn } from '../../columns/declared-column.js'
import type { SpannerColumnBuilder } from './common.js'

/** A key part whose value the caller gives. */
export type KeyBuilder<
  Name extends string,
  DataType extends ColumnDataType,
  ColumnType extends string,
  Data,
> = NotNull<IsPrimaryKey<SpannerColumnBuilder<DeclaredColumn<Name, DataType, ColumnType, Data>>>>

/** A key part that is made where an insert leaves it out. */
export type MadeKeyBuilder<
  Name extends string,
  DataType extends ColumnDataType,
  ColumnType extends string,
  Data,
> = HasDefault<KeyBuilder<Name, DataType, ColumnType, Data>>
