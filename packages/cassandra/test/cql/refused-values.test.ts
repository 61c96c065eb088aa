import { PreciseDate } from '@google-cloud/precise-date'
import type { ColumnType } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { cqlCodec } from '../../src/cql/values.js'
import { moment } from '../../../core/test/support/arbitraries.js'
import { placeType } from './arbitraries.js'

type Refused = readonly (readonly [type: ColumnType, value: unknown, message: string])[]

const LOST = 'they would be lost. Round it, or use an int64 column.'
const DURATION = 'takes a duration as text, 1y2mo3d4h5m6s7ms8us9ns, not'
const TIME = 'takes a time of day as hh:mm:ss.nnnnnnnnn, not'

const refused: Refused = [
  [{ kind: 'int32' }, 2 ** 31, 'takes a whole number of 32 bits, not 2147483648.'],
  [{ kind: 'int32' }, 1.5, 'takes a whole number of 32 bits, not 1.5.'],
  [{ kind: 'int32' }, '1', 'takes a whole number of 32 bits, not "1".'],
  [{ kind: 'int16' }, -32_769, 'takes a whole number of 16 bits, not -32769.'],
  [{ kind: 'int8' }, 128n, 'takes a whole number of 8 bits, not 128n.'],
  [{ kind: 'varint' }, 1.5, 'takes a whole number, not 1.5. Pass a bigint.'],
  [{ kind: 'varint' }, 2 ** 53, 'takes a whole number, not 9007199254740992. Pass a bigint.'],
  [{ kind: 'counter' }, 2n ** 63n, 'takes a 64-bit integer, not 9223372036854775808n.'],
  [{ kind: 'decimal' }, 1.5, 'takes a decimal as a string, not 1.5.'],
  [{ kind: 'decimal' }, '1e5', 'takes a decimal as a string, not "1e5".'],
  [{ kind: 'decimal' }, 'NaN', 'takes a decimal as a string, not "NaN".'],
  [
    { kind: 'numeric' },
    `1${'0'.repeat(29)}`,
    `takes a decimal as a string, up to 29 digits before the point and 9 after it, not "1${'0'.repeat(29)}".`,
  ],
  [{ kind: 'time' }, '24:00:00', `${TIME} "24:00:00".`],
  [{ kind: 'time' }, '12:60:00', `${TIME} "12:60:00".`],
  [{ kind: 'time' }, '12:00:00.0000000001', `${TIME} "12:00:00.0000000001".`],
  [{ kind: 'time' }, '12:00', `${TIME} "12:00".`],
  [{ kind: 'timestamp' }, moment(0, 1), `stores milliseconds, but the value has 1 ns more: ${LOST}`],
  [
    { kind: 'timestamp' },
    moment(0, 123_456),
    `stores milliseconds, but the value has 123456 ns more: ${LOST}`,
  ],
  [
    { kind: 'timestamp' },
    '2026-01-01',
    'takes a Date, not "2026-01-01". Text without an offset could be of any time zone: end it with Z or +01:00.',
  ],
  [{ kind: 'duration' }, '', `${DURATION} "".`],
  [{ kind: 'duration' }, '1x', `${DURATION} "1x".`],
  [{ kind: 'duration' }, '1', `${DURATION} "1".`],
  [{ kind: 'duration' }, '2147483648d', `${DURATION} "2147483648d".`],
  [{ kind: 'duration' }, '9223372036854775808ns', `${DURATION} "9223372036854775808ns".`],
  [{ kind: 'duration' }, 5, `${DURATION} 5.`],
  [{ kind: 'inet' }, '1.2.3', 'takes an IPv4 or IPv6 address, not "1.2.3".'],
  [{ kind: 'inet' }, 'fe80::1%eth0', 'takes an IPv4 or IPv6 address, not "fe80::1%eth0".'],
  [{ kind: 'inet' }, 'localhost', 'takes an IPv4 or IPv6 address, not "localhost".'],
  [
    { kind: 'timeuuid' },
    '919108f7-52d1-4320-9bac-f847db4148a8',
    'takes a UUID of version 1, not "919108f7-52d1-4320-9bac-f847db4148a8".',
  ],
  [{ kind: 'ascii' }, 'é', 'takes ASCII characters, not "é".'],
  [{ kind: 'ascii' }, 7, 'takes a string, not 7.'],
  [{ kind: 'array', of: { kind: 'int32' } }, [1, null], 'does not accept NULL in a list.'],
  [{ kind: 'array', of: { kind: 'int32' } }, new Set([1]), 'takes an array, not an object.'],
  [{ kind: 'set', of: { kind: 'int32' } }, [1], 'takes a Set, not an array.'],
  [{ kind: 'set', of: { kind: 'int32' } }, new Set([undefined]), 'does not accept NULL in a set.'],
  [{ kind: 'set', of: { kind: 'int32' } }, new Set(['1']), 'takes a whole number of 32 bits, not "1".'],
  [{ kind: 'map', key: { kind: 'ascii' }, of: { kind: 'int32' } }, { a: 1 }, 'takes a Map, not an object.'],
  [
    { kind: 'map', key: { kind: 'ascii' }, of: { kind: 'int32' } },
    new Map([['a', null]]),
    'does not accept NULL in a map.',
  ],
  [
    { kind: 'tuple', of: [{ kind: 'int32' }, { kind: 'bool' }] },
    [1],
    'takes an array of 2 values, not an array.',
  ],
  [{ kind: 'tuple', of: [{ kind: 'int32' }] }, 1, 'takes an array of 1 values, not 1.'],
  [placeType, [1, 'a'], 'takes an object of the user type place, not an array.'],
  [placeType, new Map(), 'takes an object of the user type place, not an object.'],
  [placeType, { x: 1, y: 2 }, 'has no field "y" in its type place.'],
  [placeType, { name: 'a' }, 'lacks the field x of its type place.'],
  [placeType, { x: 'a' }, 'has a field x that takes a whole number of 32 bits, not "a".'],
  [{ kind: 'vector', of: 'float32', dimensions: 2 }, [1], 'takes an array of 2 numbers, not an array.'],
  [{ kind: 'vector', of: 'float32', dimensions: 1 }, ['1'], 'takes a number, not "1".'],
]

describe('cqlCodec()', () => {
  it.each(refused.map(([type, value, message]) => ({ kind: type.kind, type, value, message })))(
    'rejects a value of type $kind: $message',
    ({ type, value, message }) => {
      expect(() => cqlCodec(type).accept(value)).toThrow(message)
    },
  )

  it('rejects cursor values that do not fit the type of the column', () => {
    const stored: readonly (readonly [ColumnType, unknown])[] = [
      [{ kind: 'int32' }, '1'],
      [{ kind: 'varint' }, 1],
      [{ kind: 'varint' }, '1e5'],
      [{ kind: 'decimal' }, 1],
      [{ kind: 'time' }, '25:00:00'],
      [{ kind: 'timestamp' }, '2026-01-01T00:00:00.000000001Z'],
      [{ kind: 'inet' }, 'x'],
      [{ kind: 'uuid' }, 'x'],
      [{ kind: 'timeuuid' }, '919108f7-52d1-4320-9bac-f847db4148a8'],
      [{ kind: 'ascii' }, 'é'],
      [{ kind: 'array', of: { kind: 'int32' }, frozen: true }, 1],
      [{ kind: 'map', key: { kind: 'ascii' }, of: { kind: 'int32' }, frozen: true }, ['a']],
      [{ kind: 'tuple', of: [{ kind: 'int32' }] }, [1, 2]],
      [{ kind: 'vector', of: 'float32', dimensions: 2 }, [1]],
    ]
    for (const [type, wire] of stored)
      expect(() => cqlCodec(type).parse(wire as never)).toThrow(/^(?:takes|stores) /)
  })

  it('rejects stored decimals with more than 10000 zeros and text that is not a decimal', () => {
    for (const cell of ['1E+10001', '1E-2147483647', 'x'])
      expect(() => cqlCodec({ kind: 'decimal' }).decode?.(cell)).toThrow(
        'takes a decimal with up to 10000 leading or trailing zeros',
      )
  })

  it('accepts a Date or a PreciseDate with whole milliseconds as a timestamp', () => {
    const time = new PreciseDate(5)
    expect(cqlCodec({ kind: 'timestamp' }).accept(time)).toBe(time)
    expect(cqlCodec({ kind: 'timestamp' }).accept(new Date(5))).toStrictEqual(time)
  })
})
