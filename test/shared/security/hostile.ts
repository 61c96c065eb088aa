import { IsothermError, type IsothermErrorCode } from '@isotherm/core'
import fc from 'fast-check'

// Strings with a meaning in SQL or in JavaScript, and strings that look like others.

const QUOTES = ["'", '"', '`', "''", '""', '``', '\\', "\\'", '\\`', '\\"', "'''", '$$', '$tag$', "E'", "U&'"]
const SQL = [
  ';',
  '--',
  '-- ',
  '#',
  '/*',
  '*/',
  '/*@ FORCE_INDEX=x */',
  '@{FORCE_INDEX=x}',
  '$1',
  '@p1',
  '@p2',
  '?',
  ':x',
  '(',
  ')',
  ',',
  '.',
  '=',
  '%',
  '*',
  ' OR 1=1',
  ' UNION ALL SELECT ',
  'DROP TABLE ',
  ') PRIMARY KEY (id)',
  'spanner.commit_timestamp()',
  'PENDING_COMMIT_TIMESTAMP()',
]
const CONTROLS = ['\0', '\n', '\r', '\r\n', '\t', '\b', '\x1b', '\x7f', '\u0085']
const LOOK_ALIKES = [
  '\u2019',
  '\u02BC',
  '\uFF07',
  '\uFF02',
  '\uFF40',
  '\uFF1B',
  '\u037E',
  '\u2013\u2013',
  '\u0435',
  '\u202E',
  '\u200F',
  '\u2066',
  '\u200B',
  '\uFEFF',
  '\u2028',
  '\u2029',
  '\u{1F600}',
]
const TEMPLATES = ['${1}', '${process.exit(1)}', '`${x}`', '{{x}}', '%s', '<%= x %>']

/** Names of properties that objects inherit. */
export const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'toJSON',
  'then',
  '__defineGetter__',
  '__lookupSetter__',
]

export const RESERVED_WORDS = [
  'SELECT',
  'select',
  'TABLE',
  'FROM',
  'WHERE',
  'ORDER',
  'GROUP',
  'HASH',
  'AT',
  'NULL',
  'TRUE',
  'DEFAULT',
  'USER',
  'AND',
  'OR',
  'NOT',
  'ALL',
  'PRIMARY',
  'INTERVAL',
]

const PAYLOADS = [
  "'; DROP TABLE Canary; --",
  '"; DROP TABLE "Canary"; --',
  '`; DROP TABLE `Canary`; --',
  "x' OR '1'='1",
  'Evil` (id INT64) PRIMARY KEY (id) --',
  'Evil" (id bigint PRIMARY KEY) --',
  'id` INT64) PRIMARY KEY (`id`), ROW DELETION POLICY (OLDER_THAN(`at`, INTERVAL 0 DAY)) --',
  '{"__proto__": {"polluted": true}}',
  'a.b',
  'a.b.c',
  '.',
  '..',
  '',
  ' ',
  'x'.repeat(8192),
  '`'.repeat(8192),
  "'".repeat(8191),
  '\\'.repeat(8191),
  '\u{1F600}'.repeat(2048),
]

const fragment = fc.constantFrom(
  ...QUOTES,
  ...SQL,
  ...CONTROLS,
  ...LOOK_ALIKES,
  ...TEMPLATES,
  ...PROTOTYPE_NAMES,
  ...RESERVED_WORDS,
)

/** Valid UTF-8 text that an attacker would type. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.oneof(fragment, fc.string({ maxLength: 5 }), fc.string({ unit: 'binary', maxLength: 3 })), {
        minLength: 1,
        maxLength: 6,
      })
      .map((parts) => parts.join('')),
  },
  { weight: 2, arbitrary: fc.constantFrom(...PAYLOADS, ...PROTOTYPE_NAMES, ...RESERVED_WORDS) },
)

/** The same, including half of a surrogate pair. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: hostileText },
  { weight: 1, arbitrary: hostileText.map((text) => `${text}\uD83D`) },
)

/** The properties that every object inherits, which must never change. */
export function inheritedByAll(): unknown {
  return [Object.prototype, Array.prototype, Function.prototype, String.prototype].map((prototype) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype)).map(([name, { value, get, set }]) => [
      name,
      value,
      get,
      set,
    ]),
  )
}

/** Returns an IsothermError with the code; throws every other error again. */
export function named(error: unknown, ...codes: readonly IsothermErrorCode[]): IsothermError {
  if (error instanceof IsothermError && (codes.length === 0 || codes.includes(error.code))) return error
  throw error
}

/** The result of the work, or its IsothermError. */
export function attempt<T>(run: () => T): T | IsothermError {
  try {
    return run()
  } catch (error) {
    return named(error)
  }
}
