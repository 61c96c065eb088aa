import { type ColumnDataType, type HasDefault, type IsPrimaryKey, type NotNull, is } from 'drizzle-orm'
import {
  type DeclaredAs,
  type DeclaredColumn,
  type WithoutName,
  nameAndConfig,
  nameAndOptions,
  typeOf,
} from '../../columns/declared-column.js'
import { SpannerColumn, SpannerColumnBuilder } from './common.js'
import type {
  BitReversedIdOptions as ModelBitReversedIdOptions,
  DescTimestampOptions as ModelDescTimestampOptions,
  HashKeyOptions as ModelHashKeyOptions,
  SequentialOptions as ModelSequentialOptions,
  ShardKeyOptions as ModelShardKeyOptions,
} from '@isotherm/core'
import { checkArgument, columnBuilders, kind } from '@isotherm/core/adapter'
import type { UuidConfig } from './scalars.js'

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

/** The same, or a plain column with `key: false`. */
type MadeBuilder<
  Name extends string,
  DataType extends ColumnDataType,
  ColumnType extends string,
  Data,
  Options,
> = Options extends { readonly key: false }
  ? HasDefault<NotNull<SpannerColumnBuilder<DeclaredColumn<Name, DataType, ColumnType, Data>>>>
  : MadeKeyBuilder<Name, DataType, ColumnType, Data>

export type BitReversedIdOptions = WithoutName<ModelBitReversedIdOptions>

/**
 * A number that is counted up and stored with its bits reversed, so that rows made one after another are stored apart: by
 * the database, or by a counter of the application.
 */
export function bitReversedId<const Options extends BitReversedIdOptions>(
  options?: Options,
): BitReversedIdBuilder<'', Options>
export function bitReversedId<Name extends string, const Options extends BitReversedIdOptions>(
  name: Name,
  options?: Options,
): BitReversedIdBuilder<Name, Options>
export function bitReversedId(first?: string | BitReversedIdOptions, second?: BitReversedIdOptions): unknown {
  const { name, config } = nameAndConfig('bitReversedId', first, second)
  const { patch } = columnBuilders.bitReversedId(config)
  return new SpannerColumnBuilder(name, 'bigint', 'SpannerBitReversedId', patch)
}

type BitReversedIdBuilder<Name extends string, Options> = MadeBuilder<
  Name,
  'bigint',
  'SpannerBitReversedId',
  bigint,
  Options
>

type From = NonNullable<ModelDescTimestampOptions['default']>

export type DescTimestampOptions<Default extends From = From> = WithoutName<ModelDescTimestampOptions> & {
  readonly default?: Default
}

/** A timestamp as a key part that descends: the newest rows of a shard come first. */
export function descTimestamp<Default extends From = 'required'>(
  options?: DescTimestampOptions<Default>,
): DescTimestampBuilder<'', Default>
export function descTimestamp<Name extends string, Default extends From = 'required'>(
  name: Name,
  options?: DescTimestampOptions<Default>,
): DescTimestampBuilder<Name, Default>
export function descTimestamp(first?: string | DescTimestampOptions, second?: DescTimestampOptions): unknown {
  const { name, config } = nameAndConfig('descTimestamp', first, second)
  const { patch } = columnBuilders.descTimestamp(config)
  return new SpannerColumnBuilder(name, 'date', 'SpannerDescTimestamp', patch)
}

type DescTimestampBuilder<Name extends string, Default extends From> = Default extends 'required'
  ? KeyBuilder<Name, 'date', 'SpannerDescTimestamp', Date>
  : MadeKeyBuilder<Name, 'date', 'SpannerDescTimestamp', Date>

export type HashKeyOptions = WithoutName<ModelHashKeyOptions>

/**
 * The whole hash of other columns as a key part: a 64-bit fingerprint, or a digest; filled in where an insert leaves it out.
 *
 * @example
 * id: hashKey({ of: ['email'], algorithm: 'sha256' }),
 */
export function hashKey<const Options extends HashKeyOptions>(options: Options): HashKeyBuilder<'', Options>
export function hashKey<Name extends string, const Options extends HashKeyOptions>(
  name: Name,
  options: Options,
): HashKeyBuilder<Name, Options>
export function hashKey(first: string | HashKeyOptions, second?: HashKeyOptions): unknown {
  const { name, options } = nameAndOptions('hashKey', first, second)
  const { patch } = columnBuilders.hashKey(options)
  return new SpannerColumnBuilder(
    name,
    patch.type?.kind === 'bytes' ? 'buffer' : 'bigint',
    'SpannerHashKey',
    patch,
  )
}

type HashKeyBuilder<Name extends string, Options extends HashKeyOptions> = Options extends {
  readonly algorithm: 'sha256' | 'sha512'
}
  ? MadeKeyBuilder<Name, 'buffer', 'SpannerHashKey', Uint8Array>
  : MadeKeyBuilder<Name, 'bigint', 'SpannerHashKey', bigint>

const PARENT_COLUMN = kind('a column of a table of spannerTable: parentKey(customers.id)', (value) =>
  is(value, SpannerColumn),
)

/**
 * A key part of the parent, in a table that is interleaved in it: the parent's name and type. You need not give a shard or
 * a hash if the table has the columns that it is made from.
 *
 * @example
 * export const orders = spannerTable(
 *   'Order',
 *   { customerId: parentKey(customers.customerId), orderId: uuidV4() },
 *   () => [interleaveIn(customers, { onDelete: 'cascade' })],
 * )
 */
export function parentKey<Column extends SpannerColumn>(column: Column): ParentKeyBuilder<Column>
export function parentKey(column: SpannerColumn): SpannerColumnBuilder {
  checkArgument('parentKey', 'column', PARENT_COLUMN, column)
  const { declaration, name, keyAsName, dataType, columnType, notNull, enumValues } = column
  const { source, binding, key = 'asc' } = declaration
  const builder = new SpannerParentKeyBuilder(
    keyAsName ? '' : name,
    dataType,
    columnType,
    {
      parentKey: true,
      type: typeOf(declaration, name),
      key,
      // Only the caller knows the values of the parent's row.
      ...(source && (source.kind === 'shard' || source.kind === 'hash') && { source }),
      ...(binding && { binding }),
    },
    { ...(column.form && { form: column.form }), ...(enumValues && { enumValues }) },
  )
  return notNull ? builder : builder.nullable()
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

export type SequentialOptions = WithoutName<ModelSequentialOptions>

/**
 * A number for people to read, counted up by a generator of `@isotherm/core/sequences`; filled in where an insert leaves it out.
 *
 * @example
 * invoiceNumber: sequential({ from: inTransaction('invoice') }),
 */
export function sequential(options: SequentialOptions): SequentialBuilder<''>
export function sequential<Name extends string>(
  name: Name,
  options: SequentialOptions,
): SequentialBuilder<Name>
export function sequential(first: string | SequentialOptions, second?: SequentialOptions): unknown {
  const { name, options } = nameAndOptions('sequential', first, second)
  const { patch } = columnBuilders.sequential(options)
  return new SpannerColumnBuilder(name, 'bigint', 'SpannerSequential', patch).notNull()
}

type SequentialBuilder<Name extends string> = HasDefault<
  NotNull<SpannerColumnBuilder<DeclaredColumn<Name, 'bigint', 'SpannerSequential', bigint>>>
>

export type ShardKeyOptions = WithoutName<ModelShardKeyOptions>

/**
 * A leading key part that spreads rows over shards; filled in where an insert leaves it out.
 *
 * @example
 * shardId: shardKey({ shards: 64, of: ['userId'] }),
 */
export function shardKey(options: ShardKeyOptions): ShardKeyBuilder<''>
export function shardKey<Name extends string>(name: Name, options: ShardKeyOptions): ShardKeyBuilder<Name>
export function shardKey(first: string | ShardKeyOptions, second?: ShardKeyOptions): unknown {
  const { name, options } = nameAndOptions('shardKey', first, second)
  return new SpannerColumnBuilder(name, 'bigint', 'SpannerShardKey', columnBuilders.shardKey(options).patch)
}

type ShardKeyBuilder<Name extends string> = MadeKeyBuilder<Name, 'bigint', 'SpannerShardKey', bigint>

export interface UuidV4Config extends UuidConfig {
  /** `false`: a plain column, whose value is made on insert all the same. Default: true, a part of the primary key. */
  readonly key?: boolean
}

/** A random UUID as a key part; made where an insert leaves it out. */
export function uuidV4<const Config extends UuidV4Config>(config?: Config): UuidV4Builder<'', Config>
export function uuidV4<Name extends string, const Config extends UuidV4Config>(
  name: Name,
  config?: Config,
): UuidV4Builder<Name, Config>
export function uuidV4(first?: string | UuidV4Config, second?: UuidV4Config): unknown {
  const { name, config } = nameAndConfig('uuidV4', first, second)
  return new SpannerColumnBuilder(name, 'string', 'SpannerUuidV4', columnBuilders.uuidV4(config).patch)
}

type UuidV4Builder<Name extends string, Config> = MadeBuilder<Name, 'string', 'SpannerUuidV4', string, Config>
