import { defineSchema, defineTable, lint, sql as sqlOf } from '@isotherm/core'
import { spannerPostgresql } from '@isotherm/spanner'
import { shardKey, SpannerPgDialect, toSchema, uuidV4 } from '@isotherm/drizzle-adapter/postgresql'
import { eq, sql } from 'drizzle-orm'
import {
  bigint,
  check,
  char,
  customType,
  foreignKey,
  index,
  integer,
  numeric,
  pgSchema,
  pgTable,
  pgTableCreator,
  pgView,
  primaryKey,
  QueryBuilder,
  text,
  timestamp,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import * as tables from '../support/pg-tables.js'

const pg = (text: string) => ({ 'spanner-postgresql': text, postgresql: text })

const core = () => {
  const Region = defineTable('regions', (t) => ({
    country: t.string({ length: 2 }).key(),
    code: t.string({ length: 8, name: 'region_code' }).key(),
  }))
  const Customer: ReturnType<typeof defineTable> = defineTable(
    'customers',
    (t) => ({
      shardId: t.shardKey({ shards: 16, of: ['customerId'] }),
      customerId: t.uuidV4(),
      email: t.string({ length: 320 }),
      name: t.string({ default: "O'Brien" }),
      lower: t.string({ nullable: true, generated: pg('lower("name")') }),
      country: t.string({ length: 2, nullable: true }),
      region: t.string({ length: 8, nullable: true }),
      active: t.bool({ default: true }),
      balance: t.numeric({ default: '12.5' }),
      rate: t.float64({ nullable: true, default: -1 }),
      visits: t.int64({ as: 'number', default: 0 }),
      number: t.int64({ nullable: true }),
      counter: t.int64(),
      mood: t.string({ nullable: true, default: 'calm' }),
      photo: t.bytes({ nullable: true }),
      born: t.date({ nullable: true, default: '2000-02-29' }),
      settings: t.json({ nullable: true }),
      tags: t.array({ kind: 'string', length: 20 }, { nullable: true, default: ['a', 'b'] }),
      token: t.uuid({ nullable: true }),
      createdAt: t.timestamp({ default: sqlOf(pg('now()')) }),
      changedAt: t.timestamp({ default: 'commit' }),
      managerId: t.uuid({ nullable: true }),
      managerShard: t.int64({ nullable: true }),
    }),
    {
      foreignKeys: [
        {
          name: 'customers_country_region_regions_country_region_code_fk',
          columns: ['country', 'region'],
          references: () => Region,
          on: ['country', 'code'],
          onDelete: 'cascade',
        },
        {
          name: 'manager',
          columns: ['managerShard', 'managerId'],
          references: 'self',
          on: ['shardId', 'customerId'],
        },
      ],
      checks: [
        { name: 'visits_are_positive', expression: pg(`"visits" > '-5'::bigint`) },
        { name: 'customers_mood_enum', expression: pg(`"mood" in ('calm', 'o''clock')`) },
      ],
      indexes: [
        {
          name: 'customers_by_mood',
          on: [
            { property: 'mood', order: 'desc', nulls: 'last' },
            { property: 'rate', order: 'desc' },
            'visits',
          ],
        },
        {
          name: 'customers_by_token',
          on: ['token', 'number'],
          unique: true,
          notNull: ['token', 'number'],
        },
        {
          name: 'customers_by_name',
          on: ['name', { property: 'createdAt', order: 'desc' }],
          storing: ['active', 'email'],
        },
        { name: 'customers_by_region', on: ['country', 'region'], unique: true, notNull: ['country'] },
        { on: [{ property: 'born', order: 'desc' }], nullFiltered: true },
        {
          name: 'customers_by_time',
          on: [{ property: 'changedAt', order: 'desc' }],
          shard: { shards: 8, of: ['customerId'] },
        },
        { name: 'customers_email_unique', on: ['email'], unique: true },
        { name: 'customers_name_born_unique', on: ['name', 'born'], unique: true },
      ],
      workload: { writesPerSecond: 10 },
      suppress: [{ rule: 'monotonic-index', on: 'customers_by_name', reason: 'few' }],
    },
  ) as never
  const Order: ReturnType<typeof defineTable> = defineTable(
    'customer_orders',
    (t) => ({
      shardId: t.parentKey<bigint>(),
      customerId: t.parentKey<string>(),
      orderId: t.bitReversedId({ from: 'sequence' }),
      region: t.string({ length: 8, nullable: true }),
      placedAt: t.timestamp({ name: 'placed_at', default: sqlOf(pg('now()')) }),
    }),
    {
      interleaveIn: () => Customer,
      onDelete: 'cascade',
      indexes: [
        {
          name: 'orders_of_customer',
          on: ['shardId', 'customerId', { property: 'placedAt', order: 'desc' }],
          interleaveIn: () => Customer,
        },
      ],
      rowDeletion: { property: 'placedAt', days: 90 },
    },
  ) as never
  const Product = defineTable('products', (t) => ({ sku: t.string().key() }))
  const Line = defineTable(
    'order_lines',
    (t) => ({
      shardId: t.parentKey<bigint>(),
      customerId: t.parentKey<string>(),
      orderId: t.parentKey<bigint>(),
      line: t.int64({ as: 'number' }).key(),
      sku: t.string({ nullable: true }),
    }),
    {
      interleaveIn: () => Order,
      onDelete: 'cascade',
      foreignKeys: [
        {
          name: 'order_lines_sku_products_sku_fk',
          columns: ['sku'],
          references: () => Product,
          onDelete: 'cascade',
        },
      ],
    },
  )
  const Event = defineTable(
    'finance.event',
    (t) => ({
      id: t.hashKey({ of: ['source'], algorithm: 'sha256' }),
      at: t.descTimestamp({ default: 'now' }),
      source: t.string({ length: 36, immutable: true }),
    }),
    {
      indexes: [{ name: 'finance.by_source', on: ['source'] }],
      suppress: [
        { rule: 'spanner/shard-count', on: 'at', reason: 'x' },
        { rule: 'redundant-index', on: 'finance.by_source', reason: 'y' },
      ],
    },
  )
  return defineSchema([Region, Customer, Order, Line, Product, Event], {
    sequences: [{ name: 'invoice_number', startCounter: 1000n }],
  })
}

it('toSchema() builds the same schema from pgTable() tables as defineSchema() from defineTable() models', () => {
  const made = toSchema({ ...tables, relations: {}, nothing: null })
  const expected = structuredClone(core())
  // `defineTable` has no identity that is not a key.
  const sources = {
    number: { kind: 'bit-reversed', from: 'sequence', sequence: 'invoice_number' },
    counter: { kind: 'bit-reversed', from: 'identity', startCounter: '7' },
    token: { kind: 'uuid-v4' },
  }
  const customer = expected.tables.find(({ name }) => name === 'customers')!
  for (const [property, source] of Object.entries(sources)) {
    Object.assign(
      customer.columns.find((column) => column.property === property)!,
      { source },
    )
  }
  const declared = made.tables.find(({ name }) => name === 'customers')!
  expect(declared.columns).toEqual(customer.columns)
  expect(made).toEqual(expected)
  expect(Object.isFrozen(made.tables[0]!.columns)).toBe(true)
})

it('lint() reports the same findings for pgTable() tables as for the same defineTable() models', () => {
  const dialect = spannerPostgresql
  const found = lint(toSchema(tables), { dialect })
  expect(found).toEqual(lint(core(), { dialect }))
  expect(found.length).toBeGreaterThan(0)
  const hot = pgTable('hot', { at: timestamp({ withTimezone: true }).primaryKey().defaultNow() })
  const cold = pgTable('cold', {
    shardId: shardKey({ shards: 64, of: ['id'] }),
    at: timestamp({ withTimezone: true }).primaryKey().defaultNow(),
    id: uuidV4(),
  })
  const errors = lint(toSchema({ hot, cold }), { dialect }).filter(({ severity }) => severity === 'error')
  expect(errors.map(({ table, column, rule }) => [table, column, rule])).toEqual([
    ['hot', 'at', 'monotonic-first-key'],
  ])
})

it('toSchema() applies casing, pgTableCreator() and pgSchema() to names of tables, columns, indexes and keys', () => {
  const named = pgSchema('sales')
  const users = pgTableCreator((name) => `app_${name}`)('user', { userId: uuidV4() })
  const orders = named.table(
    'order',
    {
      orderId: uuidV4(),
      placedAt: timestamp('PlacedAt', { withTimezone: true }),
      customerName: text().unique(),
    },
    (t) => [
      index('by_name').on(t.customerName),
      index().on(t.placedAt),
      uniqueIndex('by_both').using('btree', t.placedAt, t.customerName),
      check('named', sql`${t.customerName} <> ${"it's"}`),
      foreignKey({ columns: [t.orderId], foreignColumns: [users.userId] }),
    ],
  )
  const { tables: made, namespaces } = toSchema(
    { named, orders, users, other: pgSchema('empty') },
    { casing: 'snake_case' },
  )
  const order = made.find(({ name }) => name === 'sales.order')!
  expect(made.map(({ name }) => name)).toEqual(['sales.order', 'app_user'])
  expect(namespaces).toEqual(['sales', 'empty'])
  expect(order.columns.map(({ property, name }) => [property, name])).toEqual([
    ['orderId', 'order_id'],
    ['placedAt', 'PlacedAt'],
    ['customerName', 'customer_name'],
  ])
  expect(order.indexes.map(({ name }) => name)).toEqual([
    'sales.by_name',
    'sales.order_placedAt',
    'sales.by_both',
    'sales.order_customerName_unique',
  ])
  expect(order.checks[0]!.expression).toEqual(pg(`"customer_name" <> 'it''s'`))
  expect(order.foreignKeys.map(({ name }) => name)).toEqual(['order_order_id_app_user_user_id_fk'])
})

it('toSchema() converts PostgreSQL column types to the types of Spanner', () => {
  const moment = customType<{ data: Date; driverData: string }>({
    dataType: () => 'spanner.commit_timestamp',
  })
  const path = customType<{ data: string }>({ dataType: () => 'varchar(80)' })
  const table = pgTable(
    'types',
    {
      a: integer().notNull(),
      b: bigint({ mode: 'bigint' }),
      c: char({ length: 3 }),
      d: uuid(),
      e: numeric({ mode: 'number' }).array(),
      f: varchar(),
      g: moment(),
      h: path(),
    },
    (t) => [primaryKey({ columns: [t.d, t.a] })],
  )
  const [made] = toSchema([table]).tables
  expect(made!.primaryKey).toEqual([
    { property: 'd', order: 'asc' },
    { property: 'a', order: 'asc' },
  ])
  expect(
    made!.columns.map(({ property, type, nullable, source }) => [property, type, nullable, source?.kind]),
  ).toEqual([
    ['a', { kind: 'int64', as: 'number' }, false, undefined],
    ['b', { kind: 'int64' }, true, undefined],
    ['c', { kind: 'string', length: 3 }, true, undefined],
    // A part of the key is never NULL in PostgreSQL.
    ['d', { kind: 'uuid' }, false, undefined],
    ['e', { kind: 'array', of: { kind: 'numeric' } }, true, undefined],
    ['f', { kind: 'string', length: 'max' }, true, undefined],
    ['g', { kind: 'timestamp' }, true, 'timestamp'],
    ['h', { kind: 'string', length: 80 }, true, undefined],
  ])
})

it('toSchema() lists each view after the views that it reads, with its query and its security', () => {
  const people = pgTable('people', { id: integer().primaryKey(), fullName: text('full_name') })
  const named = pgView('named').as((qb) => qb.select().from(people).where(eq(people.fullName, "O'Hara")))
  const counted = pgSchema('shop')
    .view('counted')
    .with({ securityInvoker: false })
    .as((qb) => qb.select({ n: sql<number>`count(*)`.as('n') }).from(named))
  const there = pgView('there', { id: integer() }).existing()
  expect(toSchema({ counted, named, there, people }).views).toEqual([
    {
      name: 'named',
      query: pg(`select "id", "full_name" from "people" where "people"."full_name" = 'O''Hara'`),
      security: 'invoker',
    },
    { name: 'shop.counted', query: pg('select count(*) as "n" from "named"'), security: 'definer' },
  ])
})

it('toSchema() keeps subqueries in the selected expressions of a view', () => {
  const people = pgTable('people', { id: integer().primaryKey(), fullName: text() })
  const pets = pgTable('pets', { id: integer().primaryKey(), ownerId: integer() })
  const builder = new QueryBuilder(new SpannerPgDialect({ casing: 'snake_case' }))
  const n = sql<number>`(select count(*) from ${pets} where ${pets.ownerId} = ${people.id})`.as('n')
  const counted = pgView('counted').as(builder.select({ name: people.fullName, n }).from(people))
  expect(toSchema({ people, pets, counted }, { casing: 'snake_case' }).views[0]!.query).toEqual(
    pg(
      'select "full_name", (select count(*) from "pets" where "pets"."owner_id" = "people"."id") as "n" from "people"',
    ),
  )
  // Drizzle's own builder keeps the table names in a query that it builds itself, and does not change other text.
  const own = pgView('own').as((qb) =>
    qb
      .select({
        n: sql<number>`(${qb
          .select({ n: sql`count(*)` })
          .from(pets)
          .where(eq(pets.ownerId, people.id))})`.as('n'),
        selected: sql<string>`upper(${people.fullName})`.as('selected'),
      })
      .from(people),
  )
  const written = pgView('written', { n: integer() }).as(
    sql`select ${sql.identifier('n')} from (select 1 as n) as one`,
  )
  expect(toSchema({ people, pets, own, written }).views.map(({ query }) => query)).toEqual([
    pg(
      'select ((select count(*) from "pets" where "pets"."ownerId" = "people"."id")) as "n", upper("fullName") as "selected" from "people"',
    ),
    pg('select "n" from (select 1 as n) as one'),
  ])
})

it('toSchema() with a casing accepts a view only if its QueryBuilder has the same casing', () => {
  const casing = 'snake_case'
  const people = pgTable('people', { id: integer().primaryKey(), fullName: text() })
  const builder = new QueryBuilder({ casing })
  const cased = pgView('cased').as(builder.select().from(people).where(eq(people.fullName, 'x')))
  const full = sql<string>`upper(${people.fullName})`.as('fullName')
  const loud = pgView('loud').as(builder.select({ id: people.id, fullName: full }).from(people))
  const { views } = toSchema({ people, cased, loud }, { casing })
  expect(views.map(({ query }) => query)).toEqual([
    pg(`select "id", "full_name" from "people" where "people"."full_name" = 'x'`),
    pg(`select "id", upper("full_name") as "fullName" from "people"`),
  ])
  const uncased = pgView('uncased').as((qb) => qb.select().from(people))
  expect(() => toSchema({ people, uncased }, { casing })).toThrow('The view uncased names a column fullName')
  expect(toSchema({ people, uncased }).views).toHaveLength(1)
})

it('toSchema() converts change streams that watch whole tables or named columns', () => {
  const { changeStreams } = toSchema([tables.products, tables.regions, tables.customers], {
    changeStreams: [
      { name: 'some', watch: [tables.products, { table: tables.customers, columns: ['name'] }] },
    ],
  })
  expect(changeStreams[0]!.watch).toEqual([
    { table: 'products', columns: 'all' },
    { table: 'customers', columns: ['name'] },
  ])
})
