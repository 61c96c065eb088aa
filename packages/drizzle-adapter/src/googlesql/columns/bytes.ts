import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'
import { nameAndConfig } from '../../columns/name-and-config.js'

export interface BytesConfig {
  /** In bytes. Default: `max`. */
  readonly length?: number | 'max'
}

/** A `BYTES`: takes any `Uint8Array`, a `Buffer` among them, and reads as a `Buffer`. */
export function bytes(config?: BytesConfig): BytesBuilder<''>
export function bytes<Name extends string>(name: Name, config?: BytesConfig): BytesBuilder<Name>
export function bytes(first?: string | BytesConfig, second?: BytesConfig): unknown {
  const { name, config } = nameAndConfig(first, second)
  const { patch } = columnBuilders.bytes({ length: config.length ?? 'max' })
  return new SpannerColumnBuilder(name, 'buffer', 'SpannerBytes', patch)
}

type BytesBuilder<Name extends string> = SpannerColumnBuilder<{
  name: Name
  dataType: 'buffer'
  columnType: 'SpannerBytes'
  data: Uint8Array
  driverParam: string
  enumValues: undefined
}>
