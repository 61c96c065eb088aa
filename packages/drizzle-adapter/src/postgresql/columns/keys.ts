import type {
  BitReversedIdOptions as CoreBitReversedIdOptions,
  DescTimestampOptions as CoreDescTimestampOptions,
  HashKeyOptions as CoreHashKeyOptions,
  ShardKeyOptions as CoreShardKeyOptions,
} from '@isotherm/core'
import { columnBuilders } from '@isotherm/core/adapter'
import type { ColumnDataType, HasDefault, IsPrimaryKey, NotNull } from 'drizzle-orm'
import type { DeclaredColumn } from '../../columns/declared-column.js'
import { nameAndConfig, nameAndOptions, type WithoutName } from '../../columns/name-and-config.js'
import type { UuidConfig } from '../../googlesql/columns/uuid.js'
import { SpannerPgColumnBuilder } from './common.js'

// Key parts for tables of `pgTable`.

/** A key part whose value the caller gives. */
type KeyBuilder<
  Name extends string,
  DataType extends ColumnDataType,
  ColumnType extends string,
  Data,
> = NotNull<IsPrimaryKey<SpannerPgColumnBuilder<DeclaredColumn<Name, DataType, ColumnType, Data>>>>

/** A key part that is made where an insert leaves it out. */
type MadeKeyBuilder<
  Name extends string,
  DataType extends ColumnDataType,
  ColumnType extends string,
  Data,
> = HasDefault<KeyBuilder<Name, DataType, ColumnType, Data>>

export type ShardKeyOptions = WithoutName<CoreShardKeyOptions>
type ShardKeyBuilder<Name extends string> = MadeKeyBuilder<Name, 'bigint', 'SpannerShardKey', bigint>

/**
 * A leading key part that spreads rows over shards; filled in where an insert leaves it out.
 *
 * @example
 * shardId: shardKey({ shards: 64, of: ['userId'] }),
 */
export function shardKey(options: ShardKeyOptions): ShardKeyBuilder<''>
export function shardKey<Name extends string>(name: Name, options: ShardKeyOptions): ShardKeyBuilder<Name>
export function shardKey(first: string | ShardKeyOptions, second?: ShardKeyOptions): unknown {
  const { name, options } = nameAndOptions(first, second)
  return new SpannerPgColumnBuilder(name, 'bigint', 'SpannerShardKey', columnBuilders.shardKey(options).patch)
}

export type HashKeyOptions = WithoutName<CoreHashKeyOptions>
type HashKeyBuilder<Name extends string, Given extends HashKeyOptions> = Given extends {
  readonly algorithm: 'sha256' | 'sha512'
}
  ? MadeKeyBuilder<Name, 'buffer', 'SpannerHashKey', Uint8Array>
  : MadeKeyBuilder<Name, 'bigint', 'SpannerHashKey', bigint>

/**
 * The whole hash of other columns as a key part: a 64-bit fingerprint, or a digest; filled in where an insert leaves it out.
 *
 * @example
 * id: hashKey({ of: ['email'], algorithm: 'sha256' }),
 */
export function hashKey<const Given extends HashKeyOptions>(options: Given): HashKeyBuilder<'', Given>
export function hashKey<Name extends string, const Given extends HashKeyOptions>(
  name: Name,
  options: Given,
): HashKeyBuilder<Name, Given>
export function hashKey(first: string | HashKeyOptions, second?: HashKeyOptions): unknown {
  const { name, options } = nameAndOptions(first, second)
  const { patch } = columnBuilders.hashKey(options)
  const dataType = patch.type?.kind === 'bytes' ? 'buffer' : 'bigint'
  return new SpannerPgColumnBuilder(name, dataType, 'SpannerHashKey', patch)
}

export type BitReversedIdOptions = WithoutName<CoreBitReversedIdOptions>
type BitReversedIdBuilder<Name extends string> = MadeKeyBuilder<
  Name,
  'bigint',
  'SpannerBitReversedId',
  bigint
>

/**
 * A number that is counted up and stored with its bits reversed, so that rows made one after another lie apart: by the
 * database, or by a counter of the application's. Spanner's place for what PostgreSQL has `serial` for.
 */
export function bitReversedId(options?: BitReversedIdOptions): BitReversedIdBuilder<''>
export function bitReversedId<Name extends string>(
  name: Name,
  options?: BitReversedIdOptions,
): BitReversedIdBuilder<Name>
export function bitReversedId(first?: string | BitReversedIdOptions, second?: BitReversedIdOptions): unknown {
  const { name, config } = nameAndConfig(first, second)
  const { patch } = columnBuilders.bitReversedId(config)
  return new SpannerPgColumnBuilder(name, 'bigint', 'SpannerBitReversedId', patch)
}

type UuidV4Builder<Name extends string> = MadeKeyBuilder<Name, 'string', 'SpannerUuidV4', string>

/** A random UUID as a key part; made where an insert leaves it out. */
export function uuidV4(config?: UuidConfig): UuidV4Builder<''>
export function uuidV4<Name extends string>(name: Name, config?: UuidConfig): UuidV4Builder<Name>
export function uuidV4(first?: string | UuidConfig, second?: UuidConfig): unknown {
  const { name, config } = nameAndConfig(first, second)
  return new SpannerPgColumnBuilder(name, 'string', 'SpannerUuidV4', columnBuilders.uuidV4(config).patch)
}

type From = NonNullable<CoreDescTimestampOptions['default']>
export type DescTimestampOptions<Default extends From = From> = WithoutName<CoreDescTimestampOptions> & {
  readonly default?: Default
}
type DescTimestampBuilder<Name extends string, Default extends From> = Default extends 'given'
  ? KeyBuilder<Name, 'date', 'SpannerDescTimestamp', Date>
  : MadeKeyBuilder<Name, 'date', 'SpannerDescTimestamp', Date>

/** A timestamp as a key part that descends: the newest rows of a shard come first. */
export function descTimestamp<Default extends From = 'given'>(
  options?: DescTimestampOptions<Default>,
): DescTimestampBuilder<'', Default>
export function descTimestamp<Name extends string, Default extends From = 'given'>(
  name: Name,
  options?: DescTimestampOptions<Default>,
): DescTimestampBuilder<Name, Default>
export function descTimestamp(first?: string | DescTimestampOptions, second?: DescTimestampOptions): unknown {
  const { name, config } = nameAndConfig(first, second)
  const { patch } = columnBuilders.descTimestamp(config)
  return new SpannerPgColumnBuilder(name, 'date', 'SpannerDescTimestamp', patch)
}
