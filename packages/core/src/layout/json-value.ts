import { types } from 'node:util'
import { LosslessNumber, compareNumber, isLosslessNumber, parse, splitNumber, stringify } from 'lossless-json'

// JSON documents, without losing digits. JavaScript's own parser rounds numbers that a double does not hold, and does not
// say so. Here a number in a document is
//
// - a `number`, where that is exactly what the database holds, whole numbers up to 53 bits among them;
// - a `bigint`, where it is whole and has more than 53 bits;
// - a `LosslessNumber`, which has its digits as text, where it has a fraction that no double holds. Only PostgreSQL's
//   jsonb keeps such numbers.
//
// Documents may contain all three when they are written. Values that the database cannot store are refused by name instead
// of rounded; so are NaN and the infinities, which `JSON.stringify` would turn into null. Everything else is as in
// `JSON.stringify`: `toJSON` is called, `undefined` and functions are left out, and zero has no sign.

/** The limits of a dialect's JSON. */
export interface JsonRules {
  /**
   * `binary`: 64-bit integers, signed or not, and doubles. Otherwise decimals with limits of digits before and after the
   * point.
   */
  readonly numbers: 'binary' | { readonly whole: number; readonly fraction: number }
  /** Whether text may hold the character 0. */
  readonly nul: boolean
  /** How deeply arrays and objects may be nested. */
  readonly levels: number
  /** In which order an object's names are stored, and so read back. */
  readonly compareNames: (a: string, b: string) => number
}

const UINT64_MAX = 2n ** 64n - 1n
const INT64_MIN = -(2n ** 63n)

/**
 * A document as a row returns it: a copy in plain objects and arrays, each number in the form in which it is read back, and
 * names in their order, except that JavaScript puts names that are whole numbers first.
 * `undefined` for values that JSON does not have, such as a function.
 *
 * @throws {TypeError} saying what JSON, or the database, does not hold.
 */
export function jsonDocument(value: unknown, rules: JsonRules): unknown {
  return copy(value, '', rules.levels, rules)
}

/** `undefined` for what JSON leaves out. `levels`: how many more there may be. */
function copy(value: unknown, key: string, levels: number, rules: JsonRules): unknown {
  switch (typeof value) {
    case 'string':
      return checkedText(value, rules)
    case 'number':
      if (!Number.isFinite(value))
        throw new TypeError(`${inJson(key)} is ${value}, which JSON does not have.`)
      return value === 0 ? 0 : value
    case 'bigint':
      return checkedWhole(value, key, rules)
    case 'boolean':
      return value
    case 'object':
      return value === null ? null : copyObject(value, key, levels, rules)
    default:
      return undefined
  }
}

function copyObject(
  object: object,
  key: string,
  levels: number,
  rules: JsonRules,
  converted = false,
): unknown {
  if (isLosslessNumber(object)) return checkedDecimal(object.value, key, rules)
  if (isRawJson(object)) return copy(readJson(object.rawJSON, rules), key, levels, rules)
  const { toJSON } = object as { toJSON?: unknown }
  if (typeof toJSON === 'function' && !converted) {
    const value: unknown = toJSON.call(object, key)
    // Once only: it may return an object that has the method again.
    return typeof value === 'object' && value !== null
      ? copyObject(value, key, levels, rules, true)
      : copy(value, key, levels, rules)
  }
  if (types.isBoxedPrimitive(object)) return copy(object.valueOf(), key, levels, rules)
  const lost = lostInJson(object)
  if (lost) throw new TypeError(`${inJson(key)} is ${lost}`)
  if (levels === 0) {
    throw new TypeError(
      `${inJson(key)} is nested deeper than ${rules.levels} levels, or the document contains itself.`,
    )
  }
  if (Array.isArray(object)) {
    return Array.from(object, (item, at) => copy(item, String(at), levels - 1, rules) ?? null)
  }
  const document: Record<string, unknown> = {}
  const names = Object.keys(object)
  if (names.length > 1) names.sort(rules.compareNames)
  for (const name of names) {
    const value = copy((object as Record<string, unknown>)[name], name, levels - 1, rules)
    if (value !== undefined) setOwn(document, checkedText(name, rules), value)
  }
  return document
}

/** The message for an object that holds more than its properties, which `JSON.stringify` would not write. */
function lostInJson(object: object): string | undefined {
  if (types.isPromise(object)) return 'a promise, which JSON does not have. Await it.'
  if (types.isMap(object)) return 'a Map, which JSON does not have. Pass Object.fromEntries(map).'
  if (types.isSet(object)) return 'a Set, which JSON does not have. Pass [...set].'
  if (types.isRegExp(object)) return 'a regular expression, which JSON does not have. Pass its source.'
  if (types.isNativeError(object)) return 'an Error, which JSON does not have. Pass its message.'
  return undefined
}

/** What `JSON.rawJSON` makes, in the versions of Node that have it: a number's or a string's own text. */
function isRawJson(object: object): object is { readonly rawJSON: string } {
  const { isRawJSON } = JSON as { isRawJSON?: (value: unknown) => boolean }
  return isRawJSON?.(object) === true
}

/** An assignment to `__proto__` would set the prototype. */
function setOwn(document: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(document, name, { value, writable: true, enumerable: true, configurable: true })
  } else document[name] = value
}

function inJson(key: string): string {
  return key === '' ? 'It' : `${JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key)} in it`
}

export const HALF_A_CHARACTER = 'It contains half of a surrogate pair, which UTF-8 cannot encode.'

function checkedText(text: string, { nul }: JsonRules): string {
  if (!text.isWellFormed()) throw new TypeError(HALF_A_CHARACTER)
  if (!nul && text.includes('\0'))
    throw new TypeError('It contains the character U+0000, which jsonb does not support.')
  return text
}

function checkedWhole(whole: bigint, key: string, { numbers }: JsonRules): number | bigint {
  const number = Number(whole)
  if (Number.isSafeInteger(number)) return number
  if (numbers === 'binary') {
    if (whole >= INT64_MIN && whole <= UINT64_MAX) return whole
    throw new TypeError(
      `${inJson(key)} is ${shown(String(whole))}, of more than 64 bits: it would be rounded. Pass a number or a string.`,
    )
  }
  if (String(whole).replace('-', '').length <= numbers.whole) return whole
  throw new TypeError(`${inJson(key)} has more than ${numbers.whole} digits.`)
}

function checkedDecimal(text: string, key: string, rules: JsonRules): unknown {
  const { numbers } = rules
  const { digits, exponent } = splitNumber(text)
  const { whole, fraction } = numbers === 'binary' ? { whole: 309, fraction: 1_100 } : numbers
  if (exponent >= whole || digits.length - 1 - exponent > fraction)
    throw new TypeError(`${inJson(key)} is ${shown(text)}, which has too many digits.`)
  const number = exactNumber(text, 'decimals')
  if (typeof number === 'bigint') return checkedWhole(number, key, rules)
  if (typeof number !== 'number' && numbers === 'binary')
    throw new TypeError(
      `${inJson(key)} is ${shown(text)}, which the database would round. Pass a number or a string.`,
    )
  return number === 0 ? 0 : number
}

function shown(digits: string): string {
  return digits.length > 60 ? `${digits.slice(0, 60)}…` : digits
}

/** A document, as a row has it, as text. */
export function jsonText(document: unknown): string {
  return isOrdinary(document)
    ? JSON.stringify(document)
    : (stringify(document, undefined, undefined, [
        { test: isWideNumber, stringify: wideNumberText },
      ]) as string)
}

/** Whether `JSON.stringify` writes it as it should be. */
function isOrdinary(document: unknown): boolean {
  if (typeof document === 'number') return !isWideNumber(document)
  if (typeof document !== 'object' || document === null) return typeof document !== 'bigint'
  if (isLosslessNumber(document)) return false
  const items = Array.isArray(document) ? (document as unknown[]) : Object.values(document)
  return items.every(isOrdinary)
}

/** A double without a fraction that has more than 53 bits. */
function isWideNumber(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** With a fraction of 0, which both databases take for a double: without it, it would be read as an integer. */
function wideNumberText(value: unknown): string {
  return `${plainDecimal(String(value))}.0`
}

/** Numbers that may be more than a double: of 16 digits and more, or with an exponent of three. */
const LONG_NUMBER = /\d(?:[\d.]{15,}(?:[eE][+-]?\d+)?|[eE][+-]?\d{3,})/g

/** A zero with a sign, which another program may have written. */
const SIGNED_ZERO = /-0(?:\.0*)?(?:[eE][+-]?\d+)?(?=[\s,\]}]|$)/

/**
 * The text of a document, as the database writes it. Where all long numbers in it are what a `number` is, `JSON.parse` reads
 * it; what looks like one in a string only costs time.
 */
export function readJson(text: string, { numbers }: JsonRules): unknown {
  const fractions = numbers === 'binary' ? 'doubles' : 'decimals'
  if (SIGNED_ZERO.test(text)) return parse(text, undefined, (number) => exactNumber(number, fractions))
  for (const [digits] of text.matchAll(LONG_NUMBER)) {
    if (!isNumber(digits, Number(digits), fractions)) {
      return parse(text, undefined, (number) => exactNumber(number, fractions))
    }
  }
  return JSON.parse(text) as unknown
}

/** The kind of a number with a point or an exponent: GoogleSQL does not always write a double with the fewest digits. */
type Fractions = 'doubles' | 'decimals'

/** A number without the loss of a digit. */
function exactNumber(text: string, fractions: Fractions): number | bigint | LosslessNumber {
  const number = Number(text)
  if (isNumber(text, number, fractions)) return number === 0 ? 0 : number
  const plain = plainDecimal(text)
  return plain.includes('.') ? new LosslessNumber(plain) : BigInt(plain)
}

/** Whether a number is what its text says: a safe integer or a double, which of all decimals is the one in fewest digits. */
function isNumber(text: string, number: number, fractions: Fractions): boolean {
  if (!/[.eE]/.test(text)) return Number.isSafeInteger(number)
  if (!Number.isFinite(number)) return false
  return fractions === 'doubles' || text === String(number) || compareNumber(text, String(number)) === 0
}

/** Without an exponent, and without superfluous zeros: one value has one text. */
function plainDecimal(text: string): string {
  const { sign, digits, exponent } = splitNumber(text)
  const point = exponent + 1
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
