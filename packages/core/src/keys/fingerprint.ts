import { bigqueryFingerprint } from 'farmhash-modern'
import { farmHashOfLong } from './farm-hash-long.js'

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
  // Given text, the package would make an encoder of its own for each call.
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  // From 128 bytes on it is wrong for each multiple of 64 (tried against the emulator, whose function is the original).
  return bytes.length > 64 && bytes.length % 64 === 0 ? farmHashOfLong(bytes) : bigqueryFingerprint(bytes)
}
