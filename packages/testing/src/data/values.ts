import type { Dialect } from '@isotherm/core'
import fc from 'fast-check'
import { LosslessNumber } from 'lossless-json'
import { cut, precise } from './precise.js'

// Values of every type, in the form in which a row shows them, the extremes among them.

export const bool = fc.boolean()

export const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, -(2n ** 53n) - 1n, 0n),
)

export const int53 = fc.oneof(
  fc.maxSafeInteger().map((value) => value + 0),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0),
)

export const float32 = fc.oneof(
  fc.float(),
  fc.constantFrom(NaN, Infinity, -Infinity, 0, -0, 2 ** -149, -(2 ** -126), 3.4028234663852886e38),
)

export const float64 = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -Infinity, 0, -0, 5e-324, -2.2250738585072014e-308, Number.MAX_VALUE),
)

/** Decimals as the database writes them: of 29 digits and 9, or of many more. */
export function numeric(size: Dialect['values']['numeric']): fc.Arbitrary<string> {
  const [whole, fraction] = size === 'fixed' ? [29, 9] : [400, 300]
  const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{0,${maxLength}}$`))
  const any = fc.tuple(fc.boolean(), digits(whole), digits(fraction)).map(([negative, left, right]) => {
    const shown = [left.replace(/^0+/, '') || '0', right.replace(/0+$/, '')].filter((part) => part !== '')
    return negative && !/^0$/.test(shown.join('.')) ? `-${shown.join('.')}` : shown.join('.')
  })
  const highest = `${'9'.repeat(whole)}.${'9'.repeat(fraction)}`
  const extremes = fc.constantFrom('0', highest, `-${highest}`, `0.${'0'.repeat(fraction - 1)}1`)
  return fc.oneof(any, size === 'fixed' ? extremes : fc.oneof(extremes, fc.constant('NaN')))
}

/** Text of every character, the one with the code 0 too. */
export const text = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '\0',
      'a\0b',
      '\u{1F600}\u{10FFFF}\uFFFF\uE000\uFEFF',
      'x'.repeat(8192),
      '\u{1F600}'.repeat(2048),
      "'; DROP TABLE x; --",
    ),
  },
)

/** Of an engine that may have no character with the code 0. */
export function textIn({ nulCharacters }: { readonly nulCharacters: boolean }): fc.Arbitrary<string> {
  return nulCharacters ? text : text.map((each) => each.replaceAll('\0', ''))
}

export const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
  fc.constantFrom(Buffer.of(), Buffer.alloc(8192, 255), Buffer.from([0, 255, 0])),
)

const FIRST = new Date('0001-01-01T00:00:00Z')
const LAST = new Date('9999-12-31T23:59:59.999Z')

export const day = fc.oneof(
  fc.date({ min: FIRST, max: LAST, noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  fc.constantFrom('0001-01-01', '1582-10-10', '1969-12-31', '1970-01-01', '2024-02-29', '9999-12-31'),
)

/** To the nanosecond. */
export const timestamp = fc.oneof(
  fc
    .tuple(fc.date({ min: FIRST, max: LAST, noInvalidDate: true }), fc.nat(999_999))
    .map(([date, below]) => precise(date.toISOString().replace('Z', `${String(below).padStart(6, '0')}Z`))),
  fc.constantFrom(
    precise('0001-01-01T00:00:00.000000000Z'),
    precise('0001-01-01T00:00:00.000000001Z'),
    precise('1969-12-31T23:59:59.999999999Z'),
    precise('1969-12-31T23:59:59.000000001Z'),
    precise('1970-01-01T00:00:00.000000000Z'),
    precise('9999-12-31T23:59:59.999999999Z'),
  ),
)

/** To the last digit that an engine keeps. */
export function timestampOf(digits: 9 | 6 | 3): fc.Arbitrary<Date> {
  return digits === 9 ? timestamp : timestamp.map((each) => cut(each, digits))
}

export const uuid = fc.oneof(
  fc.uuid(),
  fc.constantFrom(
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '7fffffff-ffff-ffff-7fff-ffffffffffff',
    '80000000-0000-0000-8000-000000000000',
  ),
)

/**
 * Documents with the numbers that JavaScript's own parser would round. Without null as a whole, which is the column's NULL,
 * and without the character 0 where documents cannot hold it.
 */
export function json(rules: Dialect['values']['json']): fc.Arbitrary<unknown> {
  const characters = (text: string): string => (rules.nul ? text : text.replaceAll('\0', ''))
  const string = fc.string({ unit: 'binary', maxLength: 12 }).map(characters)
  const wide =
    rules.numbers === 'binary'
      ? fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n })
      : fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n })
  const decimals = fc.constantFrom(
    '0.1234567890123456789',
    '-12345678901234567.89',
    `0.${'0'.repeat(400)}1`,
    `${'9'.repeat(400)}.5`,
  )
  const { document } = fc.letrec<{ document: unknown }>((tie) => ({
    document: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'document' },
      string,
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.constantFrom(0, 0.1, 5e-324, Number.MAX_VALUE, 2 ** 53, -1e300, 2 ** 60, 9007199254740991),
      // A whole number that a double holds for certain is read as one.
      wide.filter((value) => !Number.isSafeInteger(Number(value))),
      ...(rules.numbers === 'binary' ? [] : [decimals.map((digits) => new LosslessNumber(digits))]),
      fc.array(fc.oneof(fc.constant(null), tie('document')), { maxLength: 4, depthIdentifier: 'document' }),
      fc
        .array(
          fc.tuple(
            fc.oneof(string, fc.constantFrom('__proto__', 'constructor', 'toJSON', '')),
            fc.oneof(fc.constant(null), tie('document')),
          ),
          { maxLength: 4, depthIdentifier: 'document' },
        )
        .map((entries) => Object.fromEntries(entries)),
    ),
  }))
  return document
}

/**
 * Values as data that an assertion compares in full: of two dates it would look at the milliseconds only, and it would take
 * an object's `constructor` for its class.
 */
export function comparable(value: unknown): unknown {
  if (value instanceof Date) return `Date ${value.toISOString()}`
  if (Buffer.isBuffer(value)) return `Buffer ${value.toString('base64')}`
  if (value instanceof LosslessNumber) return `LosslessNumber ${value.value}`
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, each]) => [name, comparable(each)] as const)
  return { object: entries.sort(([a], [b]) => (a < b ? -1 : 1)) }
}

/** A row whose values are comparable. */
export function comparableRow(row: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, comparable(value)]))
}
