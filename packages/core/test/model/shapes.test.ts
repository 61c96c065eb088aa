import { ColumnBuilder } from '@isotherm/core/adapter'
import {
  IsothermError,
  SchemaError,
  defineSchema,
  defineUserType,
  defineTable,
  type SchemaOptions,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { type DefineTableOptions } from '../../src/model/define-table.js'

// Models as they are declared in JavaScript, without a type check by a compiler.

const Customer = defineTable('Customer', (t) => ({ id: t.uuidV4().key() }), {
  checks: [{ name: 'Named', expression: { googlesql: 'TRUE' } }],
})

const Address = defineUserType('address', (t) => ({ street: t.string() }))

const options = {
  interleaveIn: () => Customer,
  onDelete: 'cascade',
  primaryKey: ['id', 'shard', 'at'],
  indexes: [
    {
      name: 'ByNote',
      on: ['note', { property: 'at', order: 'desc' }],
      notNull: ['note'],
      storing: ['amount'],
      shard: { shards: 4, of: ['note'] },
    },
    { on: ['id', 'note'], interleaveIn: () => Customer },
  ],
  checks: [{ name: 'Positive', expression: 'amount > 0' }],
  foreignKeys: [
    { name: 'ToCustomer', columns: ['id'], references: () => Customer, on: ['id'] },
    { columns: ['number'], references: 'self', on: ['number'] },
  ],
  rowDeletion: { property: 'at', days: 30 },
  workload: { writesPerSecond: 5, distinct: { note: 3 } },
  partitionKey: ['id', 'shard'],
  rows: 'own',
  ttlSeconds: 60,
  writesExpire: true,
  suppress: [{ rule: 'spanner/shard-count', on: 'shard', reason: 'few rows' }],
} as const

const order = (input: unknown = options): object =>
  defineTable(
    'Order',
    (t) => ({
      id: t.parentKey<string>(),
      shard: t.shardKey({ shards: 8, of: ['at'] }),
      at: t.timestamp().key('desc'),
      note: t.string({ length: 10, nullable: true }),
      amount: t.numeric({ default: '0' }),
      half: t.float64({ generated: { googlesql: 'amount / 2' }, nullable: true }),
      tags: t.array({ kind: 'string', length: 5 }),
      number: t.bitReversedId({ key: false, from: 'sequence', startCounter: 5n, skipRange: [1n, 9n] }),
    }),
    input as DefineTableOptions<'id'>,
  )

const others: SchemaOptions = {
  namespaces: ['sales'],
  sequences: [{ name: 'Numbers', skipRange: [1n, 2n] }],
  views: [{ name: 'Notes', query: 'SELECT 1 AS one' }],
  changeStreams: [{ name: 'Changes', watch: [{ table: Customer, columns: [] }], options: { a: 'b' } }],
  userTypes: [Address],
}

/** Wrong values for an option. */
const mistakes: readonly unknown[] = [undefined, null, 5, true, '', 'x', {}, [], [null], [5], () => undefined]

/** Copies of a value in which one nested value is replaced by one mistake, for all nested values and mistakes. */
function* mistaken(value: unknown): Generator {
  yield* mistakes
  if (Array.isArray(value)) {
    for (const [at, part] of value.entries()) for (const wrong of mistaken(part)) yield value.with(at, wrong)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value))
      for (const wrong of mistaken(part)) yield { ...value, [key]: wrong }
  }
}

const perDialect = { googlesql: '1', 'spanner-postgresql': '1' }
const columns = [
  {
    builder: 'int64',
    input: { name: 'Column', nullable: true, immutable: false, as: 'number', default: 7 },
  },
  {
    builder: 'string',
    input: { name: 'Column', length: 5, generated: perDialect, stored: true, hidden: true },
  },
  { builder: 'timestamp', input: { name: 'Column', default: 'now' } },
  {
    builder: 'uuid',
    input: { name: 'Column', storage: 'bytes', default: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' },
  },
  { builder: 'array', input: { kind: 'string', length: 5 } },
  { builder: 'shardKey', input: { shards: 4, first: 1, of: ['id'], name: 'Column', expression: perDialect } },
  { builder: 'hashKey', input: { of: ['id'], algorithm: 'sha256', computedBy: 'client', name: 'Column' } },
  {
    builder: 'bitReversedId',
    input: { from: 'sequence', sequence: 'S', startCounter: 5n, skipRange: [1n, 9n] },
  },
  { builder: 'uuidV4', input: { storage: 'bytes', name: 'Column' } },
  { builder: 'descTimestamp', input: { default: 'now', name: 'Column' } },
  { builder: 'set', input: { kind: 'map', key: { kind: 'ascii' }, of: { kind: 'int32' }, frozen: true } },
  { builder: 'tuple', input: [{ kind: 'inet' }, { kind: 'array', of: { kind: 'time' }, frozen: true }] },
  { builder: 'udt', input: Address },
  { builder: 'vector', input: 3 },
  { builder: 'timeBucket', input: { by: 'day', of: 'id', since: '2024-01-01', ahead: 2, name: 'Column' } },
  { builder: 'timeUuid', input: { default: 'now', order: 'desc', name: 'Column' } },
] as const

/** A list with the model, or an empty list if the declaration throws, as it does when its module is loaded. */
function made(declare: () => object): object[] {
  try {
    return [declare()]
  } catch {
    return []
  }
}

function errorOf(define: () => unknown): unknown {
  try {
    define()
  } catch (error) {
    return error
  }
  return undefined
}

/** Errors that are not an IsothermError. */
function stray(definitions: Iterable<() => unknown>): unknown[] {
  return [...definitions]
    .map(errorOf)
    .filter((error) => error !== undefined && !(error instanceof IsothermError))
}

function* each<Value>(values: Iterable<Value>, define: (value: Value) => unknown): Generator<() => unknown> {
  for (const value of values) yield () => define(value)
}

describe('defineSchema() with models that are declared in JavaScript, without type checks', () => {
  it('accepts a model and schema options in which all values are valid', () => {
    expect(() => defineSchema([Customer, order()], others)).not.toThrow()
  })

  it('throws no error other than an IsothermError when a table option or the table name is wrong', () => {
    const models = [...mistaken(options)].flatMap((wrong) => made(() => order(wrong)))
    expect(models.length).toBeGreaterThan(500)
    expect(stray(each(models, (model) => defineSchema([Customer, model])))).toEqual([])
    const named = mistakes.map((name) => defineTable(name as string, (t) => ({ id: t.uuidV4().key() })))
    expect(stray(each(named, (model) => defineSchema([model])))).toEqual([])
  })

  it.each(columns)(
    'throws no error other than an IsothermError when an argument of the builder $builder is wrong',
    ({ builder, input }) => {
      const models = [...mistaken(input)].flatMap((wrong) =>
        made(() =>
          defineTable('Order', (t) => ({
            id: t.int64().key(),
            column: (t[builder] as (input: unknown) => ColumnBuilder<unknown>)(wrong),
          })),
        ),
      )
      expect(models.length).toBeGreaterThan(5)
      expect(stray(each(models, (model) => defineSchema([model])))).toEqual([])
    },
  )

  it('throws no error other than an IsothermError when the name or a field of a user type is wrong', () => {
    const models = [...mistaken({ kind: 'array', of: { kind: 'string', length: 5 } })].flatMap((wrong) =>
      made(() => defineUserType('address', () => ({ street: new ColumnBuilder({ type: wrong as never }) }))),
    )
    const named = mistakes.map((name) => defineUserType(name as string, (t) => ({ street: t.string() })))
    expect(models.length).toBeGreaterThan(20)
    expect(
      stray(each([...models, ...named], (model) => defineSchema([Customer], { userTypes: [model] }))),
    ).toEqual([])
  })

  it('throws no error other than an IsothermError when a schema option or the list of models is wrong', () => {
    expect(
      stray(each(mistaken(others), (wrong) => defineSchema([Customer], wrong as SchemaOptions))),
    ).toEqual([])
    expect(stray(each(mistakes, (wrong) => defineSchema(wrong as readonly object[])))).toEqual([])
    expect(stray(each(mistakes, (wrong) => defineSchema([wrong as object])))).toEqual([])
  })

  it.each([
    [
      { indexes: [{ name: 'ByNote', columns: ['note'] }] },
      'indexes[0].columns is not an option. The options are name, on, unique',
    ],
    [
      { indexes: [{ name: 'ByNote' }] },
      "indexes[0].on is missing. Give a list of properties, such as ['customerId'",
    ],
    [{ indexes: [{ on: 'note' }] }, "indexes[0].on is 'note'."],
    [{ indexes: [{ on: ['note'], shard: 4 }] }, 'indexes[0].shard is 4. Give a plain object'],
    [
      { indexes: [{ on: [{ property: 'note', ordr: 'desc' }] }] },
      'indexes[0].on[0].ordr is not an option. Did you mean order?',
    ],
    [{ indexes: [{ on: ['at'], storing: ['note', 'note'] }] }, "indexes[0].storing has 'note' twice."],
    [{ foreignKeys: [{ name: 'Fk', references: 'self' }] }, 'foreignKeys[0].columns is missing.'],
    [{ foreignKeys: [{ columns: ['id'], references: Customer }] }, 'foreignKeys[0].references is { name: '],
    [
      { foreignKeys: [{ columns: ['id', 'id'], references: 'self' }] },
      "foreignKeys[0].columns has 'id' twice.",
    ],
    [{ checks: ['amount > 0'] }, "checks[0] is 'amount > 0'. Give a plain object"],
    [{ suppress: [{ rule: 'spanner/shard-count' }] }, 'suppress[0].reason is missing.'],
    [{ primaryKey: 'id' }, "primaryKey is 'id'. Give a list of properties"],
    [{ primarykey: ['id'] }, 'primarykey is not an option. Did you mean primaryKey?'],
    [
      { onDelete: 'CASCADE' },
      "onDelete is 'CASCADE'. Did you mean 'cascade'? Give one of 'cascade', 'no action'.",
    ],
    [{ requireParent: 'false' }, "requireParent is 'false'. Give true or false."],
    [{ interleaveIn: Customer }, 'Give a function that returns a model: () => Customer.'],
    [{ rowDeletion: { property: 'at', day: 30 } }, 'rowDeletion.day is not an option. Did you mean days?'],
    [{ workload: { writesPerSecond: '5' } }, "workload.writesPerSecond is '5'. Give a number from 0."],
  ])('rejects the table options %j, and names the wrong option in the message', (wrong, message) => {
    const error = errorOf(() => defineSchema([Customer, order({ ...options, ...wrong })]))
    expect(error).toBeInstanceOf(SchemaError)
    expect((error as SchemaError).findings[0]).toMatchObject({ table: 'Order' })
    expect((error as SchemaError).message).toContain(message)
  })
})
