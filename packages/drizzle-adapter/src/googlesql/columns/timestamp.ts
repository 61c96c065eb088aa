import { columnBuilders, type Wire } from '@isotherm/core/adapter'
import { sql, type ColumnBuilderBaseConfig, type HasDefault, type SQL } from 'drizzle-orm'
import { SpannerColumnBuilder, type ValueForm } from './common.js'
import { nameAndConfig } from '../../columns/name-and-config.js'

export interface TimestampConfig<Mode extends 'date' | 'string' = 'date' | 'string'> {
  /**
   * How a row shows it: a `Date`, which is read as a `PreciseDate` and so has kept its nanoseconds, or RFC 3339 text in UTC
   * (`2026-08-01T12:00:00.123456789Z`). Default: `date`.
   */
  readonly mode?: Mode
}

type Mode = NonNullable<TimestampConfig['mode']>

/** A `TIMESTAMP`: a moment, to the nanosecond. */
export function timestamp(): TimestampBuilder<'', 'date'>
export function timestamp<As extends Mode = 'date'>(config: TimestampConfig<As>): TimestampBuilder<'', As>
export function timestamp<Name extends string, As extends Mode = 'date'>(
  name: Name,
  config?: TimestampConfig<As>,
): TimestampBuilder<Name, As>
export function timestamp(first?: string | TimestampConfig, second?: TimestampConfig): unknown {
  const { name, config } = nameAndConfig(first, second)
  const { patch } = columnBuilders.timestamp()
  return config.mode === 'string'
    ? new SpannerTimestampBuilder(name, 'string', 'SpannerTimestamp', patch, { form: TEXT })
    : new SpannerTimestampBuilder(name, 'date', 'SpannerTimestamp', patch)
}

/** The commit timestamp of the transaction, for an `update` or an `insert` of a column that takes one. */
export function commitTimestamp(): SQL<Date> {
  return sql`PENDING_COMMIT_TIMESTAMP()`
}

/** The text is what is sent. */
const TEXT: ValueForm = {
  encode: (value, codec) => codec.encode(codec.parse(value as Wire)),
  decode: (cell, codec) => codec.encode(cell),
}

export class SpannerTimestampBuilder<
  T extends ColumnBuilderBaseConfig<'date' | 'string', 'SpannerTimestamp'> = ColumnBuilderBaseConfig<
    'date' | 'string',
    'SpannerTimestamp'
  >,
> extends SpannerColumnBuilder<T> {
  /** The database puts in its own time where an insert leaves the column out. */
  defaultNow(): HasDefault<this> {
    return this.default(sql`CURRENT_TIMESTAMP()`)
  }

  /**
   * Allows commit timestamps, and puts one in where an insert leaves the column out: the moment at which the transaction
   * took effect. An update does it by `commitTimestamp()`. `returning` cannot tell the value, which nobody knows before the
   * commit.
   */
  commitTimestamp(): HasDefault<this> {
    this.config.hasDefault = true
    return this.declared({ source: { kind: 'timestamp', from: 'commit' } }) as never
  }
}

type TimestampBuilder<Name extends string, As extends Mode> = SpannerTimestampBuilder<{
  name: Name
  dataType: As
  columnType: 'SpannerTimestamp'
  data: As extends 'string' ? string : Date
  driverParam: string
  enumValues: undefined
}>
