import { types } from 'cassandra-driver'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { bytesOf } from '../../src/driver/encoding.js'
import { decoderOf } from '../../src/driver/values.js'

// The client's own texts of large numbers never end. A test that waited for one could not be stopped, so here they throw.

beforeEach(() => {
  for (const { prototype } of [types.Integer, types.BigDecimal])
    vi.spyOn(prototype, 'toString').mockImplementation(() => {
      throw new Error('The text of the client was asked for.')
    })
})

afterEach(() => {
  vi.restoreAllMocks()
})

const varintOf = (value: bigint): unknown =>
  decoderOf({ kind: 'varint' })!(
    types.Integer.fromBuffer(bytesOf({ kind: 'varint' }, String(value))) as never,
  )

const decimalOf = (unscaled: bigint, scale: number): unknown => {
  const integer = types.Integer.fromBuffer(bytesOf({ kind: 'varint' }, String(unscaled)))
  return decoderOf({ kind: 'decimal' })!(new types.BigDecimal(integer as never, scale) as never)
}

it.each([0n, -1n, 127n, 128n, -128n, -129n, 2n ** 31n, -(2n ** 32n), 10n ** 400n, -(10n ** 400n)])(
  'decoderOf() reads the varint %s',
  (value) => {
    expect(varintOf(value)).toBe(value)
  },
)

it('decoderOf() reads varints of any size', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 2_000n), max: 2n ** 2_000n }), (value) => {
      expect(varintOf(value)).toBe(value)
    }),
  )
})

it.each([
  [0n, 0, '0'],
  [0n, 2, '0.00'],
  [-1n, 0, '-1'],
  [-15n, 1, '-1.5'],
  [5n, 1, '0.5'],
  [-5n, 3, '-0.005'],
  [100n, 2, '1.00'],
  [12n, -3, '12E3'],
  [-12n, -3, '-12E3'],
  [1n, 1_000, `0.${'0'.repeat(999)}1`],
  [1n, 1_001, '1E-1001'],
  [1n, -1_000_000_000, '1E1000000000'],
] as const)('decoderOf() reads the decimal %s with the scale %s', (unscaled, scale, text) => {
  expect(decimalOf(unscaled, scale)).toBe(text)
})

it('decoderOf() reads decimals of 400 digits with and without a fraction', () => {
  const digits = '7'.repeat(400)
  expect(decimalOf(BigInt(digits), 0)).toBe(digits)
  expect(decimalOf(-BigInt(digits), 0)).toBe(`-${digits}`)
  expect(decimalOf(BigInt(digits), 100)).toBe(`${digits.slice(100)}.${digits.slice(300)}`)
  expect(decimalOf(-BigInt(digits), 400)).toBe(`-0.${digits}`)
})
