import type { Json } from '@isotherm/core'
import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'

/**
 * A `JSON` document. Whole numbers that have more than 53 bits are read as `bigint`s; `$type` says what is in it.
 *
 * @example
 * settings: json().$type<{ theme: 'dark' | 'light' }>().notNull(),
 */
export function json(): JsonBuilder<''>
export function json<Name extends string>(name: Name): JsonBuilder<Name>
export function json(name = ''): unknown {
  return new SpannerColumnBuilder(name, 'json', 'SpannerJson', columnBuilders.json().patch)
}

type JsonBuilder<Name extends string> = SpannerColumnBuilder<{
  name: Name
  dataType: 'json'
  columnType: 'SpannerJson'
  data: Json
  driverParam: string
  enumValues: undefined
}>
