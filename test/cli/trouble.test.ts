import { beforeAll, describe, expect, it } from 'vitest'
import { databaseWith, emptyDatabase, UserProject } from './support/project.js'
import { keys } from './support/terminal.js'

const TABLE = `import { defineTable } from '@isotherm/core'

export const Visit = defineTable('Visit', (t) => ({ id: t.uuidV4().key() }))
`
const NOWHERE = 'projects/a/instances/b/databases/c'

describe('where something is in the way', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create()
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: 'models.*' }))
    project.write('models.ts', TABLE)
  }, 300_000)

  it('tells of missing credentials, to a program too', async () => {
    // As Google's client does it: it gives up several calls at once, and nobody has their promises.
    project.write(
      'credentials.mjs',
      `export default { dialect: 'googlesql', database: () => {
        for (let call = 0; call < 3; call++) Promise.reject(new Error('Could not load the default credentials.'))
        return new Promise(() => {})
      } }`,
    )
    const { code, text } = await project.run('status', '--json', '--config', 'credentials.mjs')
    expect(JSON.parse(text)).toMatchObject({
      error: {
        message: 'There are no credentials for Google Cloud.',
        fix: expect.stringContaining('gcloud auth application-default login') as string,
      },
    })
    expect(code).toBe(3)
  })

  it('tells of an emulator that is not there', async () => {
    project.set('SPANNER_EMULATOR_HOST', '127.0.0.1:1')
    const { code, text } = await project.run('status', '--database', NOWHERE)
    expect(text).toMatch(
      /^error Nothing answers at 127\.0\.0\.1:1, where an emulator is meant to be\.\nStart it/,
    )
    expect(code).toBe(3)
  })

  it('tells of a folder that it cannot write, and leaves nothing half done', async () => {
    const other = await UserProject.create()
    other.write('src', '')
    const { code, text } = await other.run('init', '--yes')
    expect(text).toMatch(/^error <folder>\/src\/models cannot be read or written: /)
    expect(code).toBe(2)
    expect(other.list('.')).toEqual(['node_modules', 'src'])
  })

  it('is cancelled by Ctrl+D as by Ctrl+C', async () => {
    const other = await UserProject.create()
    const session = other.start('init')
    await session.shows('Which dialect does the database have?')
    session.type(keys.endOfInput)
    expect(await session.exit()).toBe(130)
    expect(await session.text()).toMatch(/Cancelled\. Nothing was done\.$/)
    expect(other.list('.')).toEqual(['node_modules'])
  })

  it('takes a model in .cts for what it is', async () => {
    project.write('models.ts', '')
    project.write('models.cts', TABLE)
    expect(await project.run('lint')).toEqual({ code: 0, text: '1 table, nothing found.' })
  })
})

describe('a database with names that models do not have', () => {
  it('is a baseline where properties can have other names', async () => {
    const table = 'CREATE TABLE A (id INT64 NOT NULL, constructor STRING(10)) PRIMARY KEY (id)'
    const project = await UserProject.create(await databaseWith('googlesql', [table]))
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql' }))
    const { code, text } = await project.run('pull', '--baseline')
    expect(text).toContain('\nwrote migrations/<stamp>_baseline, recorded as applied\n1 table.')
    expect(code).toBe(0)
    expect(await project.run('check')).toMatchObject({ code: 0 })
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', historyTable: 'A' }))
    expect(await project.run('migrate')).toEqual({
      code: 2,
      text:
        'error historyTable is "A", which is a table of the database with other columns.\n' +
        'Give the history of the migrations a name of its own, or leave historyTable out.',
    })
  })

  it('is refused by them, before anything is written', async () => {
    const table = 'CREATE TABLE "größe" (id bigint PRIMARY KEY, "with space" bigint, "__proto__" bigint)'
    const project = await UserProject.create(await databaseWith('spanner-postgresql', [table]))
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'spanner-postgresql' }))
    const { code, text } = await project.run('pull')
    expect(code).toBe(1)
    expect(text).toContain('error Models cannot have all of this database:\n')
    const named = [...text.matchAll(/has the name "(.*?)"/g)].map(([, name]) => name)
    expect(named).toEqual(['größe', 'with space', '__proto__'])
    expect(project.list('src')).toEqual([])
  })
})

describe('a migration that was written by hand', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase('googlesql'))
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: 'models.ts' }))
    project.write('models.ts', TABLE)
    await project.run('generate', 'first')
    await project.run('generate', 'by_hand', '--custom')
  }, 300_000)

  const folderOf = (name: string): string =>
    `migrations/${project.list('migrations').find((each) => each.endsWith(name))!}`

  it('goes on when nobody reads what it prints', async () => {
    const added = Array.from({ length: 4 }, (_, at) => `ALTER TABLE Visit ADD COLUMN c${at} INT64`)
    project.write(`${folderOf('by_hand')}/migration.sql`, added.join(';\n--> statement-breakpoint\n'))
    const { text } = await project.shell('isotherm migrate | head -2')
    expect(text).toMatch(/^<database>\n<stamp>_first \(1 of 2; 1 statement\)$/)
    const { text: status } = await project.run('status')
    expect(status).toContain('_by_hand 4/4, ')
  })

  it('that changed tables is a drift until the models say the same', async () => {
    const { code, text } = await project.run('check')
    expect(code).toBe(1)
    expect(text).toContain('      <stamp>_by_hand changed tables by hand, and left no snapshot of them.')
    project.edit('models.ts', 't.uuidV4().key()', 't.uuidV4().key(), ...columns(t)')
    project.edit(
      'models.ts',
      'export',
      'const columns = (t) => Object.fromEntries([0, 1, 2, 3].map((at) => [`c${at}`, t.int64({ nullable: true })]))\nexport',
    )
    await project.run('generate', 'said')
    project.write(`${folderOf('said')}/migration.sql`, '')
    expect(await project.run('migrate')).toMatchObject({ code: 0 })
    expect(await project.run('check')).toMatchObject({ code: 0 })
  })

  it('that was left midway is not recorded as applied without a question', async () => {
    const folder = 'migrations/20990101000000_half'
    const half = ['CREATE TABLE T (Id INT64) PRIMARY KEY (Id)', 'ALTER TABLE T ADD COLUMN Id INT64']
    project.write(`${folder}/migration.sql`, half.join(';\n--> statement-breakpoint\n'))
    expect(await project.run('migrate')).toMatchObject({ code: 3 })
    const told = '<stamp>_half: 1 of 2 statements has run, and statement 2 failed'
    const session = project.start('migrate', '--record')
    await session.shows('Has all of it been done by hand?')
    session.type(keys.enter)
    expect(await session.exit()).toBe(130)
    expect(project.plain(await session.text())).toContain(`\n  half done: ${told}\n`)
    const { code, text } = await project.run('migrate', '--record', '--json', '--until', '2099')
    expect(code).toBe(2)
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'USAGE', message: expect.stringContaining(told) as string },
    })
    const { text: drifted } = await project.run('check')
    expect(drifted).toContain('\n      First end what was begun: what <stamp>_half has done is among this.')
    expect(await project.run('migrate', '--record', '--yes')).toMatchObject({ code: 0 })
    project.edit(`${folder}/migration.sql`, 'CREATE TABLE T', 'CREATE TABLE U')
    const { text: edited } = await project.run('check')
    expect(edited).toContain(
      '<stamp>_half: was edited after it had run\n      Take what was edited from version control',
    )
    expect(edited).not.toContain('Apply what is pending')
  })
})
