// Compiled, never run: what rows are with the children that they include.
import {
  Column,
  defineTable,
  Key,
  ParentKey,
  Table,
  UuidV4,
  type Database,
  type Generated,
  type Row,
} from '@isotherm/core'
import type { Equal, Expect } from './equal.js'

@Table('Customer')
export class Customer {
  @UuidV4()
  id!: Generated<string>

  @Column.string()
  name!: string
}

@Table('Order', { interleaveIn: () => Customer })
export class Order {
  @ParentKey()
  id!: string

  @Key()
  @Column.timestamp()
  placedAt!: Date

  @Column.string({ nullable: true })
  note!: string | null
}

const Line = defineTable(
  'Line',
  (t) => ({ id: t.parentKey<string>(), placedAt: t.parentKey<Date>(), line: t.int64().key() }),
  { interleaveIn: () => Order },
)

type Line = typeof Line

export async function one(db: Database): Promise<void> {
  const customers = db.fanOut(Customer).include('orders', Order, {
    where: { note: { startsWith: 'urgent' } },
    orderBy: ['placedAt', 'desc'],
    limit: 3,
  })
  const rows = await customers.where({ name: 'a' }).orderBy('name').limit(5).all()
  type Rows = Expect<Equal<typeof rows, (Row<Customer> & { orders: Row<Order>[] })[]>>
  rows satisfies (Rows extends true ? { name: string; orders: { note: string | null }[] } : never)[]
  const page = await customers.page()
  page.rows satisfies typeof rows
  for await (const row of customers) void (row satisfies (typeof rows)[number])
}

export async function several(db: Database): Promise<void> {
  const rows = await db
    .fanOut(Customer)
    .include('orders', Order, {
      orderBy: [['note'], ['placedAt', 'desc']],
      include: (orders) => orders.include('lines', Line, { where: { line: { gte: 2n } } }),
    })
    .include('lines', Line)
    .all()
  for (const { orders, lines } of rows) {
    for (const { note, lines: own } of orders) void [note satisfies string | null, own satisfies Row<Line>[]]
    lines satisfies { id: string; line: bigint }[]
  }
}

export async function byName(db: Database): Promise<void> {
  const rows = await db
    .fanOut('Customer')
    .include('orders', 'Order', { where: { note: null } })
    .all()
  rows[0]!.orders satisfies Record<string, unknown>[]
  const typed = await db.fanOut(Customer).include('orders', 'Order').all()
  typed[0]!.name satisfies string
  typed[0]!.orders[0]!['note'] satisfies unknown
}

export function refused(db: Database): void {
  const customers = db.fanOut(Customer)
  // @ts-expect-error: a row has that property
  customers.include('name', Order)
  // @ts-expect-error: so it has that of another include
  customers.include('orders', Order).include('orders', Line)
  // @ts-expect-error: there is no such property
  customers.include('orders', Order, { where: { colour: 'red' } })
  // @ts-expect-error: there is no such property to order by
  customers.include('orders', Order, { orderBy: ['colour'] })
  // @ts-expect-error: there is no such direction
  customers.include('orders', Order, { orderBy: ['note', 'down'] })
  // @ts-expect-error: an order stands in brackets
  customers.include('orders', Order, { orderBy: 'note' })
  // @ts-expect-error: a Date is not a model
  customers.include('orders', new Date())
}
