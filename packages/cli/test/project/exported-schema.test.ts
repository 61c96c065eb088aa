import { defineSchema, defineTable, type Generated, type Schema, Table, UuidV4 } from '@isotherm/core'
import * as googlesql from '@isotherm/drizzle-adapter'
import * as postgresql from '@isotherm/drizzle-adapter/postgresql'
import { relations } from 'drizzle-orm'
import { int, mysqlTable } from 'drizzle-orm/mysql-core'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import type { DrizzleConfig } from '../../src/config/config.js'
import { schemaOfExports } from '../../src/project/models.js'
import type { DialectName } from '../../src/engines.js'

const { interleaveIn, parentKey, spannerTable, spannerView, string, toDrizzle, uuidV4 } = googlesql

const Customer = defineTable('Customer', (t) => ({ customerId: t.uuidV4(), name: t.string({ length: 10 }) }))
const customers = toDrizzle(Customer)
const orders = spannerTable(
  'Order',
  { customerId: parentKey(customers.customerId), orderId: uuidV4(), shippedTo: string({ length: 10 }) },
  () => [interleaveIn(customers, { onDelete: 'cascade' })],
)
const orderRelations = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.customerId] }),
}))
const pgOrders = pgTable('orders', { orderId: postgresql.uuidV4(), note: text() })
const PgCustomer = defineTable('customers', (t) => ({ customerId: t.uuidV4() }))

function read(
  exported: Readonly<Record<string, unknown>>,
  dialect: DialectName | 'unsaid' = 'googlesql',
  drizzle: DrizzleConfig = {},
): Promise<Schema> {
  const file = 'src/db/schema.ts'
  const modules = Object.entries(exported).map(([name, value]) => ({ file, name, value }))
  const said = dialect === 'unsaid' ? undefined : dialect
  return schemaOfExports(modules, [file], { dialect: said, drizzle, schemaDirectory: '/project' })
}

const tableNames = async (schema: Promise<Schema>): Promise<string[]> =>
  (await schema).tables.map(({ name }) => name)

describe('schemaOfExports()', () => {
  it('reads Drizzle tables and ignores relations and other values', async () => {
    expect(await tableNames(read({ customers, orders, orderRelations, limit: 5 }))).toEqual([
      'Customer',
      'Order',
    ])
    expect(await tableNames(read({ pgOrders }, 'spanner-postgresql'))).toEqual(['orders'])
    expect(await tableNames(read({ pgOrders }, 'unsaid'))).toEqual(['orders'])
  })

  it('reads tables inside exported objects, and each table only once', async () => {
    expect(await tableNames(read({ customers, tables: { customers, orders } }))).toEqual([
      'Customer',
      'Order',
    ])
  })

  it('reads models inside exported objects, arrays and namespaces at any depth, and each model only once', async () => {
    const Order = defineTable('Order', (t) => ({ orderId: t.uuidV4() }))
    const Item = defineTable('Item', (t) => ({ itemId: t.uuidV4() }))
    const inside = { shop: { Order, list: [Item, Customer] }, Order }
    expect(await tableNames(read({ Customer, default: inside }))).toEqual(['Customer', 'Order', 'Item'])
    expect(await tableNames(read({ Customer, default: [Order, Item] }))).toEqual([
      'Customer',
      'Order',
      'Item',
    ])
    const itself: Record<string, unknown> = { Order }
    itself['itself'] = itself
    expect(await tableNames(read({ itself, [Symbol.toStringTag]: 'Module' }))).toEqual(['Order'])
  })

  it('returns a schema inside an exported object only when no model, table or schema is exported', async () => {
    const schema = defineSchema([defineTable('Old', (t) => ({ id: t.uuidV4() }))])
    const before = { options: { before: schema } }
    expect(await tableNames(read(before))).toEqual(['Old'])
    expect(await tableNames(read({ Customer, before }))).toEqual(['Customer'])
    const declared = defineSchema([Customer])
    expect(await read({ schema: declared, before })).toBe(declared)
  })

  it('ignores a getter that throws, and deep and long values without models', async () => {
    let deep: unknown = []
    for (let level = 0; level < 20_000; level++) deep = [deep]
    const config = {
      get url(): string {
        throw new Error('not set')
      },
      long: Array.from({ length: 10_000 }, (_, at) => at),
      deep,
    }
    expect(await tableNames(read({ config, Customer }))).toEqual(['Customer'])
  })

  it('throws MODELS for a class that a decorator above @Table returned, whose table would be lost', async () => {
    @Table('Order')
    class Order {
      @UuidV4() orderId!: Generated<string>
    }
    const Sealed = class extends Order {}
    expect(await tableNames(read({ Order, Sealed }))).toEqual(['Order'])
    @Table('Special')
    class Special extends Order {}
    class Plain extends Special {}
    expect(await tableNames(read({ Special, Plain }))).toEqual(['Special'])
    await expect(read({ Customer, Sealed })).rejects.toMatchObject({
      code: 'MODELS',
      message: 'Sealed in src/db/schema.ts is not a model, but extends one that is not exported.',
      fix: expect.stringContaining('put @Table above that decorator') as string,
    })
  })

  it('combines models and Drizzle tables, and reads a table that is exported as both only once', async () => {
    expect(await tableNames(read({ Customer, orders }))).toEqual(['Customer', 'Order'])
    expect(await tableNames(read({ Customer, customers, orders }))).toEqual(['Customer', 'Order'])
    expect(await tableNames(read({ pgOrders, PgCustomer }, 'spanner-postgresql'))).toEqual([
      'orders',
      'customers',
    ])
  })

  it('applies casing, namespaces and change streams of the configuration to Drizzle tables', async () => {
    const { tables, changeStreams, namespaces } = await read({ customers, orders }, 'googlesql', {
      casing: 'snake_case',
      namespaces: ['archive'],
      changeStreams: [{ name: 'Orders', watch: [orders] }],
    })
    expect(tables[1]!.columns.map(({ name }) => name)).toEqual(['customerId', 'order_id', 'shipped_to'])
    expect(changeStreams).toMatchObject([{ name: 'Orders', watch: [{ table: 'Order', columns: 'all' }] }])
    expect(namespaces).toEqual(['archive'])
  })

  it('returns an exported schema unchanged and ignores tables exported beside the schema', async () => {
    const schema = googlesql.toSchema([customers])
    expect(await read({ schema, customers, orders })).toBe(schema)
  })

  it.each([
    [
      'a Drizzle table of another dialect',
      { orders, pgOrders },
      'pgOrders, which src/db/schema.ts exports, is a PgTable of Drizzle, and the dialect is googlesql.',
      'Tables of that dialect are declared with spannerTable. Or set the dialect spanner-postgresql or postgresql.',
    ],
    [
      'a Drizzle table of another database',
      { customers: mysqlTable('customers', { id: int().primaryKey() }) },
      'customers, which src/db/schema.ts exports, is a MySqlTable of Drizzle for another database than Cloud Spanner or PostgreSQL.',
      'Declare it with spannerTable',
    ],
    [
      'relations without tables',
      { orderRelations },
      'No model is exported by src/db/schema.ts.',
      'Drizzle tables',
    ],
  ])('throws MODELS for %s', async (_, exported, message, fix) => {
    await expect(read(exported)).rejects.toMatchObject({
      code: 'MODELS',
      message,
      fix: expect.stringContaining(fix) as string,
    })
  })

  it('rejects tables of two dialects when the configuration names no dialect', async () => {
    await expect(read({ orders, pgOrders }, 'unsaid')).rejects.toThrow(
      'Order is of spannerTable, and orders of pgTable: they belong to two databases.',
    )
  })

  it('names a SpannerView of the wrong dialect in the error', async () => {
    const names = spannerView('Names').as((qb) => qb.select({ name: customers.name }).from(customers))
    await expect(read({ names }, 'spanner-postgresql')).rejects.toThrow(
      'names, which src/db/schema.ts exports, is a SpannerView',
    )
  })
})
