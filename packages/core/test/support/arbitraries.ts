import { PreciseDate } from '@google-cloud/precise-date'
import * as fc from 'fast-check'

export const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -3n, max: 3n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, -(2n ** 53n) - 1n),
)

/** Well-formed text, with characters beyond U+FFFF. */
export const text = fc.string({ unit: 'binary', maxLength: 20 })

/** A moment, made without going through the text that is under test. */
export function moment(milliseconds: number, nanoseconds: number): PreciseDate {
  const time = new PreciseDate(milliseconds)
  time.setMicroseconds(Math.floor(nanoseconds / 1000))
  time.setNanoseconds(nanoseconds % 1000)
  return time
}

const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** From the year 1 to 9999, to the nanosecond, before 1970 and on whole seconds as often as not. */
export const timestamp = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: FIRST, max: LAST }),
      fc.integer({ min: -2000, max: 2000 }),
      fc.integer({ min: -100, max: 100 }).map((seconds) => seconds * 1000),
      fc.constantFrom(FIRST, LAST),
    ),
    fc.oneof(fc.integer({ min: 0, max: 999_999 }), fc.constantFrom(0, 1, 999, 1000, 999_999)),
  )
  .map(([milliseconds, nanoseconds]) => moment(milliseconds, nanoseconds))

export const day = fc
  .integer({ min: Math.ceil(FIRST / 86_400_000), max: Math.floor(LAST / 86_400_000) })
  .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10))

/** A decimal as the database writes it. */
export const numeric = fc
  .tuple(fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }), fc.integer({ min: 0, max: 9 }))
  .map(([units, positions]) => {
    const digits = (units < 0n ? -units : units)
      .toString()
      .slice(0, 29 + positions)
      .padStart(positions + 1, '0')
    const point = digits.length - positions
    const fraction = digits.slice(point).replace(/0+$/, '')
    const magnitude = digits.slice(0, point) + (fraction === '' ? '' : `.${fraction}`)
    return units < 0n && magnitude !== '0' ? `-${magnitude}` : magnitude
  })

/** A decimal of PostgreSQL: more digits than the other dialect has, and NaN. */
export const wideNumeric = fc.oneof(
  numeric,
  fc
    .tuple(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), fc.bigInt({ min: 1n, max: 10n ** 40n }))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(41, '0').replace(/0+$/, '')}`),
  fc.constant('NaN'),
)

/** A whole number that a double holds exactly, the edges among them. */
export const int53 = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
)

export const bytes = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array))

export const uuid = fc.uuid({ version: [1, 2, 3, 4, 5, 6, 7, 8] })
