import { fingerprint } from '@isotherm/core/keys'
import { bigqueryFingerprint } from 'farmhash-modern'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'

// FARM_FINGERPRINT's example in Google's reference: CONCAT(CAST(x AS STRING), y, CAST(z AS STRING)) of three rows.
// https://cloud.google.com/spanner/docs/reference/standard-sql/hash_functions#farm_fingerprint
it.each([
  ['1footrue', -1541654101129638711n],
  ['2applefalse', 2794438866806483259n],
  ['3true', -4880158226897771312n],
])('of %j is what the reference says', (text, expected) => {
  expect(fingerprint(text)).toBe(expected)
})

it('of nothing is what the database says', () => {
  expect(fingerprint('')).toBe(-7286425919675154353n)
  expect(fingerprint(new Uint8Array())).toBe(-7286425919675154353n)
})

it('of a text is that of its UTF-8 bytes, and a signed 64-bit integer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const hash = fingerprint(text)
      expect(hash).toBe(fingerprint(Buffer.from(text)))
      expect(hash).toBe(BigInt.asIntN(64, hash))
    }),
    { numRuns: 500 },
  )
})

it('of bytes reads those bytes only, not the buffer around them', () => {
  const around = Buffer.from('xx1footruexx')
  expect(fingerprint(around.subarray(2, -2))).toBe(-1541654101129638711n)
})

// Google's own code, compiled to WebAssembly. It is wrong for 128 bytes, 192 and so on, which the tests on the emulator compare.
it('is equal to that of the reference implementation for every length', () => {
  const bytes = fc.sample(fc.uint8Array({ minLength: 700, maxLength: 700 }), { numRuns: 3, seed: 7 })
  for (const all of bytes) {
    for (let length = 0; length <= all.length; length++) {
      if (length > 64 && length % 64 === 0) continue
      const part = all.subarray(0, length)
      expect(fingerprint(part)).toBe(bigqueryFingerprint(part))
    }
  }
})
