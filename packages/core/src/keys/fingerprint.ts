import { bigqueryFingerprint } from 'farmhash-modern'

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
  return bigqueryFingerprint(typeof value === 'string' ? Buffer.from(value) : value)
}
