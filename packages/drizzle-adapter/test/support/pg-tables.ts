import {
  bitReversedId,
  bytea,
  commitTimestamp,
  descTimestamp,
  workload,
  hashKey,
  immutable,
  index,
  interleaveIn,
  suppress,
  parentKey,
  rowDeletionPolicy,
  shardKey,
  uniqueIndex,
  uuidV4,
} from '@isotherm/drizzle-adapter/postgresql'
import { and, desc, gt, isNotNull, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  foreignKey,
  index as drizzleIndex,
  integer,
  jsonb,
  numeric,
  pgEnum,
  pgSchema,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex as drizzleUniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'

// Tables with everything that a table of a PostgreSQL-dialect database may have.

export const regions = pgTable(
  'regions',
  {
    country: varchar({ length: 2 }).notNull(),
    code: varchar('region_code', { length: 8 }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.country, t.code] })],
)

export const numbers = pgSequence('invoice_number', { startWith: 1000 })

export const mood = pgEnum('mood', ['calm', "o'clock"])

export const customers = pgTable(
  'customers',
  {
    shardId: shardKey({ shards: 16, of: ['customerId'] }),
    customerId: uuidV4(),
    email: varchar({ length: 320 }).notNull().unique(),
    name: text().notNull().default("O'Brien"),
    lower: text().generatedAlwaysAs(sql`lower(${sql.identifier('name')})`),
    country: varchar({ length: 2 }),
    region: varchar({ length: 8 }),
    active: boolean().notNull().default(true),
    balance: numeric().notNull().default('12.50'),
    rate: doublePrecision().default(-1),
    visits: integer().notNull().default(0),
    number: bigint({ mode: 'bigint' }).default(sql`nextval('invoice_number')`),
    counter: bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity({ startWith: 7 }),
    mood: mood().default('calm'),
    photo: bytea(),
    born: date().default('2000-02-29'),
    settings: jsonb(),
    tags: varchar({ length: 20 }).array().default(['a', 'b']),
    token: uuid().defaultRandom(),
    createdAt: timestamp({ withTimezone: true }).notNull().defaultNow(),
    changedAt: commitTimestamp().notNull(),
    managerId: uuid(),
    managerShard: bigint({ mode: 'bigint' }),
  },
  (t) => [
    foreignKey({ columns: [t.country, t.region], foreignColumns: [regions.country, regions.code] }).onDelete(
      'cascade',
    ),
    foreignKey({
      name: 'manager',
      columns: [t.managerShard, t.managerId],
      foreignColumns: [t.shardId, t.customerId],
    }),
    check('visits_are_positive', gt(t.visits, -5)),
    index('customers_by_name').on(t.name, t.createdAt.desc()).storing(t.active, t.email),
    uniqueIndex('customers_by_region').on(t.country, t.region).whereNotNull(t.country),
    index().on(desc(t.born)).nullFiltered(),
    drizzleIndex('customers_by_mood').on(t.mood.desc(), t.rate.desc().nullsFirst(), t.visits),
    drizzleUniqueIndex('customers_by_token')
      .on(t.token, t.number)
      .where(and(isNotNull(t.token), isNotNull(t.number))!),
    index('customers_by_time')
      .on(t.changedAt.desc())
      .shard({ shards: 8, of: [t.customerId] }),
    unique().on(t.name, t.born),
    workload({ writesPerSecond: 10 }),
    suppress({ rule: 'monotonic-index', on: 'customers_by_name', reason: 'few' }),
  ],
)

export const orders = pgTable(
  'customer_orders',
  {
    shardId: parentKey(customers.shardId),
    customerId: parentKey(customers.customerId),
    orderId: bitReversedId({ from: 'sequence' }),
    region: varchar({ length: 8 }),
    placedAt: timestamp('placed_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [
    interleaveIn(customers, { onDelete: 'cascade' }),
    index('orders_of_customer').on(t.shardId, t.customerId, desc(t.placedAt)).interleaveIn(customers),
    rowDeletionPolicy(t.placedAt, { days: 90 }),
  ],
)

export const lines = pgTable(
  'order_lines',
  {
    shardId: parentKey(orders.shardId),
    customerId: parentKey(orders.customerId),
    orderId: parentKey(orders.orderId),
    line: integer().primaryKey(),
    sku: text().references(() => products.sku, { onDelete: 'cascade' }),
  },
  () => [interleaveIn(orders, { onDelete: 'cascade' })],
)

export const products = pgTable('products', { sku: text().primaryKey() })

export const finance = pgSchema('finance')
export const events = finance.table(
  'event',
  {
    id: hashKey({ of: ['source'], algorithm: 'sha256' }),
    at: descTimestamp({ default: 'now' }),
    source: varchar({ length: 36 }).notNull(),
  },
  (t) => [
    immutable(t.source),
    index('by_source').on(t.source),
    suppress({ rule: 'spanner/shard-count', on: t.at, reason: 'x' }),
    suppress({ rule: 'redundant-index', on: 'by_source', reason: 'y' }),
  ],
)
