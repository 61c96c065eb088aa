import { BitReversedId, Column, ParentKey, Table, UuidV4, type Generated } from '@isotherm/core'
import { toDrizzle, type SpannerPgDatabase } from '@isotherm/drizzle-adapter/postgresql'
import { eq, relations } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { expectType, type Equal } from './equal.js'

// Types of the `pgTable` of a model. This file is compiled, not run.

@Table('Customer')
class Customer {
  @UuidV4() customerId!: Generated<string>
  @Column.string({ length: 100 }) name!: string
  @Column.array({ kind: 'string', length: 'max' }) tags!: readonly string[]

  greeting(): string {
    return `Hello ${this.name}`
  }
}

@Table('Order', { interleaveIn: () => Customer })
class Order {
  @ParentKey<Customer['customerId']>() customerId!: string
  @BitReversedId() orderId!: Generated<bigint>
  @Column.timestamp({ default: 'commit' }) placed!: Generated<Date>
  @Column.string({ nullable: true }) note!: string | null
}

const customers = toDrizzle(Customer)
const orders = toDrizzle(Order)

type CustomerRow = { customerId: string; name: string; tags: readonly string[] }
type OrderRow = { customerId: string; orderId: bigint; placed: Date; note: string | null }
type Same<A, B> = Equal<{ [Name in keyof A]: A[Name] }, { [Name in keyof B]: B[Name] }>

expectType<Same<typeof customers.$inferSelect, CustomerRow>>()
expectType<
  Same<
    typeof orders.$inferInsert,
    {
      customerId: string
      orderId?: bigint | undefined
      placed?: Date | undefined
      note?: string | null | undefined
    }
  >
>()
expectType<Equal<(typeof orders.orderId)['_']['dataType'], 'bigint'>>()
expectType<Equal<(typeof orders.orderId)['_']['hasDefault'], true>>()
expectType<Equal<(typeof orders.note)['_']['notNull'], false>>()
// @ts-expect-error a method is not a column
void customers.greeting
// @ts-expect-error a number is not a bigint
eq(orders.orderId, 7)

declare const db: SpannerPgDatabase
type Rows<Query> = Query extends PromiseLike<(infer Row)[]> ? Row : never

const tables = toDrizzle({ customers: Customer, orders: Order })
const left = db
  .select()
  .from(tables.orders)
  .leftJoin(tables.customers, eq(tables.orders.customerId, tables.customers.customerId))
expectType<Same<Rows<typeof left>['orders'], OrderRow>>()
expectType<Same<NonNullable<Rows<typeof left>['customers']>, CustomerRow>>()
expectType<Equal<null extends Rows<typeof left>['customers'] ? true : false, true>>()

const right = db
  .select({ note: orders.note, placed: orders.placed, name: customers.name })
  .from(orders)
  .rightJoin(customers, eq(orders.customerId, customers.customerId))
expectType<Equal<Rows<typeof right>, { note: string | null; placed: Date | null; name: string }>>()

const o = alias(orders, 'o')
const aliased = db.select().from(o).leftJoin(customers, eq(o.customerId, customers.customerId))
expectType<Same<Rows<typeof aliased>['o'], OrderRow>>()

void db.insert(orders).values({ customerId: 'a' })
// @ts-expect-error the parent's key is missing
void db.insert(orders).values({ note: 'x' })
// @ts-expect-error a name may not be NULL
void db.insert(customers).values({ name: null, tags: [] })
// @ts-expect-error a number is not a string
void db.update(orders).set({ note: 7 })
const returned = db.insert(orders).values({ customerId: 'a' }).returning()
expectType<Same<Rows<typeof returned>, OrderRow>>()

const customerRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
const orderRelations = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.customerId] }),
}))
const schema = { customers, orders, customerRelations, orderRelations }
declare const related: SpannerPgDatabase<typeof schema>
const found = related.query.customers.findMany({
  columns: { name: true },
  with: { orders: { columns: { note: true }, with: { customer: { columns: { name: true } } } } },
})
expectType<
  Equal<Rows<typeof found>, { name: string; orders: { note: string | null; customer: { name: string } }[] }>
>()
// @ts-expect-error no such relation
void related.query.customers.findMany({ with: { lines: true } })

// @ts-expect-error a string is not a model
toDrizzle('Order')
