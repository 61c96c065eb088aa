import type { ColumnBuilderBaseConfig } from 'drizzle-orm'
import { SpannerPgColumnBuilder } from './common.js'

export interface ByteaConfig<Name extends string> extends ColumnBuilderBaseConfig<'buffer', 'SpannerBytea'> {
  name: Name
  data: Uint8Array
  driverParam: string
  enumValues: undefined
}

/** Bytes, which `drizzle-orm/pg-core` has no column for. */
export function bytea(): SpannerPgColumnBuilder<ByteaConfig<''>>
export function bytea<Name extends string>(name: Name): SpannerPgColumnBuilder<ByteaConfig<Name>>
export function bytea(name = ''): unknown {
  return new SpannerPgColumnBuilder(name, 'buffer', 'SpannerBytea', {
    type: { kind: 'bytes', length: 'max' },
  })
}
