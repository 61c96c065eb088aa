import type { Wire, WireType } from '@isotherm/core/engine'
import * as vendor from 'cassandra-driver'
import * as fc from 'fast-check'
import { types } from 'cassandra-driver'
import { expect, it } from 'vitest'
import { boundParameters, boundWithoutNulls, bytesOf } from '../../src/driver/encoding.js'

const hex = (type: WireType, wire: Wire): string => bytesOf(type, wire).toString('hex')

const int64s = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

it('bytesOf() writes 64-bit integers without losing digits', () => {
  fc.assert(
    fc.property(int64s, (value) => {
      expect(bytesOf({ kind: 'int64' }, String(value)).readBigInt64BE()).toBe(value)
    }),
  )
})

it('bytesOf() writes a varint in the smallest possible number of bytes', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }), (value) => {
      const bytes = bytesOf({ kind: 'varint' }, String(value))
      expect(types.Integer.fromBuffer(bytes).toString()).toBe(String(value))
      const [first, second] = bytes
      const isSign = first === 0 || first === 0xff
      // A byte with only the sign, before a byte that has the same sign, would be superfluous.
      expect(bytes.length > 1 && isSign && second! >> 7 === first! >> 7).toBe(false)
    }),
  )
})

it('bytesOf() keeps the scale of a decimal', () => {
  const digits = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
  fc.assert(
    fc.property(digits, fc.integer({ min: 0, max: 30 }), (unscaled, scale) => {
      const text = new types.BigDecimal(types.Integer.fromString(String(unscaled)) as never, scale).toString()
      expect(types.BigDecimal.fromBuffer(bytesOf({ kind: 'decimal' }, text)).toString()).toBe(text)
    }),
  )
})

it('bytesOf() writes durations in the format that cassandra-driver reads', () => {
  const counts = fc.tuple(
    fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    fc.boolean(),
  )
  fc.assert(
    fc.property(counts, ([months, days, nanos, negative]) => {
      const text = `${negative ? '-' : ''}${months}mo${days}d${nanos}ns`
      const sign = negative ? -1 : 1
      const expected = new types.Duration(
        sign * months || 0,
        sign * days || 0,
        types.Long.fromString(String(BigInt(sign) * nanos)),
      )
      expect(types.Duration.fromBuffer(bytesOf({ kind: 'duration' }, text)).equals(expected)).toBe(true)
    }),
  )
})

it.each<[WireType, Wire, string]>([
  [{ kind: 'bool' }, true, '01'],
  [{ kind: 'int32' }, -2, 'fffffffe'],
  [{ kind: 'int16' }, -2, 'fffe'],
  [{ kind: 'int8' }, -2, 'fe'],
  [{ kind: 'float64' }, 'NaN', '7ff8000000000000'],
  [{ kind: 'float32' }, '-Infinity', 'ff800000'],
  [{ kind: 'date' }, '1970-01-02', '80000001'],
  [{ kind: 'timestamp' }, '1969-12-31T23:59:59.999Z', 'ffffffffffffffff'],
  [{ kind: 'time' }, '00:00:00.000000001', '0000000000000001'],
  [{ kind: 'inet' }, '127.0.0.1', '7f000001'],
  [{ kind: 'uuid' }, '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '6ba7b8109dad11d180b400c04fd430c8'],
  // The client would send NULL for a list without items.
  [{ kind: 'array', of: { kind: 'int8' }, frozen: true }, [], '00000000'],
  [{ kind: 'set', of: { kind: 'int8' } }, [1, 2], '00000002 0000000101 0000000102'],
  [
    { kind: 'map', key: { kind: 'int8' }, of: { kind: 'bool' } },
    [[1, false]],
    '00000001 0000000101 0000000100',
  ],
  [{ kind: 'tuple', of: [{ kind: 'int8' }, { kind: 'int8' }] }, [null, 1], 'ffffffff 0000000101'],
  [{ kind: 'vector', of: 'float32', dimensions: 2 }, [1, -1], '3f800000bf800000'],
])('bytesOf() encodes the type %j with the value %j', (type, wire, bytes) => {
  expect(hex(type, wire)).toBe(bytes.replaceAll(' ', ''))
})

it('boundParameters() sends NULL, and boundWithoutNulls() leaves NULL values unset', () => {
  const parameters = [
    { name: 'a', type: { kind: 'int8' }, value: 1 },
    { name: 'b', type: { kind: 'int8' }, value: null },
  ] as const
  expect(boundParameters(parameters)).toEqual([Buffer.of(1), null])
  expect(boundWithoutNulls(parameters)).toEqual([Buffer.of(1), types.unset])
})

it('the encoder of cassandra-driver sends encoded bytes unchanged', () => {
  // The client exports this class, but its typings do not declare it.
  const { Encoder } = vendor as unknown as {
    readonly Encoder: new (
      version: number,
      options: object,
    ) => { encode(value: unknown, type: object): unknown }
  }
  const encoder = new Encoder(4, {})
  const bytes = bytesOf({ kind: 'int64' }, '1')
  expect(encoder.encode(bytes, { code: types.dataTypes.bigint })).toBe(bytes)
})
