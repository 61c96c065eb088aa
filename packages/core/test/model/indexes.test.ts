import { defineSchema, defineTable, type IndexOptions } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { looseTable } from '../support/layout.js'
import { findingsOf } from '../support/refusal.js'

const Customer = defineTable('Customer', (t) => ({ region: t.string().key(), customerId: t.string().key() }))

const indexed = (index: IndexOptions) =>
  looseTable(
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
      { table: 'Order', message: "indexes[0].storing has 'total' twice.", fix: 'Name it once.' },
    ])
  })

  it('starts with the key of the table that it is interleaved in', () => {
    const index: IndexOptions = { name: 'Bad', on: ['customerId', 'at'], interleaveIn: () => Customer }
    expect(findingsOf(Customer, indexed(index))).toStrictEqual([
      {
        table: 'Order',
        message: 'has the index Bad, interleaved in Customer, that does not start with region, customerId.',
        fix: 'Start it with the key of Customer, each part in its order.',
      },
    ])
  })

  it('has the parts of that key in their order as well', () => {
    const Newest = looseTable('Newest', (t) => ({ region: t.string().key(), at: t.descTimestamp() }))
    const entries = (at: 'asc' | 'desc', ...parts: string[]) =>
      looseTable(
        'Entry',
        (t) => ({ region: t.parentKey(), at: t.parentKey(), line: t.int64().key(), page: t.string() }),
        {
          interleaveIn: () => Newest,
          indexes: [
            {
              name: 'ByPage',
              on: [...parts, { property: 'at', order: at }, 'page'],
              interleaveIn: () => Newest,
            },
          ],
        },
      )
    expect(findingsOf(Newest, entries('asc', 'region'))).toStrictEqual([
      {
        table: 'Entry',
        message: 'has the index ByPage, interleaved in Newest, that does not start with region, at desc.',
        fix: 'Start it with the key of Newest, each part in its order.',
      },
    ])
    expect(findingsOf(Newest, entries('desc'))).toMatchObject([{ table: 'Entry' }])
    expect(defineSchema([Newest, entries('desc', 'region')]).tables[1]!.indexes[0]).toMatchObject({
      interleaveIn: 'Newest',
      parts: [
        { property: 'region', order: 'asc' },
        { property: 'at', order: 'desc' },
        { property: 'page', order: 'asc' },
      ],
    })
  })

  it('leaves out rows with NULL in some of its parts, and of no other column', () => {
    expect(
      findingsOf(Customer, indexed({ name: 'Bad', on: ['at'], notNull: ['at', 'total', 'price'] })),
    ).toStrictEqual(
      ['total', 'price'].map((column) => ({
        table: 'Order',
        column,
        message: 'is to be filtered by the index Bad, but is none of its parts.',
        fix: 'Only parts of the index can be in notNull.',
      })),
    )
    const { tables } = defineSchema([Customer, indexed({ on: ['at', 'total'], notNull: ['total'] })])
    expect(tables[1]!.indexes[0]).toMatchObject({ notNull: ['total'], nullFiltered: false })
  })

  it('does not say so of all parts and of some', () => {
    const both: IndexOptions = { name: 'Bad', on: ['at'], nullFiltered: true, notNull: ['at'] }
    expect(findingsOf(Customer, indexed(both))).toStrictEqual([
      {
        table: 'Order',
        message: 'has the index Bad with both nullFiltered and notNull.',
        fix: 'nullFiltered covers every part: keep one of the two.',
      },
    ])
    const { tables } = defineSchema([Customer, indexed({ on: ['at'], nullFiltered: true, notNull: [] })])
    expect(tables[1]!.indexes[0]).toMatchObject({ notNull: [], nullFiltered: true })
  })

  it('says where NULL stands in a part, or leaves it to the dialect', () => {
    const on: IndexOptions['on'] = [
      { property: 'total', nulls: 'first' },
      { property: 'at', order: 'desc', nulls: 'last' },
      { property: 'region' },
    ]
    expect(defineSchema([Customer, indexed({ on })]).tables[1]!.indexes[0]!.parts).toStrictEqual([
      { property: 'total', order: 'asc', nulls: 'first' },
      { property: 'at', order: 'desc', nulls: 'last' },
      { property: 'region', order: 'asc' },
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
