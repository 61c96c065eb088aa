import { columnBuilders } from '@isotherm/core/adapter'
import { SpannerColumnBuilder, type ValueForm } from './common.js'
import { nameAndConfig } from '../../columns/name-and-config.js'

export interface NumericConfig<Mode extends 'string' | 'number' | 'bigint' = 'string' | 'number' | 'bigint'> {
  /**
   * How a row shows it: `string` is exact; `number` is the nearest that there is; `bigint` is for columns that hold whole
   * numbers only, and refuses others, both ways. Default: `string`.
   */
  readonly mode?: Mode
}

type Mode = NonNullable<NumericConfig['mode']>

/** A `NUMERIC`: a decimal of up to 29 digits before the point and 9 after it. */
export function numeric(): NumericBuilder<'', 'string'>
export function numeric<As extends Mode = 'string'>(config: NumericConfig<As>): NumericBuilder<'', As>
export function numeric<Name extends string, As extends Mode = 'string'>(
  name: Name,
  config?: NumericConfig<As>,
): NumericBuilder<Name, As>
export function numeric(first?: string | NumericConfig, second?: NumericConfig): unknown {
  const { name, config } = nameAndConfig(first, second)
  const { mode = 'string' } = config
  return new SpannerColumnBuilder(name, mode, 'SpannerNumeric', columnBuilders.numeric().patch, {
    ...(mode !== 'string' && { form: FORMS[mode] }),
  })
}

const FORMS: Readonly<Record<'number' | 'bigint', ValueForm>> = {
  number: {
    encode: (value, codec) => codec.encode(typeof value === 'number' ? decimal(value) : value),
    decode: (cell) => Number(cell),
  },
  bigint: {
    encode: (value, codec) => codec.encode(value),
    decode: (cell) => BigInt(cell as string),
  },
}

/** A number's own digits, without the exponent that large and small ones are printed with. */
function decimal(value: number): string {
  const printed = String(value)
  if (!printed.includes('e')) return printed
  if (Number.isInteger(value)) return String(BigInt(value))
  // What has more digits than the column is refused as it is printed.
  const fixed = value.toFixed(9)
  return Number(fixed) === value ? fixed : printed
}

type NumericBuilder<Name extends string, As extends Mode> = SpannerColumnBuilder<{
  name: Name
  dataType: As
  columnType: 'SpannerNumeric'
  data: As extends 'number' ? number : As extends 'bigint' ? bigint : string
  driverParam: string
  enumValues: undefined
}>
