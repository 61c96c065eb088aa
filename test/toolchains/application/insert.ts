import { writeFileSync } from 'node:fs'
import { Spanner } from '@google-cloud/spanner'
import { compileDdl, defineSchema, openDatabase } from '@isotherm/core'
import { googlesql, spanner } from '@isotherm/spanner'
import { childOfCustomer, Customer } from './customer.js'
import { UserAccessLog } from './order.js'

/** Inserts a row of each table, reads them back, and writes them and the DDL to `result.json`. */
export async function insertRows(): Promise<void> {
  const Order = childOfCustomer()
  const schema = defineSchema([Customer, Order, UserAccessLog])
  const [, projectId, instance, database] = process.env['DATABASE']!.split('/').filter(
    (_, at) => at % 2 > 0 || at === 0,
  )
  const client = new Spanner({ projectId })
  const db = openDatabase({ driver: spanner(client.instance(instance!).database(database!)), schema })
  const customerId = BigInt(process.env['CUSTOMER']!)

  const recorded = new Date('2026-11-27T10:00:00.000Z')
  const [customer] = await db.insert(Customer, [{ customerId, name: 'Ada', recorded, author: null }])
  const [order] = await db.insert(Order, [
    { customerId, orderId: 7n, recorded, author: 'Ada', note: { pages: 3 } },
  ])
  const [access] = await db.insert(UserAccessLog, [
    { userId: customerId, lastAccess: recorded, page: '/docs' },
  ])
  const rows = [
    await db.get(Customer, customer!),
    await db.get(Order, order!),
    await db.get(UserAccessLog, access!),
  ]
  // @ts-expect-error: a row has its model's columns, and is not `any`
  void rows[0]?.noSuchColumn

  const shown = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)
  const ddl = compileDdl(schema, { dialect: googlesql })
  writeFileSync('result.json', JSON.stringify({ ddl, rows }, shown))
  await client.close()
}
