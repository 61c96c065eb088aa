import type { DescTimestampOptions as Options } from '@isotherm/core'
import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'
import type { KeyBuilder, MadeKeyBuilder } from './key-builder.js'
import { nameAndConfig, type WithoutName } from '../../columns/name-and-config.js'

type From = NonNullable<Options['default']>

export type DescTimestampOptions<Default extends From = From> = WithoutName<Options> & {
  readonly default?: Default
}

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
  return new SpannerColumnBuilder(name, 'date', 'SpannerDescTimestamp', patch)
}

type DescTimestampBuilder<Name extends string, Default extends From> = Default extends 'given'
  ? KeyBuilder<Name, 'date', 'SpannerDescTimestamp', Date>
  : MadeKeyBuilder<Name, 'date', 'SpannerDescTimestamp', Date>
