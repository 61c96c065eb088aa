import { googlesql } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase, UserProject } from './support/project.js'
import { keys } from './support/terminal.js'

const CONFIG = `import { defineConfig } from '@isotherm/cli'

export default defineConfig({ dialect: 'googlesql', schema: 'models.ts' })
`
const HOT = `import { Column, Key, Table } from '@isotherm/core'

@Table('Visit')
export class Visit {
  @Key() @Column.timestamp({ default: 'now' }) visitedAt!: Date
  @Column.string({ length: 10 }) page!: string
}
`
const COOL = `import { defineTable } from '@isotherm/core'

export const Visit = defineTable('Visit', (t) => ({
  id: t.uuidV4().key(),
  page: t.string({ length: 10 }),
}))
`

describe('the command for a new user', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create()
  }, 300_000)

  it('prints its usage, help with examples and its version', async () => {
    const { code, text } = await project.run()
    expect(code).toBe(2)
    expect(text).toMatch(/^Usage: isotherm \[options\] \[command\]\n[^]*\n {2}generate \[options\] \[name\] /)
    const help = await project.run('generate', '--help')
    expect(help.code).toBe(0)
    expect(help.text).toMatch(
      /\nExamples:\n {2}isotherm generate add_orders +write a migration for all changes\n/,
    )
    expect(await project.run('--version')).toEqual({ code: 0, text: '0.1.0' })
  })

  it.each([
    [['genrate'], "error Unknown command 'genrate'.\nDid you mean generate?"],
    [['migrate', '--dryrun'], "error Unknown option '--dryrun'.\nDid you mean --dry-run?"],
    [['explain'], "error Missing required argument 'table'.\nisotherm explain --help shows the usage."],
    [
      ['generate'],
      'error There is no isotherm.config.ts in <folder>, and no flag or environment variable says which dialect the database has.\nRun isotherm init, or give --dialect, or set ISOTHERM_DIALECT in the environment or in <folder>/.env.',
    ],
    [
      ['status'],
      'error There is no isotherm.config.ts in <folder>, and no flag or environment variable says which database is meant.\nRun isotherm init, or give --database projects/…/instances/…/databases/…, or set ISOTHERM_DATABASE in the environment or in <folder>/.env.',
    ],
    [
      ['lint', '--dialect', 'googlesql'],
      'error No file in <folder> matches ./src/models/**/*.{ts,mts,cts,tsx,js,mjs,cjs}.\nSet schema in isotherm.config.ts, or pass --schema.',
    ],
    [
      ['lint', '--database', 'orders', '--live'],
      'error The database is "orders", and not of the form projects/…/instances/…/databases/…, cassandra://host/keyspace?dc=datacenter1, postgresql://user@host:5432/database.',
    ],
    [
      ['migrate', '--wait', 'long'],
      'error --wait is "long", and not a duration.\nWrite 500ms, 30s, 5m or 1h.',
    ],
  ])('exits with code 2 and a fix for isotherm %j', async (args, text) => {
    expect(await project.run(...args)).toEqual({ code: 2, text })
  })

  it('reports unknown keys and values of the configuration', async () => {
    project.write('isotherm.config.ts', CONFIG.replace('schema', 'shema').replace("'googlesql'", "'google'"))
    expect(await project.run('lint')).toEqual({
      code: 2,
      text: [
        'error isotherm.config.ts is invalid:',
        '  - dialect is "google", not one of googlesql, spanner-postgresql, cql, keyspaces-cql, postgresql. Did you mean googlesql?',
        '  - shema is not a known key. Did you mean schema?',
        'defineConfig shows such mistakes in the editor.',
      ].join('\n'),
    })
  })

  it('reports a model that would cause a hotspot before generate writes anything', async () => {
    project.write('isotherm.config.ts', CONFIG)
    project.write('models.ts', HOT)
    const { code, text } = await project.run('generate', 'first')
    expect(code).toBe(1)
    expect(text).toMatch(
      /^error Visit\.visitedAt monotonic-first-key\n {2}The primary key starts with visitedAt, which grows/,
    )
    expect(text).toContain('error Lint failed: 1 error.')
    expect(project.list('migrations')).toEqual([])
  })

  it('reports the position of a syntax error in a model file', async () => {
    project.write('models.ts', 'export const broken = (')
    const { code, text } = await project.run('lint')
    expect(code).toBe(2)
    expect(text).toMatch(
      /^error models\.ts cannot be loaded: <folder>\/models\.ts is not TypeScript:\n[^]*models\.ts:1:\d+/,
    )
  })

  it('reports a missing database with exit code 3', async () => {
    project.write('models.ts', COOL)
    const environment = await emptyDatabase(googlesql)
    project.set('SPANNER_EMULATOR_HOST', environment['SPANNER_EMULATOR_HOST']!)
    const name = environment['ISOTHERM_DATABASE']!.replace(/[^/]+$/, 'nowhere')
    expect(await project.run('migrate', '--database', name)).toEqual({
      code: 3,
      text: 'error The database does not exist: <database>.\nCreate it (gcloud spanner databases create, or isotherm emulator --database), or use another one.',
    })
  })

  it('prints usage errors as JSON with --json', async () => {
    const { code, text } = await project.run('generate', '--json', '--custm')
    expect(code).toBe(2)
    expect(JSON.parse(text)).toEqual({
      error: { code: 'USAGE', message: "Unknown option '--custm'.", fix: 'Did you mean --custom?' },
    })
  })
})

it('check tells users to fix lint errors before they run generate', async () => {
  const project = await UserProject.create()
  project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: './models.ts' }))
  project.write(
    'models.ts',
    "import { defineTable } from '@isotherm/core'\n" +
      "export const Log = defineTable('Log', (t) => ({ at: t.timestamp().key() }))\n",
  )
  const { code, text } = await project.run('check', '--offline')
  expect(text).toMatch(
    /\n +Fix the 1 error that isotherm lint finds in the models\.\n +Then write a migration: isotherm generate$/,
  )
  expect(code).toBe(1)
  expect((await project.run('lint')).code).toBe(1)
  expect((await project.run('generate')).code).toBe(1)
})

it('check explains a change that generate cannot make in place', async () => {
  const project = await UserProject.create()
  const models = (columns: string): string =>
    "import { defineTable } from '@isotherm/core'\n" +
    `export const Visit = defineTable('Visit', (t) => ({ id: t.uuidV4().key(), ${columns} }))\n`
  project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: './models.ts' }))
  project.write('models.ts', models('page: t.string({ length: 10 })'))
  expect(await project.run('generate', 'first')).toMatchObject({ code: 0 })
  project.write('models.ts', models('page: t.int64(), user: t.int64({ nullable: true })'))
  const instruction =
    'Visit.page: is of type string, and the model has int64. Add a column under another name, fill it, and drop this one in a migration after that.'
  expect(await project.run('check', '--offline')).toEqual({
    code: 1,
    text: [
      'drift the models differ from the last migration:',
      '      Visit: add the column user (int64, nullable)',
      `      ${instruction}`,
      '      1 change cannot be made in place: follow the instructions after the change.',
      '      Then write a migration: isotherm generate',
    ].join('\n'),
  })
  expect((await project.run('generate')).text).toContain(`- ${instruction}\n`)
})

it('check --offline and generate reject a column that was dropped before and returns with another type', async () => {
  const project = await UserProject.create()
  const models = (columns: string): string =>
    "import { defineTable } from '@isotherm/core'\n" +
    `export const Visit = defineTable('visit', (t) => ({ id: t.uuidV4().key(), ${columns} }))\n`
  project.write('isotherm.config.json', JSON.stringify({ dialect: 'cql', schema: './models.ts' }))
  for (const columns of ['page: t.string({ nullable: true })', '']) {
    project.write('models.ts', models(columns))
    expect(await project.run('generate', '--allow-data-loss')).toMatchObject({ code: 0 })
  }
  project.write('models.ts', models('page: t.int64({ nullable: true })'))
  const { code, text } = await project.run('check', '--offline')
  expect(text).toContain(
    '\n      1 change cannot be made in place: follow the instructions after the change.',
  )
  expect(code).toBe(1)
  expect((await project.run('generate')).code).toBe(1)
})

describe('a schema without tables', () => {
  const models = (...names: readonly string[]): string =>
    [
      "import { defineSchema, defineTable } from '@isotherm/core'",
      ...names.map((name) => `const ${name} = defineTable('${name}', (t) => ({ id: t.uuidV4().key() }))`),
      `export const schema = defineSchema([${names.join(', ')}])`,
    ].join('\n')
  const refused = {
    code: 2,
    text: 'error The schema of ./models.ts is empty: it has no tables.\nExport models or Drizzle tables, and give them to defineSchema or toSchema if you call one of these.',
  }

  it('is rejected if there is nothing to drop, and otherwise needs --allow-data-loss', async () => {
    const project = await UserProject.create(await emptyDatabase(googlesql))
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: './models.ts' }))
    project.write('models.ts', models())
    expect(await project.run('lint')).toEqual(refused)
    expect(await project.run('generate')).toEqual(refused)
    expect(await project.run('check', '--offline')).toEqual(refused)
    expect((await project.run('push')).text).toContain(refused.text)
    project.write('models.ts', models('Visit'))
    expect(await project.run('generate')).toMatchObject({ code: 0 })
    project.write('models.ts', models())
    expect((await project.run('generate', '--yes')).text).toContain('Visit: drop the table, with its data')
    expect(await project.run('check', '--offline')).toMatchObject({ code: 1 })
    expect(await project.run('generate', '--allow-data-loss')).toMatchObject({ code: 0 })
    expect(await project.run('check', '--offline')).toMatchObject({ code: 0 })
  }, 300_000)

  it('generate rejects a migration name with spaces or punctuation', async () => {
    const project = await UserProject.create()
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: './models.ts' }))
    project.write('models.ts', models('Visit'))
    const { code, text } = await project.run('generate', 'bad name!')
    expect(code).toBe(2)
    expect(text).toContain(
      "error The migration cannot be named 'bad name!'.\nA name has letters, digits, _ and -,",
    )
  })
})

describe('Ctrl+C', () => {
  it('stops a migration at a safe point, and the next migrate continues there', async () => {
    const project = await UserProject.create(await emptyDatabase(googlesql))
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql' }))
    const tables = Array.from({ length: 15 }, (_, at) => `CREATE TABLE T${at} (Id INT64) PRIMARY KEY (Id)`)
    const rows = tables.map((_, at) => `-- isotherm: transaction\nINSERT INTO T${at} (Id) VALUES (${at})`)
    const statements = tables.flatMap((table, at) => [table, rows[at]!])
    project.write(
      'migrations/20261121093000_many/migration.sql',
      statements.join(';\n--> statement-breakpoint\n'),
    )
    const session = project.start('migrate')
    await session.shows('done 2/30')
    session.type(keys.interrupt)
    expect(await session.exit()).toBe(130)
    expect(await session.text()).toContain(
      'Stopping at the next safe point. Press Ctrl+C again to stop at once.',
    )
    const { text } = await project.run('status')
    expect(text).toMatch(
      /\npartly {2}<stamp>_many \d+\/30\n {8}It was interrupted: isotherm migrate continues it\.$/,
    )
    expect((await project.run('migrate')).code).toBe(0)
    expect((await project.run('status')).text).toContain('\napplied <stamp>_many 30/30')
  }, 300_000)
})
