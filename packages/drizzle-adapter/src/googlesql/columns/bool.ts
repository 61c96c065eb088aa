import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'

/** A `BOOL`. */
export function bool(): BoolBuilder<''>
export function bool<Name extends string>(name: Name): BoolBuilder<Name>
export function bool(name = ''): unknown {
  return new SpannerColumnBuilder(name, 'boolean', 'SpannerBool', columnBuilders.bool().patch)
}

type BoolBuilder<Name extends string> = SpannerColumnBuilder<{
  name: Name
  dataType: 'boolean'
  columnType: 'SpannerBool'
  data: boolean
  driverParam: boolean
  enumValues: undefined
}>
