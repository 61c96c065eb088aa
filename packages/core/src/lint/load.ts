import type { ExpectedLoad } from '../model/table.js'

// What one server and one split are reckoned to take. The service promises no such numbers: they are assumptions, and
// every message that rests on one says so.

/**
 * Writes per second that one split takes. A node's published peak is 2,700 single-row writes of 1 KB a second
 * (multi-region) at all of its CPU, of which 45 % may be used for long: 1,215, rounded down. A split is written by
 * one server at a time.
 *
 * Source: https://cloud.google.com/spanner/docs/performance, https://cloud.google.com/spanner/docs/cpu-utilization
 */
export const WRITES_PER_SPLIT = 1_000

/**
 * The highest published peak of a node's writes per second, batched by throughput-optimized writes: beyond it, one
 * server is surely too few.
 *
 * Source: https://cloud.google.com/spanner/docs/performance
 */
export const PEAK_WRITES_PER_NODE = 22_500

/**
 * How many splits a node is given when a database is split in advance.
 *
 * Source: https://cloud.google.com/spanner/docs/pre-splitting-overview
 */
export const SPLITS_PER_NODE = 10

/**
 * How large a row with everything interleaved in it may grow and still be kept together. The documentation names a
 * limit of a split's size without its value; it used to advise staying under about 4 GiB. Half of that leaves room.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-and-data-model#create-interleaved-tables
 */
export const ROW_TREE_BYTES = 2 * 1024 ** 3

/** So few writes that one server takes them beside its other work, wherever they land. */
export function isLight(load: ExpectedLoad | undefined): boolean {
  return load?.writesPerSecond !== undefined && load.writesPerSecond <= WRITES_PER_SPLIT / 10
}

/** Whether so many writes a second in one place are too many: for one split as assumed, or for any server. */
export function strain(writesPerSecond: number): 'none' | 'assumed' | 'certain' {
  if (writesPerSecond > PEAK_WRITES_PER_NODE) return 'certain'
  return writesPerSecond > WRITES_PER_SPLIT ? 'assumed' : 'none'
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

/** What a message adds where one server is enough for a table's writes. */
export function lightly(load: ExpectedLoad | undefined): string {
  return isLight(load)
    ? `, which takes the ${count(load!.writesPerSecond!)} rows a second that expect speaks of`
    : ''
}

/** What so many writes in one place are held against, in words. */
export function limitOf(strained: 'assumed' | 'certain'): string {
  return strained === 'certain'
    ? `the highest published peak of a whole node is ${count(PEAK_WRITES_PER_NODE)}`
    : `one split is assumed to take ${count(WRITES_PER_SPLIT)}`
}
