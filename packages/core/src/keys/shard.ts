import { isDate, isUint8Array } from 'node:util/types'
import { createHash } from 'node:crypto'
import { IsothermError, shown } from '../errors.js'
import { type Hash64, fingerprint } from './fingerprint.js'

/**
 * A value that can feed a shard's hash. A number is a whole one of up to 53 bits; a calendar day is its text, `YYYY-MM-DD`; a
 * UUID is its lower-case text, and an address of the network its shortest.
 */
export type Hashable = bigint | number | string | boolean | Date | Uint8Array | null

/** Stands for NULL in a hashed text, so that a row with a NULL has a shard like any other. */
export const NULL_TEXT = '\\N'

/** Between the parts of a hashed text. */
export const SEPARATOR = '|'

export interface ShardOptions {
  /** The lowest shard. Default: 0. */
  readonly first?: number
  /** Leave the sign of the hash: shards from `1 - shards` to `shards - 1`, as a table without `ABS` has them. */
  readonly signed?: boolean
  /** The dialect of the table: its hash is the one by which its shards are computed. Default: FarmHash's fingerprint. */
  readonly dialect?: { readonly values: { readonly hash64: Hash64 } }
}

/**
 * The public `shardOf` of `keys/index.ts`, without its check of the options.
 *
 * `MOD` comes before `ABS`: the other way round fails on the smallest 64-bit integer, and without `ABS` half of all
 * shards would be negative.
 */
export function shardOf(
  values: Hashable | readonly Hashable[],
  shards: number,
  options: Pick<ShardOptions, 'first' | 'signed'> = {},
  hash64: Hash64 = fingerprint,
): number {
  if (!Number.isSafeInteger(shards) || shards < 1) {
    throw new IsothermError('INVALID_VALUE', `${shown(shards)} is not a shard count.`, {
      fix: 'Use a whole number from 1.',
    })
  }
  const hash = hash64(hashText(isList(values) ? values : [values]))
  const remainder = Number(hash % BigInt(shards))
  // Not -0, which a number knows and the database does not.
  return options.signed ? remainder || 0 : (options.first ?? 0) + Math.abs(remainder)
}

/** The digest, or the 64-bit fingerprint, of the values' hashed text: a whole hash as a key. */
export function hashOf(
  values: readonly Hashable[],
  algorithm: 'farm-fingerprint' | 'sha256' | 'sha512',
): bigint | Buffer {
  if (!Array.isArray(values)) {
    throw new IsothermError('INVALID_VALUE', `${shown(values)} is not a list of values.`, {
      fix: 'Give the values in the order of `of`: [7n].',
    })
  }
  if (algorithm !== 'farm-fingerprint' && algorithm !== 'sha256' && algorithm !== 'sha512') {
    throw new IsothermError('INVALID_VALUE', `${shown(algorithm)} is not an algorithm.`, {
      fix: "Use one of 'farm-fingerprint', 'sha256', 'sha512'.",
    })
  }
  const text = hashText(values)
  return algorithm === 'farm-fingerprint' ? fingerprint(text) : createHash(algorithm).update(text).digest()
}

function isList(values: Hashable | readonly Hashable[]): values is readonly Hashable[] {
  return Array.isArray(values)
}

/** The hashed value: a text, or bytes if one of the values is bytes (which need not be text). */
export function hashText(values: readonly Hashable[]): string | Uint8Array {
  if (values.length === 1) {
    const only = values[0]!
    return isUint8Array(only) ? only : textOf(only)
  }
  if (!values.some((value) => isUint8Array(value)))
    // By number, and not by `map`: that passes over holes.
    return Array.from(values, (value) => textOf(value as string)).join(SEPARATOR)
  const parts: Uint8Array[] = []
  for (const value of values) {
    if (parts.length > 0) parts.push(Buffer.from(SEPARATOR))
    parts.push(isUint8Array(value) ? value : Buffer.from(textOf(value)))
  }
  return Buffer.concat(parts)
}

function textOf(value: Exclude<Hashable, Uint8Array>): string {
  if (value === null) return NULL_TEXT
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value === 0 ? 0 : value)
  if (isDate(value) && !Number.isNaN(value.getTime())) return String(unixMicros(value))
  throw new IsothermError('INVALID_VALUE', `${shown(value)} cannot feed a shard's hash.`, {
    fix: 'Hash a bigint, a whole number, string, boolean, Date, bytes or null.',
  })
}

/** Whole microseconds since 1970, counted downwards (towards the past), as the database's `UNIX_MICROS` does. */
export function unixMicros(time: Date): bigint {
  const finer = time as { getMicroseconds?: () => number }
  const micros = typeof finer.getMicroseconds === 'function' ? finer.getMicroseconds() : 0
  return BigInt(time.getTime()) * 1000n + BigInt(micros)
}
