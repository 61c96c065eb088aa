import type { ColumnType } from '@isotherm/core'
import { valueCodec, type Wire } from '@isotherm/core/engine'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cqlValues } from '../../src/cql/values.js'
import { HOLDS, totalOrder } from '../../../core/test/dialects/support/total-order.js'
import { compositeKeys, otherTypes, scalarKeys } from './arbitraries.js'

// How each type handles valid values. Another test compares the order with that of a node.

const codecOf = (type: ColumnType) => valueCodec(type, cqlValues)

/** A stored value after it was sent to another process as JSON. */
function sent(wire: Wire): Wire {
  return JSON.parse(JSON.stringify(wire)) as Wire
}

describe.each([...scalarKeys, ...compositeKeys, ...otherTypes])(
  'CQL values of type %s',
  (_name, type, arbitrary) => {
    const codec = codecOf(type)

    it('values stay the same when they are encoded, sent as JSON and parsed', () => {
      fc.assert(
        fc.property(arbitrary, (value) => {
          const accepted = codec.accept(value)
          const wire = codec.encode(accepted)
          const parsed = codec.parse(sent(wire))
          expect(codec.encode(parsed)).toStrictEqual(wire)
          expect(parsed).toStrictEqual(accepted)
        }),
        { numRuns: 300 },
      )
    })

    it('accepted values stay the same when accept() receives them again', () => {
      fc.assert(
        fc.property(arbitrary, (value) => {
          const accepted = codec.accept(value)
          // An empty collection that is not frozen is NULL, which codecs never see.
          if (accepted === null) return
          expect(codec.accept(accepted)).toStrictEqual(accepted)
        }),
      )
    })
  },
)

describe.each([...scalarKeys, ...compositeKeys])(
  'compare() for CQL values of type %s',
  (_name, type, arbitrary) => {
    it('is a total order in which only the same values are equal', () => {
      expect(fc.check(totalOrder(codecOf(type), arbitrary), { numRuns: 300 })).toMatchObject(HOLDS)
    })
  },
)

describe('normalization of CQL values', () => {
  it('keeps -0 in float32 and float64, and converts -0 to 0 in int8', () => {
    for (const kind of ['float32', 'float64'] as const) {
      const codec = codecOf({ kind })
      const wire = JSON.parse(JSON.stringify(codec.encode(codec.accept(-0)))) as never
      expect(codec.parse(wire)).toBe(-0)
      expect([0, -0, -1, 1].toSorted(codec.compare)).toStrictEqual([-1, -0, 0, 1])
    }
    expect(Object.is(codecOf({ kind: 'int8' }).accept(-0), 0)).toBe(true)
  })

  it.each([
    ['decimal', '1.00', '1'],
    ['decimal', '-0.0', '0'],
    ['decimal', '00.50', '0.5'],
    ['time', '13:30:00.500000000', '13:30:00.5'],
    ['time', '13:30:00.000', '13:30:00'],
    ['time', '13:30:00', '13:30:00'],
    ['duration', '14mo', '1y2mo'],
    ['duration', '2w', '14d'],
    ['duration', '90m', '1h30m'],
    ['duration', '1000µs', '1ms'],
    ['duration', '-1mo1d', '-1mo1d'],
    ['duration', '0s', '0ns'],
    ['inet', 'FE80:0:0:0:0:0:0:1', 'fe80::1'],
    ['inet', '::ffff:10.0.0.1', '::ffff:a00:1'],
    ['inet', '10.0.0.1', '10.0.0.1'],
    ['uuid', 'F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6', 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6'],
    ['varint', 7, 7n],
    ['int16', 7n, 7],
  ] as const)('converts a value of type %s to its normal form: %s', (kind, input, shown) => {
    expect(codecOf({ kind }).accept(input)).toBe(shown)
  })

  it.each([
    ['1.50', '1.5'],
    ['-12', '-12'],
    ['1E+3', '1000'],
    ['1.25E+1', '12.5'],
    ['1.25e1', '12.5'],
    ['-125E-1', '-12.5'],
    ['125E-5', '0.00125'],
    ['0E-9', '0'],
  ])('reads the stored decimal %s in plain notation', (cell, shown) => {
    expect(codecOf({ kind: 'decimal' }).decode?.(cell)).toBe(shown)
    expect(codecOf({ kind: 'numeric' }).decode?.(cell)).toBe(shown)
  })

  it('sorts sets and maps in the order of the engine, and removes duplicates from sets', () => {
    const set = codecOf({ kind: 'set', of: { kind: 'decimal' }, frozen: true })
    expect(set.encode(set.accept(new Set(['10', '2.0', '2', '-1'])))).toStrictEqual(['-1', '2', '10'])
    const map = codecOf({ kind: 'map', key: { kind: 'int32' }, of: { kind: 'ascii' }, frozen: true })
    const accepted = map.accept(
      new Map([
        [2, 'b'],
        [-1, 'a'],
      ]),
    )
    expect(map.encode(accepted)).toStrictEqual([
      [-1, 'a'],
      [2, 'b'],
    ])
  })

  it.each([
    ['decimals', { kind: 'decimal' }, ['1.0', '2', '1.00'], '"1"'],
    [
      'dates',
      { kind: 'timestamp' },
      [new Date(0), new Date(1), new Date(0)],
      '"1970-01-01T00:00:00.000000000Z"',
    ],
    ['bytes', { kind: 'bytes', length: 'max' }, [Buffer.from('a'), Buffer.from('a')], '"YQ=="'],
  ] as const)('rejects a map in which two keys are equal in the database: %s', (_name, key, keys, shown) => {
    const codec = codecOf({ kind: 'map', key, of: { kind: 'int32' } })
    const twice = new Map(keys.map((each, at) => [each, at] as [unknown, number]))
    expect(() => codec.accept(twice)).toThrow(`has two values in a map for the key ${shown}.`)
  })

  it('converts empty collections to NULL unless the collection is frozen', () => {
    expect(codecOf({ kind: 'set', of: { kind: 'int32' } }).accept(new Set())).toBeNull()
    expect(codecOf({ kind: 'array', of: { kind: 'int32' } }).accept([])).toBeNull()
    expect(
      codecOf({ kind: 'map', key: { kind: 'int32' }, of: { kind: 'int32' } }).accept(new Map()),
    ).toBeNull()
    expect(codecOf({ kind: 'array', of: { kind: 'int32' }, frozen: true }).accept([])).toStrictEqual([])
  })

  it('decodes stored values in nested collections', () => {
    const codec = codecOf({
      kind: 'map',
      key: { kind: 'decimal' },
      of: { kind: 'tuple', of: [{ kind: 'set', of: { kind: 'time' }, frozen: true }, { kind: 'int32' }] },
    })
    const cell = new Map([
      ['2.50', [['13:00:00.100', '12:00:00'], 7]],
      ['1.0', [null]],
    ])
    expect(codec.decode?.(cell)).toStrictEqual(
      new Map([
        ['1', [null, null]],
        ['2.5', [new Set(['12:00:00', '13:00:00.1']), 7]],
      ]),
    )
  })
})
