import { defineSchema, defineTable, type Schema, type SqlDialect } from '@isotherm/core'

/** A table before and after the change of its key, and how to generate its rows. */
export interface Case {
  readonly name: string
  readonly from: Schema
  readonly to: Schema
  readonly table: string
  /** The properties that identify a row, its id first, and the properties that may be changed. */
  readonly key: readonly [string, ...string[]]
  readonly changing: readonly string[]
  /** Columns of the new key that the old key does not have: they also identify a row when the new table is read. */
  readonly joining: readonly string[]
  /** Hashes in either key. */
  readonly hashes: readonly string[]
}

function moved(shards: number): Schema {
  const log = defineTable(
    'UserAccessLog',
    (t) => ({
      shardId: t.shardKey({ shards, of: ['userId'] }),
      lastAccess: t.descTimestamp({ default: 'now' }),
      userId: t.int64().key(),
      page: t.string({ length: 100, nullable: true }),
    }),
    { indexes: [{ on: ['page'] }] },
  )
  return defineSchema([log])
}

/** From an id alone to shards in time order: the time becomes a part of the key, and can be changed before. */
function timed(dialect: SqlDialect, isNew: boolean): Schema {
  const sql = dialect.name === 'googlesql' ? 'GENERATE_UUID()' : 'spanner.generate_uuid()'
  const session = isNew
    ? defineTable('Session', (t) => ({
        shard: t.shardKey({ shards: 8, of: ['id'] }),
        startedAt: t.timestamp().key('desc'),
        id: t.int64().key(),
        note: t.string({ nullable: true }),
        token: t.string({ length: 36, default: sql }),
        body: t.json({ nullable: true }),
      }))
    : defineTable('Session', (t) => ({
        id: t.int64().key(),
        startedAt: t.timestamp(),
        note: t.string({ nullable: true }),
        token: t.string({ length: 36, default: sql }),
        body: t.json({ nullable: true }),
      }))
  return defineSchema([session])
}

/** Other columns are hashed: rows that were identified by one id are now identified by two. */
function rehashed(of: readonly string[]): Schema {
  const reading = defineTable('Reading', (t) => ({
    hash: t.shardKey({ shards: 4, of }),
    device: t.uuid({ storage: 'int64-pair' }).key(),
    id: t.int64().key(),
    startedAt: t.timestamp({ default: 'commit' }),
    note: t.string({ nullable: true }),
    token: t.numeric({ nullable: true }),
  }))
  return defineSchema([reading])
}

export function casesOf(dialect: SqlDialect): readonly Case[] {
  return [
    {
      name: '64 shards from 16',
      from: moved(16),
      to: moved(64),
      table: 'UserAccessLog',
      key: ['userId', 'lastAccess'],
      changing: ['page'],
      joining: [],
      hashes: ['shardId'],
    },
    {
      name: 'shards in time order from an id',
      from: timed(dialect, false),
      to: timed(dialect, true),
      table: 'Session',
      key: ['id'],
      changing: ['note', 'startedAt', 'body'],
      joining: ['startedAt'],
      hashes: ['shard'],
    },
    {
      name: 'a hash of other columns',
      from: rehashed(['device']),
      to: rehashed(['device', 'id']),
      table: 'Reading',
      key: ['id', 'device'],
      changing: ['note', 'token'],
      joining: [],
      hashes: ['hash'],
    },
  ]
}
