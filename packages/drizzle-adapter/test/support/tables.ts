import {
  bitReversedId,
  bool,
  bytes,
  check,
  date,
  descTimestamp,
  workload,
  float32,
  float64,
  foreignKey,
  hashKey,
  index,
  int64,
  interleaveIn,
  json,
  suppress,
  numeric,
  parentKey,
  rowDeletionPolicy,
  shardKey,
  spannerSchema,
  spannerSequence,
  spannerTable,
  string,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
  uuidV4,
} from '@isotherm/drizzle-adapter'
import { desc, gt, sql } from 'drizzle-orm'

// Tables with everything that a table may have.

export const regions = spannerTable('Region', {
  country: string({ length: 2 }).primaryKey(),
  code: string('region_code', { length: 8 }).primaryKey(),
})

export const numbers = spannerSequence('InvoiceNumber', { startWith: 1000n, skipRange: [1n, 9n] })

export const customers = spannerTable(
  'Customer',
  {
    shardId: shardKey({ shards: 16, of: ['customerId'] }),
    customerId: uuidV4({ storage: 'bytes' }),
    email: string({ length: 320 }).notNull().unique(),
    name: string().notNull().default("O'Brien"),
    lower: string().generatedAlwaysAs(sql`LOWER(${sql.identifier('name')})`),
    upper: string().generatedAlwaysAs(() => sql`UPPER(${sql.identifier('name')})`, { mode: 'virtual' }),
    country: string({ length: 2 }),
    region: string({ length: 8 }),
    active: bool().notNull().default(true),
    balance: numeric().notNull().default('12.50'),
    factor: float32().default(0.5),
    rate: float64().default(-1),
    visits: int64({ mode: 'number' }).notNull().default(0),
    number: int64().default(numbers.next()),
    counter: int64().generatedByDefaultAsIdentity({ startWith: 7n }),
    photo: bytes({ length: 1024 }).hidden(),
    born: date().default('2000-02-29'),
    settings: json().default({ theme: "it's" }),
    tags: string({ length: 20 }).array().default(['a', 'b']),
    token: uuid().defaultRandom(),
    createdAt: timestamp().notNull().defaultNow(),
    changedAt: timestamp().notNull().commitTimestamp(),
    managerId: uuid({ storage: 'bytes' }).immutable(),
    managerShard: int64(),
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
    index('customers_by_name').on(t.name, desc(t.createdAt)).storing(t.active, t.email),
    uniqueIndex('customers_by_region').on(t.country, t.region).whereNotNull(t.country),
    index().on(t.born).nullFiltered(),
    index('customers_by_time')
      .on(desc(t.changedAt))
      .shard({ shards: 8, of: [t.customerId] }),
    unique().on(t.name, t.born),
    workload({ writesPerSecond: 10 }),
    suppress({ rule: 'monotonic-index', on: 'customers_by_name', reason: 'few' }),
  ],
)

export const orders = spannerTable(
  'CustomerOrder',
  {
    shardId: parentKey(customers.shardId),
    customerId: parentKey(customers.customerId),
    orderId: bitReversedId({ from: 'sequence' }),
    region: string({ length: 8 }).references(() => regions.code, { name: 'order_region' }),
    placedAt: timestamp('placed_at').notNull().defaultNow(),
  },
  (t) => [
    interleaveIn(customers, { onDelete: 'cascade' }),
    index('orders_of_customer').on(t.shardId, t.customerId, desc(t.placedAt)).interleaveIn(customers),
    rowDeletionPolicy(t.placedAt, { days: 90 }),
  ],
)

export const finance = spannerSchema('finance')
export const events = finance.table(
  'Event',
  {
    id: hashKey({ of: ['source'], algorithm: 'sha256' }),
    at: descTimestamp({ default: 'now' }),
    source: string({ length: 36 }).notNull().immutable(),
  },
  (t) => [
    index('by_source').on(t.source),
    suppress({ rule: 'spanner/shard-count', on: t.at, reason: 'x' }),
    suppress({ rule: 'redundant-index', on: 'by_source', reason: 'y' }),
  ],
)
