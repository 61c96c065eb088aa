import type { ColumnSchema, Schema, SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { generated, live, type LiveColumn, type LiveTable } from './live.js'

// The schemas that Spanner's documentation shows or describes in its pages about hotspots, with its verdict and that of lint.

export interface Published {
  readonly name: string
  /** The page, below https://cloud.google.com/spanner/docs/. */
  readonly page: string
  readonly dialects: readonly SqlDialect[]
  readonly theirs: 'good' | 'bad'
  /** `rule severity`, in the order in which rules run. */
  readonly ours: readonly string[]
  /** Why lint has another verdict. */
  readonly why?: string
  readonly schema: Schema
}

const both = [googlesql, spannerPostgresql]
const uuid: LiveColumn = {
  type: { kind: 'uuid', storage: 'native' },
  default: { sql: { googlesql: 'NEW_UUID()', 'spanner-postgresql': 'gen_random_uuid()' } },
}
const user: LiveColumn = { type: { kind: 'string', length: 1024 } }
const nullableTime: LiveColumn = { type: { kind: 'timestamp' }, nullable: true }
const commit: LiveColumn = { type: { kind: 'timestamp' }, source: { kind: 'timestamp', from: 'commit' } }

const logs = (columns: LiveTable['columns'], ...key: string[]): Schema =>
  live({ UserAccessLogs: { columns, key } })
const users = (index: NonNullable<LiveTable['indexes']>[number]): Schema =>
  live({
    Users: { columns: { UserId: 'int64', LastAccess: nullableTime }, key: ['UserId'], indexes: [index] },
  })

const inherited = (type: ColumnSchema['type']): LiveColumn => ({ type, inherited: true })

export const published: readonly Published[] = [
  {
    name: 'time first: `(LastAccess, UserId)`',
    page: 'schema-design',
    dialects: [googlesql],
    theirs: 'bad',
    ours: ['monotonic-first-key error'],
    schema: logs({ LastAccess: 'timestamp', UserId: user }, 'LastAccess', 'UserId'),
  },
  {
    name: 'the same, with a user id of type `text`',
    page: 'schema-design',
    dialects: [spannerPostgresql],
    theirs: 'bad',
    ours: ['monotonic-first-key error', 'spanner/key-limits warning'],
    schema: logs(
      { lastaccess: 'timestamp', userid: { type: { kind: 'string', length: 'max' } } },
      'lastaccess',
      'userid',
    ),
  },
  {
    name: 'UUID first, by default',
    page: 'schema-design',
    dialects: both,
    theirs: 'good',
    ours: [],
    schema: logs({ LogEntryId: uuid, LastAccess: 'timestamp', UserId: user }, 'LogEntryId'),
  },
  {
    name: 'UUID first, given',
    page: 'schema-design',
    dialects: both,
    theirs: 'good',
    ours: [],
    schema: logs(
      { LogEntryId: { type: { kind: 'uuid', storage: 'native' } }, LastAccess: 'timestamp', UserId: user },
      'LogEntryId',
    ),
  },
  {
    name: 'user first: `(UserId, LastAccess)`',
    page: 'schema-design',
    dialects: both,
    theirs: 'good',
    ours: [],
    schema: logs({ UserId: 'int64', LastAccess: 'timestamp' }, 'UserId', 'LastAccess'),
  },
  {
    name: 'shard first, given: `(ShardId, LastAccess, UserId)`',
    page: 'schema-design',
    dialects: both,
    theirs: 'good',
    ours: [],
    schema: logs(
      { ShardId: 'int64', LastAccess: 'timestamp', UserId: 'int64' },
      'ShardId',
      'LastAccess',
      'UserId',
    ),
  },
  {
    name: 'shard first, generated: `MOD(FARM_FINGERPRINT(CAST(LastAccess AS STRING)), 2048)`',
    page: 'schema-design',
    dialects: [googlesql],
    theirs: 'good',
    ours: ['spanner/signed-shard error', 'unstable-shard warning'],
    why: 'half of the shards are negative, and they depend on the time zone of the database',
    schema: logs(
      {
        ShardId: generated('MOD(FARM_FINGERPRINT(CAST(LastAccess AS STRING)), 2048)'),
        LastAccess: 'timestamp',
        UserId: 'int64',
      },
      'ShardId',
      'LastAccess',
      'UserId',
    ),
  },
  {
    name: 'user first, newest first: `(UserId, LastAccess DESC)`',
    page: 'schema-design',
    dialects: [googlesql],
    theirs: 'good',
    ours: [],
    schema: logs({ UserId: 'int64', LastAccess: 'timestamp' }, 'UserId', 'LastAccess desc'),
  },
  {
    name: 'index on the last access',
    page: 'schema-design',
    dialects: both,
    theirs: 'bad',
    ours: ['monotonic-index error'],
    schema: users({ name: 'UsersByLastAccess', on: ['LastAccess'], notNull: ['LastAccess'] }),
  },
  {
    name: 'the same, interleaved in its user',
    page: 'schema-design',
    dialects: both,
    theirs: 'good',
    ours: [],
    schema: users({
      name: 'UsersByLastAccess',
      on: ['UserId', 'LastAccess'],
      notNull: ['LastAccess'],
      interleaveIn: 'Users',
    }),
  },
  {
    name: 'log in time order, interleaved in a root',
    page: 'whitepapers/optimizing-schema-design',
    dialects: both,
    theirs: 'good',
    ours: [],
    schema: live({
      Users: { columns: { UserId: uuid }, key: ['UserId'] },
      Logs: {
        columns: { UserId: inherited({ kind: 'uuid', storage: 'native' }), LastAccess: 'timestamp' },
        key: ['UserId', 'LastAccess'],
        parent: 'Users',
      },
    }),
  },
  {
    name: 'sequence, bits reversed',
    page: 'primary-key-default-value',
    dialects: both,
    theirs: 'good',
    ours: [],
    schema: live({
      Singers: {
        columns: {
          SingerId: {
            type: { kind: 'int64' },
            default: {
              sql: {
                googlesql: 'GET_NEXT_SEQUENCE_VALUE(SEQUENCE SingerIdSequence)',
                'spanner-postgresql': "nextval('SingerIdSequence')",
              },
            },
          },
        },
        key: ['SingerId'],
      },
    }),
  },
  {
    name: 'commit timestamp first',
    page: 'commit-timestamp',
    dialects: both,
    theirs: 'bad',
    ours: ['monotonic-first-key error'],
    schema: live({
      Users: { columns: { LastAccess: commit, UserId: 'int64' }, key: ['LastAccess', 'UserId'] },
    }),
  },
  {
    name: 'index on a commit timestamp and a name',
    page: 'commit-timestamp',
    dialects: both,
    theirs: 'bad',
    ours: ['monotonic-index error'],
    schema: live({
      Users: {
        columns: { UserId: 'int64', LastAccess: commit, FirstName: user },
        key: ['UserId'],
        indexes: [{ name: 'UsersByLastAccessAndName', on: ['LastAccess', 'FirstName'] }],
      },
    }),
  },
  {
    name: 'shard of a number: `MOD(UserId, 2048)`',
    page: 'generated-column/how-to',
    dialects: both,
    theirs: 'good',
    ours: [],
    schema: live({
      UserInfoLog: {
        columns: {
          ShardId: {
            type: { kind: 'int64' },
            generated: {
              expression: {
                googlesql: 'MOD(UserId, 2048)',
                'spanner-postgresql': "MOD(UserId, '2048'::BIGINT)",
              },
              stored: true,
            },
          },
          UserId: 'int64',
          FullName: user,
        },
        key: ['ShardId', 'UserId'],
      },
    }),
  },
  {
    name: 'whole hash first: `(StudentIdHash, StudentId)`',
    page: 'migrating-primary-keys',
    dialects: both,
    theirs: 'good',
    ours: [],
    schema: live({
      Student: {
        columns: {
          StudentIdHash: generated('FARM_FINGERPRINT(cast(StudentId as varchar))'),
          StudentId: 'int64',
        },
        key: ['StudentIdHash', 'StudentId'],
      },
    }),
  },
  {
    name: 'key out of a JSON column',
    page: 'generated-column/how-to',
    dialects: both,
    theirs: 'good',
    ours: ['spanner/generated-key-restrictions warning'],
    why: 'the document can change, and an upsert of a changed one writes a second row',
    schema: live({
      Students: {
        columns: {
          StudentId: {
            type: { kind: 'int64' },
            generated: {
              expression: {
                googlesql: 'INT64(StudentInfo.id)',
                'spanner-postgresql': "(StudentInfo ->> 'id')::BIGINT",
              },
              stored: true,
            },
          },
          StudentInfo: 'json',
        },
        key: ['StudentId'],
      },
    }),
  },
]
