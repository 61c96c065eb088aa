import { bindingOf } from '@isotherm/core/engine'
import {
  BitReversedId,
  Column,
  DescTimestamp,
  HashKey,
  Index,
  Key,
  ShardKey,
  Table,
  UuidV4,
  sql,
} from '@isotherm/core'
import { defineSchema, defineTable, type Counter, type Generated } from '@isotherm/core'
import { describe, expect, it } from 'vitest'

// Run in both decorator modes. The meaning of the options is tested in model/; this file tests that both modes agree.

const counter: Counter = { next: () => 1n }
const compute = () => 1
const expression = { googlesql: 'MOD(user, 3)', 'spanner-postgresql': 'mod("user", 3)' }

@Table('sales.Event', {
  checks: [{ name: 'Counted', expression: 'visits >= 0' }],
  foreignKeys: [{ columns: ['region'], references: () => Region, onDelete: 'cascade' }],
  rowDeletion: { property: 'seenAt', days: 7 },
  workload: { writesPerSecond: 10 },
  primaryKey: ['shardId', 'urlHash', 'digest', 'number', 'id', 'user'],
})
@Index({ on: [{ property: 'note', nulls: 'first' }, 'seenAt'], notNull: ['note'] })
class Event {
  @ShardKey({ shards: 3, first: 1, of: ['user'], expression, compute })
  shardId!: Generated<bigint>

  @HashKey({ of: ['url'] })
  urlHash!: Generated<bigint>

  @HashKey({ of: ['url', 'user'], algorithm: 'sha512', computedBy: 'client', name: 'the_digest' })
  digest!: Generated<Uint8Array>

  @BitReversedId({ from: counter, name: 'the_number' })
  number!: Generated<bigint>

  @UuidV4({ storage: 'int64-pair' })
  id!: Generated<string>

  @Key()
  @Column.int64({ as: 'number' })
  user!: number

  @Column.string({ immutable: true })
  url!: string

  @Column.int64({ as: 'number', default: 0 })
  visits!: Generated<number>

  @Column.int64({ as: 'bigint', nullable: true, generated: 'visits + 1', stored: false })
  next!: bigint | null

  @Column.string({ nullable: true, hidden: true, default: 'none', length: 20 })
  note!: string | null

  @Column.uuid({ storage: 'bytes', nullable: true })
  ref!: string | null

  @Column.uuid({ storage: 'native', immutable: true, name: 'the_ref' })
  native!: string

  @Column.bool({ default: true })
  active!: Generated<boolean>

  @Column.date({ default: sql({ googlesql: 'CURRENT_DATE()', 'spanner-postgresql': 'current_date' }) })
  day!: Generated<string>

  @Column.timestamp({ generated: 'TIMESTAMP_ADD(x)' })
  later!: Generated<Date>

  @Column.timestamp({ nullable: true, hidden: true })
  seenAt!: Date | null

  @Column.array({ kind: 'int64', as: 'number' }, { generated: 'ARRAY[1]' })
  list!: Generated<readonly number[]>

  @Column.string({ name: 'the_region' })
  region!: string
}

@Table('Region')
class Region {
  @Key()
  @Column.string()
  name!: string
}

@Table('Signed')
class Signed {
  @ShardKey({ shards: 3, of: ['at'], signed: true })
  shardId!: Generated<bigint>

  @DescTimestamp({ default: 'now' })
  at!: Generated<Date>
}

@Table('Random')
class Random {
  @ShardKey({ shards: 3, strategy: 'random', first: -1 })
  shardId!: Generated<bigint>

  @UuidV4()
  id!: Generated<string>
}

const RegionTable = defineTable('Region', (t) => ({ name: t.string().key() }))

const EventTable = defineTable(
  'sales.Event',
  (t) => ({
    shardId: t.shardKey({ shards: 3, first: 1, of: ['user'], expression, compute }),
    urlHash: t.hashKey({ of: ['url'] }),
    digest: t.hashKey({ of: ['url', 'user'], algorithm: 'sha512', computedBy: 'client', name: 'the_digest' }),
    number: t.bitReversedId({ from: counter, name: 'the_number' }),
    id: t.uuidV4({ storage: 'int64-pair' }),
    user: t.int64({ as: 'number' }).key(),
    url: t.string({ immutable: true }),
    visits: t.int64({ as: 'number', default: 0 }),
    next: t.int64({ as: 'bigint', nullable: true, generated: 'visits + 1', stored: false }),
    note: t.string({ nullable: true, hidden: true, default: 'none', length: 20 }),
    ref: t.uuid({ storage: 'bytes', nullable: true }),
    native: t.uuid({ storage: 'native', immutable: true, name: 'the_ref' }),
    active: t.bool({ default: true }),
    day: t.date({ default: sql({ googlesql: 'CURRENT_DATE()', 'spanner-postgresql': 'current_date' }) }),
    later: t.timestamp({ generated: 'TIMESTAMP_ADD(x)' }),
    seenAt: t.timestamp({ nullable: true, hidden: true }),
    list: t.array({ kind: 'int64', as: 'number' }, { generated: 'ARRAY[1]' }),
    region: t.string({ name: 'the_region' }),
  }),
  {
    checks: [{ name: 'Counted', expression: 'visits >= 0' }],
    foreignKeys: [{ columns: ['region'], references: () => RegionTable, onDelete: 'cascade' }],
    rowDeletion: { property: 'seenAt', days: 7 },
    workload: { writesPerSecond: 10 },
    primaryKey: ['shardId', 'urlHash', 'digest', 'number', 'id', 'user'],
    indexes: [{ on: [{ property: 'note', nulls: 'first' }, 'seenAt'], notNull: ['note'] }],
  },
)

const SignedTable = defineTable('Signed', (t) => ({
  shardId: t.shardKey({ shards: 3, of: ['at'], signed: true }),
  at: t.descTimestamp({ default: 'now' }),
}))

const RandomTable = defineTable('Random', (t) => ({
  shardId: t.shardKey({ shards: 3, strategy: 'random', first: -1 }),
  id: t.uuidV4(),
}))

describe('decorators with all options', () => {
  const schema = defineSchema([Event, Region, Signed, Random])

  it('declare the same schema as defineTable()', () => {
    expect(defineSchema([EventTable, RegionTable, SignedTable, RandomTable])).toStrictEqual(schema)
  })

  it('add every option to the schema', () => {
    const [event] = schema.tables
    expect(event!.columns.slice(0, 5).map(({ name, type, source }) => [name, type, source])).toStrictEqual([
      [
        'shardId',
        { kind: 'int64' },
        {
          kind: 'shard',
          strategy: 'hash',
          shards: 3,
          first: 1,
          of: ['user'],
          expression,
          computedBy: 'database',
        },
      ],
      [
        'urlHash',
        { kind: 'int64' },
        { kind: 'hash', algorithm: 'farm-fingerprint', of: ['url'], computedBy: 'database' },
      ],
      [
        'the_digest',
        { kind: 'bytes', length: 64 },
        { kind: 'hash', algorithm: 'sha512', of: ['url', 'user'], computedBy: 'client' },
      ],
      ['the_number', { kind: 'int64' }, { kind: 'bit-reversed', from: 'client' }],
      ['id', { kind: 'uuid', storage: 'int64-pair' }, { kind: 'uuid-v4' }],
    ])
    expect(event!.columns.slice(5)).toMatchObject([
      { name: 'user', type: { kind: 'int64', as: 'number' } },
      { name: 'url', type: { kind: 'string', length: 'max' } },
      { name: 'visits', type: { kind: 'int64', as: 'number' }, default: { value: '0' } },
      { name: 'next', type: { kind: 'int64' }, generated: { expression: 'visits + 1', stored: false } },
      { name: 'note', type: { kind: 'string', length: 20 }, default: { value: 'none' }, hidden: true },
      { name: 'ref', type: { kind: 'uuid', storage: 'bytes' } },
      { name: 'the_ref', type: { kind: 'uuid', storage: 'native' } },
      { name: 'active', type: { kind: 'bool' }, default: { value: true } },
      {
        name: 'day',
        type: { kind: 'date' },
        default: { sql: { googlesql: 'CURRENT_DATE()', 'spanner-postgresql': 'current_date' } },
      },
      {
        name: 'later',
        type: { kind: 'timestamp' },
        generated: { expression: 'TIMESTAMP_ADD(x)', stored: true },
      },
      { name: 'seenAt', type: { kind: 'timestamp' }, hidden: true },
      {
        name: 'list',
        type: { kind: 'array', of: { kind: 'int64', as: 'number' } },
        generated: { expression: 'ARRAY[1]', stored: true },
      },
      { name: 'the_region', type: { kind: 'string', length: 'max' } },
    ])
    expect(event).toMatchObject({
      name: 'sales.Event',
      checks: [{ name: 'Counted' }],
      foreignKeys: [{ columns: ['region'], table: 'Region', references: ['name'], onDelete: 'cascade' }],
      rowDeletion: { property: 'seenAt', days: 7 },
      workload: { writesPerSecond: 10 },
      indexes: [{ name: 'sales.Event_note_seenAt', notNull: ['note'], parts: [{ nulls: 'first' }, {}] }],
    })
    expect(schema.tables.slice(2).map(({ columns }) => columns[0]!.source)).toStrictEqual([
      { kind: 'shard', strategy: 'hash', shards: 3, signed: true, of: ['at'], computedBy: 'database' },
      { kind: 'shard', strategy: 'random', shards: 3, first: -1, of: [], computedBy: 'client' },
    ])
  })

  it('bind the compute function of a shard and the counter of an id to the schema', () => {
    for (const model of [Event, EventTable]) {
      const { columns } = defineSchema([model, model === Event ? Region : RegionTable]).tables[0]!
      expect(bindingOf(columns[0]!.source!).shard).toBe(compute)
      expect(bindingOf(columns[3]!.source!).counter).toBe(counter)
    }
  })
})
