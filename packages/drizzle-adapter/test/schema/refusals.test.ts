import { lint, SchemaError } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import {
  check,
  descTimestamp,
  foreignKey,
  index,
  int64,
  interleaveIn,
  parentKey,
  primaryKey,
  shardKey,
  spannerSchema,
  spannerTable,
  spannerTableCreator,
  spannerView,
  string,
  timestamp,
  toSchema,
  uuidV4,
} from '@isotherm/drizzle-adapter'
import { asc, desc, eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

const parents = spannerTable('Parent', { id: int64('parent_id').primaryKey(), name: string() })

describe('toSchema() with invalid tables', () => {
  it.each([
    ['another type', { id: string('parent_id').primaryKey() }],
    ['another name', { id: int64('other').primaryKey() }],
    ['another property', { parentId: int64('parent_id').primaryKey() }],
    ['a column that allows NULL', { id: int64('parent_id') }],
  ])('rejects a child table that repeats the parent key with %s', (_, columns) => {
    const child = spannerTable('Child', { ...columns, line: int64().primaryKey() }, () => [
      interleaveIn(parents),
    ])
    const error = refusal(() => toSchema({ parents, child }))
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID', table: 'Child', column: 'id' })
    expect(error.message).toContain('Declare it as id: parentKey(…)')
  })

  it.each([
    [
      'an interleaved table whose parent is not in the schema',
      () => {
        const child = spannerTable('Child', { id: parentKey(parents.id), line: int64().primaryKey() }, () => [
          interleaveIn(parents),
        ])
        return { child }
      },
      'is interleaved in Parent, which is not in this schema',
    ],
    [
      'a foreign key to a table that is not in the schema',
      () => {
        const child = spannerTable('Child', { id: uuidV4(), parentId: int64().references(() => parents.id) })
        return { child }
      },
      'refers to Parent, which is not in this schema',
    ],
    ['a table without a primary key', () => ({ t: spannerTable('T', { a: int64() }) }), 'has no primary key'],
    [
      'two tables whose names differ only in case',
      () => ({ a: parents, b: spannerTable('parent', { id: uuidV4() }) }),
      'has the same name as',
    ],
    [
      'a column with a default and a commit timestamp',
      () => ({ t: spannerTable('T', { id: uuidV4(), at: timestamp().defaultNow().commitTimestamp() }) }),
      'a key value that is made for it and a default',
    ],
  ])('rejects %s with a SchemaError', (_, tables, message) => {
    const error = refusal(() => toSchema(tables()))
    expect(error).toBeInstanceOf(SchemaError)
    expect(error.message).toContain(message)
  })

  it('rejects an index of an expression and a primary key of an expression', () => {
    const table = spannerTable('T', { id: uuidV4(), name: string() }, (t) => [
      index().on(sql`LOWER(${t.name})`),
    ])
    expect(refusal(() => toSchema({ table })).code).toBe('UNSUPPORTED_MODEL')
    expect(refusal(() => primaryKey({ columns: [sql`1`] })).code).toBe('UNSUPPORTED_MODEL')
  })

  it('rejects placeholders and object literals in checks, defaults and views', () => {
    const ids = spannerTable('T', { id: uuidV4() }, (t) => [check('c', eq(t.id, sql.placeholder('id')))])
    expect(refusal(() => toSchema({ ids })).message).toContain(
      'The placeholder id is used where a schema needs a value',
    )
    const objects = spannerTable('T', { id: uuidV4(), a: string().default(sql`${{ a: 1 }}`) })
    expect(refusal(() => toSchema({ objects })).message).toContain('has no literal without its type')
    const view = spannerView('V').as((qb) =>
      qb
        .select()
        .from(parents)
        .where(eq(parents.id, sql.placeholder('id'))),
    )
    expect(refusal(() => toSchema({ parents, view })).message).toContain('The view V has a placeholder')
  })
})

describe('toSchema() with valid tables', () => {
  it('accepts a child table that repeats the parent key instead of parentKey()', () => {
    const child = spannerTable(
      'Child',
      { id: int64('parent_id').primaryKey(), line: int64().primaryKey() },
      () => [interleaveIn(parents, { requireParent: false })],
    )
    const [, made] = toSchema([child, parents]).tables
    expect(made!.columns.map(({ name, inherited }) => [name, inherited])).toEqual([
      ['parent_id', true],
      ['line', false],
    ])
    expect(made!.parent).toEqual({ table: 'Parent', onDelete: 'no action', required: false })
  })

  it('orders key parts by primaryKey(), and by their columns where primaryKey() gives no order', () => {
    const both = { a: int64().notNull(), b: int64().notNull(), at: descTimestamp() }
    const said = spannerTable('Said', both, (t) => [primaryKey({ columns: [desc(t.b), asc(t.a), t.at] })])
    const unsaid = spannerTable('Unsaid', { ...both, c: int64().primaryKey() })
    const { tables } = toSchema({ said, unsaid })
    expect(
      tables.map(({ primaryKey: key }) => key.map(({ property, order }) => `${property} ${order}`)),
    ).toEqual([
      ['b desc', 'a asc', 'at desc'],
      ['at desc', 'c asc'],
    ])
  })

  it('applies casing, spannerTableCreator() and spannerSchema() to names of tables, columns, indexes and keys', () => {
    const named = spannerSchema('sales')
    const orders = named.table(
      'Order',
      { orderId: uuidV4(), placedAt: timestamp('PlacedAt'), customerName: string() },
      (t) => [
        index('by_name').on(t.customerName),
        index().on(t.placedAt),
        check('named', sql`${t.customerName} <> ''`),
        foreignKey({ columns: [t.orderId], foreignColumns: [users.userId] }).notEnforced(),
      ],
    )
    const users = spannerTableCreator((name) => `app_${name}`)('User', { userId: uuidV4() })
    const { tables, namespaces } = toSchema(
      { named, orders, users, other: spannerSchema('empty') },
      { casing: 'snake_case' },
    )
    const order = tables.find(({ name }) => name === 'sales.Order')!
    expect(tables.map(({ name }) => name)).toEqual(['sales.Order', 'app_User'])
    expect(namespaces).toEqual(['sales', 'empty'])
    expect(order.columns.map(({ property, name }) => [property, name])).toEqual([
      ['orderId', 'order_id'],
      ['placedAt', 'PlacedAt'],
      ['customerName', 'customer_name'],
    ])
    expect(order.indexes.map(({ name }) => name)).toEqual(['sales.by_name', 'sales.Order_placedAt'])
    expect(order.checks[0]!.expression).toEqual({ googlesql: "`customer_name` <> ''" })
    expect(order.foreignKeys).toEqual([
      {
        name: 'sales_Order_orderId_fk',
        columns: ['orderId'],
        table: 'app_User',
        references: ['userId'],
        onDelete: 'no action',
        enforced: false,
      },
    ])
  })

  it('converts change streams, and the security option of a view', () => {
    const view = spannerView('V')
      .with({ security: 'definer' })
      .as((qb) => qb.select({ id: parents.id }).from(parents))
    const { changeStreams, views } = toSchema(
      { parents, view },
      {
        changeStreams: [
          { name: 'All', watch: 'all' },
          { name: 'Names', watch: [{ table: parents, columns: ['name'] }], retention: '2d' },
          { name: 'Whole', watch: [parents] },
        ],
      },
    )
    expect(changeStreams.map(({ watch }) => watch)).toEqual([
      'all',
      [{ table: 'Parent', columns: ['name'] }],
      [{ table: 'Parent', columns: 'all' }],
    ])
    expect(views[0]!.security).toBe('definer')
  })

  it('builds a schema for which lint() reports monotonic-first-key', () => {
    const hot = spannerTable('Hot', { at: timestamp().primaryKey().defaultNow(), id: uuidV4() })
    const cold = spannerTable('Cold', {
      shardId: shardKey({ shards: 64, of: ['id'] }),
      at: timestamp().primaryKey().defaultNow(),
      id: uuidV4(),
    })
    const found = lint(toSchema({ hot, cold }), { dialect: googlesql })
    expect(
      found
        .filter(({ severity }) => severity === 'error')
        .map(({ table, column, rule }) => [table, column, rule]),
    ).toEqual([['Hot', 'at', 'monotonic-first-key']])
  })
})
