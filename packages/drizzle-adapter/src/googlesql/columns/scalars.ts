import {
  type OptionKinds,
  bigint,
  checkOptions,
  columnBuilders,
  either,
  listOf,
  number,
  oneOf,
  text,
} from '@isotherm/core/adapter'
import { SpannerColumnBuilder, type ValueForm } from './common.js'
import { nameAlone, nameAndConfig } from '../../columns/declared-column.js'
import { type ColumnBuilderBaseConfig, type HasDefault, type IsIdentity, sql } from 'drizzle-orm'
import { IsothermError, type JsonDocument, type UuidStorage } from '@isotherm/core'
import { skipRange } from '../../arguments.js'

/** A `BOOL`. */
export function bool(): BoolBuilder<''>
export function bool<Name extends string>(name: Name): BoolBuilder<Name>
export function bool(first?: string, ...others: readonly unknown[]): unknown {
  const name = nameAlone('bool', first, ...others)
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

export interface BytesConfig {
  /** In bytes. Default: `max`. */
  readonly length?: number | 'max'
}

const BYTES_CONFIG: OptionKinds<BytesConfig> = { length: either("a number, or 'max'", number, oneOf('max')) }

/** A `BYTES`: takes any `Uint8Array`, a `Buffer` among them, and reads as a `Buffer`. */
export function bytes(config?: BytesConfig): BytesBuilder<''>
export function bytes<Name extends string>(name: Name, config?: BytesConfig): BytesBuilder<Name>
export function bytes(first?: string | BytesConfig, second?: BytesConfig): unknown {
  const { name, config } = nameAndConfig('bytes', first, second, BYTES_CONFIG)
  const { patch } = columnBuilders.bytes({ length: config.length ?? 'max' })
  return new SpannerColumnBuilder(name, 'buffer', 'SpannerBytes', patch)
}

type BytesBuilder<Name extends string> = SpannerColumnBuilder<{
  name: Name
  dataType: 'buffer'
  columnType: 'SpannerBytes'
  data: Uint8Array
  driverParam: string
  enumValues: undefined
}>

export interface DateConfig<Mode extends 'string' | 'date' = 'string' | 'date'> {
  /** How a row shows it: `2026-08-01`, or a `Date` at midnight UTC, whose time of day is left out. Default: `string`. */
  readonly mode?: Mode
}

type DateMode = NonNullable<DateConfig['mode']>

const DATE_CONFIG: OptionKinds<DateConfig> = { mode: oneOf('string', 'date') }

/** A `DATE`: a day of the calendar, in no time zone. */
export function date(): DateBuilder<'', 'string'>
export function date<As extends DateMode = 'string'>(config: DateConfig<As>): DateBuilder<'', As>
export function date<Name extends string, As extends DateMode = 'string'>(
  name: Name,
  config?: DateConfig<As>,
): DateBuilder<Name, As>
export function date(first?: string | DateConfig, second?: DateConfig): unknown {
  const { name, config } = nameAndConfig('date', first, second, DATE_CONFIG)
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

type DateBuilder<Name extends string, As extends DateMode> = SpannerDateBuilder<{
  name: Name
  dataType: As
  columnType: 'SpannerDate'
  data: As extends 'date' ? Date : string
  driverParam: string
  enumValues: undefined
}>

/** A `FLOAT32`: values are rounded to 32 bits. */
export function float32(): Float32Builder<''>
export function float32<Name extends string>(name: Name): Float32Builder<Name>
export function float32(first?: string, ...others: readonly unknown[]): unknown {
  const name = nameAlone('float32', first, ...others)
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

/** A `FLOAT64`, NaN and the infinities among its values. */
export function float64(): Float64Builder<''>
export function float64<Name extends string>(name: Name): Float64Builder<Name>
export function float64(first?: string, ...others: readonly unknown[]): unknown {
  const name = nameAlone('float64', first, ...others)
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

export interface Int64Config<Mode extends 'bigint' | 'number' = 'bigint' | 'number'> {
  /** How a row shows it. `number` refuses values of more than 53 bits, in reads and writes. Default: `bigint`. */
  readonly mode?: Mode
}

const INT64_CONFIG: OptionKinds<Int64Config> = { mode: oneOf('bigint', 'number') }

/** An `INT64`. */
export function int64(): Int64Builder<'', 'bigint'>
export function int64<Mode extends 'bigint' | 'number' = 'bigint'>(
  config: Int64Config<Mode>,
): Int64Builder<'', Mode>
export function int64<Name extends string, Mode extends 'bigint' | 'number' = 'bigint'>(
  name: Name,
  config?: Int64Config<Mode>,
): Int64Builder<Name, Mode>
export function int64(first?: string | Int64Config, second?: Int64Config): unknown {
  const { name, config } = nameAndConfig('int64', first, second, INT64_CONFIG)
  const as = config.mode ?? 'bigint'
  return new SpannerInt64Builder(name, as, 'SpannerInt64', columnBuilders.int64({ as }).patch)
}

export interface IdentityOptions {
  /** The first counter value, before its bits are reversed. Default: 1. */
  readonly startWith?: bigint
  /** Values (as stored) that are never handed out, both ends included. */
  readonly skipRange?: readonly [bigint, bigint]
}

const IDENTITY_OPTIONS: OptionKinds<IdentityOptions> = { startWith: bigint, skipRange }

export class SpannerInt64Builder<
  T extends ColumnBuilderBaseConfig<'bigint' | 'number', 'SpannerInt64'> = ColumnBuilderBaseConfig<
    'bigint' | 'number',
    'SpannerInt64'
  >,
> extends SpannerColumnBuilder<T> {
  /**
   * The database counts the values and stores them with their bits reversed, so that they are stored apart: they are large,
   * and not in order.
   *
   * @throws {IsothermError} `UNSUPPORTED_MODEL` for a column that shows numbers, which do not have enough bits.
   */
  generatedByDefaultAsIdentity(options?: IdentityOptions): IsIdentity<this, 'byDefault'>
  generatedByDefaultAsIdentity(options: IdentityOptions = {}): this {
    checkOptions('generatedByDefaultAsIdentity', IDENTITY_OPTIONS, options)
    const { name, declaration } = this.config
    if (declaration.type?.kind === 'int64' && declaration.type.as === 'number') {
      throw new IsothermError(
        'UNSUPPORTED_MODEL',
        `${name === '' ? 'A column' : name} of mode 'number' cannot hold the 64-bit values of an identity.`,
        { fix: "Leave mode: 'number' out." },
      )
    }
    const { startWith: startCounter, skipRange } = options
    const { patch } = columnBuilders.bitReversedId({
      ...(startCounter !== undefined && { startCounter }),
      ...(skipRange && { skipRange }),
    })
    this.config.generatedIdentity = { type: 'byDefault' }
    this.config.hasDefault = true
    this.notNull()
    return this.declared({ ...(patch.source && { source: patch.source }) })
  }
}

type Int64Builder<Name extends string, Mode extends 'bigint' | 'number'> = SpannerInt64Builder<{
  name: Name
  dataType: Mode
  columnType: 'SpannerInt64'
  data: Mode extends 'number' ? number : bigint
  driverParam: string
  enumValues: undefined
}>

/**
 * A `JSON` document. Whole numbers of more than 53 bits are read as `bigint`s; `$type` declares the type of the document.
 *
 * @example
 * settings: json().$type<{ theme: 'dark' | 'light' }>().notNull(),
 */
export function json(): JsonBuilder<''>
export function json<Name extends string>(name: Name): JsonBuilder<Name>
export function json(first?: string, ...others: readonly unknown[]): unknown {
  const name = nameAlone('json', first, ...others)
  return new SpannerColumnBuilder(name, 'json', 'SpannerJson', columnBuilders.json().patch)
}

type JsonBuilder<Name extends string> = SpannerColumnBuilder<{
  name: Name
  dataType: 'json'
  columnType: 'SpannerJson'
  data: JsonDocument
  driverParam: string
  enumValues: undefined
}>

export interface NumericConfig<Mode extends 'string' | 'number' | 'bigint' = 'string' | 'number' | 'bigint'> {
  /**
   * How a row shows it: `string` is exact; `number` is the nearest that there is; `bigint` is for columns that hold whole
   * numbers only, and refuses others, both ways. Default: `string`.
   */
  readonly mode?: Mode
}

type NumericMode = NonNullable<NumericConfig['mode']>

const NUMERIC_CONFIG: OptionKinds<NumericConfig> = { mode: oneOf('string', 'number', 'bigint') }

/** A `NUMERIC`: a decimal of up to 29 digits before the point and 9 after it. */
export function numeric(): NumericBuilder<'', 'string'>
export function numeric<As extends NumericMode = 'string'>(config: NumericConfig<As>): NumericBuilder<'', As>
export function numeric<Name extends string, As extends NumericMode = 'string'>(
  name: Name,
  config?: NumericConfig<As>,
): NumericBuilder<Name, As>
export function numeric(first?: string | NumericConfig, second?: NumericConfig): unknown {
  const { name, config } = nameAndConfig('numeric', first, second, NUMERIC_CONFIG)
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
  // A number with more digits than the column allows is refused as it is printed.
  const fixed = value.toFixed(9)
  return Number(fixed) === value ? fixed : printed
}

type NumericBuilder<Name extends string, As extends NumericMode> = SpannerColumnBuilder<{
  name: Name
  dataType: As
  columnType: 'SpannerNumeric'
  data: As extends 'number' ? number : As extends 'bigint' ? bigint : string
  driverParam: string
  enumValues: undefined
}>

export interface StringConfig<
  Values extends readonly [string, ...string[]] = readonly [string, ...string[]],
> {
  /** In characters. Default: `max`. */
  readonly length?: number | 'max'
  /** The only values, for the compiler: the database does not know them. */
  readonly enum?: Values
}

const STRING_CONFIG: OptionKinds<StringConfig> = {
  length: either("a number, or 'max'", number, oneOf('max')),
  enum: listOf(text("'open'"), "a list of values, such as ['open', 'closed']"),
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
  const { name, config } = nameAndConfig('string', first, second, STRING_CONFIG)
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

export interface UuidConfig {
  /**
   * How the database stores it: as text of 36 characters, as 16 bytes, or in the type that newer engines have for it. A row
   * shows its text, whatever the storage. Default: `text`.
   */
  readonly storage?: Exclude<UuidStorage, 'int64-pair'>
}

const UUID_CONFIG: OptionKinds<UuidConfig> = { storage: oneOf('text', 'bytes', 'native') }

/** A UUID that is not a key of Isotherm: for a key see `uuidV4`. */
export function uuid(config?: UuidConfig): UuidBuilder<''>
export function uuid<Name extends string>(name: Name, config?: UuidConfig): UuidBuilder<Name>
export function uuid(first?: string | UuidConfig, second?: UuidConfig): unknown {
  const { name, config } = nameAndConfig('uuid', first, second, UUID_CONFIG)
  const { patch } = columnBuilders.uuid({ storage: config.storage ?? 'text' })
  return new SpannerUuidBuilder(name, 'string', 'SpannerUuid', patch)
}

export class SpannerUuidBuilder<
  T extends ColumnBuilderBaseConfig<'string', 'SpannerUuid'> = ColumnBuilderBaseConfig<
    'string',
    'SpannerUuid'
  >,
> extends SpannerColumnBuilder<T> {
  /** A random UUID where an insert leaves the column out. */
  defaultRandom(): HasDefault<this>
  defaultRandom(): this {
    this.config.hasDefault = true
    return this.declared({ source: { kind: 'uuid-v4' } })
  }
}

type UuidBuilder<Name extends string> = SpannerUuidBuilder<{
  name: Name
  dataType: 'string'
  columnType: 'SpannerUuid'
  data: string
  driverParam: string
  enumValues: undefined
}>
