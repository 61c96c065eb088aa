import type { BitReversedIdOptions as Options } from '@isotherm/core'
import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'
import type { MadeKeyBuilder } from './key-builder.js'
import { nameAndConfig, type WithoutName } from '../../columns/name-and-config.js'

export type BitReversedIdOptions = WithoutName<Options>

/**
 * A number that is counted up and stored with its bits reversed, so that rows made one after another lie apart: by the
 * database, or by a counter of the application's.
 */
export function bitReversedId(options?: BitReversedIdOptions): BitReversedIdBuilder<''>
export function bitReversedId<Name extends string>(
  name: Name,
  options?: BitReversedIdOptions,
): BitReversedIdBuilder<Name>
export function bitReversedId(first?: string | BitReversedIdOptions, second?: BitReversedIdOptions): unknown {
  const { name, config } = nameAndConfig(first, second)
  const { patch } = columnBuilders.bitReversedId(config)
  return new SpannerColumnBuilder(name, 'bigint', 'SpannerBitReversedId', patch)
}

type BitReversedIdBuilder<Name extends string> = MadeKeyBuilder<
  Name,
  'bigint',
  'SpannerBitReversedId',
  bigint
>
