import { defineSchema, defineTable } from '@isotherm/core'
import { expect, it } from 'vitest'
import { parseRenames, renamesOf } from '../../src/changes/renames.js'

const before = defineSchema([
  defineTable('Customer', (t) => ({ id: t.uuidV4().key(), email: t.string({ length: 9 }) })),
  defineTable('sales.Order', (t) => ({ id: t.uuidV4().key(), total: t.int64() })),
])

it('parseRenames() reads renames of tables and columns, also in a named schema', () => {
  expect(
    parseRenames(['Customer:Client', 'sales.Order:sales.Purchase', 'sales.Order.total:amount'], before),
  ).toEqual([
    { kind: 'table', from: 'Customer', to: 'Client' },
    { kind: 'table', from: 'sales.Order', to: 'sales.Purchase' },
    { kind: 'column', table: 'sales.Purchase', from: 'total', to: 'amount' },
  ])
})

it('parseRenames() accepts the old or the new table name of a column, with flags in any order', () => {
  for (const flags of [
    ['Customer.email:mail', 'Customer:Client'],
    ['Customer:Client', 'Client.email:mail'],
  ]) {
    expect(renamesOf(parseRenames(flags, before))).toEqual({
      tables: { Customer: 'Client' },
      columns: { Client: { email: 'mail' } },
    })
  }
})

it.each(['Customer', 'Customer:', ':Client', 'a:b:c', 'a b:c'])(
  'parseRenames() rejects the malformed flag %j',
  (flag) => {
    expect(() => parseRenames([flag], before)).toThrow(`--rename is ${JSON.stringify(flag)}.`)
  },
)
