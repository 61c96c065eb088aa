import { nearName } from '@isotherm/core/adapter'
import {
  shown,
  anything,
  callback,
  checkArgument,
  checkOptions,
  either,
  flag,
  listOf,
  number,
  numberFrom,
  objectWith,
  oneOf,
  options,
  recordOf,
  required,
  secret,
  text,
  wholeNumber,
} from '@isotherm/core/engine'
import { IsothermError } from '@isotherm/core'
import { describe, expect, test } from 'vitest'
import { alternatives, distinct, optionMistakes } from '../src/options.js'
import { refusal as refusalOf } from './support/refusal.js'

const KINDS = {
  driver: required(objectWith('a driver', 'query')),
  timeoutMs: numberFrom(0, 'a number of milliseconds'),
  shards: wholeNumber(1, 100),
  split: flag,
  strategy: oneOf('hash', 'random'),
  of: distinct(listOf(text("'id'"), 'a list of properties')),
  labels: recordOf(text("'x'")),
  indexes: listOf(options({ name: text("'ByName'"), columns: anything })),
  rows: either("'own' or a number", oneOf('own'), wholeNumber(1)),
  target: listOf(text("'a'"), "a list of columns, such as ['a']"),
  source: either(
    "'none', { file } or { url }",
    oneOf('none'),
    alternatives(
      '{ file } or { url }',
      { file: text("'a.txt'") },
      { url: text("'https://…'"), retries: number },
    ),
  ),
}
const driver = { query: () => {} }

/** What is refused, as a user reads it. */
function refusal(input: unknown): string {
  try {
    checkOptions('open', KINDS as never, input)
  } catch (error) {
    if (!(error instanceof IsothermError && error.code === 'INVALID_OPTION')) throw error
    return error.message
  }
  return 'accepted'
}

class Settings {
  readonly driver = driver
}

const revoked = Proxy.revocable({ driver }, {})
revoked.revoke()

const throwing = (): never => {
  throw new RangeError('raw')
}

describe('option checks', () => {
  const refused: readonly (readonly [input: unknown, message: string])[] = [
    [{ driver, timeuotMs: 5 }, 'open: timeuotMs is not an option. Did you mean timeoutMs?'],
    [{ driver, spilt: undefined }, 'open: spilt is not an option. Did you mean split?'],
    [{ driver, bogus: 1 }, 'open: bogus is not an option. The options are driver, timeoutMs, shards'],
    [
      { driver, timeuotMs: 5, spilt: undefined },
      'open: timeuotMs and spilt are not options. Did you mean timeoutMs for timeuotMs and split for spilt? The options are driver, timeoutMs, shards',
    ],
    [
      { driver, bogus: 1, spilt: true, split: 'yes', other: 2 },
      'open: bogus, spilt and other are not options. Did you mean split for spilt? The options are driver,',
    ],
    [{ driver, bogus: 1, 'a b': 1 }, "open: bogus and ['a b'] are not options. The options are driver,"],
    [{ driver, [Symbol('x')]: 1 }, 'open: [Symbol(x)] is not an option.'],
    [{ driver, 'a b': 1 }, "open: ['a b'] is not an option."],
    [
      { driver, __proto__: { split: 1 } },
      'open: the options object is { driver: { query: [Function: query] } }.',
    ],
    [{ driver, split: 'false' }, "open: split is 'false'. Give true or false."],
    [{ driver, split: null }, 'open: split is null. Give true or false.'],
    [{ driver, timeoutMs: '5' }, "open: timeoutMs is '5'. Give a number of milliseconds from 0."],
    [{ driver, timeoutMs: NaN }, 'open: timeoutMs is NaN.'],
    [{ driver, shards: 1.5 }, 'open: shards is 1.5. Give a whole number from 1 to 100.'],
    [{ driver, strategy: 'bogus' }, "open: strategy is 'bogus'. Give one of 'hash', 'random'."],
    [{ driver, of: 'id' }, "open: of is 'id'. Give a list of properties: […]."],
    [{ driver, of: ['id', 5] }, "open: of[1] is 5. Give a text, such as 'id'."],
    // eslint-disable-next-line no-sparse-arrays
    [{ driver, of: ['id', , 'name'] }, 'open: of[1] is undefined.'],
    [{ driver, of: ['id', 'id'] }, "open: of has 'id' twice. Name it once."],
    [{ driver, target: 'a' }, "open: target is 'a'. Give a list of columns, such as ['a']."],
    [{ driver, source: 'file' }, "open: source is 'file'. Give 'none', { file } or { url }."],
    [{ driver, source: {} }, "open: source is {}. Give 'none', { file } or { url }."],
    [{ driver, source: { url: undefined } }, "open: source is { url: undefined }. Give 'none', { file } or"],
    [{ driver, source: { retries: 1 } }, "open: source is { retries: 1 }. Give 'none', { file } or { url }."],
    [{ driver, source: { file: 5 } }, "open: source.file is 5. Give a text, such as 'a.txt'."],
    [
      { driver, source: { url: 'b', file: 'a' } },
      "open: source.url is 'b'. Leave out file or url: they exclude each other.",
    ],
    [
      { driver, source: { file: 'a', retries: 2 } },
      'open: source.retries is 2. Leave out file or retries: they exclude each other.',
    ],
    [
      { driver, source: { fil: 'a' } },
      'open: source.fil is not an option. Did you mean file? The options are file, url, retries.',
    ],
    [{ driver, labels: { a: 1 } }, "open: labels.a is 1. Give a text, such as 'x'."],
    [{ driver, labels: new Map() }, 'open: labels is Map(0) {}. Give a plain object'],
    [
      { driver, indexes: [{}, { colums: [] }] },
      'open: indexes[1].colums is not an option. Did you mean columns?',
    ],
    [
      { driver, indexes: [{ colums: [], nam: 'a' }] },
      'open: indexes[0].colums and indexes[0].nam are not options. Did you mean columns for colums and name for nam? The options are name, columns.',
    ],
    [
      { driver, source: { fil: 'a', urll: 'b' } },
      'open: source.fil and source.urll are not options. Did you mean file for fil and url for urll? The options are file, url,',
    ],
    [{ driver, indexes: [null] }, 'open: indexes[0] is null.'],
    [{ driver, rows: 'theirs' }, "open: rows is 'theirs'. Give 'own' or a number."],
    [{ driver: {} }, 'open: driver is {}. Give a driver.'],
    [{}, 'open: driver is missing. Give a driver.'],
    [{ driver: undefined }, 'open: driver is missing.'],
    [undefined, 'open: driver is missing.'],
    [null, 'open: the options object is null.'],
    [[driver], 'open: the options object is [ { query: [Function: query] } ].'],
    ['text', "open: the options object is 'text'."],
    [5, 'open: the options object is 5.'],
    [new Settings(), 'open: the options object is Settings { driver: { query: [Function: query] } }.'],
    [Object.create({ driver }), 'open: the options object is {}. Give a plain object'],
    [
      {
        get driver() {
          return driver
        },
      },
      'open: driver is a getter. Give its value.',
    ],
    [
      {
        driver,
        get split() {
          return throwing()
        },
      },
      'open: split is a getter.',
    ],
    [new Proxy({ driver }, { ownKeys: throwing }), 'open: the options object cannot be read'],
    [revoked.proxy, 'open: the options object cannot be read'],
    [{ driver, of: new Proxy([], { get: throwing }) }, 'open: the options object cannot be read'],
  ]
  // The values themselves are in no title: to print some of them is to run them.
  test.each(refused.map(([input, message]) => ({ message, read: () => input })))(
    'rejects options with the message: $message',
    ({ read, message }) => {
      expect(refusal(read())).toContain(message)
    },
  )

  test.each([
    { driver },
    { driver, source: 'none' },
    { driver, source: { file: 'a', url: undefined } },
    { driver, source: { url: 'b', retries: 2 } },
    Object.assign(Object.create(null), { driver }),
    { driver, timeoutMs: undefined, split: undefined },
    { driver, timeoutMs: 0, shards: 100, split: false, strategy: 'hash', of: [], rows: 'own' },
    {
      driver: new (class {
        query() {}
      })(),
      labels: {},
      indexes: [{ name: 'a' }],
      rows: 7,
    },
    new Proxy({ driver }, {}),
  ])('accepts valid options, case %#', (input) => {
    expect(refusal(input)).toBe('accepted')
  })

  const hidden = 'wJalrXUtnFEMI'
  class Keys {
    readonly secretKey = hidden
  }
  const secrets = {
    keys: secret(
      either('keys, or a function', callback, options({ id: text("'A'"), secretKey: text("'…'") })),
    ),
    seeds: secret(listOf(text("'…'"))),
    own: secret(anything),
    port: wholeNumber(1),
  }

  test.each([
    [{ keys: new Keys() }, 'keys is an object of the class Keys. Give keys, or a function.'],
    [{ keys: hidden }, 'keys is a text. Give keys, or a function.'],
    [{ keys: null }, 'keys is null.'],
    [{ keys: [hidden] }, 'keys is a list.'],
    [{ keys: { secretKey: Buffer.from(hidden) } }, 'keys.secretKey is an object of the class Buffer.'],
    [{ keys: { secretKey: { hidden } } }, 'keys.secretKey is a plain object.'],
    [{ keys: { [hidden.slice(0, 3)]: hidden } }, 'keys.wJa is not an option.'],
    [{ keys: { idd: hidden, other: hidden } }, 'keys.idd and keys.other are not options. Did you mean id'],
    [{ seeds: [{ hidden }] }, 'seeds[0] is a plain object.'],
    [{ port: '5', keys: { secretKey: hidden } }, "port is '5'."],
    [[{ own: hidden }], 'the options object is a list.'],
    [new Keys(), 'the options object is an object of the class Keys.'],
  ])('shows no value of a secret option in the error, case %#', (input, message) => {
    const error = refusalOf(() => checkOptions('open', secrets as never, input))
    expect(error.message).toContain(`open: ${message}`)
    expect(`${error.message} ${error.fix}`).not.toContain(hidden)
  })

  test('optionMistakes() reports every mistake of an options object', () => {
    const found = optionMistakes(KINDS, { driver, split: 1, spilt: 2, of: [1, 2] })
    expect(found.map(({ path }) => path)).toEqual(['spilt', 'split', 'of[0]', 'of[1]'])
  })

  test('optionMistakes() reports all unknown names of one object as one mistake, before other mistakes', () => {
    const found = optionMistakes(KINDS, {
      driver,
      split: 1,
      spilt: 2,
      bogus: 3,
      indexes: [{ nam: 'a', by: 1 }],
    })
    expect(found.map(({ message }) => message)).toEqual([
      'indexes[0].nam and indexes[0].by are not options.',
      'spilt and bogus are not options.',
      'split is 1.',
    ])
    expect(found.map(({ unknown }) => unknown)).toEqual([
      ['indexes[0].nam', 'indexes[0].by'],
      ['spilt', 'bogus'],
      undefined,
    ])
  })

  test('names at most ten unknown options of one object, and counts the rest', () => {
    const input = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`spilt${at}`, at]))
    const { message } = refusalOf(() => checkOptions('open', KINDS as never, { driver, ...input }))
    expect(message).toMatch(/^open: spilt0, spilt1, .* spilt9 and 990 others are not options\./)
    expect(message).not.toContain('spilt10')
  })

  test('reports at most twenty mistakes of a list with 10,000 items', () => {
    expect(optionMistakes(KINDS, { driver, of: new Array(10_000) })).toHaveLength(20)
  })

  test('checkArgument() names the call and the invalid argument in the error', () => {
    expect(() => checkArgument('db.get', 'key', recordOf(anything), [])).toThrow(
      'db.get: key is []. Give a plain object',
    )
    expect(() => checkArgument('db.get', 'key', recordOf(anything), undefined)).toThrow(
      'db.get: key is undefined.',
    )
  })

  test.each([
    ['lenght', 'length'],
    ['primarykey', 'primaryKey'],
    ['shrads', 'shards'],
    ['colums', 'columns'],
    ['bogus', undefined],
    ['', undefined],
    ['x'.repeat(1_000_000), undefined],
  ])('nearName() returns the known name closest to %s, or undefined', (input, near) => {
    expect(nearName(input, ['length', 'primaryKey', 'shards', 'columns', 'by'])).toBe(near)
  })

  test('shown() formats a value without calling its getters, toString() or toJSON()', () => {
    const hostile = {
      toString: throwing,
      toJSON: throwing,
      [Symbol.for('nodejs.util.inspect.custom')]: throwing,
      get at() {
        return throwing()
      },
    }
    expect(shown(hostile)).toContain('at: [Getter]')
    expect(shown(new Proxy({}, { get: throwing, ownKeys: throwing }))).toBe('{}')
    expect(shown(revoked.proxy)).toBe('<Revoked Proxy>')
    expect(shown('x'.repeat(1_000_000)).length).toBeLessThan(141)
    const named = {
      get [Symbol.toStringTag]() {
        return throwing()
      },
    }
    // Node 20 asks an object for its tag, Node 24 shows that it has one.
    expect([
      'a value of type object',
      '{ Symbol(Symbol.toStringTag): [Getter] }',
      `{ [Symbol(Symbol.toStringTag)]: [Getter] }`,
    ]).toContain(shown(named))
  })
})
