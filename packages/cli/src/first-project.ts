import type { CqlTarget, DialectName } from '@isotherm/core'

// The files that a project begins with.

/** How models are written: classes, `defineTable`, or Drizzle tables. */
export const modelStyles = ['decorators', 'tables', 'drizzle'] as const

export type ModelStyle = (typeof modelStyles)[number]

export interface FirstProject {
  readonly dialect: DialectName
  /** Whose CQL; of `cql` alone. */
  readonly target?: CqlTarget
  readonly database: string
  readonly style: ModelStyle
}

export interface FirstFile {
  readonly path: string
  readonly text: string
}

const MODELS = { path: 'src/models/user-access-log.ts', glob: './src/models/*.ts' }
const CQL_MODELS = { path: 'src/models/access-log.ts', glob: './src/models/*.ts' }
/** Where Drizzle's own documentation has it. */
const TABLES = { path: 'src/db/schema.ts', glob: './src/db/schema.ts' }

/** The configuration, and a first model. */
export function firstFiles(project: FirstProject): readonly FirstFile[] {
  const { path, glob } = placeOf(project)
  return [
    { path: 'isotherm.config.ts', text: configText(project, glob) },
    { path, text: modelText(project) },
  ]
}

function placeOf({ style, dialect }: FirstProject): typeof MODELS {
  if (style === 'drizzle') return TABLES
  return dialect === 'cql' ? CQL_MODELS : MODELS
}

/** The packages that the project runs with, apart from the command itself. */
export function packagesOf({ style, dialect, target }: FirstProject): readonly string[] {
  if (dialect === 'cql') {
    const aws = target === 'keyspaces' ? ['@smithy/signature-v4', '@aws-sdk/credential-providers'] : []
    return ['@isotherm/core', 'cassandra-driver', ...aws]
  }
  // The versions that the adapter is for: the newest may be of another kind.
  const own = style === 'drizzle' ? ['@isotherm/drizzle-adapter', 'drizzle-orm@0.45'] : []
  return ['@isotherm/core', ...own, '@google-cloud/spanner']
}

function configText({ dialect, target, database }: FirstProject, glob: string): string {
  const targeted = target === undefined ? '' : `\n  target: '${target}',`
  return `import { defineConfig } from '@isotherm/cli'

export default defineConfig({
  dialect: '${dialect}',${targeted}
  schema: '${glob}',
  out: './migrations',
  database: '${database}',
})
`
}

function modelText({ style, dialect }: FirstProject): string {
  if (dialect === 'cql') return style === 'tables' ? CQL_DEFINED : CQL_DECORATED
  if (style === 'decorators') return DECORATED
  if (style === 'tables') return DEFINED
  return dialect === 'googlesql' ? DRIZZLE : DRIZZLE_POSTGRESQL
}

const DECORATED = `import { Column, DescTimestamp, Key, ShardKey, Table, type Generated } from '@isotherm/core'

@Table('UserAccessLog')
export class UserAccessLog {
  @ShardKey({ shards: 64, of: ['userId'] }) shardId!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) lastAccess!: Generated<Date>
  @Key() @Column.int64() userId!: bigint
  @Column.string({ length: 1024, nullable: true }) page!: string | null
}
`

const DEFINED = `import { defineTable } from '@isotherm/core'

export const UserAccessLog = defineTable('UserAccessLog', (t) => ({
  shardId: t.shardKey({ shards: 64, of: ['userId'] }),
  lastAccess: t.descTimestamp({ default: 'now' }),
  userId: t.int64().key(),
  page: t.string({ length: 1024, nullable: true }),
}))
`

const CQL_DECORATED = `import { Column, DescTimestamp, Key, ShardKey, Table, TimeBucket, type Generated } from '@isotherm/core'

@Table('access_log')
export class AccessLog {
  @TimeBucket({ by: 'day', of: 'at', since: '2026-01-01' }) day!: Generated<string>
  @ShardKey({ shards: 16, of: ['userId'] }) shard!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) at!: Generated<Date>
  @Key() @Column.int64({ name: 'user_id' }) userId!: bigint
  @Column.string({ nullable: true }) page!: string | null
}
`

const CQL_DEFINED = `import { defineTable } from '@isotherm/core'

export const AccessLog = defineTable('access_log', (t) => ({
  day: t.timeBucket({ by: 'day', of: 'at', since: '2026-01-01' }),
  shard: t.shardKey({ shards: 16, of: ['userId'] }),
  at: t.descTimestamp({ default: 'now' }),
  userId: t.int64({ name: 'user_id' }).key(),
  page: t.string({ nullable: true }),
}))
`

const DRIZZLE = `import { descTimestamp, int64, shardKey, spannerTable, string } from '@isotherm/drizzle-adapter'

export const userAccessLog = spannerTable('UserAccessLog', {
  shardId: shardKey({ shards: 64, of: ['userId'] }),
  lastAccess: descTimestamp({ default: 'now' }),
  userId: int64().primaryKey(),
  page: string({ length: 1024 }),
})
`

const DRIZZLE_POSTGRESQL = `import { descTimestamp, shardKey } from '@isotherm/drizzle-adapter/postgresql'
import { bigint, pgTable, varchar } from 'drizzle-orm/pg-core'

export const userAccessLog = pgTable('user_access_log', {
  shardId: shardKey('shard_id', { shards: 64, of: ['userId'] }),
  lastAccess: descTimestamp('last_access', { default: 'now' }),
  userId: bigint('user_id', { mode: 'bigint' }).primaryKey(),
  page: varchar({ length: 1024 }),
})
`
