import {
  Column,
  defineSchema,
  Index,
  Table,
  UserType,
  Key,
  ParentKey,
  ShardKey,
  HashKey,
  BitReversedId,
  Sequential,
  UuidV4,
  DescTimestamp,
  TimeBucket,
  TimeUuid,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

// Run in both decorator modes.

// TypeScript rejects most of these uses at compile time. The casts avoid this, as in tools that do not check types.
type Anywhere = (target: unknown, second?: unknown) => void
const bare = (decorator: unknown): Anywhere => decorator as Anywhere

const calls: Readonly<Record<string, string>> = {
  ShardKey: "@ShardKey({ shards: 64, of: ['property'] })",
  HashKey: "@HashKey({ of: ['property'] })",
  Sequential: "@Sequential({ from: inTransaction('name') })",
  TimeBucket: "@TimeBucket({ by: 'day', of: 'property' })",
  'Column.array': "@Column.array({ kind: 'string', length: 'max' })",
  'Column.set': "@Column.set({ kind: 'ascii' })",
  'Column.map': "@Column.map({ kind: 'ascii' }, { kind: 'int32' })",
  'Column.tuple': "@Column.tuple([{ kind: 'ascii' }, { kind: 'int32' }])",
  'Column.udt': '@Column.udt(UserTypeClass)',
  'Column.vector': '@Column.vector(768)',
}

const keys = {
  Key,
  ParentKey,
  ShardKey,
  HashKey,
  BitReversedId,
  Sequential,
  UuidV4,
  DescTimestamp,
  TimeBucket,
  TimeUuid,
}

const fields: readonly (readonly [string, Anywhere])[] = [
  ...Object.entries(keys).map(([name, decorator]) => [name, bare(decorator)] as const),
  ['Column', bare(Column)],
  ...Object.entries(Column).map(([name, decorator]) => [`Column.${name}`, bare(decorator)] as const),
]

it('the tested decorators include every key decorator and all 28 column types', () => {
  expect(fields).toHaveLength(Object.keys(keys).length + 1 + 28)
})

describe.each(fields)('the column decorator @%s without parentheses', (name, decorate) => {
  it('throws SCHEMA_INVALID on a field and suggests the call with parentheses', () => {
    const error = refusal(() => {
      class Log {
        @decorate
        id!: string
      }
      return Log
    })
    expect(error).toMatchObject({
      code: 'SCHEMA_INVALID',
      column: 'id',
      message: `@${name} on id, which is a field, is written without a call. Write ${calls[name] ?? `@${name}()`}.`,
    })
  })

  it('throws an error on a method that says that the call is missing', () => {
    const error = refusal(() => {
      class Log {
        @decorate
        method(): void {}
      }
      return Log
    })
    expect(error.message).toContain(`@${name} on method, which is a method, is written without a call.`)
  })
})

describe.each([
  ['Table', bare(Table), "@Table('TableName')"],
  ['Index', bare(Index), "@Index({ on: ['property'] })"],
  ['UserType', bare(UserType), "@UserType('type_name')"],
  ['Key', bare(Key), '@Key()'],
  ['Column.string', bare(Column.string), '@Column.string()'],
])('the decorator @%s without parentheses on a class', (name, decorate, call) => {
  it('throws SCHEMA_INVALID and suggests the call with parentheses', () => {
    const error = refusal(() => {
      @decorate
      class Log {}
      return Log
    })
    expect(error).toMatchObject({
      code: 'SCHEMA_INVALID',
      message: `@${name} on Log, which is a class, is written without a call. Write ${call}.`,
    })
  })
})

it('@Key without parentheses throws an error that names the unsupported decorators proposal of 2018-09', () => {
  const element = { kind: 'field', key: 'id', placement: 'own', descriptor: {} }
  expect(refusal(() => Key(element as object)).message).toContain(
    'proposal of 2018-09, which is not supported.',
  )
})

it('column decorators accept column types and user type classes as arguments', () => {
  @UserType('address')
  class Address {
    @Column.string() street!: string
  }
  @Table('Log')
  class Log {
    @Key() @Column.ascii() id!: string
    @Column.map({ kind: 'ascii' }, { kind: 'int32' }) counts!: ReadonlyMap<string, number>
    @Column.set({ kind: 'map', key: { kind: 'ascii' }, of: { kind: 'int32' }, frozen: true })
    sets!: ReadonlySet<ReadonlyMap<string, number>>
    @Column.udt(Address) home!: Address
  }
  expect(defineSchema([Log]).tables[0]!.columns.map(({ property }) => property)).toEqual([
    'id',
    'counts',
    'sets',
    'home',
  ])
})
