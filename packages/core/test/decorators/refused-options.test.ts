import {
  BitReversedId,
  Column,
  DescTimestamp,
  HashKey,
  Index,
  Key,
  ParentKey,
  Sequential,
  ShardKey,
  Table,
  TimeBucket,
  TimeUuid,
  UuidV4,
  defineTable,
  type IndexOptions,
  type TableBuilder,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

// Run in both decorator modes: a decorator and the builder of the same column reject an option with the same message.

/** A decorator or a builder, without the types that its options have. */
type Loose = (...args: readonly unknown[]) => never
const loose = (declare: unknown): Loose => declare as Loose
const t = (builder: keyof TableBuilder) => (table: TableBuilder) => loose(table[builder])
const counter = { next: () => 1n }

type Case = readonly [
  decorator: Loose,
  builder: (table: TableBuilder) => Loose,
  args: readonly unknown[],
  message: string,
]

const cases: readonly Case[] = [
  [loose(Column.string), t('string'), [{ lenght: 5 }], 'lenght is not an option. Did you mean length?'],
  [
    loose(Column.string),
    t('string'),
    [{ lenght: 5, nulable: true }],
    'lenght and nulable are not options. Did you mean length for lenght and nullable for nulable?',
  ],
  [loose(Column.string), t('string'), [{ nullable: 'false' }], "nullable is 'false'. Give true or false."],
  [loose(Column.string), t('string'), [{ length: '5' }], "length is '5'. Give a number, or 'max'."],
  [
    loose(Column.string),
    t('string'),
    [{ length: undefined }],
    "length is undefined. Leave length out, or give a number, or 'max'.",
  ],
  [
    loose(Column.bool),
    t('bool'),
    [{ nullable: undefined }],
    'nullable is undefined. Leave nullable out, or give true or false.',
  ],
  [
    loose(Column.array),
    t('array'),
    [{ kind: 'string', length: undefined }],
    "of.length is missing. Give a number, or 'max'.",
  ],
  [loose(Column.bytes), t('bytes'), [{ max: 5 }], 'max is not an option.'],
  [loose(Column.bool), t('bool'), [null], 'the options object is null.'],
  [loose(Column.float64), t('float64'), [{ stored: false }], 'stored is given without generated.'],
  [
    loose(Column.string),
    t('string'),
    [{ notNull: true, nullable: true }],
    'notNull is given without generated. Leave notNull out: a column is NOT NULL unless it is declared with nullable: true.',
  ],
  [loose(Column.int64), t('int64'), [{ as: 'int' }], "as is 'int'. Give one of 'bigint', 'number'."],
  [loose(Column.uuid), t('uuid'), [{ storage: 'blob' }], "storage is 'blob'."],
  [
    loose(Column.timestamp),
    t('timestamp'),
    [{ default: 'never' }],
    "has the default 'never', but is of type timestamp.",
  ],
  [loose(Column.string), t('string'), [{ default: 7 }], 'has the default 7, but is of type string'],
  [loose(Column.bool), t('bool'), [{ default: 'true' }], "has the default 'true', but is of type bool."],
  [loose(Column.int64), t('int64'), [{ default: Number.NaN }], 'has the default NaN, but is of type int64.'],
  [loose(Column.int64), t('int64'), [{ default: 2n ** 63n }], 'has the default 9223372036854775808n'],
  [
    loose(Column.float32),
    t('float32'),
    [{ default: 1e39 }],
    'has the default 1e+39, but is of type float32.',
  ],
  [
    loose(Column.json),
    t('json'),
    [{ default: () => 1 }],
    'has the default [Function: default], but is of type json.',
  ],
  [loose(Column.json), t('json'), [{ default: { a: undefined } }], 'but is of type json.'],
  [loose(Column.string), t('string'), [{ default: null }], 'has the default null.'],
  [loose(Column.json), t('json'), [{ hidden: 1 }], 'hidden is 1. Give true or false.'],
  [loose(Column.array), t('array'), [{ kind: 'strng' }], "of.kind is 'strng'. Did you mean 'string'?"],
  [
    loose(Column.array),
    t('array'),
    [{ kind: 'string', lenght: 5, length: 5 }],
    'of.lenght is not an option. Did you mean length?',
  ],
  [
    loose(Column.array),
    t('array'),
    [{ kind: 'ascii' }, { frosen: true }],
    'frosen is not an option. Did you mean frozen?',
  ],
  [loose(Column.set), t('set'), [null], 'of is null. Give a type'],
  [loose(Column.map), t('map'), [{ kind: 'ascii' }, 'ascii'], "of is 'ascii'. Give a type"],
  [loose(Column.tuple), t('tuple'), [{ kind: 'ascii' }], "of is { kind: 'ascii' }. Give a list of types"],
  [loose(Column.udt), t('udt'), [class Plain {}], 'the user type is [class Plain].'],
  [loose(Column.vector), t('vector'), ['3'], "dimensions is '3'. Give a number."],
  [
    loose(ShardKey),
    t('shardKey'),
    [{ shrads: 4, of: ['id'] }],
    'shrads is not an option. Did you mean shards?',
  ],
  [loose(ShardKey), t('shardKey'), [{ shards: 4 }], 'of is missing. Give a list of properties'],
  [loose(ShardKey), t('shardKey'), [], 'shards is missing. Give a number.'],
  [
    loose(ShardKey),
    t('shardKey'),
    [{ shards: 4, of: ['id'], strategy: 'bogus' }],
    "strategy is 'bogus'. Give one of 'hash'",
  ],
  [
    loose(ShardKey),
    t('shardKey'),
    [{ shards: 4, of: ['id'], computedBy: 'bogus' }],
    "computedBy is 'bogus'. Give one of 'database'",
  ],
  [loose(ShardKey), t('shardKey'), [{ shards: 4, of: ['id', 'id'] }], "of has 'id' twice. Name it once."],
  [
    loose(ShardKey),
    t('shardKey'),
    [{ shards: 4, of: ['id'], strategy: 'random' }],
    "of is [ 'id' ]. Remove it",
  ],
  [loose(HashKey), t('hashKey'), [{ of: ['id'], algorithm: 'md5' }], "algorithm is 'md5'."],
  [loose(HashKey), t('hashKey'), [{ of: 'id' }], "of is 'id'. Give a list of properties"],
  [loose(BitReversedId), t('bitReversedId'), [{ from: 'sequnce' }], "from is 'sequnce'."],
  [loose(BitReversedId), t('bitReversedId'), [{ startCounter: 5 }], 'startCounter is 5. Give a bigint'],
  [
    loose(BitReversedId),
    t('bitReversedId'),
    [{ sequence: 'S' }],
    "sequence is given without from: 'sequence'.",
  ],
  [
    loose(BitReversedId),
    t('bitReversedId'),
    [{ from: counter, startCounter: 5n }],
    'startCounter is given with a counter',
  ],
  [loose(Sequential), t('sequential'), [{ from: {} }], 'from is {}. Give a counter'],
  [loose(Sequential), t('sequential'), [{}], 'from is missing.'],
  [loose(UuidV4), t('uuidV4'), [{ storge: 'text' }], 'storge is not an option. Did you mean storage?'],
  [
    loose(DescTimestamp),
    t('descTimestamp'),
    [{ default: 'CURRENT_TIMESTAMP()' }],
    "default is 'CURRENT_TIMESTAMP()'.",
  ],
  [loose(TimeBucket), t('timeBucket'), [{ by: 'decade', of: 'at' }], "by is 'decade'. Give one of 'hour'"],
  [loose(TimeUuid), t('timeUuid'), [{ order: 'down' }], "order is 'down'. Give one of 'asc', 'desc'."],
]

describe('defineSchema() with options of decorators and builders', () => {
  it.each(cases)(
    'rejects an invalid option of a decorator and of its builder with the same message, %#: $3',
    (decorator, builder, args, message) => {
      class Wrong {
        declare column: unknown
      }
      field(Wrong, 'column', decorator(...args))
      Table('T')(Wrong)
      const Built = defineTable('T', (table) => ({ column: builder(table)(...args) }))
      for (const model of [Wrong, Built]) {
        const findings = findingsOf(model)
        expect(findings[0]).toMatchObject({ table: 'T', column: 'column' })
        expect(`${findings[0]!.message} ${findings[0]!.fix}`).toContain(message)
      }
    },
  )

  it('reports all invalid options of all tables at once', () => {
    @Table('A', { primarykey: ['id'] } as never)
    @Index({ on: ['id'], uniqe: true } as IndexOptions<'id'>)
    class A {
      @Key({ ordr: 'desc' } as never)
      @Column.string({ lenght: 5 } as never)
      id!: string
    }
    const B = defineTable('B', (t) => ({ id: t.int64().key('up' as never) }), { indexes: 5 } as never)
    const C = defineTable('C', (() => ({ id: null })) as never)
    expect(findingsOf(A, B, C).map(({ table, column, message }) => [table, column, message])).toEqual([
      ['A', 'id', 'lenght is not an option.'],
      ['A', 'id', 'ordr is not an option.'],
      ['A', undefined, 'indexes[0].uniqe is not an option.'],
      ['A', undefined, 'primarykey is not an option.'],
      ['B', undefined, 'indexes is 5.'],
      ['B', 'id', "the order of the key is 'up'."],
      ['C', undefined, 'columns.id is null.'],
    ])
  })

  it('rejects options whose value is undefined', () => {
    @Table('A', { onDelete: undefined } as never)
    @Index({ on: ['id'], unique: undefined } as IndexOptions<'id'>)
    class A {
      @Key() @Column.string({ length: 5 }) id!: string
    }
    const B = defineTable('B', (t) => ({ id: t.string({ length: 5 }).key() }), {
      primaryKey: undefined,
    } as never)
    const C = defineTable('C', (t) => ({ id: t.string({ length: 5 }).key() }), {
      indexes: [{ on: ['id'], name: undefined }],
    } as never)
    expect(findingsOf(A, B, C).map(({ table, message, fix }) => [table, message, fix])).toEqual([
      ['A', 'indexes[0].unique is undefined.', 'Leave indexes[0].unique out, or give true or false.'],
      ['A', 'onDelete is undefined.', 'Leave onDelete out.'],
      ['B', 'primaryKey is undefined.', expect.stringMatching(/^Leave primaryKey out/)],
      ['C', 'indexes[0].name is undefined.', expect.stringMatching(/^Leave indexes\[0\]\.name out/)],
    ])
  })

  it.each([
    ['null', null, 'columns is null. Give a function that returns columns'],
    ['a function that returns null', () => null, 'columns is null. Give a plain object'],
    ['a function that returns a list', () => [], 'columns is []. Give a plain object'],
    [
      'a function that returns a value that is not a column',
      (t: TableBuilder) => ({ id: t.int64 }),
      'columns.id is [Function: int64]. Give a column',
    ],
  ])('rejects %s as the columns of defineTable()', (_, columns, message) => {
    const [finding] = findingsOf(defineTable('T', columns as never))
    expect(`${finding!.message} ${finding!.fix}`).toContain(message)
  })

  it('ParentKey() has no parameters, because an inherited key column has no options', () => {
    expect(ParentKey).toHaveLength(0)
  })
})

/** Decorates a field as either mode of the compiler does. */
function field(target: { prototype: object }, name: string, decorator: unknown): void {
  ;(decorator as (target: object, property: string) => void)(target.prototype, name)
}
