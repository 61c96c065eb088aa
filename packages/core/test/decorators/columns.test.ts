import { BitReversedId, Column, DescTimestamp, Key, ShardKey, Table, UuidV4 } from '@isotherm/core'
import { defineSchema, defineTable, type Generated, type Json } from '@isotherm/core'
import { describe, expect, it } from 'vitest'

// Run in both decorator modes.

const plain = { nullable: false, immutable: false, inherited: false }

@Table('AllTypes')
class AllTypes {
  @Key()
  @Column.int64()
  int64!: bigint

  @Column.bool()
  bool!: boolean

  @Column.float32()
  float32!: number

  @Column.float64()
  float64!: number

  @Column.numeric()
  numeric!: string

  @Column.string()
  string!: string

  @Column.string({ length: 10 })
  shortString!: string

  @Column.bytes()
  bytes!: Uint8Array

  @Column.bytes({ length: 16 })
  shortBytes!: Uint8Array

  @Column.date()
  date!: string

  @Column.timestamp()
  timestamp!: Date

  @Column.timestamp({ default: 'now' })
  clock!: Generated<Date>

  @Column.timestamp({ default: 'commit' })
  committed!: Generated<Date>

  @Column.json()
  json!: Json

  @Column.uuid()
  uuid!: string

  @Column.array({ kind: 'string', length: 5 })
  array!: readonly (string | null)[]

  @Column.string({ name: 'in_the_database', nullable: true, immutable: true, length: 3 })
  options!: string | null

  @Column.array({ kind: 'int64' }, { name: 'int_list', nullable: true, immutable: true })
  arrayOptions!: readonly (bigint | null)[] | null

  @Column.timestamp({ name: 'seen_at', nullable: true, immutable: true })
  timestampOptions!: Date | null
}

describe('@Column', () => {
  it('adds every type and every option to the schema', () => {
    const [table] = defineSchema([AllTypes]).tables
    expect(table?.columns).toStrictEqual([
      { property: 'int64', name: 'int64', type: { kind: 'int64' }, ...plain },
      { property: 'bool', name: 'bool', type: { kind: 'bool' }, ...plain },
      { property: 'float32', name: 'float32', type: { kind: 'float32' }, ...plain },
      { property: 'float64', name: 'float64', type: { kind: 'float64' }, ...plain },
      { property: 'numeric', name: 'numeric', type: { kind: 'numeric' }, ...plain },
      { property: 'string', name: 'string', type: { kind: 'string', length: 'max' }, ...plain },
      { property: 'shortString', name: 'shortString', type: { kind: 'string', length: 10 }, ...plain },
      { property: 'bytes', name: 'bytes', type: { kind: 'bytes', length: 'max' }, ...plain },
      { property: 'shortBytes', name: 'shortBytes', type: { kind: 'bytes', length: 16 }, ...plain },
      { property: 'date', name: 'date', type: { kind: 'date' }, ...plain },
      { property: 'timestamp', name: 'timestamp', type: { kind: 'timestamp' }, ...plain },
      {
        property: 'clock',
        name: 'clock',
        type: { kind: 'timestamp' },
        ...plain,
        source: { kind: 'timestamp', from: 'now' },
      },
      {
        property: 'committed',
        name: 'committed',
        type: { kind: 'timestamp' },
        ...plain,
        source: { kind: 'timestamp', from: 'commit' },
      },
      { property: 'json', name: 'json', type: { kind: 'json' }, ...plain },
      { property: 'uuid', name: 'uuid', type: { kind: 'uuid' }, ...plain },
      {
        property: 'array',
        name: 'array',
        type: { kind: 'array', of: { kind: 'string', length: 5 } },
        ...plain,
      },
      {
        property: 'options',
        name: 'in_the_database',
        type: { kind: 'string', length: 3 },
        nullable: true,
        immutable: true,
        inherited: false,
      },
      {
        property: 'arrayOptions',
        name: 'int_list',
        type: { kind: 'array', of: { kind: 'int64' } },
        nullable: true,
        immutable: true,
        inherited: false,
      },
      {
        property: 'timestampOptions',
        name: 'seen_at',
        type: { kind: 'timestamp' },
        nullable: true,
        immutable: true,
        inherited: false,
      },
    ])
  })

  it('declares the same columns as defineTable()', () => {
    const same = defineTable('AllTypes', (t) => ({
      int64: t.int64().key(),
      bool: t.bool(),
      float32: t.float32(),
      float64: t.float64(),
      numeric: t.numeric(),
      string: t.string(),
      shortString: t.string({ length: 10 }),
      bytes: t.bytes(),
      shortBytes: t.bytes({ length: 16 }),
      date: t.date(),
      timestamp: t.timestamp(),
      clock: t.timestamp({ default: 'now' }),
      committed: t.timestamp({ default: 'commit' }),
      json: t.json(),
      uuid: t.uuid(),
      array: t.array({ kind: 'string', length: 5 }),
      options: t.string({ name: 'in_the_database', nullable: true, immutable: true, length: 3 }),
      arrayOptions: t.array({ kind: 'int64' }, { name: 'int_list', nullable: true, immutable: true }),
      timestampOptions: t.timestamp({ name: 'seen_at', nullable: true, immutable: true }),
    }))
    expect(defineSchema([AllTypes])).toStrictEqual(defineSchema([same]))
  })
})

@Table('Keys')
class Keys {
  @ShardKey({ shards: 64, of: ['userId', 'region'], computedBy: 'client', name: 'shard_id' })
  hashShard!: Generated<bigint>

  @ShardKey({ shards: 8, strategy: 'random' })
  randomShard!: Generated<bigint>

  @ShardKey({ shards: 9, strategy: 'round-robin', name: 'robin' })
  robinShard!: Generated<bigint>

  @ShardKey({ shards: 10, strategy: 'hash', of: ['userId'] })
  plainShard!: Generated<bigint>

  @BitReversedId()
  identity!: Generated<bigint>

  @BitReversedId({
    from: 'sequence',
    sequence: 'ids',
    startCounter: 1000n,
    skipRange: [5n, 9n],
    name: 'id_2',
  })
  sequence!: Generated<bigint>

  @UuidV4()
  uuid!: Generated<string>

  @UuidV4({ name: 'row_id' })
  namedUuid!: Generated<string>

  @DescTimestamp()
  given!: Date

  @DescTimestamp({ default: 'now' })
  now!: Generated<Date>

  @DescTimestamp({ default: 'commit', name: 'committed_at' })
  commit!: Generated<Date>

  @Key()
  @Column.int64()
  userId!: bigint

  @Column.string()
  @Key({ order: 'desc' })
  region!: string
}

describe('key decorators', () => {
  it('add their options and the source of the value to the schema', () => {
    const {
      tables: [table],
      sequences,
    } = defineSchema([Keys])
    const sources = Object.fromEntries(table!.columns.map(({ property, source }) => [property, source]))
    expect(sources).toStrictEqual({
      hashShard: {
        kind: 'shard',
        strategy: 'hash',
        shards: 64,
        of: ['userId', 'region'],
        computedBy: 'client',
      },
      randomShard: { kind: 'shard', strategy: 'random', shards: 8, of: [], computedBy: 'client' },
      robinShard: { kind: 'shard', strategy: 'round-robin', shards: 9, of: [], computedBy: 'client' },
      plainShard: { kind: 'shard', strategy: 'hash', shards: 10, of: ['userId'], computedBy: 'database' },
      identity: { kind: 'bit-reversed', from: 'identity' },
      sequence: {
        kind: 'bit-reversed',
        from: 'sequence',
        sequence: 'ids',
      },
      uuid: { kind: 'uuid-v4' },
      namedUuid: { kind: 'uuid-v4' },
      given: undefined,
      now: { kind: 'timestamp', from: 'now' },
      commit: { kind: 'timestamp', from: 'commit' },
      userId: undefined,
      region: undefined,
    })
    expect(sequences).toStrictEqual([{ name: 'ids', startCounter: '1000', skipRange: ['5', '9'] }])
    expect(table!.columns.map(({ name, type }) => [name, type.kind])).toStrictEqual([
      ['shard_id', 'int64'],
      ['randomShard', 'int64'],
      ['robin', 'int64'],
      ['plainShard', 'int64'],
      ['identity', 'int64'],
      ['id_2', 'int64'],
      ['uuid', 'uuid'],
      ['row_id', 'uuid'],
      ['given', 'timestamp'],
      ['now', 'timestamp'],
      ['committed_at', 'timestamp'],
      ['userId', 'int64'],
      ['region', 'string'],
    ])
  })

  it('add columns to the primary key in order of declaration, each with its own sort order', () => {
    const [table] = defineSchema([Keys]).tables
    expect(table!.primaryKey).toStrictEqual([
      { property: 'hashShard', order: 'asc' },
      { property: 'randomShard', order: 'asc' },
      { property: 'robinShard', order: 'asc' },
      { property: 'plainShard', order: 'asc' },
      { property: 'identity', order: 'asc' },
      { property: 'sequence', order: 'asc' },
      { property: 'uuid', order: 'asc' },
      { property: 'namedUuid', order: 'asc' },
      { property: 'given', order: 'desc' },
      { property: 'now', order: 'desc' },
      { property: 'commit', order: 'desc' },
      { property: 'userId', order: 'asc' },
      { property: 'region', order: 'desc' },
    ])
  })

  it('declare the same keys as defineTable()', () => {
    const same = defineTable('Keys', (t) => ({
      hashShard: t.shardKey({ shards: 64, of: ['userId', 'region'], computedBy: 'client', name: 'shard_id' }),
      randomShard: t.shardKey({ shards: 8, strategy: 'random' }),
      robinShard: t.shardKey({ shards: 9, strategy: 'round-robin', name: 'robin' }),
      plainShard: t.shardKey({ shards: 10, strategy: 'hash', of: ['userId'] }),
      identity: t.bitReversedId(),
      sequence: t.bitReversedId({
        from: 'sequence',
        sequence: 'ids',
        startCounter: 1000n,
        skipRange: [5n, 9n],
        name: 'id_2',
      }),
      uuid: t.uuidV4(),
      namedUuid: t.uuidV4({ name: 'row_id' }),
      given: t.descTimestamp(),
      now: t.descTimestamp({ default: 'now' }),
      commit: t.descTimestamp({ default: 'commit', name: 'committed_at' }),
      userId: t.int64().key(),
      region: t.string().key('desc'),
    }))
    expect(defineSchema([Keys])).toStrictEqual(defineSchema([same]))
  })
})

@Table('Either')
class KeyAbove {
  @Key({ order: 'desc' })
  @Column.string({ length: 8, name: 'the_id' })
  id!: string
}

@Table('Either')
class KeyBelow {
  @Column.string({ length: 8, name: 'the_id' })
  @Key({ order: 'desc' })
  id!: string
}

describe('two decorators on one property', () => {
  it('@Key declares the same column above and below @Column', () => {
    const schema = defineSchema([KeyAbove])
    expect(defineSchema([KeyBelow])).toStrictEqual(schema)
    expect(schema.tables[0]!.columns).toStrictEqual([
      { property: 'id', name: 'the_id', type: { kind: 'string', length: 8 }, ...plain },
    ])
    expect(schema.tables[0]!.primaryKey).toStrictEqual([{ property: 'id', order: 'desc' }])
  })
})
