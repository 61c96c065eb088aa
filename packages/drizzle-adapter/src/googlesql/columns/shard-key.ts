import type { ShardKeyOptions as Options } from '@isotherm/core'
import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'
import type { MadeKeyBuilder } from './key-builder.js'
import { nameAndOptions, type WithoutName } from '../../columns/name-and-config.js'

export type ShardKeyOptions = WithoutName<Options>

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
  return new SpannerColumnBuilder(name, 'bigint', 'SpannerShardKey', columnBuilders.shardKey(options).patch)
}

type ShardKeyBuilder<Name extends string> = MadeKeyBuilder<Name, 'bigint', 'SpannerShardKey', bigint>
