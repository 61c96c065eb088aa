import { googlesqlRuntime } from '@isotherm/spanner'
import {
  type ColumnCodec,
  type OptionKinds,
  type Wire,
  columnBuilders,
  columnCodec,
  oneOf,
} from '@isotherm/core/adapter'
import { type ColumnBuilderBaseConfig, type HasDefault, type SQL, sql } from 'drizzle-orm'
import { SpannerColumnBuilder, type CastForm, type ValueForm, castValue } from './common.js'
import { nameAndConfig } from '../../columns/declared-column.js'

// Timestamps as text, in every form that Spanner's own CAST accepts: with a time zone by its name, or without one, which
// means the database's.
// Source: https://cloud.google.com/spanner/docs/reference/standard-sql/conversion_functions#cast_as_timestamp

const FORMATS =
  /^(\d{4})-(\d{1,2})-(\d{1,2})[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d{1,9})?(?:[Zz]| UTC| GMT|([+-])(\d{1,2})(?::?(\d{2}))?)$/

/** The same time as ISO text; undefined if the text has no offset from UTC. */
function isoOf(text: string): string | undefined {
  const found = FORMATS.exec(text)
  if (!found) return undefined
  const [
    ,
    year = '',
    month = '',
    day = '',
    hours = '',
    minutes = '',
    seconds = '',
    fraction = '',
    sign,
    zoneHours = '',
    zoneMinutes = '00',
  ] = found
  // A leap second, and an offset that no time zone has, are the database's to judge.
  if (seconds === '60' || Number(zoneHours) * 60 + Number(zoneMinutes) > 14 * 60 || zoneMinutes > '59')
    return undefined
  const zone = sign === undefined ? 'Z' : `${sign}${two(zoneHours)}:${zoneMinutes}`
  const date = `${year}-${two(month)}-${two(day)}`
  return `${date}T${two(hours)}:${two(minutes)}:${two(seconds)}${fraction}${zone}`
}

function two(digits: string): string {
  return digits.padStart(2, '0')
}

const STRING = columnCodec({ kind: 'string', length: 'max' }, googlesqlRuntime)

function textOf(value: unknown, codec: ColumnCodec): Wire {
  // A value that is not text is refused with the message of the column.
  return STRING.encode(typeof value === 'string' ? value : codec.parse(value as Wire))
}

const AS_TEXT: CastForm = {
  type: STRING.type,
  accept: textOf,
  cast: (text) => sql`cast(${text} as timestamp)`,
}

/** Users see text. A time that only the database can determine becomes an expression. */
const TIMESTAMP_TEXT: ValueForm = {
  encode(value, codec) {
    const iso = typeof value === 'string' ? isoOf(value) : undefined
    if (iso !== undefined) return codec.encode(iso)
    return castValue(AS_TEXT, value, codec)
  },
  decode: (cell, codec) => codec.encode(cell),
  castForm: AS_TEXT,
}

export interface TimestampConfig<Mode extends 'date' | 'string' = 'date' | 'string'> {
  /**
   * How a row shows it: a `Date`, which is read as a `PreciseDate` and so keeps its nanoseconds, or RFC 3339 text in UTC
   * (`2026-08-01T12:00:00.123456789Z`), which may be written in any form that Spanner's `CAST` accepts. Default: `date`.
   */
  readonly mode?: Mode
}

type Mode = NonNullable<TimestampConfig['mode']>

const TIMESTAMP_CONFIG: OptionKinds<TimestampConfig> = { mode: oneOf('date', 'string') }

/** A `TIMESTAMP`: a point in time, to the nanosecond. */
export function timestamp(): TimestampBuilder<'', 'date'>
export function timestamp<As extends Mode = 'date'>(config: TimestampConfig<As>): TimestampBuilder<'', As>
export function timestamp<Name extends string, As extends Mode = 'date'>(
  name: Name,
  config?: TimestampConfig<As>,
): TimestampBuilder<Name, As>
export function timestamp(first?: string | TimestampConfig, second?: TimestampConfig): unknown {
  const { name, config } = nameAndConfig('timestamp', first, second, TIMESTAMP_CONFIG)
  const { patch } = columnBuilders.timestamp()
  return config.mode === 'string'
    ? new SpannerTimestampBuilder(name, 'string', 'SpannerTimestamp', patch, { form: TIMESTAMP_TEXT })
    : new SpannerTimestampBuilder(name, 'date', 'SpannerTimestamp', patch)
}

/** The commit timestamp of the transaction, for an `update` or an `insert` of a column that takes one. */
export function commitTimestamp(): SQL<Date> {
  return sql`PENDING_COMMIT_TIMESTAMP()`
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
   * Allows commit timestamps, and puts one in where an insert leaves the column out: the time at which the transaction took
   * effect. An update sets it by `commitTimestamp()`. `returning` does not return the value, which is not known before the
   * commit.
   */
  commitTimestamp(): HasDefault<this>
  commitTimestamp(): this {
    this.config.hasDefault = true
    return this.declared({ source: { kind: 'timestamp', from: 'commit' } })
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
