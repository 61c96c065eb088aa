import { PreciseDate } from '@google-cloud/precise-date'
import type { ColumnType } from '@isotherm/core'
import { valueCodec } from '@isotherm/core/engine'
import { describe, expect, it } from 'vitest'
import { InsertPlan } from '../../src/rows/insert-plan.js'
import { dialects, fieldOf, logLayout } from '../support/layout.js'
import { refusal } from '../support/refusal.js'

const LOST = 'A number above 2^53 has lost digits already: pass a bigint.'
const HALF = 'It contains half of a surrogate pair, which UTF-8 cannot encode.'
const DECIMAL = 'takes a decimal as a string, up to 29 digits before the point and 9 after it, not'
const WIDE = 'takes a decimal as a string, up to 131072 digits before the point and 16383 after it, not'
const SAFE = 'takes a whole number of up to 53 bits, not'
const LARGER = 'Use an int64 column for larger integers, and a float64 column for fractions.'
const ROUNDED = 'of more than 64 bits: it would be rounded. Pass a number or a string.'
const circular: unknown[] = []
circular.push(circular)

type Refused = readonly (readonly [property: string, value: unknown, message: string])[]

const refused: Refused = [
  ['bool', 1, 'takes a boolean, not 1.'],
  ['bool', 'true', 'takes a boolean, not "true".'],
  ['bool', undefined, 'takes a boolean, not undefined.'],

  ['int64', 2 ** 53, `takes a 64-bit integer, not 9007199254740992. ${LOST}`],
  ['int64', -(2 ** 53), `takes a 64-bit integer, not -9007199254740992. ${LOST}`],
  ['int64', 1e300, `takes a 64-bit integer, not 1e+300. ${LOST}`],
  ['int64', 1.5, 'takes a 64-bit integer, not 1.5. Pass a bigint.'],
  ['int64', Number.NaN, 'takes a 64-bit integer, not NaN. Pass a bigint.'],
  ['int64', Number.POSITIVE_INFINITY, 'takes a 64-bit integer, not Infinity. Pass a bigint.'],
  ['int64', '7', 'takes a 64-bit integer, not "7". Pass a bigint.'],
  ['int64', 2n ** 63n, 'takes a 64-bit integer, not 9223372036854775808n.'],
  ['int64', -(2n ** 63n) - 1n, 'takes a 64-bit integer, not -9223372036854775809n.'],

  ['int53', 2 ** 53, `${SAFE} 9007199254740992. ${LARGER}`],
  ['int53', -(2 ** 53), `${SAFE} -9007199254740992. ${LARGER}`],
  ['int53', 2n ** 53n, `${SAFE} 9007199254740992n. ${LARGER}`],
  ['int53', -(2n ** 53n), `${SAFE} -9007199254740992n. ${LARGER}`],
  ['int53', 2n ** 64n, `${SAFE} 18446744073709551616n. ${LARGER}`],
  ['int53', 1.5, `${SAFE} 1.5. ${LARGER}`],
  ['int53', Number.NaN, `${SAFE} NaN. ${LARGER}`],
  ['int53', Number.POSITIVE_INFINITY, `${SAFE} Infinity. ${LARGER}`],
  ['int53', '7', `${SAFE} "7". ${LARGER}`],

  ['float64', 7n, 'takes a number, not 7n.'],
  ['float64', '1.5', 'takes a number, not "1.5".'],
  ['float32', 7n, 'takes a number, not 7n.'],
  ['float32', 1e300, 'takes a number of 32 bits, not 1e+300.'],

  ['string', 7, 'takes a string, not 7.'],
  ['string', '\uD83D', `takes a string, not "\\ud83d". ${HALF}`],
  ['string', 'a\uDE00b', `takes a string, not "a\\ude00b". ${HALF}`],
  ['string', 'x'.repeat(70) + '\uD83D', `takes a string, not "${'x'.repeat(60)}…". ${HALF}`],
  ['short', 'abcd', 'takes a string of up to 3 characters, not "abcd".'],
  ['short', '😀😀😀😀', 'takes a string of up to 3 characters, not "😀😀😀😀".'],

  ['bytes', 'abc', 'takes bytes (a Buffer or Uint8Array), not "abc".'],
  ['bytes', [1, 2], 'takes bytes (a Buffer or Uint8Array), not an array.'],
  ['bytes', new ArrayBuffer(2), 'takes bytes (a Buffer or Uint8Array), not an object.'],
  ['bytes', new Uint16Array(2), 'takes bytes (a Buffer or Uint8Array), not an object.'],
  ['shortBytes', Buffer.from('abc'), 'takes up to 2 bytes, not "3 bytes".'],

  ['date', '2026-02-30', 'takes a day as YYYY-MM-DD, not "2026-02-30".'],
  ['date', '2025-02-29', 'takes a day as YYYY-MM-DD, not "2025-02-29".'],
  ['date', '2026-13-01', 'takes a day as YYYY-MM-DD, not "2026-13-01".'],
  ['date', '2026-00-10', 'takes a day as YYYY-MM-DD, not "2026-00-10".'],
  ['date', '0000-01-01', 'takes a day as YYYY-MM-DD, not "0000-01-01".'],
  ['date', '10000-01-01', 'takes a day as YYYY-MM-DD, not "10000-01-01".'],
  ['date', '2026-2-3', 'takes a day as YYYY-MM-DD, not "2026-2-3".'],
  ['date', '2026-02-03T00:00:00Z', 'takes a day as YYYY-MM-DD, not "2026-02-03T00:00:00Z".'],
  ['date', new Date(0), 'takes a day as YYYY-MM-DD, not 1970-01-01T00:00:00.000Z.'],

  ['timestamp', new Date(Number.NaN), 'takes a Date, not an invalid Date.'],
  [
    'timestamp',
    '2026-02-03T04:05:06',
    'takes a Date, not "2026-02-03T04:05:06". Text without an offset could be of any time zone: end it with Z or +01:00.',
  ],
  ['timestamp', 0, 'takes a Date, not 0.'],
  [
    'timestamp',
    new Date(Date.UTC(10_000, 0)),
    'takes a Date from the year 1 to 9999, not +010000-01-01T00:00:00.000Z.',
  ],
  [
    'timestamp',
    new Date('0000-12-31T23:59:59.999Z'),
    'takes a Date from the year 1 to 9999, not 0000-12-31T23:59:59.999Z.',
  ],
  [
    'timestamp',
    new PreciseDate('2026-02-03T04:05:06.123456789001Z'),
    'takes a timestamp of whole nanoseconds, not 2026-02-03T04:05:06.123456789001Z.',
  ],

  ['uuid', 'not a uuid', 'takes a UUID, not "not a uuid".'],
  ['uuid', 'f81d4fae7dec41d0a76500a0c91e6bf6', 'takes a UUID, not "f81d4fae7dec41d0a76500a0c91e6bf6".'],
  ['uuid', 7n, 'takes a UUID, not 7n.'],
  ['pair', 'not a uuid', 'takes a UUID, not "not a uuid".'],
  ['pair', 7n, 'takes a UUID, not 7n.'],
  ['raw', 'f81d4fae7dec41d0a76500a0c91e6bf6', 'takes a UUID, not "f81d4fae7dec41d0a76500a0c91e6bf6".'],
  ['raw', Buffer.alloc(16), 'takes a UUID, not an object.'],

  ['json', undefined, 'takes a JSON document, not undefined.'],
  ['json', () => 1, 'takes a JSON document, not a function.'],
  ['json', Symbol('s'), 'takes a JSON document, not a symbol.'],
  ['json', Number.NaN, 'takes a JSON document, not NaN. It is NaN, which JSON does not have.'],
  [
    'json',
    { a: [1, Number.NEGATIVE_INFINITY] },
    'takes a JSON document, not an object. "1" in it is -Infinity, which JSON does not have.',
  ],
  ['json', ['\uD83D'], `takes a JSON document, not an array. ${HALF}`],
  ['json', { '\uDE00': 1 }, `takes a JSON document, not an object. ${HALF}`],

  ['tags', 'abc', 'takes an array, not "abc".'],
  ['tags', ['abc', 'abcd'], 'takes a string of up to 3 characters, not "abcd".'],
  ['tags', ['abc', undefined], 'takes a string, not undefined.'],
  ['counts', [1n, 1.5], 'takes a 64-bit integer, not 1.5. Pass a bigint.'],
  ['visits', [1, 2n ** 53n], `${SAFE} 9007199254740992n. ${LARGER}`],
]

/** Values that no dialect accepts as a decimal. */
const noDecimals: readonly (readonly [unknown, string])[] = [
  [1.5, '1.5'],
  ['', '""'],
  ['.', '"."'],
  ['5.', '"5."'],
  ['-', '"-"'],
  ['1e5', '"1e5"'],
  ['1,5', '"1,5"'],
  [' 1', '" 1"'],
  ['1\n', '"1\\n"'],
]

const refusedIn = {
  googlesql: [
    ...noDecimals.map(([value, shown]) => ['numeric', value, `${DECIMAL} ${shown}.`] as const),
    ['numeric', 'NaN', `${DECIMAL} "NaN".`],
    ['numeric', '0.1234567891', `${DECIMAL} "0.1234567891".`],
    ['numeric', '1'.repeat(30), `${DECIMAL} "${'1'.repeat(30)}".`],
    ['numeric', 10n ** 29n, `${DECIMAL} ${10n ** 29n}n.`],
    [
      'json',
      2n ** 64n,
      `takes a JSON document, not 18446744073709551616n. It is 18446744073709551616, ${ROUNDED}`,
    ],
    [
      'json',
      [-(2n ** 63n) - 1n],
      `takes a JSON document, not an array. "0" in it is -9223372036854775809, ${ROUNDED}`,
    ],
  ],
  'spanner-postgresql': [
    ...noDecimals.map(([value, shown]) => ['numeric', value, `${WIDE} ${shown}.`] as const),
    ['numeric', 'nan', `${WIDE} "nan".`],
    ['numeric', '-NaN', `${WIDE} "-NaN".`],
    ['numeric', Number.NaN, `${WIDE} NaN.`],
    ['numeric', 'Infinity', `${WIDE} "Infinity".`],
    ['numeric', `1${'0'.repeat(131_072)}`, `${WIDE} "1${'0'.repeat(59)}…".`],
    ['numeric', `0.${'0'.repeat(16_383)}1`, `${WIDE} "0.${'0'.repeat(58)}…".`],
    [
      'json',
      { a: 'b\0' },
      'takes a JSON document, not an object. It contains the character U+0000, which jsonb does not support.',
    ],
    ['json', 10n ** 4_932n, `takes a JSON document, not ${10n ** 4_932n}n. It has more than 4932 digits.`],
  ],
} as const satisfies Record<string, Refused>

describe.each(dialects)('values of the wrong type in $name', (dialect) => {
  const layout = logLayout(dialect, (t) => ({
    id: t.uuidV4(),
    bool: t.bool(),
    int64: t.int64(),
    int53: t.int64({ as: 'number' }),
    float64: t.float64(),
    float32: t.float32(),
    numeric: t.numeric(),
    string: t.string(),
    short: t.string({ length: 3 }),
    bytes: t.bytes(),
    shortBytes: t.bytes({ length: 2 }),
    date: t.date(),
    timestamp: t.timestamp(),
    uuid: t.uuid(),
    pair: t.uuid({ storage: 'int64-pair' }),
    raw: t.uuid({ storage: 'bytes' }),
    json: t.json(),
    tags: t.array({ kind: 'string', length: 3 }),
    counts: t.array({ kind: 'int64' }),
    visits: t.array({ kind: 'int64', as: 'number' }),
  }))

  describe('accept() of a field', () => {
    it.each(
      [...refused, ...refusedIn[dialect.name]].map(([property, value, message]) => ({
        property,
        value,
        message,
      })),
    )('rejects an invalid value with the message: $property $message', ({ property, value, message }) => {
      const error = refusal(() => fieldOf(layout, property).accept(value))
      expect(error).toMatchObject({ code: 'INVALID_VALUE', table: 'Log', column: property })
      expect(error.message).toBe(`Log.${property} ${message}`)
    })

    it('rejects a circular JSON document', () => {
      expect(refusal(() => fieldOf(layout, 'json').accept(circular))).toMatchObject({ code: 'INVALID_VALUE' })
    })

    it('rejects an array with a hole', () => {
      const holes = ['a']
      holes[2] = 'c'
      expect(refusal(() => fieldOf(layout, 'tags').accept(holes))).toMatchObject({ code: 'INVALID_VALUE' })
    })
  })

  describe('an insert into a @UuidV4 column', () => {
    const insertPlan = new InsertPlan(layout)
    const filled = {
      bool: true,
      int64: 1n,
      int53: 1,
      float64: 1,
      float32: 1,
      numeric: '1',
      string: '',
      short: '',
      bytes: Buffer.of(),
      shortBytes: Buffer.of(),
      date: '2026-01-01',
      timestamp: new Date(0),
      uuid: '919108f7-52d1-4320-9bac-f847db4148a8',
      pair: '919108f7-52d1-4320-9bac-f847db4148a8',
      raw: '919108f7-52d1-4320-9bac-f847db4148a8',
      json: {},
      tags: [],
      counts: [],
      visits: [],
    }
    const id = fieldOf(layout, 'id')

    it.each([
      ['1', 'c232ab00-9414-11ec-b3c8-9f6bdeced846'],
      ['6', '1ec9414c-232a-6b00-b3c8-9f6bdeced846'],
      ['7', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
    ])('rejects a UUID of version %s, whose high bits are a clock', (version, uuid) => {
      const error = refusal(() => insertPlan.prepare([{ ...filled, id: uuid }]))
      expect(error).toMatchObject({ code: 'INVALID_VALUE', table: 'Log', column: 'id' })
      expect(error.message).toBe(
        `Log.id takes a UUID v4, not the v${version} ${uuid}. Its high bits are a timestamp, so such keys are written ` +
          'next to each other. Use crypto.randomUUID(), or leave it out.',
      )
      // A row that another program wrote can still be read and deleted.
      expect(id.accept(uuid.toUpperCase())).toBe(uuid)
    })

    it.each(['01ARZ3NDEKTSV4RRFFQ69G5FAV', '0ujsswThIGTUYm2K8FjOOfXtY1K', '507f1f77bcf86cd799439011'])(
      'rejects %s, an id in another format that grows with time',
      (other) => {
        expect(refusal(() => id.accept(other))).toMatchObject({ code: 'INVALID_VALUE', column: 'id' })
      },
    )

    it('accepts a UUID of version 4 and converts the UUID to lower case', () => {
      expect(id.accept('919108F7-52D1-4320-9BAC-F847DB4148A8')).toBe('919108f7-52d1-4320-9bac-f847db4148a8')
    })

    it('rejects a version 7 UUID, which a UUID column accepts unless the key begins with the column', () => {
      const uuid = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'
      expect(insertPlan.prepare([{ ...filled, uuid }]).rows[0]).toMatchObject({ uuid })
      const keyed = new InsertPlan(logLayout(dialect, (t) => ({ id: t.uuid().key() })))
      expect(refusal(() => keyed.prepare([{ id: uuid }])).message).toContain('takes a UUID v4, not the v7')
    })
  })

  describe('parse() of a stored value of the wrong type', () => {
    const stored: readonly (readonly [ColumnType, unknown])[] = [
      [{ kind: 'bool' }, 'true'],
      [{ kind: 'int64' }, '9223372036854775808'],
      [{ kind: 'int64' }, '1e3'],
      [{ kind: 'int64' }, ''],
      [{ kind: 'int64' }, 7],
      [{ kind: 'int64', as: 'number' }, '9007199254740992'],
      [{ kind: 'int64', as: 'number' }, '-9007199254740992'],
      [{ kind: 'int64', as: 'number' }, '1.5'],
      [{ kind: 'int64', as: 'number' }, 7],
      [{ kind: 'float64' }, '1.5'],
      [{ kind: 'float64' }, true],
      [{ kind: 'numeric' }, 1.5],
      [{ kind: 'string', length: 'max' }, 7],
      [{ kind: 'string', length: 2 }, 'abc'],
      [{ kind: 'bytes', length: 'max' }, 7],
      [{ kind: 'bytes', length: 'max' }, 'not base64!'],
      [{ kind: 'date' }, '2026-02-30'],
      [{ kind: 'timestamp' }, '2026-02-30T00:00:00Z'],
      [{ kind: 'timestamp' }, '2026-02-39T00:00:00Z'],
      [{ kind: 'timestamp' }, '2026-02-03'],
      [{ kind: 'timestamp' }, '2026-02-03T00:00:00+01:00'],
      [{ kind: 'timestamp' }, '0000-01-01T00:00:00Z'],
      [{ kind: 'timestamp' }, 0],
      [{ kind: 'uuid' }, 'x'],
      [{ kind: 'uuid', storage: 'native' }, 'x'],
      [{ kind: 'uuid', storage: 'bytes' }, 'x'],
      [{ kind: 'json' }, '{'],
      [{ kind: 'array', of: { kind: 'int64' } }, '1'],
      [{ kind: 'array', of: { kind: 'int64' } }, ['x']],
    ]

    it.each(stored.map(([type, wire]) => ({ type, kind: type.kind, wire })))(
      'throws INVALID_VALUE with table and column for $wire as $kind',
      ({ type, wire }) => {
        const field = fieldOf(
          logLayout(dialect, (t) => ({
            id: t.uuidV4(),
            value: { ...t.bool(), patch: { type, nullable: false } } as never,
          })),
          'value',
        )
        expect(refusal(() => field.parse([wire as never]))).toMatchObject({
          code: 'INVALID_VALUE',
          table: 'Log',
          column: 'value',
        })
      },
    )

    it('throws an error without the name of a column when a codec parses the value', () => {
      expect(() => valueCodec({ kind: 'bool' }, dialect.values).parse('true')).toThrow(
        /^takes a boolean, not "true"\.$/,
      )
    })
  })

  /** Numbers that other programs have written: the database stores them, a JavaScript number cannot hold them. */
  describe('reading an int64 column as a number', () => {
    const field = fieldOf(layout, 'int53')

    it.each([2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)])(
      'throws INVALID_VALUE with the name of the column for %d',
      (cell) => {
        const error = refusal(() => field.join?.([cell], 0))
        expect(error).toMatchObject({ code: 'INVALID_VALUE', table: 'Log', column: 'int53' })
        expect(error.message).toBe(`Log.int53 ${SAFE} ${cell}n. ${LARGER}`)
        expect(refusal(() => fieldOf(layout, 'visits').join?.([[1n, cell]], 0))).toMatchObject({
          column: 'visits',
        })
      },
    )

    it('returns a number for integers up to 2^53 - 1, and null for NULL', () => {
      expect(field.join?.([0n, 2n ** 53n - 1n], 1)).toBe(Number.MAX_SAFE_INTEGER)
      expect(field.join?.([-(2n ** 53n) + 1n], 0)).toBe(Number.MIN_SAFE_INTEGER)
      expect(field.join?.([null], 0)).toBeNull()
    })
  })
})
