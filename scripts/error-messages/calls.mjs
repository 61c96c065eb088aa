/* oxlint-disable typescript/no-floating-promises -- one of the mistakes is a missing await */

// Mistakes in calls of the library: the words for the page, what the message has to name, and the call, whose text is shown.

import { Spanner } from '@google-cloud/spanner'
import { cassandra, cql, keyspacesCql } from '@isotherm/cassandra'
import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { startPglite } from '@isotherm/postgresql/local'
import { googlesql, spanner, spannerPostgresql } from '@isotherm/spanner'
import cassandraDriver from 'cassandra-driver'

const Customer = defineTable('Customer', (t) => ({
  id: t.uuidV4().key(),
  name: t.string({ length: 5 }),
  visits: t.int64({ nullable: true }),
}))
const Visit = defineTable('Visit', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['customer'] }),
  at: t.descTimestamp({ default: 'now' }),
  customer: t.string().key(),
  page: t.string({ nullable: true }),
}))
const Seat = defineTable('Seat', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['region'] }),
  id: t.uuidV4().key(),
  region: t.string({ immutable: true }),
}))
const Other = defineTable('Other', (t) => ({ id: t.uuidV4().key() }))
const schema = defineSchema([Customer, Visit, Seat])
const id = '6b1f3c2e-9d5a-4c7b-8e21-0f6a5d4c3b2a'

const engine = await startPglite()
const driver = pglite(engine.client)
await driver.applyDdl(compileDdl(schema, { dialect: postgresql }))
const db = openDatabase({ driver, schema, cursorSecret: 'a secret of sixteen bytes or more' })
await db.insert(Customer, [{ id, name: 'Ada' }])
await db.insert(Visit, [{ customer: 'ann' }, { customer: 'bob' }, { customer: 'eve' }])
const { next: cursor } = await db.fanOut(Visit).orderBy('at', 'desc').limit(1).page()

// Nothing listens on port 1 of this computer.
process.env.SPANNER_EMULATOR_HOST = '127.0.0.1:1'
const client = new Spanner({ projectId: 'shop' })
const orders = client.instance('main').database('orders')
const nodes = new cassandraDriver.Client({
  contactPoints: ['127.0.0.1:1'],
  localDataCenter: 'datacenter1',
  keyspace: 'shop',
  encoding: { useBigIntAsLong: true, map: Map },
})
const onCassandra = openDatabase({
  driver: cassandra(nodes, { dialect: cql }),
  schema: defineSchema([Customer, Seat]),
})

/** Stops what the mistakes use. */
export async function close() {
  client.close()
  await nodes.shutdown()
  await engine.stop()
}

/** A schema of the table Log. */
function schemaOf(declare, options) {
  return defineSchema([defineTable('Log', declare, options)])
}

export const calls = {
  Models: [
    ['a table without a key', 'Log', () => schemaOf((t) => ({ at: t.timestamp() }))],
    ['a misspelt option', 'lenght', () => schemaOf((t) => ({ id: t.string({ lenght: 20 }).key() }))],
    [
      'a shard count of zero',
      'shards',
      () => schemaOf((t) => ({ shard: t.shardKey({ shards: 0, of: ['id'] }), id: t.uuidV4().key() })),
    ],
    [
      'a hash of a column that does not exist',
      'usr',
      () => schemaOf((t) => ({ shard: t.shardKey({ shards: 8, of: ['usr'] }), user: t.string().key() })),
    ],
    [
      'a number as the default of a string',
      'state',
      () => schemaOf((t) => ({ id: t.uuidV4().key(), state: t.string({ default: 1 }) })),
    ],
    [
      'an index over a column that does not exist',
      'mail',
      () => schemaOf((t) => ({ id: t.uuidV4().key(), email: t.string() }), { indexes: [{ on: ['mail'] }] }),
    ],
    ['one model twice', 'Customer', () => defineSchema([Customer, Customer])],
    [
      'a timestamp first in the key',
      'at',
      () =>
        compileDdl(
          schemaOf((t) => ({ at: t.timestamp().key() })),
          { dialect: googlesql },
        ),
    ],
    [
      'a sequential key without a counter',
      'id',
      () =>
        compileDdl(
          schemaOf((t) => ({ id: t.sequential().key() })),
          { dialect: googlesql },
        ),
    ],
    [
      'a timestamp first in an index',
      'at',
      () =>
        compileDdl(
          schemaOf((t) => ({ id: t.uuidV4().key(), at: t.timestamp() }), { indexes: [{ on: ['at'] }] }),
          { dialect: googlesql },
        ),
    ],
    [
      'a string of 3 MB',
      'page',
      () =>
        compileDdl(
          schemaOf((t) => ({ id: t.uuidV4().key(), page: t.string({ length: 3_000_000 }) })),
          { dialect: googlesql },
        ),
    ],
    [
      'a map on Spanner',
      'tags',
      () =>
        compileDdl(
          schemaOf((t) => ({
            id: t.uuidV4().key(),
            tags: t.map({ kind: 'string', length: 'max' }, { kind: 'string', length: 'max' }),
          })),
          { dialect: spannerPostgresql },
        ),
    ],
    [
      'a foreign key on Cassandra',
      'Log',
      () =>
        compileDdl(
          schemaOf((t) => ({ id: t.uuidV4().key(), parent: t.string() }), {
            foreignKeys: [{ columns: ['parent'], references: 'self' }],
          }),
          { dialect: cql },
        ),
    ],
    [
      'a vector on Keyspaces',
      'meaning',
      () =>
        compileDdl(
          schemaOf((t) => ({ id: t.uuidV4().key(), meaning: t.vector(3) })),
          { dialect: keyspacesCql },
        ),
    ],
  ],
  Writes: [
    ['a misspelt property', 'nmae', () => db.insert(Customer, [{ nmae: 'Ada' }])],
    ['a missing property', 'name', () => db.insert(Customer, [{}])],
    ['a string that is too long', 'name', () => db.insert(Customer, [{ name: 'Augusta' }])],
    ['a number for an int64 column', 'visits', () => db.insert(Customer, [{ name: 'Ada', visits: 1.5 }])],
    ['an invalid UUID', 'id', () => db.insert(Customer, [{ id: 'abc', name: 'Ada' }])],
    ['a row instead of an array', 'Customer', () => db.insert(Customer, { name: 'Ada' })],
    [
      'a promise that was not awaited',
      'Customer',
      () => db.insert(Customer, [Promise.resolve({ name: 'Ada' })]),
    ],
    ['a value for a shard', 'shard', () => db.insert(Visit, [{ customer: 'ann', shard: 9n }])],
    ['a misspelt option', 'retuning', () => db.insert(Customer, [{ name: 'Ada' }], { retuning: false })],
    ['a model that is not in the schema', 'Other', () => db.insert(Other, [{}])],
    ['a key that exists', 'Customer', () => db.insert(Customer, [{ id, name: 'Eve' }])],
    ['an update without a key', 'id', () => db.update(Customer, [{ name: 'Eve' }])],
    [
      'an update of a row that does not exist',
      'Customer',
      () => db.update(Customer, [{ id: id.replace('6', '7'), name: 'Eve' }]),
    ],
    [
      'an upsert whose shard hashes a column outside the key',
      'region',
      () => db.upsert(Seat, [{ region: 'eu' }]),
    ],
    ['an increment without counters', 'increment', () => db.increment(Customer, [{ id, visits: 1n }])],
    [
      'db in a transaction',
      'insert',
      () =>
        db.transaction(async () => {
          await db.insert(Customer, [{ name: 'Ada' }])
        }),
    ],
    [
      'a missing await in a transaction',
      'insert',
      () =>
        db.transaction(async (tx) => {
          tx.insert(Customer, [{ name: 'Ada' }])
        }),
    ],
    ['a transaction on Cassandra', 'Cassandra', () => onCassandra.transaction(async () => {})],
    [
      'an option of Spanner on Cassandra',
      'priority',
      () => onCassandra.insert(Customer, [{ name: 'Ada' }], { priority: 'low' }),
    ],
  ],
  Reads: [
    ['a part of a key', 'customer', () => db.get(Visit, { at: new Date(0) })],
    ['a filter on a property that does not exist', 'pge', () => db.fanOut(Visit).where({ pge: '/' }).page()],
    [
      'an unknown operator',
      'like',
      () =>
        db
          .fanOut(Visit)
          .where({ page: { like: '/%' } })
          .page(),
    ],
    ['an order by a property that does not exist', 'time', () => db.fanOut(Visit).orderBy('time').page()],
    ['a limit of zero', 'limit', () => db.fanOut(Visit).limit(0).page()],
    [
      'a date as text',
      'at',
      () =>
        db
          .fanOut(Visit)
          .where({ at: { gte: '2026-01-01' } })
          .page(),
    ],
    ['a damaged cursor', 'cursor', () => db.fanOut(Visit).orderBy('at', 'desc').after('abc').page()],
    ['a cursor of another query', 'cursor', () => db.fanOut(Visit).orderBy('customer').after(cursor).page()],
    ['an index that does not exist', 'by_page', () => db.fanOut(Visit).useIndex('by_page').page()],
  ],
  Connections: [
    [
      'an emulator that does not run',
      '127.0.0.1:1',
      () => openDatabase({ driver: spanner(orders), schema }).get(Customer, { id }),
    ],
    ['a Cassandra that does not run', '127.0.0.1:1', () => onCassandra.get(Customer, { id })],
    ['a client instead of a database', 'spanner', () => spanner(client)],
    [
      'a client of Cassandra without the encoding',
      'encoding',
      () =>
        cassandra(
          new cassandraDriver.Client({
            contactPoints: ['127.0.0.1'],
            localDataCenter: 'dc1',
            keyspace: 'shop',
          }),
          { dialect: cql },
        ),
    ],
    ['an option of openDatabase that does not exist', 'shema', () => openDatabase({ driver, shema: schema })],
  ],
}
