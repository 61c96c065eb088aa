import {
  compileDdl,
  defineSchema,
  defineTable,
  IsothermError,
  openDatabase,
  type SchemaOptions,
  type TableBuilder,
} from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import { cassandra, cql } from '@isotherm/cassandra'
import { planReshard } from '@isotherm/migrations'
import { inTransaction, native, sequenceTable } from '@isotherm/core/sequences'
import { describe, expect, it } from 'vitest'
import { cassandraDatabase } from '../support/engines.js'
import { dialects } from './support/keyspace.js'

// What Spanner supports and Cassandra does not: each is refused where it is asked for, with what to do instead.

const sharded = (shards: number) => (t: TableBuilder) => ({
  shard: t.shardKey({ shards, of: ['user'] }),
  user: t.int64().key(),
  page: t.string({ nullable: true }),
})
const Log = defineTable('Log', sharded(4), { indexes: [{ name: 'LogByPage', on: ['page'] }] })
const Moved = defineTable('Moved', sharded(8))
const Hashed = defineTable('Hashed', (t) => ({ hash: t.hashKey({ of: ['url'] }), url: t.string().key() }))
const Numbered = defineTable('Numbered', (t) => ({ id: t.bitReversedId({ from: inTransaction('invoice') }) }))
const Plain = defineTable('Plain', (t) => ({ id: t.uuidV4() }))

// Keyspaces does not support indexes, so the table has no index there.
const Unindexed = defineTable('Log', sharded(4))
const quiet = {
  severity: { 'cassandra/low-cardinality-partition': 'off', 'cassandra/useless-bit-reversal': 'off' },
} as const

const INSTEAD = {
  transaction: 'Write one partition with db.insert, or one row conditionally: conditional is on by default.',
  sequence:
    'Count with asynchronous, whose numbers are in order, with a gap for each unused number; or with batch or asynchronousBatch.',
  numbered:
    'Number it with asynchronous, which leaves a gap where an insert fails; or with batch or asynchronousBatch.',
  moment: 'Leave out at, timestampBound and consistentPages.',
  replicas: 'Leave directedReads out, or let the client choose replicas.',
  parts: 'Read the query as it is: for await (const row of query).',
  strategy: 'Use merge-shards, bucket-scan, client-sort, or leave strategy out.',
  partition: 'Add hash to where, as a value or as a list of them: { in: […] }.',
  both: 'Leave dualWrites out, and let the application write each row to both tables.',
  reshard: 'Create a new table with the new key, write every row to both tables, and copy the existing rows.',
  keyspace: 'Create a client for that keyspace, or name the keyspace in the statement.',
  lookUp:
    'Leave useIndex out; to look rows up by another key, keep a table with that key and write it beside this one.',
} as const

type Case = readonly [what: string, work: () => unknown, code: string, message: string, fix: string]

/** A refusal as it is told. */
async function refusalOf(work: () => unknown): Promise<object> {
  const error: unknown = await (async () => work())().catch((caught: unknown) => caught)
  if (!(error instanceof IsothermError)) throw new Error(`Not refused by name: ${String(error)}`)
  const { code, message, fix } = error
  return { code, message, fix }
}

const expected = (code: string, message: string, fix: string) => ({ code, message: `${message} ${fix}`, fix })

describe.each(dialects)('unsupported features in $name', async (dialect) => {
  const log = dialect === cql ? Log : Unindexed
  const schema = defineSchema([log, Moved, Hashed, sequenceTable()])
  const { db, handle: client } = await cassandraDatabase(schema, dialect)
  const driver = cassandra(client, { dialect })
  const { name } = driver
  const key = { user: 1n }
  const replicas = { include: [{ location: 'somewhere' }] }
  const all = db.fanOut(log)
  const via = `needs one order, or statements, over several partitions.`

  const calls: readonly Case[] = [
    [
      'a transaction',
      () => db.transaction(async (tx) => tx.insert(log, [key])),
      'UNSUPPORTED_FEATURE',
      `${name} has no transactions over rows.`,
      INSTEAD.transaction,
    ],
    [
      'a number from inTransaction()',
      () => inTransaction('invoice').create(db),
      'UNSUPPORTED_FEATURE',
      `The sequence "invoice" is counted in the transactions that use it, and ${name} has no transactions over rows.`,
      INSTEAD.sequence,
    ],
    [
      'a number from a native sequence',
      () => native(db, 'ids').next(),
      'UNSUPPORTED_FEATURE',
      `The sequence ids is one of the database's own, and ${name} does not support sequences.`,
      INSTEAD.sequence,
    ],
    [
      'a model with numbers from inTransaction()',
      () => openDatabase({ driver, schema: defineSchema([Numbered, sequenceTable()]) }),
      'UNSUPPORTED_MODEL',
      `Numbered.id is numbered in the transaction of its insert, and ${name} has no transactions over rows.`,
      INSTEAD.numbered,
    ],
    [
      'a fan-out at a timestamp',
      () => all.timestampBound({ exactStaleness: 0 }).all(),
      'UNSUPPORTED_FEATURE',
      `${name} cannot read at a given timestamp.`,
      INSTEAD.moment,
    ],
    [
      'a get at a timestamp',
      () => db.get(log, key, { at: { exactStaleness: 0 } }),
      'UNSUPPORTED_FEATURE',
      `${name} cannot read at a given timestamp.`,
      INSTEAD.moment,
    ],
    [
      'consistent pages',
      () => all.consistentPages().limit(1).page(),
      'UNSUPPORTED_FEATURE',
      `${name} cannot read at a given timestamp.`,
      INSTEAD.moment,
    ],
    [
      'a get with a priority',
      () => db.get(log, key, { priority: 'low' }),
      'UNSUPPORTED_FEATURE',
      `${name} does not support priorities.`,
      'Leave priority out.',
    ],
    [
      'an insert with a request tag',
      () => db.insert(log, [key], { tag: 'import' }),
      'UNSUPPORTED_FEATURE',
      `${name} does not support request tags.`,
      'Leave tag out.',
    ],
    [
      'a choice of replicas by location',
      () => all.options({ directedReads: replicas }).all(),
      'UNSUPPORTED_FEATURE',
      `${name} cannot choose replicas for one call.`,
      INSTEAD.replicas,
    ],
    [
      'a read in query partitions',
      () => all.queryPartitions(2),
      'UNSUPPORTED_FEATURE',
      `${name} cannot split a read into query partitions.`,
      INSTEAD.parts,
    ],
    [
      'the strategy push-down',
      () => all.strategy('push-down').all(),
      'INVALID_QUERY',
      `Log cannot be read by the strategy push-down, which ${via}`,
      INSTEAD.strategy,
    ],
    [
      'the strategy read-ranges',
      () => all.strategy('read-ranges').all(),
      'INVALID_QUERY',
      `Log cannot be read by the strategy read-ranges, which ${via}`,
      INSTEAD.strategy,
    ],
    [
      'a fan-out without a filter on the partition key',
      () => db.fanOut(Hashed).all(),
      'INVALID_QUERY',
      'Hashed is read by whole partition keys, and the filter leaves hash open.',
      INSTEAD.partition,
    ],
    [
      'dual writes to a second table',
      () => openDatabase({ driver, schema, tables: dualWrites([{ from: log, to: Moved }]) }),
      'UNSUPPORTED_FEATURE',
      `A second table that is written beside the first needs SQL, which ${dialect.name} does not have.`,
      INSTEAD.both,
    ],
    [
      'a plan of a reshard',
      () => planReshard(schema, schema, { dialect, table: 'Log' }),
      'UNSUPPORTED_FEATURE',
      `Resharding needs SQL, which ${dialect.name} does not have.`,
      INSTEAD.reshard,
    ],
    [
      'USE of another keyspace',
      () => db.driver.run({ text: 'USE "system"', parameters: [] }),
      'UNSUPPORTED_STATEMENT',
      'USE would move every statement of this client to another keyspace.',
      INSTEAD.keyspace,
    ],
  ]

  it.each(calls)('%s is rejected with a code, a reason and a fix', async (_, work, code, message, fix) => {
    expect(await refusalOf(work)).toEqual(expected(code, message, fix))
  })

  it.each(dialect === cql ? ['LogByPage'] : [])(
    'a fan-out that uses the index %s throws INVALID_QUERY',
    async (index) => {
      expect(await refusalOf(() => all.useIndex(index).all())).toEqual(
        expected(
          'INVALID_QUERY',
          'Log cannot be read by its index LogByPage: a fan-out reads partitions, and the index does not have partitions of its own.',
          INSTEAD.lookUp,
        ),
      )
    },
  )

  it('a JOIN in run() throws DATABASE', async () => {
    const join = db.driver.run({
      text: 'SELECT * FROM "Log" a JOIN "Moved" b ON a.user = b.user',
      parameters: [],
    })
    await expect(join).rejects.toMatchObject({
      code: 'DATABASE',
      message: expect.stringContaining('no viable alternative'),
    })
  })

  it('the rejected calls wrote no row', async () => {
    expect(await all.count()).toBe(0)
  })

  type Columns = Parameters<typeof defineTable>[1]
  const note = (columns: Columns, options: object = {}) =>
    defineSchema([defineTable('Note', (t) => ({ id: t.uuidV4(), ...columns(t) }), options), Plain])

  const declared: readonly (readonly [
    what: string,
    of: ReturnType<typeof note>,
    message: string,
    fix: string,
  ])[] = [
    [
      'a foreign key',
      note((t) => ({ plain: t.uuid() }), {
        foreignKeys: [{ name: 'to_plain', columns: ['plain'], references: () => Plain }],
      }),
      'Note has the foreign key to_plain, but CQL does not support foreign keys.',
      'Remove it, and keep both rows consistent in the application.',
    ],
    [
      'a generated column',
      note((t) => ({ n: t.int64({ generated: '1' }) })),
      'Note.n is generated, but CQL does not compute values.',
      'Compute it before the row is written.',
    ],
    [
      'a default',
      note((t) => ({ n: t.int64({ default: 1n }) })),
      'Note.n has a default, but CQL does not support default expressions.',
      "Give the value at the insert, or use @DescTimestamp({ default: 'now' }).",
    ],
    [
      'a check',
      note(() => ({}), { checks: [{ name: 'positive', expression: 'id > 0' }] }),
      'Note has the check positive, but CQL does not support checks.',
      'Remove it, and check values in the application.',
    ],
    [
      'a commit timestamp',
      note((t) => ({ at: t.timestamp({ default: 'commit' }) })),
      "Note.at has default: 'commit', but Cassandra does not report commit timestamps.",
      "Use default: 'now', the client's clock.",
    ],
    [
      'a row deletion policy',
      note((t) => ({ at: t.timestamp() }), { rowDeletion: { property: 'at', days: 2 } }),
      'Note has rowDeletion by at, which CQL does not support.',
      'Use ttlSeconds: 172800, counted from the write.',
    ],
  ]

  it.each(declared)('openDatabase() rejects a model with %s', async (_, other, message, fix) => {
    expect(await refusalOf(() => openDatabase({ driver, schema: other }))).toEqual(
      expected('UNSUPPORTED_MODEL', message, fix),
    )
  })

  const objects: readonly (readonly [what: string, options: SchemaOptions, message: string, fix: string])[] =
    [
      [
        'a view',
        { views: [{ name: 'Seen', query: 'SELECT 1 AS one' }] },
        'Seen is a view, but Isotherm does not support views in CQL.',
        'Keep a table with that key, written beside this one.',
      ],
      [
        'a change stream',
        { changeStreams: [{ name: 'Changes', watch: [Plain] }] },
        'Changes is a change stream, which CQL does not have.',
        'Remove it, or read the changes where the cluster logs them.',
      ],
      [
        'a sequence of the database',
        { sequences: [{ name: 'ids' }] },
        'ids is a sequence of the database, but CQL does not support sequences.',
        'Use a counter of the client: asynchronousBatch(db, name).',
      ],
      [
        'a named schema',
        { namespaces: ['shop'] },
        'shop is a named schema, and CQL does not support schemas within a keyspace.',
        'Remove it, and give each keyspace a driver of its own.',
      ],
    ]

  it.each(objects)(
    'compileDdl() rejects %s, and openDatabase() accepts the schema',
    async (_, options, message, fix) => {
      const other = defineSchema([Plain], options)
      expect(await refusalOf(() => compileDdl(other, { dialect, ...quiet }))).toEqual(
        expected('UNSUPPORTED_MODEL', message, fix),
      )
      expect(() => openDatabase({ driver, schema: other })).not.toThrow()
    },
  )

  it('openDatabase() rejects a unique index, with the reason of the dialect', async () => {
    const unique = note((t) => ({ of: t.string() }), {
      indexes: [{ name: 'NoteOf', on: ['of'], unique: true }],
    })
    const reason =
      dialect === cql
        ? 'Note has the index NoteOf, which is unique: Cassandra does not check uniqueness.'
        : 'Note has the index NoteOf, and Keyspaces has no secondary indexes.'
    expect(await refusalOf(() => openDatabase({ driver, schema: unique }))).toEqual(
      expected(
        'UNSUPPORTED_MODEL',
        reason,
        'Keep a table of its own with that key, written beside this one.',
      ),
    )
  })
})
