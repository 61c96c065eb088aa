import { defineSchema, defineTable, sql } from '@isotherm/core'
import { toSchema } from '@isotherm/drizzle-adapter'
import { expect, it } from 'vitest'
import * as tables from '../support/tables.js'

const core = () => {
  const Region = defineTable('Region', (t) => ({
    country: t.string({ length: 2 }).key(),
    code: t.string({ length: 8, name: 'region_code' }).key(),
  }))
  const googlesql = (text: string) => ({ googlesql: text })
  const Customer: ReturnType<typeof defineTable> = defineTable(
    'Customer',
    (t) => ({
      shardId: t.shardKey({ shards: 16, of: ['customerId'] }),
      customerId: t.uuidV4({ storage: 'bytes' }),
      email: t.string({ length: 320 }),
      name: t.string({ default: "O'Brien" }),
      lower: t.string({ nullable: true, generated: googlesql('LOWER(`name`)') }),
      upper: t.string({ nullable: true, generated: googlesql('UPPER(`name`)'), stored: false }),
      country: t.string({ length: 2, nullable: true }),
      region: t.string({ length: 8, nullable: true }),
      active: t.bool({ default: true }),
      balance: t.numeric({ default: '12.5' }),
      factor: t.float32({ nullable: true, default: 0.5 }),
      rate: t.float64({ nullable: true, default: -1 }),
      visits: t.int64({ as: 'number', default: 0 }),
      number: t.int64({ nullable: true }),
      counter: t.int64(),
      photo: t.bytes({ length: 1024, nullable: true, hidden: true }),
      born: t.date({ nullable: true, default: '2000-02-29' }),
      settings: t.json({ nullable: true, default: { theme: "it's" } }),
      tags: t.array({ kind: 'string', length: 20 }, { nullable: true, default: ['a', 'b'] }),
      token: t.uuid({ nullable: true }),
      createdAt: t.timestamp({ default: sql(googlesql('CURRENT_TIMESTAMP()')) }),
      changedAt: t.timestamp({ default: 'commit' }),
      managerId: t.uuid({ storage: 'bytes', nullable: true, immutable: true }),
      managerShard: t.int64({ nullable: true }),
    }),
    {
      foreignKeys: [
        {
          columns: ['country', 'region'],
          references: () => Region,
          on: ['country', 'code'],
          onDelete: 'cascade',
        },
        {
          name: 'manager',
          columns: ['managerShard', 'managerId'],
          references: 'self',
          on: ['shardId', 'customerId'],
        },
      ],
      checks: [{ name: 'visits_are_positive', expression: googlesql('`visits` > (-5)') }],
      indexes: [
        {
          name: 'customers_by_name',
          on: ['name', { property: 'createdAt', order: 'desc' }],
          storing: ['active', 'email'],
        },
        { name: 'customers_by_region', on: ['country', 'region'], unique: true, notNull: ['country'] },
        { on: ['born'], nullFiltered: true },
        {
          name: 'customers_by_time',
          on: [{ property: 'changedAt', order: 'desc' }],
          shard: { shards: 8, of: ['customerId'] },
        },
        { name: 'Customer_email_unique', on: ['email'], unique: true },
        { name: 'Customer_name_born_unique', on: ['name', 'born'], unique: true },
      ],
      workload: { writesPerSecond: 10 },
      suppress: [{ rule: 'monotonic-index', on: 'customers_by_name', reason: 'few' }],
    },
  ) as never
  const CustomerOrder = defineTable(
    'CustomerOrder',
    (t) => ({
      shardId: t.parentKey<bigint>(),
      customerId: t.parentKey<string>(),
      orderId: t.bitReversedId({ from: 'sequence' }),
      region: t.string({ length: 8, nullable: true }),
      placedAt: t.timestamp({ name: 'placed_at', default: sql(googlesql('CURRENT_TIMESTAMP()')) }),
    }),
    {
      interleaveIn: () => Customer,
      onDelete: 'cascade',
      foreignKeys: [{ name: 'order_region', columns: ['region'], references: () => Region, on: ['code'] }],
      indexes: [
        {
          name: 'orders_of_customer',
          on: ['shardId', 'customerId', { property: 'placedAt', order: 'desc' }],
          interleaveIn: () => Customer,
        },
      ],
      rowDeletion: { property: 'placedAt', days: 90 },
    },
  )
  const Event = defineTable(
    'finance.Event',
    (t) => ({
      id: t.hashKey({ of: ['source'], algorithm: 'sha256' }),
      at: t.descTimestamp({ default: 'now' }),
      source: t.string({ length: 36, immutable: true }),
    }),
    {
      indexes: [{ name: 'finance.by_source', on: ['source'] }],
      suppress: [
        { rule: 'spanner/shard-count', on: 'at', reason: 'x' },
        { rule: 'redundant-index', on: 'finance.by_source', reason: 'y' },
      ],
    },
  )
  return defineSchema([Region, Customer, CustomerOrder, Event], {
    sequences: [{ name: 'InvoiceNumber', startCounter: 1000n, skipRange: [1n, 9n] }],
  })
}

it('toSchema() builds the same schema from spannerTable() tables as defineSchema() from defineTable() models', () => {
  const made = toSchema({ ...tables, relations: {}, nothing: null })
  const expected = structuredClone(core())
  // `defineTable` has no identity that is not a key.
  const customer = expected.tables.find(({ name }) => name === 'Customer')!
  const declared = made.tables.find(({ name }) => name === 'Customer')!
  const sources = {
    number: { kind: 'bit-reversed', from: 'sequence', sequence: 'InvoiceNumber' },
    counter: { kind: 'bit-reversed', from: 'identity', startCounter: '7' },
    token: { kind: 'uuid-v4' },
  }
  for (const [property, source] of Object.entries(sources)) {
    Object.assign(
      customer.columns.find((column) => column.property === property)!,
      { source },
    )
  }
  expect(declared.columns).toEqual(customer.columns)
  expect(made).toEqual(expected)
  expect(Object.isFrozen(made.tables[0]!.columns)).toBe(true)
})
