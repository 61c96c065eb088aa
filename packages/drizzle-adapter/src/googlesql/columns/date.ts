import { columnBuilders } from '@isotherm/core/adapter'
import { sql, type ColumnBuilderBaseConfig, type HasDefault } from 'drizzle-orm'
import { SpannerColumnBuilder, type ValueForm } from './common.js'
import { nameAndConfig } from '../../columns/name-and-config.js'

export interface DateConfig<Mode extends 'string' | 'date' = 'string' | 'date'> {
  /** How a row shows it: `2026-08-01`, or a `Date` at midnight UTC, whose time of day is left out. Default: `string`. */
  readonly mode?: Mode
}

type Mode = NonNullable<DateConfig['mode']>

/** A `DATE`: a day of the calendar, in no time zone. */
export function date(): DateBuilder<'', 'string'>
export function date<As extends Mode = 'string'>(config: DateConfig<As>): DateBuilder<'', As>
export function date<Name extends string, As extends Mode = 'string'>(
  name: Name,
  config?: DateConfig<As>,
): DateBuilder<Name, As>
export function date(first?: string | DateConfig, second?: DateConfig): unknown {
  const { name, config } = nameAndConfig(first, second)
  const { patch } = columnBuilders.date()
  return config.mode === 'date'
    ? new SpannerDateBuilder(name, 'date', 'SpannerDate', patch, { form: MIDNIGHT })
    : new SpannerDateBuilder(name, 'string', 'SpannerDate', patch)
}

const MIDNIGHT: ValueForm = {
  encode: (value, codec) =>
    codec.encode(
      value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString().slice(0, 10) : value,
    ),
  decode: (cell) => new Date(`${cell as string}T00:00:00Z`),
}

export class SpannerDateBuilder<
  T extends ColumnBuilderBaseConfig<'string' | 'date', 'SpannerDate'> = ColumnBuilderBaseConfig<
    'string' | 'date',
    'SpannerDate'
  >,
> extends SpannerColumnBuilder<T> {
  /** The database puts in its own day, in its own time zone, where an insert leaves the column out. */
  defaultNow(): HasDefault<this> {
    return this.default(sql`CURRENT_DATE()`)
  }
}

type DateBuilder<Name extends string, As extends Mode> = SpannerDateBuilder<{
  name: Name
  dataType: As
  columnType: 'SpannerDate'
  data: As extends 'date' ? Date : string
  driverParam: string
  enumValues: undefined
}>
