import { defineSchema, defineTable, defineUserType, type SchemaOptions } from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { describe, expect, it } from 'vitest'
import { looseTable } from '../../../core/test/support/layout.js'
import { refusal } from '../../../core/test/support/refusal.js'

function refusedBy(dialect: CqlDialect, models: readonly object[], options?: SchemaOptions) {
  const schema = defineSchema(models, options)
  return refusal(() => dialect.refuseUnsupported(schema, []))
}

const Plain = defineTable('Plain', (t) => ({ id: t.uuidV4() }))
const Day = defineTable('Day', (t) => ({ day: t.date().key(), at: t.timestamp().key() }))
const Owner = defineTable('Owner', (t) => ({ id: t.uuidV4(), name: t.string() }))
const Hits = defineTable('Hits', (t) => ({ id: t.uuidV4(), hits: t.counter() }))
const TwoKeys = looseTable('TwoKeys', (t) => ({ of: t.string().key(), id: t.int64().key() }), {
  partitionKey: ['of', 'id'],
  indexes: [{ name: 'I', on: ['id'] }],
})
const Country = defineUserType('country', (t) => ({ code: t.ascii() }))

const child = (
  name: string,
  parent: object,
  columns: Parameters<typeof looseTable>[1],
  options: Parameters<typeof looseTable>[2] = {},
) => looseTable(name, columns, { interleaveIn: () => parent, onDelete: 'cascade', ...options })

type Case = readonly [
  what: string,
  models: readonly object[],
  target: { readonly table: string; readonly column?: string },
  message: string,
  fix: string,
]

const indexed = (index: object, columns: Parameters<typeof looseTable>[1] = () => ({})) =>
  looseTable(
    'Log',
    (t) => ({ id: t.uuidV4(), at: t.string(), by: t.string({ nullable: true }), ...columns(t) }),
    { indexes: [{ name: 'I', ...index } as never] },
  )

const log = { table: 'Log' }

const everywhere: readonly Case[] = [
  [
    'a column with a default',
    [looseTable('Log', (t) => ({ id: t.uuidV4(), n: t.int64({ default: 1n }) }))],
    { table: 'Log', column: 'n' },
    'has a default, but CQL does not support default expressions.',
    "Give the value at the insert, or use @DescTimestamp({ default: 'now' }).",
  ],
  [
    'a generated column',
    [looseTable('Log', (t) => ({ id: t.uuidV4(), n: t.int64({ generated: '1' }) }))],
    { table: 'Log', column: 'n' },
    'is generated, but CQL does not compute values.',
    'Compute it before the row is written.',
  ],
  [
    'a hidden column',
    [looseTable('Log', (t) => ({ id: t.uuidV4(), n: t.int64({ hidden: true }) }))],
    { table: 'Log', column: 'n' },
    'is hidden, but CQL does not support hidden columns.',
    'Remove hidden.',
  ],
  [
    'a commit timestamp',
    [looseTable('Log', (t) => ({ id: t.uuidV4(), at: t.timestamp({ default: 'commit' }) }))],
    { table: 'Log', column: 'at' },
    "has default: 'commit', but Cassandra does not report commit timestamps.",
    "Use default: 'now', the client's clock.",
  ],
  [
    'an id numbered by the database',
    [looseTable('Log', (t) => ({ id: t.bitReversedId() }))],
    { table: 'Log', column: 'id' },
    'is numbered by the database, but CQL does not support sequences.',
    'Use a counter of the client: from: asynchronousBatch(db, name). Or @UuidV4, which needs none.',
  ],
  [
    'a check constraint',
    [
      looseTable('Log', (t) => ({ id: t.uuidV4() }), {
        checks: [{ name: 'positive', expression: 'id > 0' }],
      }),
    ],
    log,
    'has the check positive, but CQL does not support checks.',
    'Remove it, and check values in the application.',
  ],
  [
    'a foreign key',
    [
      Plain,
      looseTable('Log', (t) => ({ id: t.uuidV4(), plain: t.uuid() }), {
        foreignKeys: [{ name: 'to_plain', columns: ['plain'], references: () => Plain }],
      }),
    ],
    log,
    'has the foreign key to_plain, but CQL does not support foreign keys.',
    'Remove it, and keep both rows consistent in the application.',
  ],
  [
    'a row deletion policy',
    [
      looseTable('Log', (t) => ({ id: t.uuidV4(), at: t.timestamp() }), {
        rowDeletion: { property: 'at', days: 2 },
      }),
    ],
    log,
    'has rowDeletion by at, which CQL does not support.',
    'Use ttlSeconds: 172800, counted from the write.',
  ],
  [
    'a static column that is not nullable in a table whose rows expire',
    [
      looseTable(
        'Log',
        (t) => ({ place: t.int32().key(), at: t.int32().key(), owner: t.string({ static: true }) }),
        { writesExpire: true },
      ),
    ],
    { table: 'Log', column: 'owner' },
    'is static and not nullable, but rows of this table expire: it may expire before a row of its partition.',
    'Declare it nullable: true.',
  ],
  [
    'a time to live of more than 20 years',
    [looseTable('Log', (t) => ({ id: t.uuidV4() }), { ttlSeconds: 630_720_001 })],
    log,
    'has the invalid ttlSeconds 630720001.',
    'The maximum is 20 years: 630720000 seconds.',
  ],
  [
    'a key part that can be NULL',
    [looseTable('Log', (t) => ({ id: t.uuidV4(), at: t.timestamp({ nullable: true }).key() }))],
    { table: 'Log', column: 'at' },
    'can be NULL, but a key part of Cassandra cannot.',
    'Remove nullable, and write another value for missing ones.',
  ],
  [
    'a collection that cannot be NULL',
    [looseTable('Log', (t) => ({ id: t.uuidV4(), tags: t.set({ kind: 'ascii' }) }))],
    { table: 'Log', column: 'tags' },
    'is of type set of ascii and not frozen: Cassandra stores an empty value as NULL.',
    'Add nullable: true, or frozen: true.',
  ],
  [
    'a unique index',
    [indexed({ on: ['at'], unique: true })],
    log,
    'has the index I, which is unique: Cassandra does not check uniqueness.',
    'Keep a table of its own with that key, written beside this one.',
  ],
  [
    'an index of two columns',
    [indexed({ on: ['at', 'by'] })],
    log,
    'has the index I of several columns, and one indexes one column.',
    'Make an index of each of them.',
  ],
  [
    'an index that stores columns',
    [indexed({ on: ['at'], storing: ['by'] })],
    log,
    'has the index I, which stores columns beside its own.',
    'Remove storing: a read fetches the row.',
  ],
  [
    'an index without NULLs',
    [indexed({ on: ['by'], nullFiltered: true })],
    log,
    'has the index I, which leaves rows out.',
    'Remove nullFiltered and notNull: the index never contains NULLs.',
  ],
  [
    'a sharded index',
    [indexed({ on: ['at'], shard: { shards: 4, of: ['id'] } })],
    log,
    'has the index I, which is sharded.',
    'Leave the shard out: each node indexes its own rows.',
  ],
  [
    'an index of bytes',
    [indexed({ on: ['raw'] }, (t) => ({ raw: t.bytes() }))],
    log,
    'has the index I over raw, of type bytes, which cannot be indexed.',
    'Keep a table of its own with that key, written beside this one.',
  ],
  [
    'an index of a set of bytes',
    [indexed({ on: ['raw'] }, (t) => ({ raw: t.set({ kind: 'bytes', length: 'max' }, { nullable: true }) }))],
    log,
    'has the index I over raw, of type set of bytes, which cannot be indexed.',
    'Keep a table of its own with that key, written beside this one.',
  ],
  [
    'an index of a UUID in two columns',
    [indexed({ on: ['pair'] }, (t) => ({ pair: t.uuid({ storage: 'int64-pair' }) }))],
    log,
    'has the index I over pair, of type uuid in two columns, which cannot be indexed.',
    'Keep a table of its own with that key, written beside this one.',
  ],
  [
    'an index of a vector of one dimension',
    [indexed({ on: ['v'] }, (t) => ({ v: t.vector(1) }))],
    log,
    'has the index I over v, of vectors of one dimension, and cosine similarity needs two or more.',
    'Remove it, or use float32 instead of the vector.',
  ],
  [
    'an index of a map of vectors of one dimension',
    [
      indexed({ on: ['v'] }, (t) => ({
        v: t.map({ kind: 'ascii' }, { kind: 'vector', of: 'float32', dimensions: 1 }, { nullable: true }),
      })),
    ],
    log,
    'has the index I over v, of vectors of one dimension, and cosine similarity needs two or more.',
    'Remove it, or use float32 instead of the vector.',
  ],
  [
    'two indexes of one column',
    [
      looseTable('Log', (t) => ({ id: t.uuidV4(), at: t.string() }), {
        indexes: [
          { name: 'I', on: ['at'] },
          { name: 'J', on: ['at'] },
        ],
      }),
    ],
    log,
    'has the index J over at, which the index I is over already.',
    'Remove one of the two.',
  ],
  [
    'an index of a key column which the parent in the same table has an index of',
    [
      TwoKeys,
      child('Log', TwoKeys, (t) => ({ of: t.parentKey(), id: t.parentKey(), at: t.timestamp().key() }), {
        partitionKey: ['of', 'id'],
        indexes: [{ name: 'J', on: ['id'] }],
      }),
    ],
    log,
    'has the index J over id, which the index I is over already.',
    'Remove one of the two.',
  ],
  [
    'an index of the partition key',
    [indexed({ on: ['id'] })],
    log,
    'has the index I over id, which is the partition key.',
    'Remove it: rows are found by the partition key.',
  ],
  [
    'a named schema',
    [looseTable('sales.Log', (t) => ({ id: t.uuidV4() }))],
    { table: 'sales' },
    'is a named schema, and CQL does not support schemas within a keyspace.',
    'Remove it, and give each keyspace a driver of its own.',
  ],
]

const interleaved: readonly Case[] = [
  [
    'a child of a parent with several rows in a partition',
    [Day, child('Log', Day, (t) => ({ day: t.parentKey(), at: t.parentKey(), line: t.int32().key() }))],
    log,
    'is interleaved in Day, which has several rows in a partition, so that it cannot be stored beside each of them.',
    "Add rows: 'own' to its options: it gets a table of its own with the same partition key.",
  ],
  [
    'a child without a key part of its own',
    [Owner, child('Log', Owner, (t) => ({ id: t.parentKey(), note: t.ascii() }))],
    log,
    'has no key part of its own, which the rows beside the static fields of Owner need.',
    "Put its columns into Owner. Add rows: 'own' to its options: it gets a table of its own with the same partition key.",
  ],
  [
    'a second child of one parent',
    [
      Owner,
      child('First', Owner, (t) => ({ id: t.parentKey(), line: t.int32().key() })),
      child('Log', Owner, (t) => ({ id: t.parentKey(), line: t.int32().key() })),
    ],
    log,
    'would be stored beside the same static fields of Owner as the rows of First.',
    "Add rows: 'own' to its options: it gets a table of its own with the same partition key.",
  ],
  [
    'a child with a shard of its own',
    [
      Owner,
      child('Log', Owner, (t) => ({
        id: t.parentKey(),
        shard: t.shardKey({ shards: 4, of: ['line'] }),
        line: t.int32().key(),
      })),
    ],
    { table: 'Log', column: 'shard' },
    'spreads rows over partitions, but all rows of the table are in the partition of one row of Owner.',
    "Remove it. Add rows: 'own' to its options: it gets a table of its own with the same partition key. Then name it in the partitionKey.",
  ],
  [
    'a child with the name of a column of its parent',
    [Owner, child('Log', Owner, (t) => ({ id: t.parentKey(), line: t.int32().key(), name: t.string() }))],
    { table: 'Log', column: 'name' },
    'has the name name, which Owner has too: the two share a table.',
    "Give one of them another name. Add rows: 'own' to its options: it gets a table of its own with the same partition key.",
  ],
  [
    'a child with a shorter time to live than its parent',
    [Owner, child('Log', Owner, (t) => ({ id: t.parentKey(), line: t.int32().key() }), { ttlSeconds: 60 })],
    log,
    'has another time to live than Owner, with which it shares a table.',
    "Give both the same. Add rows: 'own' to its options: it gets a table of its own with the same partition key.",
  ],
  [
    'a child whose rows expire and whose parent does not',
    [
      Owner,
      child('Log', Owner, (t) => ({ id: t.parentKey(), line: t.int32().key() }), { writesExpire: true }),
    ],
    log,
    'shares a table with Owner, but only rows of Log expire.',
    "Add writesExpire: true to Owner. Add rows: 'own' to its options: it gets a table of its own with the same partition key.",
  ],
  [
    'a child in the partition of its parent without onDelete: cascade',
    [
      Owner,
      child('Log', Owner, (t) => ({ id: t.parentKey(), line: t.int32().key() }), { onDelete: 'no action' }),
    ],
    log,
    'would be deleted with the rows of Owner: a partition is deleted as a whole.',
    "Add onDelete: 'cascade', or rows: 'own'.",
  ],
  [
    'a child in its own table with onDelete: cascade',
    [Owner, child('Log', Owner, (t) => ({ id: t.parentKey(), line: t.int32().key() }), { rows: 'own' })],
    log,
    'is not deleted with the rows of Owner: it is another table.',
    "Remove onDelete: 'cascade', and delete the rows of both tables.",
  ],
  [
    'a child in the partition of a parent with counters',
    [Hits, child('Log', Hits, (t) => ({ id: t.parentKey(), line: t.int32().key(), note: t.string() }))],
    log,
    'is stored in one table with Hits, but Hits has counters, and a table with counters cannot have other columns outside its key.',
    "Add rows: 'own'.",
  ],
]

const byKeyspaces: readonly Case[] = [
  [
    'a vector',
    [looseTable('Log', (t) => ({ id: t.uuidV4(), v: t.vector(3) }))],
    { table: 'Log', column: 'v' },
    'is a vector, which Keyspaces does not have.',
    'Keep it as bytes.',
  ],
  [
    'a duration within a collection',
    [looseTable('Log', (t) => ({ id: t.uuidV4(), d: t.array({ kind: 'duration' }, { nullable: true }) }))],
    { table: 'Log', column: 'd' },
    'is a duration, which Keyspaces does not have.',
    'Keep months, days and nanoseconds as numbers.',
  ],
  [
    'an index',
    [indexed({ on: ['at'] })],
    log,
    'has the index I, and Keyspaces has no secondary indexes.',
    'Keep a table of its own with that key, written beside this one.',
  ],
  [
    'a user type as a clustering column',
    [looseTable('Log', (t) => ({ id: t.uuidV4(), c: t.udt(Country, { frozen: true }).key() }))],
    { table: 'Log', column: 'c' },
    'is a clustering column of type user type country, whose order in Keyspaces is not documented.',
    'Put its parts into the key, or the column into the partition key.',
  ],
  [
    'rows of more than a megabyte',
    [looseTable('Log', (t) => ({ id: t.uuidV4() }), { workload: { rowBytes: 2_000_000 } })],
    log,
    'expects rows of 2000000 bytes, but a row has at most 1048576.',
    'Store large values elsewhere, or split them over several rows.',
  ],
]

function byName([what, models, target, message, fix]: Case) {
  return { what, models, target, message, fix }
}

describe('models that CQL does not support', () => {
  const cases = [...everywhere, ...interleaved].map(byName)
  for (const dialect of [cql, keyspacesCql]) {
    it.each(cases.filter(({ what }) => dialect === cql || !/index/.test(what)))(
      `refuseUnsupported() throws UNSUPPORTED_MODEL in ${dialect.name}: $what`,
      ({ models, target, message, fix }) => {
        const error = refusedBy(dialect, models)
        const where = target.column === undefined ? target.table : `${target.table}.${target.column}`
        // The error for a named schema also names the table in it.
        expect(error.message).toContain(`${where}${target.table === 'sales' ? ':' : ''} ${message}`)
        expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', ...target })
        expect(error.fix ?? error.message).toContain(fix)
      },
    )
  }

  it.each(byKeyspaces.map(byName))(
    'refuseUnsupported() throws UNSUPPORTED_MODEL only in keyspaces-cql: $what',
    ({ models, target, message, fix }) => {
      const error = refusedBy(keyspacesCql, models)
      expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', fix, ...target })
      expect(error.message).toMatch(new RegExp(`^${target.table}(\\.\\w+)? `))
      expect(error.message).toContain(message)
      const schema = defineSchema(models)
      expect(() => cql.refuseUnsupported(schema, [])).not.toThrow()
    },
  )

  it('refuseUnsupported() lists all unsupported features of a schema in one error', () => {
    const error = refusedBy(
      cql,
      [
        looseTable('Log', (t) => ({
          id: t.bitReversedId(),
          n: t.int64({ hidden: true }),
        })),
      ],
      {
        sequences: [{ name: 'Numbers' }],
        views: [{ name: 'Some', query: 'SELECT 1' }],
        changeStreams: [{ name: 'Everything', watch: 'all' }],
      },
    )
    expect(error.message.split('\n')).toStrictEqual([
      'CQL does not have all of this:',
      '  - Numbers: is a sequence of the database, but CQL does not support sequences. Use a counter of the client: asynchronousBatch(db, name).',
      '  - Some: is a view, but Isotherm does not support views in CQL. Keep a table with that key, written beside this one.',
      '  - Everything: is a change stream, which CQL does not have. Remove it, or read the changes where the cluster logs them.',
      '  - Log.id: is numbered by the database, but CQL does not support sequences. Use a counter of the client: from: asynchronousBatch(db, name). Or @UuidV4, which needs none.',
      '  - Log.n: is hidden, but CQL does not support hidden columns. Remove hidden.',
    ])
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', table: 'Numbers' })
  })

  it('keyspacesCql.layout() rejects a vector column, which cql.layout() accepts', () => {
    const schema = defineSchema([looseTable('Log', (t) => ({ id: t.uuidV4(), v: t.vector(3) }))])
    const [table] = schema.tables
    expect(refusal(() => keyspacesCql.layout(table!, schema))).toMatchObject({
      code: 'UNSUPPORTED_MODEL',
      table: 'Log',
      column: 'v',
    })
    expect(() => cql.layout(table!, schema)).not.toThrow()
  })

  it('refuseUnsupported() accepts a child that inherits a key part with a default', () => {
    const Parent = defineTable(
      'Parent',
      (t) => ({ id: t.uuidV4(), at: t.descTimestamp({ default: 'now' }) }),
      {
        partitionKey: ['id', 'at'],
      },
    )
    const schema = defineSchema([
      Parent,
      child('Log', Parent, (t) => ({ id: t.parentKey(), at: t.parentKey(), line: t.int32().key() })),
    ])
    expect(() => cql.refuseUnsupported(schema, [])).not.toThrow()
  })
})
