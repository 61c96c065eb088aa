import type { EngineCommand, EngineDialect } from '@isotherm/core/command'
import { type PostgresqlAddress, addressSyntax } from './command/address.js'

export type { PostgresqlAddress } from './command/address.js'

const model: EngineDialect['model'] = {
  path: 'src/models/access-log.ts',
  decorators: `import { Column, DescTimestamp, Key, ShardKey, Table, type Generated } from '@isotherm/core'

@Table('access_log')
export class AccessLog {
  @ShardKey({ shards: 16, of: ['userId'] }) shard!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) at!: Generated<Date>
  @Key() @Column.int64({ name: 'user_id' }) userId!: bigint
  @Column.string({ nullable: true }) page!: string | null
}
`,
  tables: `import { defineTable } from '@isotherm/core'

export const AccessLog = defineTable('access_log', (t) => ({
  shard: t.shardKey({ shards: 16, of: ['userId'] }),
  at: t.descTimestamp({ default: 'now' }),
  userId: t.int64({ name: 'user_id' }).key(),
  page: t.string({ nullable: true }),
}))
`,
}

/** PostgreSQL, and PGlite in a folder, as the command `isotherm` knows them. */
export const engine: EngineCommand<PostgresqlAddress> = {
  name: 'PostgreSQL',
  dialects: {
    postgresql: {
      label: 'PostgreSQL, for development and tests',
      load: async () => (await import('./dialect/dialect.js')).postgresql,
      example: 'pglite:./.isotherm/pglite',
      packages: ['@isotherm/postgresql'],
      model,
    },
  },
  address: addressSyntax,
  connect: async (address, call) => (await import('./command/connect.js')).connect(address, call),
  client: 'a Pool of pg, a PGlite of @electric-sql/pglite',
  connectClient: async (client) => (await import('./command/connect.js')).connectClient(client),
  startLocal: async () => (await import('./command/start-local.js')).startLocal(),
  serve: async (options) => (await import('./command/serve.js')).serve(options),
}
