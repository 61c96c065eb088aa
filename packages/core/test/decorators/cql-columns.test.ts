import {
  Column,
  DescTimestamp,
  Key,
  ShardKey,
  Table,
  TimeBucket,
  TimeUuid,
  UserType,
  UuidV4,
} from '@isotherm/core'
import {
  defineSchema,
  defineTable,
  defineUserType,
  IsothermError,
  type Generated,
  type Schema,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'

// Run in both decorator modes.

const text = { kind: 'string', length: 'max' } as const

abstract class Marked {
  @Column.string()
  street!: string
}

@UserType('address')
class Address extends Marked {
  @Column.ascii({ nullable: true })
  zip!: string | null

  @Column.set({ kind: 'inet' }, { nullable: true })
  seenFrom!: ReadonlySet<string> | null
}

@Table('everything', {
  primaryKey: ['day', 'shard', 'at', 'id', 'place'],
  partitionKey: ['day', 'shard'],
  ttlSeconds: 60,
  workload: { readsPerSecond: 5, rowsPerPartition: 100, distinct: { int8: 256 } },
})
class Everything {
  @TimeBucket({ by: 'week', of: 'at', since: '2024-01-01', ahead: 2 })
  day!: Generated<string>

  @ShardKey({ shards: 4, strategy: 'random' })
  shard!: Generated<bigint>

  @DescTimestamp({ default: 'now' })
  at!: Generated<Date>

  @TimeUuid({ default: 'now', order: 'desc', name: 'log_id' })
  id!: Generated<string>

  @Key()
  @Column.udt(Address, { frozen: true })
  place!: Address

  @Column.int32({ static: true })
  int32!: number

  @Column.int16()
  int16!: number

  @Column.int8()
  int8!: number

  @Column.varint()
  varint!: bigint

  @Column.decimal()
  decimal!: string

  @Column.time()
  time!: string

  @Column.duration()
  duration!: string

  @Column.inet({ name: 'address', immutable: true })
  inet!: string

  @Column.timeuuid({ nullable: true })
  timeuuid!: string | null

  @Column.ascii()
  ascii!: string

  @Column.set(text, { nullable: true })
  set!: ReadonlySet<string> | null

  @Column.map(text, Address, { nullable: true, frozen: true })
  map!: ReadonlyMap<string, Address> | null

  @Column.tuple([{ kind: 'int32' }, Address])
  tuple!: readonly [number | null, Address | null]

  @Column.udt(Address)
  udt!: Address

  @Column.vector(3)
  vector!: readonly number[]

  @Column.array(Address)
  array!: readonly Address[]
}

@Table('hits')
class Hits {
  @UuidV4()
  id!: Generated<string>

  @Column.counter()
  hits!: bigint
}

@Table('hourly', { primaryKey: ['hour', 'at'] })
class Hourly {
  @TimeBucket({ by: 'hour', of: 'at' })
  hour!: Generated<Date>

  @Key()
  @Column.timestamp()
  at!: Date
}

const AddressType = defineUserType('address', (t) => ({
  street: t.string(),
  zip: t.ascii({ nullable: true }),
  seenFrom: t.set({ kind: 'inet' }, { nullable: true }),
}))

const built: readonly object[] = [
  defineTable(
    'everything',
    (t) => ({
      day: t.timeBucket({ by: 'week', of: 'at', since: '2024-01-01', ahead: 2 }),
      shard: t.shardKey({ shards: 4, strategy: 'random' }),
      at: t.descTimestamp({ default: 'now' }),
      id: t.timeUuid({ default: 'now', order: 'desc', name: 'log_id' }),
      place: t.udt(AddressType, { frozen: true }).key(),
      int32: t.int32({ static: true }),
      int16: t.int16(),
      int8: t.int8(),
      varint: t.varint(),
      decimal: t.decimal(),
      time: t.time(),
      duration: t.duration(),
      inet: t.inet({ name: 'address', immutable: true }),
      timeuuid: t.timeuuid({ nullable: true }),
      ascii: t.ascii(),
      set: t.set(text, { nullable: true }),
      map: t.map(text, AddressType, { nullable: true, frozen: true }),
      tuple: t.tuple([{ kind: 'int32' }, AddressType]),
      udt: t.udt(AddressType),
      vector: t.vector(3),
      array: t.array(AddressType),
    }),
    {
      primaryKey: ['day', 'shard', 'at', 'id', 'place'],
      partitionKey: ['day', 'shard'],
      ttlSeconds: 60,
      workload: { readsPerSecond: 5, rowsPerPartition: 100, distinct: { int8: 256 } },
    },
  ),
  defineTable('hits', (t) => ({ id: t.uuidV4(), hits: t.counter() })),
  defineTable('hourly', (t) => ({ hour: t.timeBucket({ by: 'hour', of: 'at' }), at: t.timestamp().key() })),
]

describe('a schema with columns of Cassandra types', () => {
  const schema = defineSchema([Everything, Hits, Hourly])

  it('defineSchema() returns the same schema for decorators and for builders of Cassandra types', () => {
    expect(schema).toStrictEqual(defineSchema(built))
  })

  it('each decorator declares the column type in its name', () => {
    const [{ columns }] = schema.tables as [Schema['tables'][number]]
    const frozen = { kind: 'udt', name: 'address', frozen: true }
    expect(columns.map(({ property, type }) => [property, type])).toStrictEqual([
      ['day', { kind: 'date' }],
      ['shard', { kind: 'int64' }],
      ['at', { kind: 'timestamp' }],
      ['id', { kind: 'timeuuid' }],
      ['place', frozen],
      ['int32', { kind: 'int32' }],
      ['int16', { kind: 'int16' }],
      ['int8', { kind: 'int8' }],
      ['varint', { kind: 'varint' }],
      ['decimal', { kind: 'decimal' }],
      ['time', { kind: 'time' }],
      ['duration', { kind: 'duration' }],
      ['inet', { kind: 'inet' }],
      ['timeuuid', { kind: 'timeuuid' }],
      ['ascii', { kind: 'ascii' }],
      ['set', { kind: 'set', of: text }],
      ['map', { kind: 'map', key: text, of: frozen, frozen: true }],
      ['tuple', { kind: 'tuple', of: [{ kind: 'int32' }, frozen] }],
      ['udt', { kind: 'udt', name: 'address' }],
      ['vector', { kind: 'vector', of: 'float32', dimensions: 3 }],
      ['array', { kind: 'array', of: frozen }],
    ])
    expect(columns.find(({ property }) => property === 'int32')).toMatchObject({ static: true })
  })

  it('contains a user type once, even if several columns use the type', () => {
    expect(schema.userTypes).toStrictEqual([
      {
        name: 'address',
        fields: [
          { name: 'street', type: text },
          { name: 'zip', type: { kind: 'ascii' }, nullable: true },
          { name: 'seenFrom', type: { kind: 'set', of: { kind: 'inet' }, frozen: true }, nullable: true },
        ],
      },
    ])
  })

  it('equals its copy from JSON, and has a frozen partition key and workload', () => {
    expect(JSON.parse(JSON.stringify(schema))).toStrictEqual(schema)
    expect(Object.isFrozen(schema.tables[0]!.partitionKey)).toBe(true)
    expect(Object.isFrozen(schema.tables[0]!.workload!.distinct)).toBe(true)
  })
})

describe('@UserType', () => {
  it('rejects an empty name', () => {
    expect(() => UserType('')(class Nameless {})).toThrow(IsothermError)
  })

  it('is rejected a second time on a class, and does not make subclasses user types', () => {
    expect(() => UserType('again')(Address)).toThrow('Address has @UserType twice.')
    class Sub extends Address {}
    expect(() => defineSchema([defineTable('T', (t) => ({ id: t.udt(Sub) }))])).toThrow(
      'T.id: the user type is [class Sub extends Address]. Give a class with @UserType',
    )
  })
})
