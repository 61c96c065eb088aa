import type { EngineCommand, EngineDialect, ShardAdvice } from '@isotherm/core/command'
import { type SpannerAddress, addressSyntax } from './command/address.js'
import { explainCredentials } from './command/errors.js'

export type { SpannerAddress } from './command/address.js'

const common: Omit<EngineDialect, 'label' | 'load'> = {
  example: 'projects/my-project/instances/my-instance/databases/my-database',
  packages: ['@isotherm/spanner', '@google-cloud/spanner'],
  model: {
    path: 'src/models/user-access-log.ts',
    decorators: `import { Column, DescTimestamp, Key, ShardKey, Table, type Generated } from '@isotherm/core'

@Table('UserAccessLog')
export class UserAccessLog {
  @ShardKey({ shards: 64, of: ['userId'] }) shardId!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) lastAccess!: Generated<Date>
  @Key() @Column.int64() userId!: bigint
  @Column.string({ length: 1024, nullable: true }) page!: string | null
}
`,
    tables: `import { defineTable } from '@isotherm/core'

export const UserAccessLog = defineTable('UserAccessLog', (t) => ({
  shardId: t.shardKey({ shards: 64, of: ['userId'] }),
  lastAccess: t.descTimestamp({ default: 'now' }),
  userId: t.int64().key(),
  page: t.string({ length: 1024, nullable: true }),
}))
`,
  },
}

const splits: ShardAdvice = {
  name: 'spanner',
  label: 'Spanner',
  usual: true,
  sources: [
    'https://cloud.google.com/spanner/docs/performance',
    'https://cloud.google.com/spanner/docs/cpu-utilization',
  ],
  compute: async (load, nodes) => (await import('./command/shards.js')).shardsOnSplits(load, nodes),
}

/** Cloud Spanner, as the command `isotherm` knows it. */
export const engine: EngineCommand<SpannerAddress> = {
  name: 'Spanner',
  dialects: {
    googlesql: {
      ...common,
      label: 'GoogleSQL',
      load: async () => (await import('./index.js')).googlesql,
    },
    'spanner-postgresql': {
      ...common,
      label: 'PostgreSQL',
      load: async () => (await import('./index.js')).spannerPostgresql,
    },
  },
  address: addressSyntax,
  connect: async (address, call) => (await import('./command/connect.js')).connect(address, call),
  client: 'a Database of @google-cloud/spanner',
  connectClient: async (client) => (await import('./command/connect.js')).connectClient(client),
  explain: explainCredentials,
  startLocal: async (options) => (await import('./command/start-local.js')).startLocal(options),
  shards: [splits],
}
