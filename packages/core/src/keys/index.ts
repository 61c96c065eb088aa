import { IsothermError, shown } from '../errors.js'
import { checkOptions, flag, kind, type OptionKinds } from '../options.js'
import { bitReverse as reverse, type BitReverseOptions } from './bit-reverse.js'
import { type PreciseDate, momentOf, whyNoMoment } from './precise-date.js'
import { shardOf as shard, type Hashable, type ShardOptions } from './shard.js'

// The functions of keys for applications. Arguments are checked in this module, not in the functions themselves: Isotherm
// calls those for each row.

export { fingerprint } from './fingerprint.js'
export { bucketAfter, bucketOf, type BucketSize } from './time-bucket.js'
export { hashOf, type Hashable, type ShardOptions } from './shard.js'
export type { BitReverseOptions } from './bit-reverse.js'

const BIT_REVERSE: OptionKinds<BitReverseOptions> = { preserveSign: flag }
const SHARD: OptionKinds<ShardOptions> = {
  first: kind('a whole number', Number.isSafeInteger),
  signed: flag,
  dialect: kind('a dialect, which the package of an engine exports', hasHash),
}

function hasHash(options: unknown): boolean {
  return typeof (options as ShardOptions['dialect'] | null)?.values?.hash64 === 'function'
}

/**
 * The bits of a 64-bit integer in reverse order, equal to the database's `BIT_REVERSE(value, preserveSign)` for every
 * value. Its own inverse.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/bit_functions#bit_reverse
 *
 * @throws {IsothermError} `INVALID_VALUE` for a value that is not a 64-bit integer, `INVALID_OPTION` for an unknown option.
 * @example
 * bitReverse(1n) // 4611686018427387904n
 */
export function bitReverse(value: bigint, options?: BitReverseOptions): bigint {
  checkOptions('bitReverse', BIT_REVERSE, options)
  return reverse(value, options)
}

/**
 * The shard of a row, in `[0, shards)`: `ABS(MOD(FARM_FINGERPRINT(text), shards))`, the same in the database and in the
 * client. The text of one value is canonical: integers of any width in decimal (a wider column keeps its shards),
 * timestamps as UNIX microseconds, booleans as `true` and `false`, strings as they are, bytes as they are, NULL as `\N`;
 * the texts of several values are joined by `|`. A dialect of another engine may have another hash: give the dialect then.
 *
 * @param values the value of the hashed column, or the values of several in the order of `of`
 * @throws {IsothermError} `INVALID_VALUE` for a shard count that is not a whole number from 1, or a value of another type;
 * `INVALID_OPTION` for an unknown option.
 * @example
 * shardOf(7n, 64)
 * shardOf(['eu-west', 7n], 64)
 */
export function shardOf(
  values: Hashable | readonly Hashable[],
  shards: number,
  options?: ShardOptions,
): number {
  checkOptions('shardOf', SHARD, options)
  return shard(values, shards, options, options?.dialect?.values.hash64)
}

/**
 * A timestamp from ISO text with an offset from UTC and up to nine digits of a second: exact for every point in time, also
 * before 1970. Reads return timestamps in this form; rows, keys and filters accept the text as well.
 *
 * @throws {IsothermError} `INVALID_VALUE` for text without an offset, for a day that does not exist, and for a value that
 * is not text.
 * @example
 * parseTimestamp('1969-12-31T23:59:59.250000001Z').getTime() // -750
 */
export function parseTimestamp(text: string): PreciseDate {
  const moment = typeof text === 'string' ? momentOf(text) : undefined
  if (moment) return moment
  throw new IsothermError('INVALID_VALUE', `parseTimestamp: ${shown(text)} is not a timestamp.`, {
    fix:
      typeof text === 'string'
        ? whyNoMoment(text)
        : 'Give it text, such as 2026-11-22T10:00:00.123456789+01:00.',
  })
}
