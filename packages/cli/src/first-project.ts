import type { DialectName } from '@isotherm/core'

// The files that a project begins with.

export type ModelStyle = 'decorators' | 'tables'

export function configText({
  dialect,
  database,
}: {
  readonly dialect: DialectName
  readonly database: string
}): string {
  return `import { defineConfig } from '@isotherm/cli'

export default defineConfig({
  dialect: '${dialect}',
  schema: './src/models/*.ts',
  out: './migrations',
  database: '${database}',
})
`
}

export function modelText(style: ModelStyle): string {
  return style === 'decorators' ? DECORATED : DEFINED
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
