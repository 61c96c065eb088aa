import { defineTable } from '@isotherm/core'
import {
  bitReversedId,
  bytea,
  commitTimestamp,
  descTimestamp,
  drizzle,
  workload,
  fanOut,
  hashKey,
  immutable,
  index,
  interleaveIn,
  suppress,
  parentKey,
  rowDeletionPolicy,
  shardKey,
  toDrizzle,
  toSchema,
  uniqueIndex,
  uuidV4,
} from '@isotherm/drizzle-adapter/postgresql'
import { eq, relations, sql } from 'drizzle-orm'
import { alias, bigint, pgTable, pgView, primaryKey, text, varchar } from 'drizzle-orm/pg-core'

// Exports of a library without explicit types: its declarations have to name all of these types.

export const customers = pgTable(
  'customers',
  {
    shard: shardKey({ shards: 16, of: ['id'] }),
    id: uuidV4(),
    name: varchar({ length: 80 }).notNull(),
    hash: hashKey({ of: ['name'] }),
    raw: bytea(),
    changed: commitTimestamp(),
    tags: text().array(),
  },
  (t) => [primaryKey({ columns: [t.shard, t.id] }), index('by_name').on(t.name.desc())],
)
export const orders = pgTable(
  'orders',
  { id: parentKey(customers.id), at: descTimestamp(), line: bitReversedId() },
  () => [interleaveIn(customers)],
)
export const seen = pgView('seen').as((qb) => qb.select().from(customers))
export const parts = {
  plain: uniqueIndex('x').on(customers.name).storing(customers.raw),
  policy: rowDeletionPolicy(orders.at, { days: 1 }),
  load: workload({ writesPerSecond: 1 }),
  suppression: suppress({ rule: 'spanner/wide-column-in-row-tree', reason: 'small' }),
  parent: interleaveIn(customers),
  still: immutable(customers.name),
  builders: { a: shardKey({ shards: 2, of: ['id'] }), b: descTimestamp(), c: bytea(), d: bitReversedId() },
}
export const Model = defineTable('Model', (t) => ({ id: t.uuidV4(), name: t.string() }))
export const model = toDrizzle(Model)
export const customerRelations = relations(customers, ({ many }) => ({ orders: many(orders) }))
export const schema = { customers, orders, customerRelations }
export const db = drizzle.mock({ schema })
export const core = toSchema(schema)
export const c = alias(customers, 'c')

export const all = () => db.select().from(customers)
export const joined = () => db.select().from(customers).leftJoin(orders, eq(orders.id, customers.id))
export const dynamic = () => joined().$dynamic()
export const common = () => db.$with('adults').as(all())
export const within = () => db.with(common())
export const inserting = () => db.insert(customers)
export const inserted = () => db.insert(customers).values({ name: 'a' }).returning()
export const updated = () => db.update(customers).set({ name: 'a' }).where(eq(customers.id, 'a')).returning()
export const deleted = () => db.delete(customers)
export const counted = () => db.$count(customers)
export const raw = () => db.execute<{ id: bigint }>(sql`select 1`)
export const queries = () => db.query.customers
export const found = () => db.query.customers.findMany({ with: { orders: true } })
export const preparedFound = () => found().prepare()
export const prepared = () => all().prepare('all')
export const batched = () => db.batch([all(), prepared(), preparedFound(), inserted()])
export const stale = () => db.$withOptions({ at: { exactStaleness: 10 } })
export const mutations = () => db.transaction(async (tx) => tx.mutate(customers))
export const fanned = () => fanOut(all())
export const id = bigint({ mode: 'bigint' })
