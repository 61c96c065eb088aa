import { isUint8Array } from 'node:util/types'
import { IsothermError, shown } from '../errors.js'
import { farmHash } from './farm-hash.js'

/** A signed 64-bit hash of bytes, or of the UTF-8 bytes of a text. */
export type Hash64 = (input: string | Uint8Array) => bigint

/**
 * The signed 64-bit FarmHash fingerprint of a text's UTF-8 bytes, or of bytes: equal to the database's
 * `FARM_FINGERPRINT`.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/hash_functions#farm_fingerprint
 *
 * @example
 * fingerprint('user-7')
 */
export function fingerprint(value: string | Uint8Array): bigint {
  if (typeof value !== 'string' && !isUint8Array(value)) {
    throw new IsothermError('INVALID_VALUE', `${shown(value)} has no fingerprint.`, {
      fix: 'Give a string or bytes.',
    })
  }
  return farmHash(typeof value === 'string' ? Buffer.from(value) : value)
}
