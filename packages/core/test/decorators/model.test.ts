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

describe('primaryKey', () => {
  it('orders the key, names key parts that no @Key marks, and keeps the order of those it does', () => {
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

describe('a field with two decorators that say its type', () => {
  it('is refused: neither is the one that counts', () => {
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

  /** Declared by the base already: more is said of it here, and its place stays. */
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

describe('a base class', () => {
  it('gives its columns and indexes to each subclass, before their own', () => {
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

  it('is overridden by the subclass alone', () => {
    const [invoice, receipt] = defineSchema([Invoice, Receipt]).tables
    const tenant = { property: 'tenant', name: 'tenant', ...plain }
    expect(invoice!.columns[2]).toStrictEqual({
      ...tenant,
      type: { kind: 'string', length: 40 },
      immutable: true,
    })
    expect(receipt!.columns[2]).toStrictEqual({ ...tenant, type: { kind: 'string', length: 20 } })
  })

  it('does not make its subclasses tables', () => {
    expect(findingsOf(Entity, Unmarked)).toStrictEqual([
      {
        table: 'Entity',
        message: 'is not a model.',
        fix: 'Decorate the class with @Table(name), or pass what defineTable returned.',
      },
      {
        table: 'Unmarked',
        message: 'is not a model.',
        fix: 'Decorate the class with @Table(name), or pass what defineTable returned.',
      },
    ])
  })
})

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
  it('stands above and below @Table, and is listed from top to bottom', () => {
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

  it('stays the same index however often a schema is made', () => {
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
  it("inherits the parent's column, order and source, through two generations", () => {
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

  it('keeps who the parent is and what a delete does', () => {
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

  it('lists parents before their children, whatever the order of the models', () => {
    expect(schema.tables.map((table) => table.name)).toStrictEqual([
      'Customer',
      'Order',
      'Item',
      'Indexed',
      'Invoice',
    ])
  })

  it('is frozen to its last part', () => {
    const objects = everyObjectIn(schema)
    expect(objects.length).toBeGreaterThan(100)
    expect(objects.filter((each) => !Object.isFrozen(each))).toStrictEqual([])
  })

  it('survives JSON, and compiles to the same statements then', () => {
    const read = JSON.parse(JSON.stringify(schema)) as Schema
    expect(read).toStrictEqual(schema)
    expect(compileDdl(read, { dialect: googlesql })).toStrictEqual(compileDdl(schema, { dialect: googlesql }))
  })

  it('is the one that defineTable makes of the same declaration', () => {
    expect(defineSchema([Customer, Order])).toStrictEqual(defineSchema([CustomerTable, OrderTable]))
  })

  it('does not depend on what becomes of the options afterwards', () => {
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
