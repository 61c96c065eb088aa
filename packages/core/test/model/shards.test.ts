import { defineSchema, defineTable, type ShardKeyOptions, type TableBuilder } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable } from '../support/layout.js'
import { findingsOf } from '../support/refusal.js'

const sharded = (options: ShardKeyOptions, columns: Parameters<typeof defineTable>[1]) =>
  defineTable('Log', (t) => ({ shardId: t.shardKey(options), ...columns(t) }))

const hashing = (of: readonly string[], columns: Parameters<typeof defineTable>[1]) =>
  sharded({ shards: 4, of }, columns)

describe('defineSchema() with a shard count', () => {
  const fix = 'A shard count is a whole number from 1 to 10,000.'

  it.each([0, -1, 1.5, 10_001, Number.NaN, Number.POSITIVE_INFINITY])('rejects %d shards', (shards) => {
    const Log = sharded({ shards, of: ['userId'] }, (t) => ({ userId: t.int64().key() }))
    expect(findingsOf(Log)).toStrictEqual([
      { table: 'Log', column: 'shardId', message: `has ${shards} shards.`, fix },
    ])
    const Random = sharded({ shards, strategy: 'random' }, (t) => ({ id: t.uuidV4() }))
    expect(findingsOf(Random)).toMatchObject([{ column: 'shardId', message: `has ${shards} shards.`, fix }])
  })

  it.each([0, -1, 1.5, 10_001, Number.NaN])('rejects %d shards of an index', (shards) => {
    const Log = defineTable('Log', (t) => ({ id: t.uuidV4(), at: t.timestamp() }), {
      indexes: [{ on: ['at'], shard: { shards, of: ['id'] } }],
    })
    expect(findingsOf(Log)).toStrictEqual([{ table: 'Log', message: `has ${shards} shards.`, fix }])
  })

  it.each([1, 2, 10_000])('accepts %d shards', (shards) => {
    const Log = sharded({ shards, of: ['userId'] }, (t) => ({ userId: t.int64().key() }))
    expect(defineSchema([Log]).tables).toHaveLength(1)
  })
})

describe('defineSchema() with the columns that a shard hashes', () => {
  it('rejects a shard that hashes a missing column', () => {
    expect(findingsOf(hashing(['user'], (t) => ({ userId: t.int64().key() })))).toStrictEqual([
      {
        table: 'Log',
        column: 'shardId',
        message: 'hashes user, which is not a column.',
        fix: 'Choose from shardId, userId.',
      },
    ])
  })

  it('rejects a shard that hashes no column', () => {
    expect(findingsOf(hashing([], (t) => ({ userId: t.int64().key() })))).toStrictEqual([
      {
        table: 'Log',
        column: 'shardId',
        message: 'hashes no column.',
        fix: 'Name the columns to hash: of: [...].',
      },
    ])
  })

  it('rejects a shard that hashes its own column or another shard', () => {
    expect(findingsOf(hashing(['shardId'], (t) => ({ id: t.uuidV4() })))).toMatchObject([
      { column: 'shardId', message: 'hashes shardId, which is a shard itself.' },
    ])
    const second = hashing(['second'], (t) => ({
      second: t.shardKey({ shards: 4, of: ['id'] }),
      id: t.uuidV4(),
    }))
    expect(findingsOf(second)).toMatchObject([
      { column: 'shardId', message: 'hashes second, which is a shard itself.' },
    ])
  })

  const unhashable: readonly (readonly [string, (t: TableBuilder) => ReturnType<TableBuilder['float64']>])[] =
    [
      ['numeric', (t) => t.numeric({ immutable: true }) as never],
      ['float64', (t) => t.float64({ immutable: true })],
      ['float32', (t) => t.float32({ immutable: true })],
      ['json', (t) => t.json({ immutable: true }) as never],
      ['array of int64', (t) => t.array({ kind: 'int64' }, { immutable: true }) as never],
    ]

  it.each(unhashable)(
    'rejects a shard that hashes a column of type %s, whose text differs between engines',
    (type, column) => {
      expect(findingsOf(hashing(['value'], (t) => ({ id: t.uuidV4(), value: column(t) })))).toStrictEqual([
        {
          table: 'Log',
          column: 'shardId',
          message: `hashes value, of type ${type}, whose text differs between engines.`,
          fix: 'Hash integers, strings, bytes, booleans, dates, timestamps or UUIDs.',
        },
      ])
    },
  )

  it('accepts a shard that hashes int64, string, bytes, bool, date, timestamp and uuid columns', () => {
    const Log = hashing(['a', 'b', 'c', 'd', 'e', 'f', 'g'], (t) => ({
      a: t.int64().key(),
      b: t.string().key(),
      c: t.bytes().key(),
      d: t.bool().key(),
      e: t.date().key(),
      f: t.timestamp().key(),
      g: t.uuid().key(),
    }))
    expect(defineSchema([Log]).tables).toHaveLength(1)
  })

  it('rejects a shard that hashes a mutable column outside the key, and accepts an immutable column', () => {
    expect(findingsOf(hashing(['region'], (t) => ({ id: t.uuidV4(), region: t.string() })))).toStrictEqual([
      {
        table: 'Log',
        column: 'shardId',
        message:
          'hashes region, which is neither a key part nor immutable: a change would leave the row in the wrong shard.',
        fix: 'Add it to the key, or declare it immutable: true.',
      },
    ])
    const immutable = hashing(['region'], (t) => ({ id: t.uuidV4(), region: t.string({ immutable: true }) }))
    expect(defineSchema([immutable]).tables).toHaveLength(1)
  })

  it('rejects a shard that hashes a commit timestamp', () => {
    const Log = hashing(['at'], (t) => ({ id: t.uuidV4(), at: t.descTimestamp({ default: 'commit' }) }))
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'shardId',
        message: 'hashes at, a commit timestamp, which is not known when the key is made.',
        fix: 'Hash another column, or set the timestamp with default: "now".',
      },
    ])
  })

  it('rejects a shard that hashes a bit-reversed id, which is spread already', () => {
    expect(findingsOf(hashing(['id'], (t) => ({ id: t.bitReversedId() })))).toMatchObject([
      {
        column: 'shardId',
        message: 'hashes id, which the database computes and which is spread already.',
        fix: 'Leave the shard out, or hash another column.',
      },
    ])
  })

  it('rejects a key shard or an index shard that hashes a generated column', () => {
    const Log = hashing(['day'], (t) => ({ day: t.date({ generated: 'x' }).key(), id: t.uuidV4() }))
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'shardId',
        message: 'hashes day, which the database generates.',
        fix: 'Hash the columns that it is generated from.',
      },
    ])
    const Indexed = logTable(
      (t) => ({ id: t.uuidV4(), at: t.timestamp(), day: t.date({ generated: 'x' }) }),
      {
        indexes: [{ on: ['at'], shard: { shards: 4, of: ['day'] } }],
      },
    )
    expect(findingsOf(Indexed)).toMatchObject([
      { table: 'Log', message: 'hashes day, which the database generates.' },
    ])
  })

  it('rejects a shard that hashes a hash key', () => {
    const Log = hashing(['hash'], (t) => ({ hash: t.hashKey({ of: ['id'] }), id: t.uuidV4() }))
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'shardId',
        message: 'hashes hash, which is a hash itself.',
        fix: 'Hash the columns that identify a row.',
      },
    ])
  })

  it('accepts an index shard that hashes a mutable column or a bit-reversed id, and rejects a missing column', () => {
    const Log = defineTable(
      'Log',
      (t) => ({ id: t.bitReversedId(), at: t.timestamp(), region: t.string() }),
      {
        indexes: [
          { on: ['at'], shard: { shards: 4, of: ['region'] } },
          { name: 'ById', on: ['at'], shard: { shards: 4, of: ['id'] } },
        ],
      },
    )
    expect(defineSchema([Log]).tables).toHaveLength(1)
    const unknown = logTable((t) => ({ id: t.uuidV4(), at: t.timestamp() }), {
      indexes: [{ on: ['at'], shard: { shards: 4, of: ['region'] } }],
    })
    expect(findingsOf(unknown)).toMatchObject([
      { table: 'Log', message: 'hashes region, which is not a column.', fix: 'Choose from id, at.' },
    ])
  })
})

describe.each(['random', 'round-robin'] as const)('defineSchema() with a %s shard', (strategy) => {
  it('rejects a shard without a hash in a table without a UUID, and accepts a UUID in the key', () => {
    const Log = sharded({ shards: 4, strategy }, (t) => ({ userId: t.int64().key() }))
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'shardId',
        message: `is a ${strategy} shard, so that uniqueness across shards is not ensured.`,
        fix: 'Add a @UuidV4 key part, or hash the columns that are unique: of: [...].',
      },
    ])
    expect(defineSchema([sharded({ shards: 4, strategy }, (t) => ({ id: t.uuidV4() }))]).tables).toHaveLength(
      1,
    )
  })

  it('rejects a shard without a hash when the UUID of the table is outside the key', () => {
    const Log = defineTable(
      'Log',
      (t) => ({
        shardId: t.shardKey({ shards: 4, strategy }),
        userId: t.int64().key(),
        id: t.uuidV4({ key: false }),
      }),
      { primaryKey: ['shardId', 'userId'] },
    )
    expect(findingsOf(Log)).toMatchObject([{ table: 'Log', column: 'shardId' }])
  })
})

describe('defineSchema() with the range of shard values', () => {
  const ranged = (options: Partial<ShardKeyOptions>) =>
    sharded({ shards: 4, of: ['userId'], ...options } as ShardKeyOptions, (t) => ({
      userId: t.int64().key(),
    }))
  const sourceOf = (options: Partial<ShardKeyOptions>) =>
    defineSchema([ranged(options)]).tables[0]!.columns[0]!.source
  const plain = { kind: 'shard', strategy: 'hash', shards: 4, of: ['userId'], computedBy: 'database' }

  it('keeps any whole number as first, and keeps signed: true', () => {
    for (const first of [-5, 1, Number.MAX_SAFE_INTEGER - 4]) {
      expect(sourceOf({ first })).toStrictEqual({ ...plain, first })
    }
    expect(sourceOf({ signed: true })).toStrictEqual({ ...plain, signed: true })
  })

  it('leaves first: 0 and signed: false out of the schema', () => {
    expect(sourceOf({ first: 0 })).toStrictEqual(plain)
    expect(sourceOf({ signed: false })).toStrictEqual(plain)
    expect(sourceOf({ first: 0, signed: true })).toStrictEqual({ ...plain, signed: true })
  })

  it('keeps a negative first of a random shard', () => {
    const Random = sharded({ shards: 4, first: -2, strategy: 'random' }, (t) => ({ id: t.uuidV4() }))
    expect(defineSchema([Random]).tables[0]!.columns[0]!.source).toStrictEqual({
      kind: 'shard',
      strategy: 'random',
      shards: 4,
      first: -2,
      of: [],
      computedBy: 'client',
    })
  })

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('rejects first: %s', (first) => {
    expect(findingsOf(ranged({ first }))).toStrictEqual([
      {
        table: 'Log',
        column: 'shardId',
        message: `begins at shard ${first}.`,
        fix: '`first` is a whole number.',
      },
    ])
  })

  it.each<Partial<ShardKeyOptions>>([{ first: 1 }, { first: -3 }, { expression: 'MOD(userId, 4)' }])(
    'rejects signed: true combined with %j',
    (other) => {
      expect(findingsOf(ranged({ signed: true, ...other }))).toStrictEqual([
        {
          table: 'Log',
          column: 'shardId',
          message: 'is signed, but also has first or expression, which sets the range as well.',
          fix: 'Keep one of them.',
        },
      ])
    },
  )
})

describe('defineSchema() with a shard that has an expression or a compute function', () => {
  const computed = (options: Partial<ShardKeyOptions>) =>
    sharded({ shards: 4, of: ['userId'], ...options } as ShardKeyOptions, (t) => ({
      userId: t.int64().key(),
    }))
  const sourceOf = (options: Partial<ShardKeyOptions>) =>
    defineSchema([computed(options)]).tables[0]!.columns[0]!.source
  const plain = { kind: 'shard', strategy: 'hash', shards: 4, of: ['userId'] }
  const expression = 'MOD(userId, 4)'
  const compute = () => 0

  it('lets the database compute a shard with an SQL expression, with or without compute', () => {
    const source = { ...plain, computedBy: 'database', expression }
    expect(sourceOf({ expression })).toStrictEqual(source)
    expect(sourceOf({ expression, compute })).toStrictEqual(source)
    expect(sourceOf({ expression, compute, computedBy: 'database' })).toStrictEqual(source)
    const each = { googlesql: expression, 'spanner-postgresql': 'mod("userId", 4)' }
    expect(sourceOf({ expression: each })).toStrictEqual({ ...source, expression: each })
  })

  it('lets the client compute a shard with compute and no SQL expression', () => {
    expect(sourceOf({ compute })).toStrictEqual({ ...plain, computedBy: 'client', ownFunction: true })
    expect(sourceOf({ compute, computedBy: 'client' })).toStrictEqual(sourceOf({ compute }))
  })

  it('rejects computedBy: database for a shard with compute and no SQL expression', () => {
    expect(findingsOf(computed({ compute, computedBy: 'database' }))).toMatchObject([
      { table: 'Log', column: 'shardId' },
    ])
  })

  it('rejects computedBy: client for a shard with an SQL expression', () => {
    const refused = [
      {
        table: 'Log',
        column: 'shardId',
        message: 'has an SQL expression, but is computed by the client.',
        fix: "Leave computedBy: 'client' out, or give `compute` alone.",
      },
    ]
    expect(findingsOf(computed({ expression, computedBy: 'client' }))).toStrictEqual(refused)
    expect(findingsOf(computed({ expression, compute, computedBy: 'client' }))).toStrictEqual(refused)
  })

  it('lets the database compute a shard with an SQL expression when two hashed columns are outside the key', () => {
    const Log = sharded({ shards: 4, of: ['a', 'b'], expression }, (t) => ({
      id: t.uuidV4(),
      a: t.int64({ immutable: true }),
      b: t.int64({ immutable: true }),
    }))
    expect(defineSchema([Log]).tables[0]!.columns[0]!.source).toMatchObject({ computedBy: 'database' })
  })
})

describe('defineSchema() with a shard column', () => {
  it('rejects a shard column that primaryKey leaves out', () => {
    const Log = defineTable(
      'Log',
      (t) => ({ shardId: t.shardKey({ shards: 4, of: ['userId'] }), userId: t.int64().key() }),
      { primaryKey: ['userId'] },
    )
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'shardId',
        message: 'is a shard, but not in the primary key.',
        fix: 'Put it first in primaryKey.',
      },
    ])
  })
})
