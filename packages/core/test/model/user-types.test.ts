import { defineSchema, defineTable, defineUserType, type Schema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { compileDdl } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { findingsOf, findingsWith, refusal } from '../support/refusal.js'

const text = { kind: 'string', length: 'max' } as const

const Country = defineUserType('country', (t) => ({ code: t.ascii(), names: t.map(text, text) }))
const Address = defineUserType('address', (t) => ({
  street: t.string(),
  country: t.udt(Country, { nullable: true }),
}))
const Person = defineTable('person', (t) => ({
  id: t.uuidV4(),
  home: t.udt(Address, { nullable: true }),
}))

const country = {
  name: 'country',
  fields: [
    { name: 'code', type: { kind: 'ascii' } },
    { name: 'names', type: { kind: 'map', key: text, of: text, frozen: true } },
  ],
}
const address = {
  name: 'address',
  fields: [
    { name: 'street', type: text },
    { name: 'country', type: { kind: 'udt', name: 'country', frozen: true }, nullable: true },
  ],
}

describe('defineSchema() with user types', () => {
  it('adds a user type with the column that uses the type, after the user types of its fields', () => {
    const schema = defineSchema([Person])
    expect(schema.userTypes).toStrictEqual([country, address])
    expect(schema.tables[0]!.columns[1]).toStrictEqual({
      property: 'home',
      name: 'home',
      type: { kind: 'udt', name: 'address' },
      nullable: true,
      immutable: false,
      inherited: false,
    })
  })

  it('leaves userTypes out of a schema whose columns use no user type', () => {
    const schema = defineSchema([defineTable('Log', (t) => ({ id: t.uuidV4() }))])
    expect(schema).not.toHaveProperty('userTypes')
  })

  it('freezes user types inside collections and tuples without an option', () => {
    const Team = defineTable('team', (t) => ({
      id: t.uuidV4(),
      homes: t.array(Address),
      byName: t.map(text, Address),
      pair: t.tuple([Country, { kind: 'int32' }]),
      key: t.udt(Country, { frozen: true }),
    }))
    const { tables, userTypes } = defineSchema([Team])
    const frozen = { kind: 'udt', name: 'address', frozen: true }
    expect(tables[0]!.columns.slice(1).map(({ type }) => type)).toStrictEqual([
      { kind: 'array', of: frozen },
      { kind: 'map', key: text, of: frozen },
      { kind: 'tuple', of: [{ ...frozen, name: 'country' }, { kind: 'int32' }] },
      { kind: 'udt', name: 'country', frozen: true },
    ])
    expect(userTypes).toStrictEqual([country, address])
  })

  it('accepts a user type by name when the option userTypes contains its model, and rejects the name otherwise', () => {
    const Team = defineTable('team', (t) => ({
      id: t.uuidV4(),
      homes: t.array({ kind: 'udt', name: 'address', frozen: true }),
    }))
    expect(defineSchema([Team], { userTypes: [Address] }).userTypes).toStrictEqual([country, address])
    expect(findingsOf(Team)).toStrictEqual([
      {
        table: 'team',
        column: 'homes',
        message: 'is of the user type address, which is not in this schema.',
        fix: 'Name its model, t.udt(Model), or pass it to defineSchema: userTypes: [Model].',
      },
    ])
  })

  it('freezes the data of a user type, and keeps the data equal after a round trip through JSON', () => {
    const schema = defineSchema([Person])
    const read = JSON.parse(JSON.stringify(schema)) as Schema
    expect(read).toStrictEqual(schema)
    expect(Object.isFrozen(schema.userTypes![0]!.fields[1]!.type)).toBe(true)
  })

  const empty = { table: 'Log', columns: defineTable('Log', (t) => ({ id: t.uuidV4() })) }
  const messages = (...userTypes: readonly object[]) =>
    findingsWith({ userTypes }, empty.columns).map(({ table, column, message }) => [table, column, message])

  it('rejects a user type without fields, with an invalid or repeated name, and a table in place of a user type', () => {
    expect(messages(defineUserType('bare', () => ({})))).toStrictEqual([
      ['bare', undefined, 'has no fields.'],
    ])
    expect(messages(defineUserType('a b', (t) => ({ x: t.bool() })))).toStrictEqual([
      ['a b', undefined, 'has the name "a b", which some databases do not support.'],
    ])
    expect(
      messages(
        defineUserType('same', (t) => ({ x: t.bool() })),
        defineUserType('Same', (t) => ({ x: t.bool() })),
      ),
    ).toStrictEqual([['Same', undefined, 'has the same name as another user type.']])
    expect(messages(defineUserType('twice', (t) => ({ x: t.bool(), X: t.bool() })))).toStrictEqual([
      ['twice', 'X', 'is declared twice.'],
    ])
    expect(messages(defineTable('Other', (t) => ({ id: t.uuidV4() })))).toStrictEqual([
      ['Other', undefined, 'is not a user type.'],
    ])
  })

  it.each([
    ['is a key part', 'key', (t: Fields) => t.bool().key()],
    ['has the option name', 'name', (t: Fields) => t.bool({ name: 'y' })],
    ['has a default', 'default', (t: Fields) => t.bool({ default: true })],
    ['is static', 'static', (t: Fields) => t.bool({ static: true })],
  ])('rejects a user type in which a field %s', (_, says, field) => {
    expect(
      messages(defineUserType('loose', (t) => ({ x: field(t) as ReturnType<Fields['bool']> }))),
    ).toStrictEqual([['loose', 'x', `is a field of a user type, and declares ${says}.`]])
  })

  it('rejects a user type with a field of an invalid type or a counter', () => {
    expect(
      messages(defineUserType('loose', (t) => ({ x: t.array({ kind: 'counter' }), y: t.vector(0) }))),
    ).toStrictEqual([
      ['loose', 'x', 'is an array of counters, but a counter has to be a column of its own.'],
      ['loose', 'y', 'has 0 dimensions.'],
    ])
    const counting = defineUserType('loose', (t) => ({
      x: (t as unknown as { counter: Fields['bool'] }).counter(),
    }))
    expect(messages(counting)).toStrictEqual([['loose', 'x', 'is a counter within a user type.']])
  })

  it('rejects user types that contain each other', () => {
    const Node = defineUserType('node', (t) => ({
      next: t.array({ kind: 'udt', name: 'link', frozen: true }),
    }))
    const Link = defineUserType('link', (t) => ({ to: t.udt(Node) }))
    expect(messages(Node, Link)).toStrictEqual([
      ['link', undefined, 'contains itself.'],
      ['node', undefined, 'contains itself.'],
    ])
  })

  it('rejects a key column whose user type contains a duration in a nested field', () => {
    const Span = defineUserType('span', (t) => ({ lengths: t.array({ kind: 'duration' }) }))
    const Job = defineUserType('job', (t) => ({ name: t.string(), span: t.udt(Span) }))
    const Plan = defineTable('plan', (t) => ({ job: t.tuple([Job]).key(), other: t.udt(Job) }))
    expect(findingsOf(Plan)).toStrictEqual([
      {
        table: 'plan',
        column: 'job',
        message: 'is in the primary key, but contains array of duration, which cannot be in a key.',
        fix: 'Choose another column, or take that field out of the user type.',
      },
    ])
  })

  it('rejects a set of a user type that contains a duration in a nested field', () => {
    const Span = defineUserType('span', (t) => ({ days: t.array({ kind: 'duration' }, { frozen: true }) }))
    const Stay = defineUserType('stay', (t) => ({ span: t.udt(Span), all: t.set(Span) }))
    const Trip = defineTable('trip', (t) => ({
      id: t.uuidV4(),
      stays: t.set(Stay),
      list: t.array(Stay),
    }))
    expect(findingsOf(Trip).map(({ table, column, message }) => [table, column, message])).toEqual([
      ['stay', 'all', 'is a set of user type span, and durations have no order.'],
      ['trip', 'stays', 'is a set of user type stay, and durations have no order.'],
    ])
  })

  it('compileDdl() rejects schema data from JSON in which a user type is missing', () => {
    const schema = JSON.parse(JSON.stringify(defineSchema([Person]))) as { userTypes: unknown[] }
    schema.userTypes = schema.userTypes.slice(1)
    expect(refusal(() => compileDdl(schema as unknown as Schema, { dialect: googlesql })).message).toContain(
      'address.country: is of the user type country, which is not in this schema.',
    )
  })

  it('rejects t.udt() of a table, of a plain class and of undefined', () => {
    const declare = (model: unknown) => () =>
      defineTable('T', (t) => ({ id: t.udt(model as typeof Address) }))
    const wrong: readonly (readonly [model: unknown, shown: string])[] = [
      [Person, "{ name: 'person'"],
      [class Plain {}, '[class Plain]'],
      [undefined, 'undefined'],
    ]
    for (const [model, what] of wrong)
      expect(findingsOf(declare(model)())).toMatchObject([
        { table: 'T', column: 'id', message: expect.stringContaining(`the user type is ${what}`) },
      ])
  })
})

type Fields = Parameters<Parameters<typeof defineUserType>[1]>[0]
