import {
  BitReversedId,
  Column,
  defineSchema,
  defineTable,
  Key,
  Table,
  UuidV4,
  type Generated,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

type Columns = Parameters<typeof defineTable>[1]

const DECLARED: readonly (readonly [string, Columns, fix: string])[] = [
  ['.key()', (t) => ({ made: t.int64().key() }), 'without .key(), @Key or another key declaration'],
  ['uuidV4', (t) => ({ made: t.uuidV4() }), 'key: false'],
  ['bitReversedId', (t) => ({ made: t.bitReversedId() }), 'key: false'],
  ['timeUuid', (t) => ({ made: t.timeUuid({ default: 'now' }) }), 'key: false'],
  ['descTimestamp', (t) => ({ made: t.descTimestamp() }), 'without .key(), @Key or another key declaration'],
  [
    'descTimestamp with a default',
    (t) => ({ made: t.descTimestamp({ default: 'now' }) }),
    't.timestamp() or @Column.timestamp(), with the same default',
  ],
]

describe('defineSchema() with a key part that primaryKey leaves out', () => {
  it.each(DECLARED)('rejects a column declared with %s that primaryKey leaves out', (_, columns, plain) => {
    const Log = defineTable('Log', (t) => ({ id: t.int64().key(), ...columns(t) }), { primaryKey: ['id'] })
    expect(findingsOf(Log)).toEqual([
      {
        table: 'Log',
        column: 'made',
        message: 'is declared as a key part, but primaryKey leaves it out.',
        fix: `Add it: primaryKey: ['id', 'made']. Or declare a plain column: ${plain}.`,
      },
    ])
  })

  it.each([
    ['shardKey', (t) => ({ made: t.shardKey({ shards: 4, of: ['id'] }) }), 'is a shard'],
    ['hashKey', (t) => ({ made: t.hashKey({ of: ['id'] }) }), 'is a hash key'],
    ['timeBucket', (t) => ({ made: t.timeBucket({ by: 'day', of: 'at' }) }), 'is a time bucket'],
  ] satisfies [string, Columns, string][])(
    'rejects a column declared with %s that primaryKey leaves out with a single finding',
    (_, columns, what) => {
      const Log = defineTable(
        'Log',
        (t) => ({ id: t.int64().key(), at: t.timestamp({ immutable: true }), ...columns(t) }),
        { primaryKey: ['id'] },
      )
      expect(findingsOf(Log)).toMatchObject([
        { table: 'Log', column: 'made', message: `${what}, but not in the primary key.` },
      ])
    },
  )

  it('rejects @Key and @BitReversedId columns of a class that primaryKey leaves out', () => {
    @Table('Log', { primaryKey: ['id'] })
    class Log {
      @Key() @Column.int64() id!: bigint
      @Key() @Column.int64() other!: bigint
      @BitReversedId() number!: Generated<bigint>
    }
    expect(findingsOf(Log)).toMatchObject([{ column: 'other' }, { column: 'number' }])
  })
})

describe('defineSchema() with key: false', () => {
  it('makes a UUID or a bit-reversed id with key: false a plain column, with defineTable() and with decorators', () => {
    const Log = defineTable('Log', (t) => ({
      id: t.int64().key(),
      token: t.uuidV4({ key: false }),
      number: t.bitReversedId({ key: false }),
    }))
    @Table('Log')
    class LogClass {
      @Key() @Column.int64() id!: bigint
      @UuidV4({ key: false }) token!: Generated<string>
      @BitReversedId({ key: false }) number!: Generated<bigint>
    }
    const { tables } = defineSchema([Log])
    expect(tables[0]!.primaryKey).toEqual([{ property: 'id', order: 'asc' }])
    expect(tables[0]!.columns.map(({ source }) => source?.kind)).toEqual([
      undefined,
      'uuid-v4',
      'bit-reversed',
    ])
    expect(defineSchema([LogClass])).toEqual(defineSchema([Log]))
  })

  it('rejects key: false on a column that primaryKey names', () => {
    const Log = defineTable('Log', (t) => ({ id: t.int64().key(), token: t.uuidV4({ key: false }) }), {
      primaryKey: ['id', 'token'],
    })
    expect(findingsOf(Log)).toEqual([
      {
        table: 'Log',
        column: 'token',
        message: 'is in primaryKey, but is declared with key: false.',
        fix: 'Leave key: false out, or take it out of primaryKey.',
      },
    ])
  })

  it('rejects key: false together with .key(), @Key or the option order', () => {
    @Table('Log')
    class Log {
      @Key() @UuidV4({ key: false }) id!: Generated<string>
    }
    const contradiction = 'key is false, but the column is declared as a key part.'
    const cases: readonly (readonly [object, string])[] = [
      [Log, contradiction],
      [defineTable('Log', (t) => ({ id: t.uuidV4({ key: false }).key() })), contradiction],
      [
        defineTable('Log', (t) => ({ id: t.timeUuid({ key: false, order: 'desc' }) })),
        'order is given with key: false.',
      ],
    ]
    for (const [model, message] of cases)
      expect(findingsOf(model)).toMatchObject([{ table: 'Log', column: 'id', message }])
  })
})
