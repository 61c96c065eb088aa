import { defineTable, type SchemaOptions } from '@isotherm/core'

const User = defineTable('User', (t) => ({
  id: t.uuidV4(),
  name: t.string({ length: 100, name: 'full_name' }),
  password: t.bytes({ length: 64 }),
}))

const Login = defineTable(
  'Login',
  (t) => ({
    id: t.parentKey<string>(),
    at: t.timestamp().key(),
    from: t.string({ length: 40, nullable: true }),
  }),
  { interleaveIn: () => User, onDelete: 'cascade' },
)

export const objectModels = [User, Login]

const names = {
  googlesql: 'SELECT u.id, u.full_name FROM `User` AS u',
  'spanner-postgresql': 'SELECT "id", "full_name" FROM "User"',
}

/** Objects of a schema other than tables. */
export const objectOptions: SchemaOptions = {
  sequences: [
    { name: 'Invoices' },
    { name: 'Receipts', startCounter: 1000n, skipRange: [1n, 9223372036854775807n] },
  ],
  views: [
    { name: 'Names', query: names },
    {
      name: 'NamesOfNames',
      query: {
        googlesql: 'SELECT n.full_name FROM Names AS n',
        'spanner-postgresql': 'SELECT "full_name" FROM "Names"',
      },
    },
  ],
  changeStreams: [
    { name: 'Nothing' },
    { name: 'Everything', watch: 'all', retention: '7d', values: 'NEW_ROW' },
    {
      name: 'Some',
      watch: [{ table: User, columns: ['name', 'password'] }, Login],
      retention: '36h',
      options: { exclude_ttl_deletes: 'true', exclude_insert: 'false' },
    },
    { name: 'OnlyKeys', watch: [{ table: User, columns: [] }] },
  ],
}

export const definerOptions: SchemaOptions = {
  views: [{ name: 'Names', query: names, security: 'definer' }],
}

const SalesOrder = defineTable(
  'sales.Order',
  (t) => ({
    shardId: t.shardKey({ shards: 4, strategy: 'random' }),
    orderId: t.uuidV4(),
    number: t.bitReversedId({ from: 'sequence' }),
    at: t.timestamp(),
  }),
  {
    checks: [
      {
        name: 'sales_Order_at',
        expression: {
          googlesql: "`at` > '2000-01-01T00:00:00Z'",
          'spanner-postgresql': `"at" > '2000-01-01T00:00:00Z'`,
        },
      },
    ],
    indexes: [
      { on: ['number'] },
      { name: 'sales.Recent', on: ['at'], shard: { shards: 4, of: ['orderId'] } },
    ],
  },
)

const SalesItem = defineTable(
  'sales.Item',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    orderId: t.parentKey<string>(),
    number: t.parentKey<bigint>(),
    line: t.int64().key(),
  }),
  {
    interleaveIn: () => SalesOrder,
    onDelete: 'cascade',
    indexes: [
      {
        name: 'sales.Lines',
        on: ['shardId', 'orderId', 'number', { property: 'line', order: 'desc' }],
        interleaveIn: () => SalesOrder,
      },
    ],
  },
)

/** The same names in a named schema and outside of it. */
const Order = defineTable(
  'Order',
  (t) => ({
    shardId: t.shardKey({ shards: 4, strategy: 'random' }),
    orderId: t.uuidV4(),
    sale: t.uuid(),
    shard: t.int64(),
    number: t.int64(),
  }),
  {
    foreignKeys: [
      { columns: ['shard', 'sale', 'number'], references: () => SalesOrder, onDelete: 'cascade' },
    ],
  },
)

export const namespaceModels = [Order, SalesOrder, SalesItem]

export const namespaceOptions: SchemaOptions = {
  namespaces: ['archive'],
  sequences: [{ name: 'billing.Invoices', startCounter: 7n }],
  views: [
    {
      name: 'reports.Orders',
      query: {
        googlesql: 'SELECT o.orderId FROM sales.`Order` AS o',
        'spanner-postgresql': 'SELECT "orderId" FROM "sales"."Order"',
      },
    },
  ],
  changeStreams: [{ name: 'SalesFeed', watch: [{ table: SalesOrder, columns: ['at'] }, SalesItem] }],
}
