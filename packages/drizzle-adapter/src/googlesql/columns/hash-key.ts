import type { HashKeyOptions as Options } from '@isotherm/core'
import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'
import type { MadeKeyBuilder } from './key-builder.js'
import { nameAndOptions, type WithoutName } from '../../columns/name-and-config.js'

export type HashKeyOptions = WithoutName<Options>

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
  return new SpannerColumnBuilder(
    name,
    patch.type?.kind === 'bytes' ? 'buffer' : 'bigint',
    'SpannerHashKey',
    patch,
  )
}

type HashKeyBuilder<Name extends string, Given extends HashKeyOptions> = Given extends {
  readonly algorithm: 'sha256' | 'sha512'
}
  ? MadeKeyBuilder<Name, 'buffer', 'SpannerHashKey', Uint8Array>
  : MadeKeyBuilder<Name, 'bigint', 'SpannerHashKey', bigint>
