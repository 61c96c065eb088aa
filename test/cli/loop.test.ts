import { googlesql } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase, UserProject } from './support/project.js'
import { keys } from './support/terminal.js'

const MODEL = 'src/models/user-access-log.ts'
const PURCHASE = `import { Column, Index, Key, Table } from '@isotherm/core'

@Index({ name: 'PurchaseByNote', on: ['note'] })
@Table('Purchase')
export class Purchase {
  @Key() @Column.string({ length: 36 }) id!: string
  @Column.string({ length: 100 }) note!: string
}
`

describe('a new project', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase(googlesql))
  }, 300_000)

  it('is created by init with answers to its questions', async () => {
    const session = project.start('init')
    await session.shows('Which dialect does the database have?')
    session.type(keys.enter)
    await session.shows('How do you want to write models?')
    session.type(keys.enter)
    expect(await session.exit()).toBe(0)
    expect(await session.text()).toContain('wrote isotherm.config.ts\nwrote src/models/user-access-log.ts\n')
    expect(project.read('isotherm.config.ts')).toContain("dialect: 'googlesql'")
  })

  it('gets a first migration from generate', async () => {
    expect(await project.run('generate', 'first')).toEqual({
      code: 0,
      text: '  UserAccessLog: create the table\nwrote migrations/<stamp>_first, 1 statement',
    })
    const [name] = project.list('migrations')
    expect(project.list(`migrations/${name}`)).toEqual(['migration.sql', 'snapshot.json'])
    expect(project.read(`migrations/${name}/migration.sql`)).toMatch(/^CREATE TABLE `UserAccessLog`/)
  })

  it('shows pending migrations with migrate --dry-run and status', async () => {
    const { code, text } = await project.run('migrate', '--dry-run')
    expect(code).toBe(0)
    expect(text).toMatch(/^<database>\n\n-- <stamp>_first\nCREATE TABLE [^]*;\n\n1 migration would run\.$/)
    expect(await project.run('status')).toEqual({ code: 0, text: '<database>\npending <stamp>_first 0/1' })
  })

  it('is migrated, and status shows the migration as applied', async () => {
    const { code, text } = await project.run('migrate')
    expect(text).toMatch(
      /^<database>\n<stamp>_first \(1 of 1; 1 statement\)\n {2}done 1\/1 CREATE TABLE .*…\n {2}<duration>\nUp to date: 1 migration, 1 statement in <duration>\.$/,
    )
    expect(code).toBe(0)
    expect(await project.run('status')).toEqual({
      code: 0,
      text: '<database>\napplied <stamp>_first 1/1, <time> in <duration> by <runner>',
    })
  })

  it('matches its database in check, and has nothing left to migrate', async () => {
    expect(await project.run('check')).toEqual({
      code: 0,
      text: 'agree models and migrations\nagree migrations and history\nagree database and history',
    })
    expect(await project.run('migrate')).toEqual({ code: 0, text: '<database>\nUp to date: nothing to run.' })
  })

  it('shows drift in check after a model was edited', async () => {
    project.edit(MODEL, 'page!', 'path!')
    project.write('src/models/purchase.ts', PURCHASE)
    const { code, text } = await project.run('check', '--offline')
    expect(code).toBe(1)
    expect(text).toMatch(/^drift the models differ from the last migration:\n/)
    expect(text).toContain('UserAccessLog: drop the column page, with its data')
  })

  it('makes generate ask whether a column was renamed, and Ctrl+C leaves no migration behind', async () => {
    const session = project.start('generate', 'renamed')
    await session.shows('Is the column UserAccessLog.path new')
    session.type(keys.interrupt)
    expect(await session.exit()).toBe(130)
    expect(await session.text()).toContain('Cancelled. Nothing was done.')
    expect(project.list('migrations')).toHaveLength(1)
  })

  it('gets a migration for a renamed column, and check finds no difference', async () => {
    const session = project.start('generate')
    await session.shows('page was renamed to path')
    session.type(keys.enter)
    expect(await session.exit()).toBe(0)
    expect(project.plain(await session.text())).toContain(
      'wrote migrations/<stamp>_rename_column_user_access_log_page_to_path_and_more, 5 statements',
    )
    expect((await project.run('migrate')).code).toBe(0)
    expect((await project.run('check')).code).toBe(0)
  })

  it('shows drift in check after a column was removed from a model', async () => {
    project.edit(MODEL, /\n.*path!.*\n/, '\n')
    expect((await project.run('check', '--offline')).code).toBe(1)
  })

  it.each([
    ['generate', '--yes'],
    ['generate', '-y'],
    ['push', '--yes'],
    ['push', '-y'],
  ])('keeps a removed column with %s %s, which exits with code 2', async (command, flag) => {
    const { code, text } = await project.run(command, flag)
    expect(text).toMatch(
      /error These changes lose data, which cannot be restored:\n {2}- UserAccessLog: drop the column path, with its data\nIf the data may be deleted, add --allow-data-loss\.$/,
    )
    expect(code).toBe(2)
    expect(project.list('migrations')).toHaveLength(2)
    // The column is there: the same would be dropped again.
    const shown = await project.run('push', '--dry-run')
    expect(shown.text).toContain('DROP COLUMN `path`')
  })

  it('makes push ask for the name of a removed column, and keeps the column on another answer', async () => {
    const cancelled = project.start('push')
    await cancelled.shows('Type UserAccessLog.path to lose its data:')
    cancelled.type('y')
    cancelled.type(keys.enter)
    await cancelled.shows('That is not UserAccessLog.path. Ctrl+C cancels.')
    cancelled.type(keys.interrupt)
    expect(await cancelled.exit()).toBe(130)
    const shown = await project.run('push', '--dry-run')
    expect(shown.text).toContain('DROP COLUMN `path`')
  })

  it('makes generate ask for the name of a removed column before it writes the migration', async () => {
    const cancelled = project.start('generate', 'dropped')
    await cancelled.shows('Type UserAccessLog.path to lose its data:')
    cancelled.type(keys.enter)
    await cancelled.shows('That is not UserAccessLog.path. Ctrl+C cancels.')
    cancelled.type('y')
    cancelled.type(keys.enter)
    cancelled.type(keys.interrupt)
    expect(await cancelled.exit()).toBe(130)
    expect(project.list('migrations')).toHaveLength(2)
    const agreed = project.start('generate', 'dropped')
    await agreed.shows('Type UserAccessLog.path to lose its data:')
    agreed.type('UserAccessLog.path')
    agreed.type(keys.enter)
    expect(await agreed.exit()).toBe(0)
    expect(project.list('migrations')).toHaveLength(3)
    expect((await project.run('migrate')).code).toBe(0)
  })

  it('makes generate fail for a change that the database cannot make in place', async () => {
    project.edit(MODEL, 'shards: 64', 'shards: 32')
    const { code, text } = await project.run('generate')
    project.edit(MODEL, 'shards: 32', 'shards: 64')
    expect(code).toBe(1)
    expect(text).toContain(
      'error The database cannot make these changes in place:\n  - UserAccessLog.shardId:',
    )
  })

  it('pulls models that generate finds unchanged', async () => {
    expect(await project.run('pull', '--out', 'pulled')).toEqual({
      code: 0,
      text: '<database>\nwrote pulled/purchase.ts\nwrote pulled/user-access-log.ts\nwrote pulled/index.ts\n2 tables.',
    })
    expect(await project.run('generate', '--schema', 'pulled/*.ts')).toEqual({
      code: 0,
      text: 'No changes: the models match the last migration.',
    })
  })

  it('has no lint findings in its models and in its live database', async () => {
    expect(await project.run('lint')).toEqual({ code: 0, text: '2 tables, nothing found.' })
    expect(await project.run('lint', '--live')).toEqual({ code: 0, text: '2 tables, nothing found.' })
  })

  it('makes explain show one shard for a filter on the user', async () => {
    const { code, text } = await project.run('explain', 'UserAccessLog', '--where', '{"userId":"7"}')
    expect(code).toBe(0)
    expect(text).toMatch(/^\S+ on UserAccessLog: .*\nshards {4}1 of 64\nfilter {4}userId = "7"/)
  })

  it('makes check report drift after a push without a migration', async () => {
    project.edit('src/models/purchase.ts', 'length: 100', 'length: 200')
    const { code, text } = await project.run('push')
    expect(code).toBe(0)
    expect(text).toMatch(/^<database>\n {2}Purchase: change the column note: [^]*\n1 statement\.$/)
    const checked = await project.run('check')
    expect(checked.code).toBe(1)
    expect(checked.text).toContain('drift the database differs from its migrations; to make it match:\n')
  })

  it('drops by push the column whose name was typed in full, and leaves nothing to push', async () => {
    project.edit('src/models/purchase.ts', "@Index({ name: 'PurchaseByNote', on: ['note'] })\n", '')
    project.edit('src/models/purchase.ts', /\n.*note!.*\n/, '\n')
    const agreed = project.start('push')
    await agreed.shows('Type Purchase.note to lose its data:')
    agreed.type('Purchase.note')
    agreed.type(keys.enter)
    expect(await agreed.exit()).toBe(0)
    expect(await agreed.text()).toMatch(/Purchase: drop the column note, with its data[^]*2 statements\.$/)
    expect(await project.run('push')).toMatchObject({
      code: 0,
      text: '<database>\nNo changes: the database matches the models.',
    })
  })
})
