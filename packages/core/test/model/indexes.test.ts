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

describe('defineSchema() with indexes', () => {
  it('rejects an index without columns', () => {
    expect(findingsOf(Customer, indexed({ name: 'Empty', on: [] }))).toStrictEqual([
      {
        table: 'Order',
        message: 'has the index Empty without columns.',
        fix: 'Name its columns: on: [...].',
      },
    ])
  })

  it('rejects an index that covers or stores a property which is not a column', () => {
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
  ])(
    'rejects an index over the column %s of type %s, but accepts an index that stores the column',
    (property, type) => {
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
    },
  )

  it('rejects an index that stores a column of the primary key', () => {
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

  it('rejects an index that names a column twice among its parts and stored columns', () => {
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

  it('rejects an interleaved index that does not start with the key of the table in which it is interleaved', () => {
    const index: IndexOptions = { name: 'Bad', on: ['customerId', 'at'], interleaveIn: () => Customer }
    expect(findingsOf(Customer, indexed(index))).toStrictEqual([
      {
        table: 'Order',
        message: 'has the index Bad, interleaved in Customer, that does not start with region, customerId.',
        fix: 'Start it with the key of Customer, each part in its order.',
      },
    ])
  })

  it('rejects an interleaved index whose leading part is ascending when the same part of the parent key descends', () => {
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

  it('rejects an index whose notNull names a column that is not a part of the index', () => {
    expect(
      findingsOf(Customer, indexed({ name: 'Bad', on: ['at'], notNull: ['at', 'total', 'price'] })),
    ).toStrictEqual(
      ['total', 'price'].map((column) => ({
        table: 'Order',
        column,
        message: 'is in notNull of the index Bad, but is not a part of it.',
        fix: 'Only parts of the index can be in notNull.',
      })),
    )
    const { tables } = defineSchema([Customer, indexed({ on: ['at', 'total'], notNull: ['total'] })])
    expect(tables[1]!.indexes[0]).toMatchObject({ notNull: ['total'], nullFiltered: false })
  })

  it('rejects an index with both nullFiltered and a notNull list, unless the list is empty', () => {
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

  it('keeps the option nulls of index parts, and sets no nulls by default', () => {
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

  it('rejects an index that is interleaved in a table outside the schema', () => {
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
