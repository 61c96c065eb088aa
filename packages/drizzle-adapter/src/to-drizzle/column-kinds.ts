import type { ColumnType } from '@isotherm/core'
import { foreignKind, type ColumnDeclaration } from '@isotherm/core/adapter'
import type { ColumnDataType } from 'drizzle-orm'

// What Drizzle calls the types of columns.

/** What a value of the type is in JavaScript. */
export function dataTypeOf(type: ColumnType): ColumnDataType {
  switch (type.kind) {
    case 'bool':
      return 'boolean'
    case 'int64':
      return type.as === 'number' ? 'number' : 'bigint'
    case 'float32':
    case 'float64':
      return 'number'
    case 'bytes':
      return 'buffer'
    case 'timestamp':
      return 'date'
    case 'json':
    case 'array':
      return type.kind
    default:
      return 'string'
  }
}

const NAMES: Readonly<Partial<Record<ColumnType['kind'], string>>> = {
  bool: 'SpannerBool',
  int64: 'SpannerInt64',
  float32: 'SpannerFloat32',
  float64: 'SpannerFloat64',
  numeric: 'SpannerNumeric',
  string: 'SpannerString',
  bytes: 'SpannerBytes',
  date: 'SpannerDate',
  timestamp: 'SpannerTimestamp',
  json: 'SpannerJson',
  uuid: 'SpannerUuid',
  array: 'SpannerArray',
}

const SOURCES = {
  shard: 'SpannerShardKey',
  hash: 'SpannerHashKey',
  'uuid-v4': 'SpannerUuidV4',
  'bit-reversed': 'SpannerBitReversedId',
  sequential: 'SpannerSequential',
  'time-bucket': 'SpannerTimeBucket',
  timeuuid: 'SpannerTimeUuid',
} as const

/** What the builders of this package call such a column. */
export function columnTypeOf({ type, source, key }: ColumnDeclaration): string {
  if (source && source.kind !== 'timestamp') return SOURCES[source.kind]
  if (type?.kind === 'timestamp' && key === 'desc') return 'SpannerDescTimestamp'
  const name = NAMES[type!.kind]
  if (name === undefined) throw foreignKind(type!)
  return name
}
