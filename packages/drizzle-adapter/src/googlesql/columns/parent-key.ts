import type { DeclaredAs } from '../../columns/declared-column.js'
import type { HasDefault, IsPrimaryKey, NotNull } from 'drizzle-orm'
import { SpannerColumnBuilder, type SpannerColumn } from './common.js'

/**
 * A key part of the parent's, in a table that is interleaved in it: the parent's name and type. A shard or a hash need not
 * be given where the table has what it is made of.
 *
 * @example
 * export const orders = spannerTable(
 *   'Order',
 *   { customerId: parentKey(customers.customerId), orderId: uuidV4() },
 *   () => [interleaveIn(customers, { onDelete: 'cascade' })],
 * )
 */
export function parentKey<Column extends SpannerColumn>(column: Column): ParentKeyBuilder<Column> {
  const { declaration, name, keyAsName, dataType, columnType, notNull, enumValues } = column
  const { type, source, binding, key = 'asc' } = declaration
  const builder = new SpannerParentKeyBuilder(
    keyAsName ? '' : name,
    dataType,
    columnType,
    {
      parentKey: true,
      type: type!,
      key,
      // What the parent's row has been given is known to the caller alone.
      ...(source && (source.kind === 'shard' || source.kind === 'hash') && { source }),
      ...(binding && { binding }),
    },
    { ...(column.form && { form: column.form }), ...(enumValues && { enumValues }) },
  )
  return (notNull ? builder : builder.nullable()) as never
}

class SpannerParentKeyBuilder extends SpannerColumnBuilder {
  nullable(): this {
    this.config.notNull = false
    return this
  }
}

type Base<Column extends SpannerColumn> = IsPrimaryKey<SpannerColumnBuilder<DeclaredAs<Column>>>

type Nullability<
  Column extends SpannerColumn,
  Builder extends SpannerColumnBuilder,
> = Column['_']['notNull'] extends true ? NotNull<Builder> : Builder

type ParentKeyBuilder<Column extends SpannerColumn> = Column['_']['columnType'] extends
  | 'SpannerShardKey'
  | 'SpannerHashKey'
  ? HasDefault<Nullability<Column, Base<Column>>>
  : Nullability<Column, Base<Column>>
