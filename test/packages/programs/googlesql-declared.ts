import {
  alias,
  bitReversedId,
  bytes,
  date,
  descTimestamp,
  drizzle,
  fanOut,
  getTableConfig,
  hashKey,
  index,
  int64,
  interleaveIn,
  json,
  numeric,
  parentKey,
  primaryKey,
  QueryBuilder,
  shardKey,
  spannerSchema,
  spannerSequence,
  spannerTable,
  spannerTableCreator,
  spannerView,
  string,
  timestamp,
  toDrizzle,
  toSchema,
  union,
  unique,
  uniqueIndex,
  uuid,
  uuidV4,
  check,
  customType,
  workload,
  foreignKey,
  suppress,
  rowDeletionPolicy,
  arrayContains,
  type AnySpannerTable,
  type SpannerSelect,
} from '@isotherm/drizzle-adapter'
import { defineTable } from '@isotherm/core'
import { count, eq, getTableColumns, gt, relations, sql } from 'drizzle-orm'

// Exports of a library without explicit types: its declarations have to name all of these types.

export const sequence = spannerSequence('Numbers')
export const named = spannerSchema('shop')
export const shopTable = spannerTableCreator((name) => `shop_${name}`)
export const temperature = customType<{ data: { degrees: number }; driverData: number }>({
  dataType: () => 'FLOAT64',
  toDriver: ({ degrees }) => degrees,
  fromDriver: (degrees) => ({ degrees }),
})
export const customers = spannerTable(
  'Customer',
  {
    shard: shardKey({ shards: 16, of: ['id'] }),
    id: uuidV4(),
    name: string({ length: 80 }).notNull(),
    kind: string({ enum: ['one', 'many'] }),
    number: int64().default(sequence.next()),
    hash: hashKey({ of: ['name'] }),
    made: timestamp({ mode: 'string' }),
    day: date({ mode: 'date' }),
    document: json().$type<{ a: number }>(),
    raw: bytes(),
    key: uuid({ storage: 'bytes' }),
    warm: temperature(),
    tags: string().array(),
    price: numeric({ mode: 'number' }),
  },
  (t) => [index('by_name').on(t.name.desc()), unique().on(t.number), check('c', gt(t.number, 0n))],
)
export const orders = named.table(
  'Order',
  {
    id: parentKey(customers.id),
    at: descTimestamp(),
    line: bitReversedId(),
    total: int64({ mode: 'number' }),
  },
  () => [interleaveIn(customers)],
)
export const others = shopTable('others', { id: int64().generatedByDefaultAsIdentity().primaryKey() })
export const customersById = spannerView('CustomerById').as((qb) => qb.select().from(customers))
export const parts = {
  plain: uniqueIndex('x').on(customers.name),
  key: primaryKey({ columns: [customers.id] }),
  foreign: foreignKey({ columns: [orders.id], foreignColumns: [customers.id] }),
  policy: rowDeletionPolicy(orders.at, { days: 1 }),
  load: workload({ writesPerSecond: 1 }),
  suppression: suppress({ rule: 'spanner/wide-column-in-row-tree', reason: 'small' }),
  builders: { a: int64(), b: string(), c: timestamp(), d: uuid(), e: date() },
  columns: getTableColumns(customers),
  config: getTableConfig(customers),
  condition: arrayContains(customers.tags, ['a']),
}
export const Model = defineTable('Model', (t) => ({ id: t.uuidV4(), name: t.string() }))
export const model = toDrizzle(Model)
export const customerRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
export const orderRelations = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.id], references: [customers.id] }),
}))
export const schema = { customers, orders, customerRelations, orderRelations }
export const db = drizzle.mock({ schema })
export const core = toSchema(schema)
export const c = alias(customers, 'c')

export const all = () => db.select().from(customers)
export const some = (id: string) =>
  db
    .select({
      id: customers.id,
      upper: sql<string>`upper(${customers.name})`.as('upper'),
      n: db.$count(orders),
    })
    .from(customers)
    .where(eq(customers.id, id))
    .groupBy(customers.id)
    .having(gt(count(), 1))
    .orderBy(customers.id)
    .limit(1)
    .offset(1)
export const joined = () =>
  db
    .select()
    .from(customers)
    .leftJoin(orders, eq(orders.id, customers.id))
    .innerJoin(c, eq(c.id, orders.id))
    .rightJoin(customersById, eq(customersById.id, c.id))
    .crossJoin(others)
export const dynamic = () => db.selectDistinct().from(customers).$dynamic()
export const subquery = () => joined().as('joined')
export const combined = () => all().union(all())
export const unioned = () => union(all(), all())
export const common = () => db.$with('adults').as(all())
export const within = () => {
  const sub = common()
  return db.with(sub).select().from(sub)
}
export const builder = () => new QueryBuilder().select().from(customers)
export const preparedSelect = () => some('a').prepare()
export const started = () => db.select({ id: customers.id })
export const inserting = () => db.insert(customers)
export const inserted = () => db.insert(customers).values({ name: 'a' })
export const returned = () => inserted().orIgnore().returning()
export const returnedSome = () => inserted().$dynamic().returning({ id: customers.id })
export const updating = () => db.update(customers)
export const updated = () => db.update(customers).set({ name: 'a' }).where(eq(customers.id, 'a')).returning()
export const deleted = () => db.delete(customers).where(eq(customers.id, 'a'))
export const counted = () => db.$count(customers)
export const raw = () => db.execute<{ id: bigint }>(sql`select 1`)
export const found = () => db.query.customers.findMany({ with: { orders: true } })
export const first = () => db.query.orders.findFirst({ columns: { at: true }, with: { customer: true } })
export const preparedFound = () => found().prepare()
export const batched = () => db.batch([all(), inserted(), found()])
export const stale = () => db.$withOptions({ at: { exactStaleness: 10 } })
export const transacted = () =>
  db.transaction(async (tx) => [await tx.select().from(customers), tx.mutate(customers)])
export const mutations = () => db.transaction(async (tx) => tx.mutate(customers))
export const fanned = () => fanOut(all())
export const limited = <T extends SpannerSelect>(query: T) => query.limit(10)
export const joining = <T extends SpannerSelect>(query: T) =>
  query.leftJoin(orders, eq(orders.id, customers.id))
export const ofAny = <T extends AnySpannerTable>(table: T) => db.select().from(table as AnySpannerTable)
export const insertingAny = <T extends AnySpannerTable>(table: T) => db.insert(table)
export const deletingAny = <T extends AnySpannerTable>(table: T) => db.delete(table)
export const partitioned = () => db.partitioned(db.delete(customers))
