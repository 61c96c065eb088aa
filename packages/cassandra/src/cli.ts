import type { EngineCommand, EngineDialect, ShardAdvice } from '@isotherm/core/command'
import { addressSyntax } from './command/address.js'
import type { CassandraAddress } from './command/sign-in.js'

export type { CassandraAddress } from './command/sign-in.js'

const packages = ['@isotherm/cassandra', 'cassandra-driver']

const model: EngineDialect['model'] = {
  path: 'src/models/access-log.ts',
  decorators: `import { Column, DescTimestamp, Key, ShardKey, Table, TimeBucket, type Generated } from '@isotherm/core'

@Table('access_log')
export class AccessLog {
  @TimeBucket({ by: 'day', of: 'at', since: '2026-01-01' }) day!: Generated<string>
  @ShardKey({ shards: 16, of: ['userId'] }) shard!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) at!: Generated<Date>
  @Key() @Column.int64({ name: 'user_id' }) userId!: bigint
  @Column.string({ nullable: true }) page!: string | null
}
`,
  tables: `import { defineTable } from '@isotherm/core'

export const AccessLog = defineTable('access_log', (t) => ({
  day: t.timeBucket({ by: 'day', of: 'at', since: '2026-01-01' }),
  shard: t.shardKey({ shards: 16, of: ['userId'] }),
  at: t.descTimestamp({ default: 'now' }),
  userId: t.int64({ name: 'user_id' }).key(),
  page: t.string({ nullable: true }),
}))
`,
}

const sources = [
  'https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-design.html',
  'https://docs.aws.amazon.com/keyspaces/latest/devguide/ReadWriteCapacityMode.html',
]

const onCassandra: ShardAdvice = {
  name: 'cassandra',
  label: 'Cassandra',
  sources,
  compute: async (load) =>
    (await import('./command/shards.js')).shardsOnPartitions(load, (await dialects()).cql),
}

const onKeyspaces: ShardAdvice = {
  name: 'keyspaces',
  label: 'Keyspaces',
  usual: true,
  sources,
  compute: async (load) =>
    (await import('./command/shards.js')).shardsOnPartitions(load, (await dialects()).keyspacesCql),
}

/** Apache Cassandra and Amazon Keyspaces, as the command `isotherm` knows them. */
export const engine: EngineCommand<CassandraAddress> = {
  name: 'Cassandra',
  dialects: {
    cql: {
      label: 'CQL of Apache Cassandra',
      load: async () => (await dialects()).cql,
      example: 'cassandra://127.0.0.1/my_keyspace?dc=datacenter1',
      packages,
      model,
    },
    'keyspaces-cql': {
      label: 'CQL of Amazon Keyspaces',
      load: async () => (await dialects()).keyspacesCql,
      example: 'keyspaces:///my_keyspace?region=eu-west-1',
      packages: [...packages, '@smithy/signature-v4', '@aws-sdk/credential-providers'],
      model,
    },
  },
  address: addressSyntax,
  connect: async (address, call) => (await import('./command/connect.js')).connect(address, call),
  client: 'a Client of cassandra-driver',
  connectClient: async (client, call) => (await import('./command/connect.js')).connectClient(client, call),
  withoutLocal: 'For a Cassandra of your own, call startCassandra of @isotherm/cassandra/local.',
  shards: [onKeyspaces, onCassandra],
}

/** Without the driver, which wants cassandra-driver. */
async function dialects(): Promise<typeof import('./dialects.js')> {
  return import('./dialects.js')
}
