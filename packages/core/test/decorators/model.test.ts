import { Column, DescTimestamp, Index, Key, ParentKey, ShardKey, Table, UuidV4 } from '@isotherm/core'
import { compileDdl, defineSchema, defineTable, type Generated, type Schema } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

// Run in both decorator modes.

const plain = { nullable: false, immutable: false, inherited: false }

@Table('Swapped', { primaryKey: ['second', 'first'] })
class Swapped {
  @Key({ order: 'desc' })
  @Column.int64()
  first!: bigint

  @Column.int64()
  second!: bigint

  @Column.int64()
  other!: bigint
}

describe('the table option primaryKey', () => {
  it('orders the key columns, adds columns without @Key, and keeps the sort order of @Key', () => {
    expect(defineSchema([Swapped]).tables[0]!.primaryKey).toStrictEqual([
      { property: 'second', order: 'asc' },
      { property: 'first', order: 'desc' },
    ])
  })
})

@Table('Twice')
class Twice {
  @UuidV4()
  @Column.string({ length: 20 })
  id!: string
}

describe('a field with two decorators that declare a type', () => {
  it('makes defineSchema() report that only one of the two type decorators may stay', () => {
    expect(findingsOf(Twice)).toEqual([
      {
        table: 'Twice',
        column: 'id',
        message: 'has two decorators that say its type.',
        fix: 'Keep one of them: @Key() beside @Column.string(), but @UuidV4() alone.',
      },
    ])
  })
})

abstract class Entity {
  @UuidV4()
  id!: Generated<string>

  @Column.timestamp({ default: 'now' })
  createdAt!: Generated<Date>
}

@Index({ on: ['tenant', 'createdAt'] })
abstract class TenantEntity extends Entity {
  @Column.string({ length: 20 })
  tenant!: string
}

@Table('Invoice')
class Invoice extends TenantEntity {
  @Column.numeric()
  total!: string

  /** The base declares the column, too: the options of the subclass apply, and the position of the base. */
  @Column.string({ length: 40, immutable: true })
  override tenant: string = ''
}

@Table('Receipt')
@Index({ on: ['method'] })
class Receipt extends TenantEntity {
  @Column.string()
  method!: string
}

class Unmarked extends Invoice {}

describe('a base class with decorated fields', () => {
  it('adds its columns and indexes to each subclass, before those of the subclass', () => {
    const [invoice, receipt] = defineSchema([Invoice, Receipt]).tables
    expect(invoice!.columns.map((column) => column.property)).toStrictEqual([
      'id',
      'createdAt',
      'tenant',
      'total',
    ])
    expect(receipt!.columns.map((column) => column.property)).toStrictEqual([
      'id',
      'createdAt',
      'tenant',
      'method',
    ])
    expect(invoice!.primaryKey).toStrictEqual([{ property: 'id', order: 'asc' }])
    expect(invoice!.indexes.map((index) => index.name)).toStrictEqual(['Invoice_tenant_createdAt'])
    expect(receipt!.indexes.map((index) => index.name)).toStrictEqual([
      'Receipt_tenant_createdAt',
      'Receipt_method',
    ])
  })

  it('keeps its column when one subclass overrides the column', () => {
    const [invoice, receipt] = defineSchema([Invoice, Receipt]).tables
    const tenant = { property: 'tenant', name: 'tenant', ...plain }
    expect(invoice!.columns[2]).toStrictEqual({
      ...tenant,
      type: { kind: 'string', length: 40 },
      immutable: true,
    })
    expect(receipt!.columns[2]).toStrictEqual({ ...tenant, type: { kind: 'string', length: 20 } })
  })

  it('does not make a class a table if the class itself lacks @Table', () => {
    expect(findingsOf(Entity, Unmarked)).toStrictEqual([
      {
        table: 'Entity',
        message: 'is not a model.',
        fix: 'Decorate the class with @Table(name), or pass what defineTable returned.',
      },
      {
        table: 'Unmarked',
        message: 'is not a model, but extends one.',
        fix: 'Put @Table above a decorator that returns a new class, or decorate this class with @Table(name).',
      },
    ])
  })

  it('is not a model when a decorator above @Table returned a new class, and the finding names @Table', () => {
    const fix =
      'Put @Table above a decorator that returns a new class, or decorate this class with @Table(name).'
    expect(findingsOf(Replaced)).toStrictEqual([
      { table: 'Wrapper', message: 'is not a model, but extends one.', fix },
    ])
  })
})

/** As a decorator of a framework that seals or wraps classes. */
function replaced<Class extends abstract new (...args: never[]) => object>(target: Class): Class {
  const Wrapper = class extends (target as unknown as new () => object) {}
  return Wrapper as unknown as Class
}

@replaced
@Table('Replaced')
class Replaced {
  @UuidV4() id!: Generated<string>
}

@Index({ on: ['a'] })
@Index({ on: ['b'], unique: true, nullFiltered: true, storing: ['c'], name: 'TheB' })
@Table('Indexed')
@Index({ on: ['b', { property: 'a', order: 'desc' }, { property: 'c' }] })
@Index({ on: ['c'], shard: { shards: 4, of: ['id'] } })
class Indexed {
  @UuidV4()
  id!: Generated<string>

  @Column.int64()
  a!: bigint

  @Column.int64()
  b!: bigint

  @Column.int64({ name: 'sea' })
  c!: bigint
}

describe('@Index', () => {
  it('adds indexes above and below @Table to the schema from top to bottom', () => {
    const asc = (property: string) => ({ property, order: 'asc' })
    const none = { unique: false, nullFiltered: false, notNull: [], storing: [] }
    expect(defineSchema([Indexed]).tables[0]!.indexes).toStrictEqual([
      { name: 'Indexed_a', parts: [asc('a')], ...none },
      { name: 'TheB', parts: [asc('b')], unique: true, nullFiltered: true, notNull: [], storing: ['c'] },
      { name: 'Indexed_b_a_c', parts: [asc('b'), { property: 'a', order: 'desc' }, asc('c')], ...none },
      {
        name: 'Indexed_c',
        parts: [asc('c')],
        ...none,
        shard: { column: 'Indexed_c_shard', shards: 4, of: ['id'] },
      },
    ])
  })

  it('adds the same indexes to the schema when defineSchema() runs twice', () => {
    expect(defineSchema([Indexed])).toStrictEqual(defineSchema([Indexed]))
  })
})

@Table('Customer')
class Customer {
  @ShardKey({ shards: 16, of: ['customerId'], name: 'customer_shard' })
  shardId!: Generated<bigint>

  @DescTimestamp()
  joinedAt!: Date

  @Key()
  @Column.string({ length: 36, name: 'customer_id' })
  customerId!: string
}

@Table('Order', {
  interleaveIn: () => Customer,
  onDelete: 'cascade',
  suppress: [{ rule: 'monotonic-index', on: 'Order_orderedAt', reason: 'ten orders a day' }],
})
@Index({ on: ['orderedAt'] })
@Index({
  on: ['shardId', { property: 'joinedAt', order: 'desc' }, 'customerId', 'orderedAt'],
  interleaveIn: () => Customer,
})
class Order {
  @ParentKey()
  shardId!: Generated<bigint>

  @ParentKey()
  joinedAt!: Date

  @ParentKey()
  customerId!: string

  @UuidV4()
  orderId!: Generated<string>

  @Column.timestamp()
  orderedAt!: Date
}

@Table('Item', { interleaveIn: () => Order })
class Item {
  @ParentKey()
  shardId!: Generated<bigint>

  @ParentKey()
  joinedAt!: Date

  @ParentKey()
  customerId!: string

  @ParentKey()
  orderId!: Generated<string>

  @Key()
  @Column.int64()
  line!: bigint
}

const CustomerTable = defineTable('Customer', (t) => ({
  shardId: t.shardKey({ shards: 16, of: ['customerId'], name: 'customer_shard' }),
  joinedAt: t.descTimestamp(),
  customerId: t.string({ length: 36, name: 'customer_id' }).key(),
}))

const OrderTable = defineTable(
  'Order',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    joinedAt: t.parentKey<Date>(),
    customerId: t.parentKey<string>(),
    orderId: t.uuidV4(),
    orderedAt: t.timestamp(),
  }),
  {
    interleaveIn: () => CustomerTable,
    onDelete: 'cascade',
    suppress: [{ rule: 'monotonic-index', on: 'Order_orderedAt', reason: 'ten orders a day' }],
    indexes: [
      { on: ['orderedAt'] },
      {
        on: ['shardId', { property: 'joinedAt', order: 'desc' }, 'customerId', 'orderedAt'],
        interleaveIn: () => CustomerTable,
      },
    ],
  },
)

describe('@ParentKey', () => {
  it('inherits the column, the sort order and the source of the parent over two generations', () => {
    const [customer, order, item] = defineSchema([Customer, Order, Item]).tables
    for (const child of [order!, item!]) {
      expect(child.columns.slice(0, 3)).toStrictEqual(
        customer!.columns.map((column) => ({ ...column, inherited: true })),
      )
      expect(child.primaryKey.slice(0, 3)).toStrictEqual(customer!.primaryKey)
    }
    expect(item!.columns[0]).toStrictEqual({
      property: 'shardId',
      name: 'customer_shard',
      type: { kind: 'int64' },
      ...plain,
      inherited: true,
      source: { kind: 'shard', strategy: 'hash', shards: 16, of: ['customerId'], computedBy: 'database' },
    })
    expect(item!.primaryKey.map(({ property, order }) => `${property} ${order}`)).toStrictEqual([
      'shardId asc',
      'joinedAt desc',
      'customerId asc',
      'orderId asc',
      'line asc',
    ])
  })

  it('adds the parent table and its onDelete option to the child table', () => {
    const [, order, item] = defineSchema([Customer, Order, Item]).tables
    expect(order!.parent).toStrictEqual({ table: 'Customer', onDelete: 'cascade' })
    expect(item!.parent).toStrictEqual({ table: 'Order', onDelete: 'no action' })
  })
})

function everyObjectIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(everyObjectIn)]
}

describe('a schema', () => {
  const schema = defineSchema([Item, Order, Customer, Indexed, Invoice])

  it('lists parent tables before their children for any order of models', () => {
    expect(schema.tables.map((table) => table.name)).toStrictEqual([
      'Customer',
      'Order',
      'Item',
      'Indexed',
      'Invoice',
    ])
  })

  it('is frozen at every level', () => {
    const objects = everyObjectIn(schema)
    expect(objects.length).toBeGreaterThan(100)
    expect(objects.filter((each) => !Object.isFrozen(each))).toStrictEqual([])
  })

  it('equals its copy from JSON, and the copy compiles to the same DDL', () => {
    const read = JSON.parse(JSON.stringify(schema)) as Schema
    expect(read).toStrictEqual(schema)
    expect(compileDdl(read, { dialect: googlesql })).toStrictEqual(compileDdl(schema, { dialect: googlesql }))
  })

  it('is the same for decorated classes and for defineTable()', () => {
    expect(defineSchema([Customer, Order])).toStrictEqual(defineSchema([CustomerTable, OrderTable]))
  })

  it('does not change when the option lists are modified after defineSchema()', () => {
    const of: 'id'[] = ['id']
    const storing: ('id' | 'name')[] = ['name']
    const Changing = defineTable(
      'Changing',
      (t) => ({ shardId: t.shardKey({ shards: 4, of }), id: t.uuidV4(), name: t.string() }),
      { indexes: [{ on: ['shardId'], storing }] },
    )
    const before = defineSchema([Changing])
    const copy = structuredClone(before)
    of.push('id')
    storing.push('id')
    expect(before).toStrictEqual(copy)
  })
})
