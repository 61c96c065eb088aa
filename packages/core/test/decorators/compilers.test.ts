import { Column, defineSchema, Index, IsothermError, Key, Table, UserType } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

// How compilers call decorators: each list of arguments is the one that the named compiler passes, as printed by a decorator
// that prints its arguments.

type Anywhere = (...args: readonly unknown[]) => unknown

const key = Key() as unknown as Anywhere
const column = Column.string() as unknown as Anywhere
const table = Table('Log') as unknown as Anywhere

const PUT_IT_ON_A_FIELD = 'Put it on a public field, such as `id!: string`, of a class that has @Table.'

/** The names of the columns that a model of this class has. */
const columnsOf = (model: object): readonly string[] =>
  defineSchema([model]).tables[0]!.columns.map(({ property }) => property)

/** What all compilers put into the context of a standard decorator, for every kind of target. */
const common = { addInitializer: () => {} }
const access = { has: () => true, get: () => undefined, set: () => {} }

describe('legacy decorators of @babel/plugin-proposal-decorators 7.29 and 8.0, version "legacy"', () => {
  const descriptor = { configurable: true, enumerable: true, writable: true }

  it('column decorators declare columns on fields with and without an initial value', () => {
    class Log {}
    for (const each of [key, column])
      expect(each(Log.prototype, 'id', { ...descriptor, initializer: null })).toBeUndefined()
    // A value that a decorator returns would replace the descriptor, and with it the initial value.
    expect(column(Log.prototype, 'name', { ...descriptor, initializer: () => 'x' })).toBeUndefined()
    expect(table(Log)).toBeUndefined()
    expect(columnsOf(Log)).toEqual(['id', 'name'])
  })

  it('throw SCHEMA_INVALID for a column decorator on a static field', () => {
    class Log {}
    expect(refusal(() => column(Log, 'shared', { ...descriptor, initializer: () => 'x' }))).toMatchObject({
      code: 'SCHEMA_INVALID',
      column: 'shared',
      message: `@Column.string stands on shared, which is a static field. ${PUT_IT_ON_A_FIELD}`,
    })
  })
})

describe('legacy decorators of TypeScript 5.9 and @swc/core 1.16', () => {
  const value = { writable: true, enumerable: false, configurable: true, value: () => {} }
  const hidden = { enumerable: false, configurable: true, set: undefined, get: undefined }

  it('column decorators declare columns on fields', () => {
    class Log {}
    for (const each of [key, column]) each(Log.prototype, 'id', undefined)
    table(Log)
    expect(columnsOf(Log)).toEqual(['id'])
  })

  it('accept a field named by a number, and defineSchema() rejects its name', () => {
    class Log {}
    for (const each of [key, column]) each(Log.prototype, 7, undefined)
    table(Log)
    expect(refusal(() => defineSchema([Log])).message).toContain(
      'Log.7: has the name "7", which some databases do not support.',
    )
  })

  class Log {}
  it.each<readonly [string, readonly unknown[], string, string | undefined]>([
    ['a method', [Log.prototype, 'm', value], 'm, which is a method', 'm'],
    ['a static method', [Log, 'sm', value], 'sm, which is a static method', 'sm'],
    ['a getter', [Log.prototype, 'g', { ...hidden, get: () => 1 }], 'g, which is a getter', 'g'],
    ['a setter', [Log.prototype, 's', { ...hidden, set: () => {} }], 's, which is a setter', 's'],
    [
      'the keyword accessor',
      [Log.prototype, 'a', { ...hidden, get: () => 1, set: () => {} }],
      'a, which is an accessor',
      'a',
    ],
    ['a static field', [Log, 'shared', undefined], 'shared, which is a static field', 'shared'],
    ['a parameter of a method', [Log.prototype, 'm', 0], 'a parameter of m', undefined],
    ['a parameter of a static method', [Log, 'sm', 0], 'a parameter of sm', undefined],
    ['a parameter of the constructor', [Log, undefined, 0], 'a parameter of the constructor', undefined],
  ])('throw SCHEMA_INVALID for a column decorator and for @Table on %s', (_, args, on, member) => {
    const error = refusal(() => column(...args))
    expect(error).toMatchObject({
      code: 'SCHEMA_INVALID',
      message: `@Column.string stands on ${on}. ${PUT_IT_ON_A_FIELD}`,
    })
    expect(error.column).toBe(member)
    expect(refusal(() => table(...args)).message).toBe(`@Table stands on ${on}. Put it on a class.`)
  })

  it('reject a column decorator on a class', () => {
    expect(refusal(() => column(Log)).message).toBe(
      `@Column.string stands on Log, which is a class. ${PUT_IT_ON_A_FIELD}`,
    )
  })
})

describe('standard decorators of TypeScript 5.9, @swc/core 1.16 ("2022-03", "2023-11") and Babel ("2023-11")', () => {
  const at = (context: object): readonly unknown[] => [
    undefined,
    { static: false, private: false, metadata: {}, access, ...common, ...context },
  ]

  it('column decorators declare columns on fields', () => {
    const metadata = {}
    for (const each of [key, column]) each(...at({ kind: 'field', name: 'id', metadata }))
    class Log {}
    table(Log, { kind: 'class', name: 'Log', metadata, ...common })
    expect(columnsOf(Log)).toEqual(['id'])
  })

  it.each<readonly [string, object]>([
    ['m, which is a method', { kind: 'method', name: 'm' }],
    ['m, which is a static method', { kind: 'method', name: 'm', static: true }],
    ['#m, which is a private method', { kind: 'method', name: '#m', private: true }],
    ['g, which is a getter', { kind: 'getter', name: 'g' }],
    ['s, which is a setter', { kind: 'setter', name: 's' }],
    ['a, which is an accessor', { kind: 'accessor', name: 'a' }],
    ['a, which is a static accessor', { kind: 'accessor', name: 'a', static: true }],
    ['f, which is a static field', { kind: 'field', name: 'f', static: true }],
    ['#f, which is a private field', { kind: 'field', name: '#f', private: true }],
    ['#f, which is a static private field', { kind: 'field', name: '#f', static: true, private: true }],
    ['Symbol(s), which is a field whose name is a symbol', { kind: 'field', name: Symbol('s') }],
    ['Log, which is a class', { kind: 'class', name: 'Log' }],
  ])('throw an error for a column decorator on %s', (on, context) => {
    expect(refusal(() => column(...at(context))).message).toBe(
      `@Column.string stands on ${on}. ${PUT_IT_ON_A_FIELD}`,
    )
  })
})

describe('standard decorators without metadata', () => {
  const noMetadata = (on: string): string =>
    `stands on ${on}, and the compiler gave the decorator no metadata object. Use TypeScript 5.2 or newer, or set ` +
    '"experimentalDecorators": true in tsconfig.json. For @babel/plugin-proposal-decorators set version: "2023-11" or "legacy".'

  it.each<readonly [string, object]>([
    ['TypeScript 5.0 and 5.1', { static: false, private: false, access, ...common }],
    ['Babel 7.29, version "2022-03" or "2023-01"', { static: false, private: false, access }],
    [
      'Babel 7.29, version "2021-12"',
      { isStatic: false, isPrivate: false, getMetadata: () => {}, setMetadata: () => {} },
    ],
  ])('throw SCHEMA_INVALID and name the compiler settings that add metadata: %s', (_, rest) => {
    expect(refusal(() => column(undefined, { kind: 'field', name: 'id', ...rest }))).toMatchObject({
      code: 'SCHEMA_INVALID',
      column: 'id',
      message: `@Column.string ${noMetadata('id, which is a field')}`,
    })
    class Log {}
    for (const [name, decorate] of [
      ['Table', table],
      ['Index', Index({ on: ['id'] }) as unknown as Anywhere],
      ['UserType', UserType('log') as unknown as Anywhere],
    ] as const) {
      const error = refusal(() => decorate(Log, { kind: 'class', name: 'Log', ...common }))
      expect(error.message).toBe(`@${name} ${noMetadata('Log, which is a class')}`)
      expect(error.column).toBeUndefined()
    }
  })
})

describe('decorators of the proposal of 2018-09: Next.js 16.4 with Turbopack, and Babel 7.29, version "2018-09"', () => {
  const tag = { [Symbol.toStringTag]: 'Descriptor' }
  const inNext =
    'and is called as in the decorators proposal of 2018-09, which is not supported. In Next.js, set ' +
    '"experimentalDecorators": true in tsconfig.json. For @babel/plugin-proposal-decorators set version: "2023-11" or "legacy".'

  it.each<readonly [string, string, object]>([
    ['a field', 'id', { kind: 'field', key: 'id', placement: 'own', descriptor: {}, initializer: undefined }],
    [
      'a static field',
      'shared',
      { kind: 'field', key: 'shared', placement: 'static', descriptor: {}, initializer: () => '' },
    ],
    ['a method', 'm', { kind: 'method', key: 'm', placement: 'prototype', descriptor: {} }],
  ])('throw SCHEMA_INVALID for a column decorator on %s', (what, name, element) => {
    expect(refusal(() => column({ ...element, ...tag }))).toMatchObject({
      code: 'SCHEMA_INVALID',
      column: name,
      message: `@Column.string stands on ${name}, which is ${what}, ${inNext}`,
    })
  })

  it('throw SCHEMA_INVALID for @Table on a class', () => {
    const error = refusal(() => table({ kind: 'class', elements: [], ...tag }))
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID', message: `@Table stands on a class, ${inNext}` })
    expect(error.column).toBeUndefined()
  })
})

it.each<readonly [string, readonly unknown[]]>([
  ['no arguments', []],
  ['a text', ['id']],
  ['a single object', [{}]],
  ['a text as a descriptor', [{}, 'id', 'x']],
  ['a class and null', [class {}, null]],
])('a decorator rejects a call with %s, because no compiler passes these arguments', (_, args) => {
  for (const decorate of [column, table]) {
    const error = refusal(() => decorate(...args))
    expect(error).toBeInstanceOf(IsothermError)
    expect(error.message).toMatch(/was called with arguments that no compiler of decorators passes\. Compile/)
  }
})
