import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'

/** A `FLOAT64`, NaN and the infinities among its values. */
export function float64(): Float64Builder<''>
export function float64<Name extends string>(name: Name): Float64Builder<Name>
export function float64(name = ''): unknown {
  return new SpannerColumnBuilder(name, 'number', 'SpannerFloat64', columnBuilders.float64().patch)
}

type Float64Builder<Name extends string> = SpannerColumnBuilder<{
  name: Name
  dataType: 'number'
  columnType: 'SpannerFloat64'
  data: number
  driverParam: number
  enumValues: undefined
}>
