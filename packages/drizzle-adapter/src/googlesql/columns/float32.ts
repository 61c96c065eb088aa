import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'

/** A `FLOAT32`: what is given is rounded to 32 bits. */
export function float32(): Float32Builder<''>
export function float32<Name extends string>(name: Name): Float32Builder<Name>
export function float32(name = ''): unknown {
  return new SpannerColumnBuilder(name, 'number', 'SpannerFloat32', columnBuilders.float32().patch)
}

type Float32Builder<Name extends string> = SpannerColumnBuilder<{
  name: Name
  dataType: 'number'
  columnType: 'SpannerFloat32'
  data: number
  driverParam: number
  enumValues: undefined
}>
