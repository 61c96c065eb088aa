import type { ValueSource } from '@isotherm/core/tools'
import { bindingOf } from '@isotherm/core/engine'
import {
  compileDdl,
  defineSchema,
  defineTable,
  type Counter,
  type Schema,
  type ShardKeyOptions,
  sql,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects } from '../support/layout.js'

// A schema is frozen plain data. Functions and counters, which are not data, are kept outside the schema.

const counter: Counter = { next: () => 1n }
const compute = () => 0

const Customer = defineTable(
  'sales.Customer',
  (t) => ({
    shardId: t.shardKey({ shards: 4, of: ['region', 'customerId'], signed: true }),
    region: t.string({ length: 8 }).key(),
    customerId: t.uuidV4({ storage: 'bytes' }),
    joined: t.timestamp({ default: 'now', immutable: true }),
    email: t.string({ nullable: true, name: 'e_mail', hidden: true }),
    visits: t.int64({ as: 'number', default: 0 }),
    day: t.date({ default: sql({ googlesql: 'CURRENT_DATE()', 'spanner-postgresql': 'current_date' }) }),
    again: t.int64({
      generated: { googlesql: 'visits + 1', 'spanner-postgresql': 'visits + 1' },
      stored: false,
    }),
    friend: t.uuid({ nullable: true, storage: 'int64-pair' }),
  }),
  {
    checks: [
      { name: 'Visited', expression: { googlesql: 'visits >= 0', 'spanner-postgresql': 'visits >= 0' } },
    ],
    foreignKeys: [{ columns: ['region'], references: () => Region, on: ['name'], onDelete: 'cascade' }],
    rowDeletion: { property: 'joined', days: 30 },
    workload: { writesPerSecond: 5, rowBytes: 100, nodes: 2 },
    suppress: [{ rule: 'nullable-first-key', reason: 'for the test' }],
    indexes: [
      { on: ['email'], notNull: ['email'], unique: true },
      {
        on: [{ property: 'joined', order: 'desc' }],
        shard: { shards: 4, of: ['region'] },
        storing: ['email'],
      },
    ],
  },
)

const Order = defineTable(
  'sales.Order',
  (t) => ({
    shardId: t.parentKey<bigint>(),
    region: t.parentKey<string>(),
    customerId: t.parentKey<string>(),
    orderId: t.bitReversedId({ from: 'sequence', startCounter: 5n, skipRange: [7n, 9n] }),
  }),
  { interleaveIn: () => Customer, onDelete: 'cascade' },
)

const Region = defineTable('Region', (t) => ({ name: t.string({ length: 8 }).key() }))

const Page = defineTable('Page', (t) => ({
  hash: t.hashKey({ of: ['url'], algorithm: 'sha256' }),
  url: t.string({ immutable: true }),
}))

const Ticket = defineTable('Ticket', (t) => ({ id: t.bitReversedId({ from: counter }), note: t.string() }))

const Adopted = defineTable('Adopted', (t) => ({
  shardId: t.shardKey({
    shards: 3,
    first: 1,
    of: ['n'],
    expression: { googlesql: '1 + MOD(n, 3)', 'spanner-postgresql': '1 + mod(n, 3)' },
    compute,
  }),
  n: t.int64().key(),
}))

const schema = defineSchema([Order, Customer, Region, Page, Ticket, Adopted], {
  namespaces: ['empty'],
  sequences: [{ name: 'ids', startCounter: 2n ** 60n }],
  views: [{ name: 'Daily', query: 'SELECT 1 AS one', security: 'definer' }],
  changeStreams: [
    { name: 'Everything', watch: 'all', retention: '7d', values: 'NEW_ROW' },
    { name: 'Some', watch: [Region, { table: Customer, columns: ['email'] }] },
  ],
})

const read = JSON.parse(JSON.stringify(schema)) as Schema

function sourceIn({ tables }: Schema, table: string): ValueSource {
  return tables.find(({ name }) => name === table)!.columns[0]!.source!
}

function everyObjectIn(value: unknown): object[] {
  return typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(everyObjectIn)]
    : []
}

describe('defineSchema() with every kind of object', () => {
  it('round-trips a schema through JSON and structuredClone() without changes', () => {
    expect(read).toStrictEqual(schema)
    expect(structuredClone(schema)).toStrictEqual(schema)
  })

  it.each(dialects)(
    'compiles a schema to the same DDL after a round trip through JSON in $name',
    (dialect) => {
      const [before, after] = [schema, read].map((each) => compileDdl(each, { dialect }))
      expect(before!.length).toBeGreaterThan(10)
      expect(after).toStrictEqual(before)
    },
  )

  it('freezes a schema at every level', () => {
    const objects = everyObjectIn(schema)
    expect(objects.length).toBeGreaterThan(100)
    expect(objects.filter((each) => !Object.isFrozen(each))).toStrictEqual([])
  })

  it('copies all options into the schema, so that later changes of the options do not change the schema', () => {
    const of = ['id']
    const notNull: 'page'[] = ['page']
    const columns: 'page'[] = ['page']
    const onePage: readonly 'page'[] = ['page']
    const checks = [{ name: 'Short', expression: 'TRUE' }]
    const expected = { nodes: 1 }
    const watched: string[] = ['page']
    const Changing = defineTable(
      'Changing',
      (t) => ({ hash: t.hashKey({ of }), id: t.uuidV4(), page: t.string({ nullable: true }) }),
      {
        checks,
        workload: expected,
        indexes: [{ on: onePage, notNull }],
        foreignKeys: [{ columns, references: () => Region }],
      },
    )
    const before = defineSchema([Changing, Region], {
      changeStreams: [{ name: 'Changes', watch: [{ table: Changing, columns: watched }] }],
    })
    const copy = structuredClone(before)
    for (const list of [of, notNull, columns, watched]) list.push(list[0] as never)
    checks[0]!.name = 'Other'
    expected.nodes = 9
    expect(before).toStrictEqual(copy)
    expect(
      [of, notNull, columns, watched, checks, checks[0], expected].some((each) => Object.isFrozen(each)),
    ).toBe(false)
  })
})

describe('bindingOf() of functions and counters', () => {
  it('finds the counter or the compute function for the frozen source of a column', () => {
    expect(Object.isFrozen(sourceIn(schema, 'Ticket'))).toBe(true)
    expect(bindingOf(sourceIn(schema, 'Ticket'))).toStrictEqual({ counter })
    expect(bindingOf(sourceIn(schema, 'Adopted')).shard).toBe(compute)
    expect(bindingOf(sourceIn(schema, 'Adopted')).counter).toBeUndefined()
  })

  it('leaves the counter and the compute function out of the schema data', () => {
    expect(sourceIn(schema, 'Ticket')).toStrictEqual({ kind: 'bit-reversed', from: 'client' })
    for (const column of schema.tables.flatMap(({ columns }) => columns))
      expect(column).not.toHaveProperty('binding')
  })

  it('finds no counter or compute function for a source that was read from JSON', () => {
    for (const table of ['Ticket', 'Adopted']) expect(bindingOf(sourceIn(read, table))).toStrictEqual({})
  })

  it('sets ownFunction: true in the data of a shard that has compute but no SQL expression', () => {
    const sharded = (options: Partial<ShardKeyOptions>) => {
      const Log = defineTable('Log', (t) => ({
        shardId: t.shardKey({ shards: 3, of: ['id'], ...options } as ShardKeyOptions),
        id: t.int64().key(),
      }))
      return sourceIn(JSON.parse(JSON.stringify(defineSchema([Log]))) as Schema, 'Log')
    }
    expect(sharded({ compute })).toMatchObject({ computedBy: 'client', ownFunction: true })
    expect(sharded({ compute, computedBy: 'client' })).toStrictEqual(sharded({ compute }))
    expect(sharded({ compute, expression: 'x' })).not.toHaveProperty('ownFunction')
    expect(sharded({ computedBy: 'client' })).not.toHaveProperty('ownFunction')
  })

  it('finds the compute function for the shard that an interleaved child inherits', () => {
    const Child = defineTable(
      'Child',
      (t) => ({ shardId: t.parentKey(), n: t.parentKey(), line: t.int64().key() }),
      {
        interleaveIn: () => Adopted,
      },
    )
    expect(bindingOf(sourceIn(defineSchema([Child, Adopted]), 'Child')).shard).toBe(compute)
  })

  it.each(dialects)(
    'dialect.layout() fills a column by the caller or database in $name when JSON lost its counter or function',
    (dialect) => {
      const fillOf = ({ tables }: Schema, name: string) =>
        dialect.layout(tables.find((table) => table.name === name)!).fields[0]!.fill
      expect(fillOf(schema, 'Ticket')).toStrictEqual({ by: 'counter', reversed: true, counter })
      expect(fillOf(read, 'Ticket')).toStrictEqual({ by: 'caller' })
      expect(fillOf(schema, 'Adopted')).toMatchObject({ by: 'shard' })
      // The SQL expression survives JSON, so the database computes the column.
      expect(fillOf(read, 'Adopted')).toStrictEqual({ by: 'database' })
    },
  )
})
