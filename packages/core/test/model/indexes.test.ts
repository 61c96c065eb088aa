import { defineTable, type IndexOptions } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

const Customer = defineTable('Customer', (t) => ({ region: t.string().key(), customerId: t.string().key() }))

const indexed = (index: IndexOptions) =>
  defineTable(
    'Order',
    (t) => ({
      region: t.parentKey<string>(),
      customerId: t.parentKey<string>(),
      orderId: t.uuidV4(),
      at: t.timestamp(),
      total: t.numeric(),
      meta: t.json(),
      tags: t.array({ kind: 'string', length: 'max' }),
    }),
    { interleaveIn: () => Customer, indexes: [index] },
  )

const properties = 'region, customerId, orderId, at, total, meta, tags'

describe('an index', () => {
  it('is over something', () => {
    expect(findingsOf(Customer, indexed({ name: 'Empty', on: [] }))).toStrictEqual([
      { table: 'Order', message: 'has the index Empty over nothing.', fix: 'Name its columns: on: [...].' },
    ])
  })

  it('is over, and stores, columns of the table', () => {
    expect(findingsOf(Customer, indexed({ name: 'Bad', on: ['price'], storing: ['colour'] }))).toStrictEqual([
      {
        table: 'Order',
        column: 'price',
        message: 'is in the index Bad, but is not a column.',
        fix: `Choose from ${properties}.`,
      },
      {
        table: 'Order',
        column: 'colour',
        message: 'is in the index Bad, but is not a column.',
        fix: `Choose from ${properties}.`,
      },
    ])
  })

  it.each([
    ['meta', 'json'],
    ['tags', 'array of string'],
  ])('is not over %s, of type %s, but may store it', (property, type) => {
    expect(findingsOf(Customer, indexed({ name: 'Bad', on: [property] }))).toStrictEqual([
      {
        table: 'Order',
        column: property,
        message: `is in the index Bad, but is of type ${type}.`,
        fix: 'Store it instead, or index another column.',
      },
    ])
    expect(() => findingsOf(Customer, indexed({ on: ['total'], storing: [property] }))).toThrow(
      'Nothing was refused.',
    )
  })

  it('does not store the key, which it holds already', () => {
    expect(findingsOf(Customer, indexed({ name: 'Bad', on: ['total'], storing: ['orderId'] }))).toStrictEqual(
      [
        {
          table: 'Order',
          column: 'orderId',
          message: 'is stored in the index Bad.',
          fix: 'Leave it out: an index holds the whole key already.',
        },
      ],
    )
  })

  it('holds a column once: no part twice, and no part that is stored as well', () => {
    expect(findingsOf(Customer, indexed({ on: ['total', 'total'] }))).toMatchObject([
      { table: 'Order', column: 'total' },
    ])
    expect(findingsOf(Customer, indexed({ on: ['total'], storing: ['total'] }))).toMatchObject([
      { table: 'Order', column: 'total' },
    ])
    expect(findingsOf(Customer, indexed({ on: ['at'], storing: ['total', 'total'] }))).toMatchObject([
      { table: 'Order', column: 'total' },
    ])
  })

  it('starts with the key of the table that it is interleaved in', () => {
    const index: IndexOptions = { name: 'Bad', on: ['customerId', 'at'], interleaveIn: () => Customer }
    expect(findingsOf(Customer, indexed(index))).toStrictEqual([
      {
        table: 'Order',
        message: 'has the index Bad, interleaved in Customer, that does not start with region, customerId.',
        fix: 'Start it with the key of Customer.',
      },
    ])
  })

  it('is interleaved in a table of the schema', () => {
    const Elsewhere = defineTable('Elsewhere', (t) => ({ id: t.uuidV4() }))
    const index: IndexOptions = { name: 'Bad', on: ['region'], interleaveIn: () => Elsewhere }
    expect(findingsOf(Customer, indexed(index))).toStrictEqual([
      {
        table: 'Order',
        message: 'has the index Bad, interleaved in Elsewhere, which is not in this schema.',
        fix: 'Pass that table to defineSchema as well.',
      },
    ])
  })
})
