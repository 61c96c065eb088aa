import type { Workload } from '../model/table.js'
import { IsothermError } from '../errors.js'
import { type OptionKinds, checkOptions, number, required } from '../options.js'
import type { Column } from '../model/column.js'
import { type ColumnType, type TypeKind, isComposite } from '../model/column-type.js'

// The assumed capacity of one server and of one range of keys, and numbers in words.

/**
 * How an engine that keeps rows in the order of their keys spreads them over its servers, and the assumed capacity of one
 * server.
 */
export interface KeyRanges {
  /** A range of keys that one server writes at a time, as the engine calls it: `allowMultipleCommits`. */
  readonly name: string
  /** The capacity of one key range. */
  readonly writesPerSecond: number
  /** Beyond it, one server is surely too few. */
  readonly peakWritesPerNode: number
  /** How many ranges a node is given when a database is divided in advance. */
  readonly perNode: number
}

/** Whether one server can take the writes beside its other work, whatever key range they go to. */
export function isLight(load: Workload | undefined, { writesPerSecond }: KeyRanges): boolean {
  return load?.writesPerSecond !== undefined && load.writesPerSecond <= writesPerSecond / 10
}

/** Whether this many writes a second in one key range are too many: for the assumed capacity, or for any server. */
export function strain(writes: number, ranges: KeyRanges): 'none' | 'assumed' | 'certain' {
  if (writes > ranges.peakWritesPerNode) return 'certain'
  return writes > ranges.writesPerSecond ? 'assumed' : 'none'
}

/** The end of a message if one server is enough for a table's writes. */
export function lightly(load: Workload | undefined, ranges: KeyRanges): string {
  return isLight(load, ranges) && load?.writesPerSecond !== undefined
    ? `, which takes the ${count(load.writesPerSecond)} rows a second that workload states`
    : ''
}

export function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })
}

export function bytes(size: number): string {
  for (const [unit, name] of [
    [1024 ** 4, 'TiB'],
    [1024 ** 3, 'GiB'],
    [1024 ** 2, 'MiB'],
    [1024, 'KiB'],
  ] as const) {
    if (size >= unit) return `${count(size / unit)} ${name}`
  }
  return `${count(size)} B`
}

/** The load of a table at its peak. */
export interface ShardLoad {
  /** Rows written in a second. */
  readonly writesPerSecond: number
  readonly rowBytes: number
  /** Rows read in a second. Default: none. */
  readonly readsPerSecond?: number
  /** How much more shards are to carry: 0.5 is half as much again. Default: 0. */
  readonly headroom?: number
}

/** Below zero is refused with the numbers themselves. */
const SHARD_LOAD: OptionKinds<ShardLoad> = {
  writesPerSecond: required(number),
  rowBytes: required(number),
  readsPerSecond: number,
  headroom: number,
}

/** @throws {IsothermError} `INVALID_VALUE` for a number that is not finite or below zero, `INVALID_OPTION` for an unknown option. */
export function checkedLoad(call: string, shardLoad: ShardLoad): Required<ShardLoad> {
  checkOptions(call, SHARD_LOAD, shardLoad)
  const { writesPerSecond, rowBytes, readsPerSecond = 0, headroom = 0 } = shardLoad
  const load = { writesPerSecond, rowBytes, readsPerSecond, headroom }
  for (const [name, value] of Object.entries(load)) {
    if (Number.isFinite(value) && value >= 0) continue
    throw new IsothermError('INVALID_VALUE', `${name} is ${String(value)}.`, {
      fix: 'Give a number that is not below zero.',
    })
  }
  return load
}

/** The size of a value in bytes, as far as its type bounds it. */
interface Width {
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

/** The size of columns together: of those with a bound. */
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
