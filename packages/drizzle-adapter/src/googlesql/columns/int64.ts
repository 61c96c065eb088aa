import { IsothermError } from '@isotherm/core'
import { columnBuilders } from '@isotherm/core/adapter'
import type { ColumnBuilderBaseConfig, IsIdentity } from 'drizzle-orm'
import { SpannerColumnBuilder } from './common.js'
import { nameAndConfig } from '../../columns/name-and-config.js'

export interface Int64Config<Mode extends 'bigint' | 'number' = 'bigint' | 'number'> {
  /** How a row shows it. `number` refuses what has more than 53 bits, both ways. Default: `bigint`. */
  readonly mode?: Mode
}

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
  const { name, config } = nameAndConfig(first, second)
  const as = config.mode ?? 'bigint'
  return new SpannerInt64Builder(name, as, 'SpannerInt64', columnBuilders.int64({ as }).patch)
}

export interface IdentityOptions {
  /** The first counter value, before its bits are reversed. Default: 1. */
  readonly startWith?: bigint
  /** Values (as stored) that are never handed out, both ends included. */
  readonly skipRange?: readonly [bigint, bigint]
}

export class SpannerInt64Builder<
  T extends ColumnBuilderBaseConfig<'bigint' | 'number', 'SpannerInt64'> = ColumnBuilderBaseConfig<
    'bigint' | 'number',
    'SpannerInt64'
  >,
> extends SpannerColumnBuilder<T> {
  /**
   * The database counts the values and stores them with their bits reversed, so that they lie apart: they are large, and not
   * in order.
   *
   * @throws {IsothermError} `UNSUPPORTED` for a column that shows numbers, which have not enough bits.
   */
  generatedByDefaultAsIdentity(options: IdentityOptions = {}): IsIdentity<this, 'byDefault'> {
    const { name, declaration } = this.config
    if (declaration.type?.kind === 'int64' && declaration.type.as === 'number') {
      throw new IsothermError(
        'UNSUPPORTED',
        `${name === '' ? 'A column' : name} of mode 'number' cannot hold the 64-bit values of an identity.`,
        { fix: "Leave mode: 'number' out." },
      )
    }
    const { startWith: startCounter, skipRange } = options
    const { source } = columnBuilders.bitReversedId({
      ...(startCounter !== undefined && { startCounter }),
      ...(skipRange && { skipRange }),
    }).patch
    this.config.generatedIdentity = { type: 'byDefault' }
    this.config.hasDefault = true
    this.notNull()
    return this.declared({ source: source! }) as never
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
