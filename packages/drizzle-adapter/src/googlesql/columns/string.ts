import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder } from './common.js'
import { nameAndConfig } from '../../columns/name-and-config.js'

export interface StringConfig<
  Values extends readonly [string, ...string[]] = readonly [string, ...string[]],
> {
  /** In characters. Default: `max`. */
  readonly length?: number | 'max'
  /** The only values, for the compiler: the database is not told. */
  readonly enum?: Values
}

/** A `STRING`. */
export function string(): StringBuilder<'', readonly [string, ...string[]]>
export function string<const Values extends readonly [string, ...string[]]>(
  config: StringConfig<Values>,
): StringBuilder<'', Values>
export function string<Name extends string, const Values extends readonly [string, ...string[]]>(
  name: Name,
  config?: StringConfig<Values>,
): StringBuilder<Name, Values>
export function string(first?: string | StringConfig, second?: StringConfig): unknown {
  const { name, config } = nameAndConfig(first, second)
  const { length = 'max', enum: enumValues } = config
  const { patch } = columnBuilders.string({ length })
  return new SpannerColumnBuilder(name, 'string', 'SpannerString', patch, {
    ...(enumValues && { enumValues }),
  })
}

type StringBuilder<Name extends string, Values extends readonly string[]> = SpannerColumnBuilder<{
  name: Name
  dataType: 'string'
  columnType: 'SpannerString'
  data: Values[number]
  driverParam: string
  enumValues: [...Values]
}>
