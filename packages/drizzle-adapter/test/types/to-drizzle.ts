import {
  BitReversedId,
  Column,
  defineTable,
  DescTimestamp,
  HashKey,
  Key,
  ParentKey,
  ShardKey,
  Table,
  UuidV4,
  type Generated,
  type Insert,
  type JsonDocument,
} from '@isotherm/core'
import { alias, toDrizzle, type SpannerDatabase } from '@isotherm/drizzle-adapter'
import { eq, getTableColumns, relations } from 'drizzle-orm'
import { expectType, type Equal } from './equal.js'

// Types of the table of a model, in both modes of decorators. This file is compiled, not run.

@Table('Customer')
class Customer {
  static readonly cities = ['Graz']
  @UuidV4() customerId!: Generated<string>
  @Column.string({ length: 100 }) name!: string
  @Column.string() level!: 'gold' | 'none'
  @Column.json({ nullable: true }) settings!: { theme: string } | null
  @Column.json({ nullable: true }) anything!: unknown
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

@Table('Log')
class Log {
  @ShardKey({ shards: 8, of: ['userId'] }) shardId!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) at!: Generated<Date>
  @HashKey({ of: ['userId'], algorithm: 'sha256' }) digest!: Generated<Buffer>
  @Key() @Column.int64({ as: 'number' }) userId!: number
  @Column.bytes() body!: Buffer
  @Column.bool() done!: boolean
  @Column.float64({ nullable: true }) ratio!: number | null
  @Column.numeric() price!: string
  @Column.date({ nullable: true }) day!: Generated<string> | null
}

const customers = toDrizzle(Customer)
const orders = toDrizzle(Order)
const logs = toDrizzle(Log)

// Rows and inserts. Methods and static members are not columns.

type CustomerRow = {
  customerId: string
  name: string
  level: 'gold' | 'none'
  settings: { theme: string } | null
  anything: unknown
  tags: readonly string[]
}
type OrderRow = { customerId: string; orderId: bigint; placed: Date; note: string | null }

/** The same properties, in any order and from any type. */
type Same<A, B> = Equal<{ [Name in keyof A]: A[Name] }, { [Name in keyof B]: B[Name] }>

expectType<Same<typeof customers.$inferSelect, CustomerRow>>()
expectType<Same<typeof orders.$inferSelect, OrderRow>>()
expectType<
  Same<
    typeof customers.$inferInsert,
    {
      customerId?: string | undefined
      name: string
      level: 'gold' | 'none'
      settings?: { theme: string } | null | undefined
      anything?: unknown
      tags: readonly string[]
    }
  >
>()
expectType<
  Same<
    typeof logs.$inferSelect,
    {
      shardId: bigint
      at: Date
      digest: Buffer
      userId: number
      body: Buffer
      done: boolean
      ratio: number | null
      price: string
      day: string | null
    }
  >
>()
// The same type as that of Isotherm's own insert, which also accepts a timestamp as text.
expectType<Equal<Required<typeof logs.$inferInsert>, Required<Omit<Insert<Log>, 'at'> & { at?: Date }>>>()
expectType<Equal<keyof typeof customers.$inferSelect, Exclude<keyof Customer, 'greeting'>>>()
declare const log: typeof logs.$inferInsert
log satisfies Insert<Log>
declare const ownLog: Insert<Log> & { at?: Date }
ownLog satisfies typeof logs.$inferInsert
// @ts-expect-error a method is not a column
void customers.greeting
// @ts-expect-error a static member is not a column
void customers.cities
// @ts-expect-error there is no such column
void customers.nmae

// Columns.

expectType<Equal<(typeof orders.orderId)['_']['dataType'], 'bigint'>>()
expectType<Equal<(typeof orders.orderId)['_']['hasDefault'], true>>()
expectType<Equal<(typeof orders.orderId)['_']['notNull'], true>>()
expectType<Equal<(typeof orders.customerId)['_']['hasDefault'], false>>()
expectType<Equal<(typeof orders.placed)['_']['data'], Date>>()
expectType<Equal<(typeof orders.placed)['_']['dataType'], 'date'>>()
expectType<Equal<(typeof orders.note)['_']['notNull'], false>>()
expectType<Equal<(typeof orders.note)['_']['data'], string>>()
expectType<Equal<(typeof orders.note)['_']['hasDefault'], false>>()
expectType<Equal<(typeof logs.userId)['_']['dataType'], 'number'>>()
expectType<Equal<(typeof logs.body)['_']['dataType'], 'buffer'>>()
expectType<Equal<(typeof logs.done)['_']['dataType'], 'boolean'>>()
expectType<Equal<(typeof customers.level)['_']['dataType'], 'string'>>()
expectType<Equal<(typeof customers.settings)['_']['dataType'], 'json'>>()
expectType<Equal<(typeof customers.anything)['_']['dataType'], 'json'>>()
expectType<Equal<(typeof customers.tags)['_']['dataType'], 'array' | 'json'>>()
expectType<Equal<keyof ReturnType<typeof getTableColumns<typeof orders>>, keyof OrderRow>>()
eq(orders.orderId, 7n)
// @ts-expect-error a number is not a bigint
eq(orders.orderId, 7)
// @ts-expect-error the field has no such value
eq(customers.level, 'silver')

// What `defineTable` made.

const Ticket = defineTable('sales.Ticket', (t) => ({
  ticketId: t.uuidV4(),
  title: t.string({ nullable: true }),
  settings: t.json(),
  counts: t.array({ kind: 'int64' }),
  made: t.timestamp({ default: 'now' }),
  seats: t.int64({ as: 'number' }),
}))
const tickets = toDrizzle(Ticket)
expectType<
  Same<
    typeof tickets.$inferInsert,
    {
      ticketId?: string | undefined
      title?: string | null | undefined
      settings: JsonDocument
      counts: readonly (bigint | null)[]
      made?: Date | undefined
      seats: number
    }
  >
>()
expectType<Equal<(typeof tickets.$inferSelect)['title'], string | null>>()

// Queries. A table that was given a name has it in the results of joins.

declare const db: SpannerDatabase
type Rows<Query> = Query extends PromiseLike<(infer Row)[]> ? Row : never

const tables = toDrizzle({ customers: Customer, orders: Order })
expectType<Equal<keyof typeof tables, 'customers' | 'orders'>>()

const left = db
  .select()
  .from(tables.orders)
  .leftJoin(tables.customers, eq(tables.orders.customerId, tables.customers.customerId))
expectType<Same<Rows<typeof left>['orders'], OrderRow>>()
expectType<Same<NonNullable<Rows<typeof left>['customers']>, CustomerRow>>()
expectType<Equal<null extends Rows<typeof left>['customers'] ? true : false, true>>()
expectType<Equal<null extends Rows<typeof left>['orders'] ? true : false, false>>()

const right = db
  .select({ note: tables.orders.note, placed: tables.orders.placed, name: tables.customers.name })
  .from(tables.orders)
  .rightJoin(tables.customers, eq(tables.orders.customerId, tables.customers.customerId))
expectType<Equal<Rows<typeof right>, { note: string | null; placed: Date | null; name: string }>>()

const once = toDrizzle(Order, { name: 'bought' })
const named = db
  .select()
  .from(once)
  .innerJoin(tables.customers, eq(once.customerId, tables.customers.customerId))
expectType<Equal<keyof Rows<typeof named>, 'bought' | 'customers'>>()

// Without a name for the results of joins, fields have to be selected by name.

const unnamed = db
  .select({ placed: orders.placed, name: customers.name, customer: customers })
  .from(orders)
  .leftJoin(customers, eq(orders.customerId, customers.customerId))
expectType<Equal<Rows<typeof unnamed>['placed'], Date>>()
expectType<Equal<Rows<typeof unnamed>['name'], string | null>>()
expectType<Equal<null extends Rows<typeof unnamed>['customer'] ? true : false, true>>()
const both = db.select().from(orders).innerJoin(customers, eq(orders.customerId, customers.customerId))
declare const joined: Rows<typeof both>
// @ts-expect-error the table has no name for the results of joins
void joined.Order

const o = alias(orders, 'o')
const aliased = db.select().from(o).leftJoin(customers, eq(o.customerId, customers.customerId))
expectType<Same<Rows<typeof aliased>['o'], OrderRow>>()

// Writes.

void db.insert(orders).values({ customerId: 'a' })
void db.insert(orders).values({ customerId: 'a', note: null, orderId: 7n })
// @ts-expect-error the parent's key is missing
void db.insert(orders).values({ note: 'x' })
// @ts-expect-error a name may not be NULL
void db.insert(customers).values({ name: null, level: 'none', tags: [] })
// @ts-expect-error no such column
void db.insert(orders).values({ customerId: 'a', total: 1 })
void db.update(orders).set({ note: null })
// @ts-expect-error a number is not a string
void db.update(orders).set({ note: 7 })
const returned = db.insert(orders).values({ customerId: 'a' }).returning()
expectType<Same<Rows<typeof returned>, OrderRow>>()

// Relations.

const customerRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
const orderRelations = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.customerId] }),
}))
const schema = { customers, orders, customerRelations, orderRelations }
declare const related: SpannerDatabase<typeof schema>
const found = related.query.customers.findMany({
  columns: { name: true },
  with: { orders: { columns: { note: true }, with: { customer: { columns: { level: true } } } } },
})
expectType<
  Equal<
    Rows<typeof found>,
    { name: string; orders: { note: string | null; customer: { level: 'gold' | 'none' } }[] }
  >
>()
// @ts-expect-error no such relation
void related.query.customers.findMany({ with: { lines: true } })
relations(orders, ({ one }) => ({
  // @ts-expect-error a column of another table
  customer: one(customers, { fields: [customers.customerId], references: [customers.customerId] }),
}))

// Values that are not models.

// @ts-expect-error a string
toDrizzle('Order')
// @ts-expect-error an object without columns
toDrizzle({ orders: 7 })
// @ts-expect-error a name is a string
toDrizzle(Order, { name: 7 })
