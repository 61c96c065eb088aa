import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { sampledDialects, testKeyspace } from '../support/keyspace.js'

// Children lie in the partition of their parent: beside its static fields, or in a table of their own.

const Customer = defineTable('customer', (t) => ({
  id: t.uuidV4(),
  name: t.string({ nullable: true }),
}))
const Order = defineTable(
  'order',
  (t) => ({
    id: t.parentKey<string>(),
    number: t.int32().key('desc'),
    state: t.string({ nullable: true }),
  }),
  { interleaveIn: () => Customer, onDelete: 'cascade' },
)
const Note = defineTable(
  'note',
  (t) => ({ id: t.parentKey<string>(), at: t.timestamp().key(), text: t.string() }),
  { interleaveIn: () => Customer, rows: 'own' },
)
const schema = defineSchema([Customer, Order, Note])

const ids = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`)
const many = { allowMultipleCommits: true, conditional: false } as const

describe.each(sampledDialects)('children in $name', async (dialect) => {
  const { driver } = await testKeyspace(schema, dialect)
  const db = openDatabase({ driver, schema })
  await db.insert(
    Customer,
    ids.map((id) => ({ id, name: id[0]! })),
    many,
  )
  // The third customer has no orders.
  await db.insert(
    Order,
    Array.from({ length: 40 }, (_, n) => ({
      id: ids[n % 2]!,
      number: n,
      state: n % 3 === 0 ? 'sent' : null,
    })),
    many,
  )
  await db.insert(
    Note,
    Array.from({ length: 6 }, (_, n) => ({ id: ids[0]!, at: new Date(n), text: `note ${n}` })),
    many,
  )
  const customers = db.fanOut(Customer).where({ id: { in: ids } })

  it('are included with their parents, and a parent without children has an empty list', async () => {
    const found = await customers
      .include('orders', Order, { limit: 3 })
      .include('notes', Note, { orderBy: ['at', 'desc'], limit: 2 })
      .orderBy('id')
      .all()
    expect(
      found.map(({ name, orders, notes }) => [name, orders.map(({ number }) => number), notes.length]),
    ).toEqual([
      ['1', [38, 36, 34], 2],
      ['2', [39, 37, 35], 0],
      ['3', [], 0],
    ])
    expect(found[0]!.notes.map(({ text }) => text)).toEqual(['note 5', 'note 4'])
  })

  it('are filtered before include() applies its limit', async () => {
    const [first] = await customers
      .include('sent', Order, { where: { state: 'sent', number: { lt: 30 } }, limit: 2, orderBy: ['number'] })
      .orderBy('id')
      .all()
    expect(first!.sent.map(({ number }) => number)).toEqual([0, 6])
  })

  it('are counted and read in pages as a separate table', async () => {
    expect(
      await db
        .fanOut(Order)
        .where({ id: { in: ids } })
        .count(),
    ).toBe(40)
    expect(await customers.count()).toBe(3)
    const { rows } = await db
      .fanOut(Order)
      .where({ id: { in: ids } })
      .orderBy('number', 'desc')
      .limit(3)
      .page()
    expect(rows.map(({ number }) => number)).toEqual([39, 38, 37])
  })
})
