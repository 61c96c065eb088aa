import type { Column } from '../model/column.js'
import { isComposite, type ColumnType, type TypeKind } from '../model/column-type.js'
import { count } from './load.js'

/** The size of a value in bytes, as far as its type bounds it. */
export interface Width {
  /** A text of ASCII. */
  readonly likely: number
  /** A text of characters that take four bytes each. */
  readonly worst: number
}

/** A value that may be larger than this is a document, not a field. */
export const WIDE_BYTES = 64 * 1024

/**
 * How wide a value can be; undefined without a bound of its own (`MAX`, JSON, collections), which leaves the database's 10 MiB.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-types#storage_size_for_data_types
 */
export function widthOf(type: ColumnType): Width | undefined {
  switch (type.kind) {
    case 'string':
      return type.length === 'max' ? undefined : { likely: type.length, worst: type.length * 4 }
    case 'bytes':
      return type.length === 'max' ? undefined : exactly(type.length)
    case 'uuid':
      return exactly(type.storage === undefined || type.storage === 'text' ? 36 : 16)
    case 'vector':
      return exactly(type.dimensions * 4)
    default: {
      const size = FIXED[type.kind]
      return size === undefined ? undefined : exactly(size)
    }
  }
}

const FIXED: Readonly<Partial<Record<TypeKind, number>>> = {
  bool: 1,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  float32: 4,
  float64: 8,
  numeric: 22,
  date: 4,
  time: 8,
  timestamp: 12,
  duration: 16,
  timeuuid: 16,
  inet: 16,
  counter: 8,
}

function exactly(size: number): Width {
  return { likely: size, worst: size }
}

/** What columns take together: those of them that have a bound. */
export function widthOfAll(columns: readonly Pick<Column, 'type'>[]): Width {
  const widths = columns.flatMap(({ type }) => widthOf(type) ?? [])
  return {
    likely: widths.reduce((sum, width) => sum + width.likely, 0),
    worst: widths.reduce((sum, width) => sum + width.worst, 0),
  }
}

/** How wide a key may be, after what it is the key of, and what to do about it. */
export const WIDE_KEY = {
  message: ({ likely, worst }: Width): string =>
    `may take ${count(worst)} bytes where every character takes four, and ${count(likely)} in ASCII`,
  fix: 'Shorten the lengths to what values have, or put a hash of the longest in its place.',
}

/** Why a column is wide, in words; undefined where it is not. An array is, where its elements are. */
export function wideness(type: ColumnType): string | undefined {
  if (type.kind === 'json') return 'JSON'
  if (type.kind === 'array') {
    const element = wideness(type.of)
    return element && `an array of ${element}`
  }
  const width = widthOf(type)
  if (!width) return isComposite(type) ? undefined : `${type.kind} without a length`
  return width.likely > WIDE_BYTES ? `${type.kind} of up to ${width.likely.toLocaleString('en')}` : undefined
}
