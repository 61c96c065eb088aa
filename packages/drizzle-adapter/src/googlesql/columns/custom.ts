import {
  callback,
  checkArgument,
  checkOptions,
  required,
  text,
  type OptionKinds,
} from '@isotherm/core/adapter'
import { googleSqlColumnType } from '@isotherm/spanner/adapter'
import { is, SQL } from 'drizzle-orm'
import { SpannerColumnBuilder, type ValueForm } from './common.js'

/** The types of a custom column. */
export interface CustomTypeValues {
  /** The type of values in rows and inserts. */
  readonly data: unknown
  /** The JavaScript type of the database's type: `bigint` for an `INT64`, `string` for a `STRING`, and so on. */
  readonly driverData?: unknown
  readonly config?: Record<string, unknown>
  /** Whether a column cannot be declared without its config. Default: false. */
  readonly configRequired?: boolean
  /** Whether every column of the type is `notNull`. Say it with `notNull()` of the column too. Default: false. */
  readonly notNull?: boolean
  /** Whether every column of the type has a default. Default: false. */
  readonly default?: boolean
}

export interface CustomTypeParams<T extends CustomTypeValues> {
  /** The column's type, as DDL has it: `STRING(36)`, `ARRAY<FLOAT64>`. */
  dataType(config: T['configRequired'] extends true ? T['config'] : T['config'] | undefined): string
  /** Converts a user's value to the database's type, or to an expression. Default: unchanged. */
  toDriver?(value: T['data']): T['driverData'] | SQL
  /** The inverse. Default: as it is. */
  fromDriver?(value: T['driverData']): T['data']
}

const CUSTOM_TYPE: OptionKinds<CustomTypeParams<CustomTypeValues>> = {
  dataType: required(callback),
  toDriver: callback,
  fromDriver: callback,
}

const TYPE = text("'STRING(36)'")

/**
 * Declares a type of column of your own.
 *
 * @example
 * const duration = customType<{ data: Temporal.Duration; driverData: string }>({
 *   dataType: () => 'STRING(64)',
 *   toDriver: String,
 *   fromDriver: (text) => Temporal.Duration.from(text),
 * })
 */
export function customType<T extends CustomTypeValues = CustomTypeValues>(
  params: CustomTypeParams<T>,
): CustomColumn<T>
export function customType<T extends CustomTypeValues>(params: CustomTypeParams<T>): unknown {
  checkOptions('customType', CUSTOM_TYPE, params)
  const { toDriver, fromDriver } = params
  const form: ValueForm = {
    encode(value, codec) {
      const driverValue: unknown = toDriver ? toDriver(value) : value
      // Drizzle writes an expression into the statement.
      return is(driverValue, SQL) ? driverValue : codec.encode(driverValue)
    },
    decode(cell, codec) {
      const decoded = codec.decode(cell)
      return fromDriver ? fromDriver(decoded) : decoded
    },
  }
  function column(first?: string | T['config'], second?: T['config']): SpannerColumnBuilder {
    const isNamed = typeof first === 'string'
    const config = isNamed ? second : first
    const sql: unknown = params.dataType(config)
    checkArgument('customType', 'what dataType returns', TYPE, sql)
    const type = googleSqlColumnType(sql as string)
    return new SpannerColumnBuilder(isNamed ? first : '', 'custom', 'SpannerCustom', { type }, { form })
  }
  return column
}

type CustomColumn<T extends CustomTypeValues> = T['configRequired'] extends true
  ? {
      (config: NonNullable<T['config']>): CustomBuilder<'', T>
      <Name extends string>(name: Name, config: NonNullable<T['config']>): CustomBuilder<Name, T>
    }
  : {
      (config?: T['config']): CustomBuilder<'', T>
      <Name extends string>(name: Name, config?: T['config']): CustomBuilder<Name, T>
    }

type CustomBuilder<Name extends string, T extends CustomTypeValues> = SpannerColumnBuilder<{
  name: Name
  dataType: 'custom'
  columnType: 'SpannerCustom'
  data: T['data']
  driverParam: T['driverData']
  enumValues: undefined
}> & {
  _: (T['notNull'] extends true ? { notNull: true } : unknown) &
    (T['default'] extends true ? { hasDefault: true } : unknown)
}
