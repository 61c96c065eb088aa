import type { UuidStorage } from '@isotherm/core'
import { columnBuilders } from '@isotherm/core/adapter'
import type { ColumnBuilderBaseConfig, HasDefault } from 'drizzle-orm'
import { SpannerColumnBuilder } from './common.js'
import { nameAndConfig } from '../../columns/name-and-config.js'

export interface UuidConfig {
  /**
   * How it lies in the database: as text of 36 characters, as 16 bytes, or in the type that newer engines have for it. A row
   * shows its text, whatever the storage. Default: `text`.
   */
  readonly storage?: Exclude<UuidStorage, 'int64-pair'>
}

/** A UUID that is no key of Isotherm's: see `uuidV4` for one. */
export function uuid(config?: UuidConfig): UuidBuilder<''>
export function uuid<Name extends string>(name: Name, config?: UuidConfig): UuidBuilder<Name>
export function uuid(first?: string | UuidConfig, second?: UuidConfig): unknown {
  const { name, config } = nameAndConfig(first, second)
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
  defaultRandom(): HasDefault<this> {
    this.config.hasDefault = true
    return this.declared({ source: { kind: 'uuid-v4' } }) as never
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
