import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'
import type { MadeKeyBuilder } from './key-builder.js'
import { nameAndConfig } from '../../columns/name-and-config.js'
import type { UuidConfig } from './uuid.js'

/** A random UUID as a key part; made where an insert leaves it out. */
export function uuidV4(config?: UuidConfig): UuidV4Builder<''>
export function uuidV4<Name extends string>(name: Name, config?: UuidConfig): UuidV4Builder<Name>
export function uuidV4(first?: string | UuidConfig, second?: UuidConfig): unknown {
  const { name, config } = nameAndConfig(first, second)
  return new SpannerColumnBuilder(name, 'string', 'SpannerUuidV4', columnBuilders.uuidV4(config).patch)
}

type UuidV4Builder<Name extends string> = MadeKeyBuilder<Name, 'string', 'SpannerUuidV4', string>
