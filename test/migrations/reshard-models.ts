import { defineSchema, defineTable, type Schema, type SqlDialect } from '@isotherm/core'

/** A table before and after its key has changed, and how to make rows of it. */
export interface Case {
  readonly name: string
  readonly from: Schema
  readonly to: Schema
  readonly table: string
  /** What a row is found by, its own id first, and what may be changed. */
  readonly key: readonly [string, ...string[]]
  readonly changing: readonly string[]
  /** Columns of the new key that the old one does not have: a row is found by them as well once the new table is read. */
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

/** Other columns are hashed: what was found by one id is now found by two. */
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
      name: '16 shards to 64',
      from: moved(16),
      to: moved(64),
      table: 'UserAccessLog',
      key: ['userId', 'lastAccess'],
      changing: ['page'],
      joining: [],
      hashes: ['shardId'],
    },
    {
      name: 'an id to shards in time order',
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
