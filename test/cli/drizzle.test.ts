import type { SqlDialect } from '@isotherm/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects } from '../support/spanner.js'
import { emptyDatabase, UserProject } from './support/project.js'
import { keys } from './support/terminal.js'

const TABLES = 'src/db/schema.ts'

/** What one dialect has otherwise than the other. */
interface Words {
  readonly title: string
  /** The table of the first project, in the database. */
  readonly table: string
  /** What is added to it: a table that would cause a hotspot, and one that lies in the first. */
  readonly hot: string
  readonly child: string
  readonly column: readonly [string, string]
  readonly ddl: RegExp
  readonly pulled: readonly string[]
}

const words: Readonly<Record<SqlDialect['name'], Words>> = {
  googlesql: {
    title: 'GoogleSQL',
    table: 'UserAccessLog',
    hot: `
import { commitTimestamp as now, interleaveIn, index, parentKey, timestamp, uuidV4 } from '@isotherm/drizzle-adapter'
import { relations } from 'drizzle-orm'
export const visits = spannerTable('Visit', { at: timestamp().primaryKey(), page: string() })
`,
    child: `
export const notes = spannerTable(
  'Note',
  { shardId: parentKey(userAccessLog.shardId), lastAccess: parentKey(userAccessLog.lastAccess), userId: parentKey(userAccessLog.userId), noteId: uuidV4(), text: string({ length: 100 }) },
  (t) => [interleaveIn(userAccessLog, { onDelete: 'cascade' }), index('NoteByText').on(t.text)],
)
export const noteRelations = relations(notes, ({ one }) => ({ log: one(userAccessLog, { fields: [notes.userId], references: [userAccessLog.userId] }) }))
`,
    column: ['page: string({ length: 1024 })', 'path: string({ length: 1024 })'],
    ddl: /^CREATE TABLE `UserAccessLog` \(\n {2}`shardId` INT64 NOT NULL AS \(ABS\(MOD\(FARM_FINGERPRINT/,
    pulled: [
      "export const note = spannerTable(\n  'Note',",
      '    lastAccess: parentKey(userAccessLog.lastAccess),\n',
      "index('NoteByText').on(t.text)",
    ],
  },
  'spanner-postgresql': {
    title: 'PostgreSQL',
    table: 'user_access_log',
    hot: `
import { index, interleaveIn, parentKey, uuidV4 } from '@isotherm/drizzle-adapter/postgresql'
import { relations } from 'drizzle-orm'
import { text, timestamp } from 'drizzle-orm/pg-core'
export const visits = pgTable('visit', { at: timestamp({ withTimezone: true }).primaryKey(), page: text() })
`,
    child: `
export const notes = pgTable(
  'note',
  { shardId: parentKey(userAccessLog.shardId), lastAccess: parentKey(userAccessLog.lastAccess), userId: parentKey(userAccessLog.userId), noteId: uuidV4('note_id'), text: varchar({ length: 100 }) },
  (t) => [interleaveIn(userAccessLog, { onDelete: 'cascade' }), index('note_by_text').on(t.text)],
)
export const noteRelations = relations(notes, ({ one }) => ({ log: one(userAccessLog, { fields: [notes.userId], references: [userAccessLog.userId] }) }))
`,
    column: ['page: varchar({ length: 1024 })', 'path: varchar({ length: 1024 })'],
    ddl: /^CREATE TABLE "user_access_log" \(\n {2}"shard_id" bigint NOT NULL GENERATED ALWAYS AS \(abs\(mod\(spanner\.farm_fingerprint/,
    pulled: [
      "export const note = pgTable(\n  'note',",
      '    lastAccess: parentKey(userAccessLog.lastAccess),\n',
      "index('note_by_text').on(t.text)",
    ],
  },
}

describe.each(dialects)('a project of Drizzle tables in $name', (dialect) => {
  const { title, table, hot, child, column, ddl, pulled } = words[dialect.name]
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase(dialect))
    project.write('package.json', JSON.stringify({ dependencies: { 'drizzle-orm': '^0.45.0' } }))
  }, 300_000)

  it('is created by init, which prints the packages to install', async () => {
    const session = project.start('init')
    await session.shows('Which dialect does the database have?')
    session.type(title === 'PostgreSQL' ? keys.down + keys.enter : keys.enter)
    // Drizzle is what package.json asks for, and so the first choice.
    await session.shows('How do you want to write models?')
    session.type(keys.enter)
    expect(await session.exit()).toBe(0)
    const text = await session.text()
    expect(text).toContain(`wrote isotherm.config.mts\nwrote ${TABLES}\n`)
    expect(text).toContain(
      'npm install @isotherm/core @isotherm/spanner @google-cloud/spanner @isotherm/drizzle-adapter && npm install --save-dev @isotherm/cli\n',
    )
    expect(project.read('isotherm.config.mts')).toContain(`dialect: '${dialect.name}'`)
  })

  it('makes generate fail for a hotspot table with monotonic-first-key, and write nothing', async () => {
    const first = project.read(TABLES)
    project.write(TABLES, first + hot)
    const { code, text } = await project.run('generate', 'first')
    expect(code).toBe(1)
    expect(text).toMatch(
      /^error [Vv]isit\.at monotonic-first-key\n {2}The primary key starts with at, which grows/,
    )
    expect(text).toContain('suppress({ rule, reason }) of a Drizzle table')
    expect(project.list('migrations')).toEqual([])
    project.edit(TABLES, /export const visits.*\n/, child)
  })

  it('is migrated by generate and migrate', async () => {
    expect(await project.run('generate', 'first')).toMatchObject({ code: 0 })
    const [name] = project.list('migrations')
    expect(project.read(`migrations/${name}/migration.sql`)).toMatch(ddl)
    const { code, text } = await project.run('migrate')
    expect(text).toMatch(/Up to date: 1 migration, \d statements in <duration>\.$/)
    expect(code).toBe(0)
  })

  it('makes generate ask whether a column was renamed, and check finds no difference afterwards', async () => {
    project.edit(TABLES, ...column)
    expect(await project.run('check', '--offline')).toMatchObject({ code: 1 })
    const session = project.start('generate', 'renamed')
    await session.shows(`Is the column ${table}.path new`)
    session.type(keys.enter)
    expect(await session.exit()).toBe(0)
    expect(await project.run('migrate')).toMatchObject({ code: 0 })
    expect(await project.run('check')).toEqual({
      code: 0,
      text: 'agree models and migrations\nagree migrations and history\nagree database and history',
    })
  })

  it('makes explain show 64 shards, and 1 shard with a filter on the user', async () => {
    const { code, text } = await project.run(
      'explain',
      table,
      '--order-by',
      'lastAccess:desc',
      '--limit',
      '50',
    )
    expect(code).toBe(0)
    expect(text).toMatch(/^[^]*\nshards {4}64 of 64\n/)
    const pruned = await project.run('explain', table, '--where', '{"userId":"7"}')
    expect(pruned.text).toContain('shards    1 of 64\nfilter    userId = "7"')
  })

  it('is pulled as Drizzle tables that generate and push find unchanged', async () => {
    const { code, text } = await project.run('pull', '--out', 'pulled')
    expect(text).toBe(
      '<database>\nwrote pulled/schema.ts\nwrote pulled/relations.ts\nwrote pulled/index.ts\n2 tables.',
    )
    expect(code).toBe(0)
    const tables = project.read('pulled/schema.ts')
    for (const part of pulled) expect(tables).toContain(part)
    expect(project.read('pulled/relations.ts')).toContain('userAccessLog: one(userAccessLog, {')
    for (const modules of ['pulled/index.ts', 'pulled/schema.ts']) {
      expect(await project.run('generate', '--schema', modules)).toEqual({
        code: 0,
        text: 'No changes: the models match the last migration.',
      })
    }
    expect(await project.run('push', '--schema', 'pulled/*.ts')).toMatchObject({
      code: 0,
      text: expect.stringContaining('No changes: the database matches the models.') as string,
    })
  })
})
