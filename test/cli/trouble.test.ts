import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseWith, emptyDatabase, UserProject } from './support/project.js'
import { dialects } from '../support/spanner.js'
import { keys } from './support/terminal.js'

const TABLE = `import { defineTable } from '@isotherm/core'

export const Visit = defineTable('Visit', (t) => ({ id: t.uuidV4().key() }))
`
const NOWHERE = 'projects/a/instances/b/databases/c'

describe('the command in a faulty environment', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create()
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: 'models.*' }))
    project.write('models.ts', TABLE)
  }, 300_000)

  it('reports missing credentials of Google Cloud, with --json', async () => {
    // Like Google's client, which rejects several calls at once, whose promises have no handlers.
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

  it('reports an emulator that does not answer', async () => {
    project.set('SPANNER_EMULATOR_HOST', '127.0.0.1:1')
    const { code, text } = await project.run('status', '--database', NOWHERE)
    expect(text).toMatch(/^error No emulator answers at 127\.0\.0\.1:1\.\nStart it/)
    expect(code).toBe(3)
  })

  it('reports a folder that cannot be written, and init leaves no files behind', async () => {
    const other = await UserProject.create()
    other.write('src', '')
    const { code, text } = await other.run('init', '--yes')
    expect(text).toMatch(/^error <folder>\/src\/models cannot be read or written: /)
    expect(code).toBe(2)
    expect(other.list('.')).toEqual(['node_modules', 'src'])
  })

  it('init rejects an invalid address of a keyspace, and writes nothing', async () => {
    const other = await UserProject.create()
    const address = 'keyspaces://10.0.0.1:9142/blog?region=eu-west-1&dc=eu-west-2'
    const { code, text } = await other.run('init', '--yes', '--style', 'tables', '--database', address)
    expect(text).toBe(
      'error The address of the keyspace has an option without effect:\n' +
        '  - localDataCenter "eu-west-2" (dc in a URL): the data centre of Keyspaces has the name of its region, eu-west-1. Leave it out.',
    )
    expect(code).toBe(2)
    expect(other.list('.')).toEqual(['node_modules'])
  })

  it('init asks again if the address of a keyspace lacks its region', async () => {
    const other = await UserProject.create()
    const session = other.start('init', '--dialect', 'keyspaces-cql', '--style', 'tables')
    await session.shows('Which database?')
    session.type(`keyspaces:///blog${keys.enter}`)
    await session.shows('The address of the keyspace lacks a region of AWS.')
    session.type(`?region=cn-north-1${keys.enter}`)
    expect(await session.exit()).toBe(0)
    expect(other.read('isotherm.config.ts')).toContain("database: 'keyspaces:///blog?region=cn-north-1',")
    expect(await other.run('generate', 'first')).toMatchObject({ code: 0 })
    expect(await other.run('check', '--offline')).toMatchObject({ code: 0 })
  })

  it('init is cancelled by Ctrl+D as by Ctrl+C, and writes nothing', async () => {
    const other = await UserProject.create()
    const session = other.start('init')
    await session.shows('Which dialect does the database have?')
    session.type(keys.endOfInput)
    expect(await session.exit()).toBe(130)
    expect(await session.text()).toMatch(/Cancelled\. Nothing was done\.$/)
    expect(other.list('.')).toEqual(['node_modules'])
  })

  it('loads a model from a .cts file', async () => {
    project.write('models.ts', '')
    project.write('models.cts', TABLE)
    expect(await project.run('lint')).toEqual({ code: 0, text: '1 table, nothing found.' })
  })
})

describe('a database with names that models cannot have', () => {
  it('gets a baseline if properties can have other names, and migrate rejects its table as history table', async () => {
    const table = 'CREATE TABLE A (id INT64 NOT NULL, constructor STRING(10)) PRIMARY KEY (id)'
    const project = await UserProject.create(await databaseWith(googlesql, [table]))
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

  it('makes pull fail with the list of such names before any file is written', async () => {
    const table = 'CREATE TABLE "größe" (id bigint PRIMARY KEY, "with space" bigint, "__proto__" bigint)'
    const project = await UserProject.create(await databaseWith(spannerPostgresql, [table]))
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'spanner-postgresql' }))
    const { code, text } = await project.run('pull')
    expect(code).toBe(1)
    expect(text).toContain('error Models cannot declare everything in this database:\n')
    const named = [...text.matchAll(/has the name "(.*?)"/g)].map(([, name]) => name)
    expect(named).toEqual(['größe', 'with space', '__proto__'])
    expect(project.list('src')).toEqual([])
  })
})

describe('a migration that was written by hand', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase(googlesql))
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: 'models.ts' }))
    project.write('models.ts', TABLE)
    await project.run('generate', 'first')
    await project.run('generate', 'by_hand', '--custom')
  }, 300_000)

  const folderOf = (name: string): string =>
    `migrations/${project.list('migrations').find((each) => each.endsWith(name))!}`

  it('runs to its end if the reader of its output ends early', async () => {
    const added = Array.from({ length: 4 }, (_, at) => `ALTER TABLE Visit ADD COLUMN c${at} INT64`)
    project.write(`${folderOf('by_hand')}/migration.sql`, added.join(';\n--> statement-breakpoint\n'))
    const { text } = await project.shell('isotherm migrate | head -2')
    expect(text).toMatch(/^<database>\n<stamp>_first \(1 of 2; 1 statement\)$/)
    const { text: status } = await project.run('status')
    expect(status).toContain('_by_hand 4/4, ')
  })

  it('is reported as drift by check until the models declare the same change', async () => {
    const { code, text } = await project.run('check')
    expect(code).toBe(1)
    expect(text).toContain('      <stamp>_by_hand changed tables and left no snapshot.')
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

  it('is not marked as applied without a confirmation if only a part has run', async () => {
    const folder = 'migrations/20990101000000_half'
    const half = ['CREATE TABLE T (Id INT64) PRIMARY KEY (Id)', 'ALTER TABLE T ADD COLUMN Id INT64']
    project.write(`${folder}/migration.sql`, half.join(';\n--> statement-breakpoint\n'))
    expect(await project.run('migrate')).toMatchObject({ code: 3 })
    const summary = '<stamp>_half: 1 of 2 statements has run, and statement 2 failed'
    const session = project.start('migrate', '--mark-applied')
    await session.shows('Was all of it done by hand?')
    session.type(keys.enter)
    expect(await session.exit()).toBe(130)
    expect(project.plain(await session.text())).toContain(`\n  half done: ${summary}\n`)
    const { code, text } = await project.run('migrate', '--mark-applied', '--json', '--to', '2099')
    expect(code).toBe(2)
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'USAGE', message: expect.stringContaining(summary) as string },
    })
    const { text: drifted } = await project.run('check')
    expect(drifted).toContain(
      '\n      <stamp>_half has run in part, which explains some of these differences. Finish it first: isotherm migrate.',
    )
    expect(await project.run('migrate', '--mark-applied', '--yes')).toMatchObject({ code: 0 })
    project.edit(`${folder}/migration.sql`, 'CREATE TABLE T', 'CREATE TABLE U')
    const { text: edited } = await project.run('check')
    expect(edited).toContain(
      '<stamp>_half: was edited after it had run\n      Restore the edited file from version control',
    )
    expect(edited).not.toContain('Apply pending migrations')
  })
})

describe('a generated migration that the database rejects', () => {
  let project: UserProject

  const model = (...checks: readonly string[]): string =>
    `import { defineTable } from '@isotherm/core'
export const Visit = defineTable('Visit', (t) => ({ id: t.uuidV4().key() }), { checks: [${checks
      .map((each, at) => `{ name: 'C${at}', expression: ${JSON.stringify(each)} }`)
      .join(', ')}] })
`
  const folderOf = (name: string): string =>
    `migrations/${project.list('migrations').find((each) => each.endsWith(name))!}`

  /** As a file has it: a terminal breaks long lines. */
  const outputOf = async (command: string): Promise<string> => {
    await project.shell(`isotherm ${command} > told.txt 2>&1`)
    return project.plain(project.read('told.txt'))
  }

  beforeAll(async () => {
    project = await UserProject.create(await emptyDatabase(googlesql))
    project.write('isotherm.config.json', JSON.stringify({ dialect: 'googlesql', schema: 'models.ts' }))
    project.write('models.ts', model())
    await project.run('generate', 'first')
    await project.run('migrate')
  }, 300_000)

  it('agrees with the database again after the printed advice, if no statement has run', async () => {
    project.write('models.ts', model('Missing > 0'))
    await project.run('generate', 'wrong')
    const text = await outputOf('migrate')
    const advice =
      /If the model is wrong:\n\s*1\. Change the model\.\n\s*2\. Delete the folder <stamp>_wrong\.\n\s*3\. Run isotherm generate\./
    expect(text).toMatch(advice)
    expect(await outputOf('status')).toMatch(advice)
    const drifted = await outputOf('check')
    expect(drifted).toMatch(advice)
    expect(drifted).not.toContain('changed by hand')
    project.write('models.ts', model("id != ''"))
    project.remove(folderOf('_wrong'))
    await project.run('generate', 'right')
    expect(await project.run('migrate')).toMatchObject({ code: 0 })
    expect(await project.run('check')).toMatchObject({ code: 0 })
  })

  it('agrees with the database again after the printed advice, if a part has run', async () => {
    project.write('models.ts', model("id != ''", "id != 'a'", 'Missing > 0'))
    await project.run('generate', 'half')
    const text = await outputOf('migrate')
    expect(text).toMatch(
      /1\. In the folder \S+_half, remove statement 2 .*\n\s*2\. Delete snapshot\.json there\./,
    )
    const file = `${folderOf('_half')}/migration.sql`
    project.write(file, project.read(file).split('--> statement-breakpoint')[0]!)
    project.remove(`${folderOf('_half')}/snapshot.json`)
    expect(await project.run('migrate')).toMatchObject({ code: 0 })
    project.write('models.ts', model("id != ''", "id != 'a'"))
    await project.run('generate', 'said')
    project.write(`${folderOf('_said')}/migration.sql`, '')
    expect(await project.run('migrate')).toMatchObject({ code: 0 })
    expect(await project.run('check')).toMatchObject({ code: 0 })
  })

  it('is reported by check if its file was edited and the model was not', async () => {
    project.write('models.ts', model("id != ''", "id != 'a'", "id != 'b'", 'Missing > 0'))
    await project.run('generate', 'edited')
    const file = `${folderOf('_edited')}/migration.sql`
    project.write(file, project.read(file).split('--> statement-breakpoint')[0]!)
    expect(await project.run('migrate')).toMatchObject({ code: 0 })
    const text = await outputOf('check')
    const [hand, edit] = [
      'If the database was changed by hand, undo the change there, or keep it:\n      1. Make the same change',
      'If the migration.sql of <stamp>_edited was edited before it ran, keep the database as it is:\n      1. Delete the snapshot.json of',
    ]
    expect(text).toContain(hand)
    expect(text.slice(text.indexOf(hand))).toContain(edit)
    project.remove(`${folderOf('_edited')}/snapshot.json`)
    project.write('models.ts', model("id != ''", "id != 'a'", "id != 'b'"))
    await project.run('generate', 'agreed')
    project.write(`${folderOf('_agreed')}/migration.sql`, '')
    expect(await project.run('migrate')).toMatchObject({ code: 0 })
    expect(await project.run('check')).toMatchObject({ code: 0 })
  })
})

describe('a .env file', () => {
  it('sets the database, unless --env-file or the environment sets another', async () => {
    const { SPANNER_EMULATOR_HOST, ISOTHERM_DATABASE } = await emptyDatabase(googlesql)
    const project = await UserProject.create()
    const unnamed = await project.run('status', '--dialect', 'googlesql')
    expect(unnamed.code).toBe(2)
    expect(unnamed.text).toContain('or set ISOTHERM_DATABASE in the environment or in <folder>/.env.')
    project.write(
      '.env',
      `SPANNER_EMULATOR_HOST=${SPANNER_EMULATOR_HOST!}\nISOTHERM_DATABASE="${ISOTHERM_DATABASE!}"\n`,
    )
    project.write('other.env', 'ISOTHERM_DATABASE=nonsense\n')
    expect(await project.run('status')).toMatchObject({ code: 0 })
    const other = await project.run('status', '--env-file', 'other.env')
    expect(other.text).toContain('error The database is "nonsense"')
    project.set('ISOTHERM_DATABASE', NOWHERE)
    expect((await project.run('status')).text).toContain(`error The database does not exist: ${NOWHERE}`)
  })
})

describe.each([
  { dialect: googlesql, style: 'decorators' },
  { dialect: spannerPostgresql, style: 'drizzle' },
] as const)('an existing database with a hotspot table, in $dialect.name', ({ dialect, style }) => {
  const table =
    dialect.name === 'googlesql'
      ? 'CREATE TABLE log (`at` TIMESTAMP NOT NULL, id STRING(36) NOT NULL, seen TIMESTAMP) PRIMARY KEY (`at`, id)'
      : 'CREATE TABLE log (at timestamptz NOT NULL, id varchar(36) NOT NULL, seen timestamptz, PRIMARY KEY (at, id))'
  const file = style === 'drizzle' ? 'src/db/schema.ts' : 'src/models/log.ts'
  let project: UserProject
  let database: string

  beforeAll(async () => {
    const environment = await databaseWith(dialect, [table, 'CREATE INDEX log_by_seen ON log (seen)'])
    database = environment['ISOTHERM_DATABASE']!
    project = await UserProject.create(environment)
    const schema = style === 'drizzle' ? './src/db/*.ts' : './src/models/*.ts'
    project.write('isotherm.config.json', JSON.stringify({ dialect: dialect.name, schema }))
  }, 300_000)

  it(`is adopted with suppressed lint errors, written as ${style}`, async () => {
    const pulled = await project.run('pull', '--baseline', '--style', style)
    expect(pulled.text).toContain('2 lint errors of the existing database are suppressed in the models')
    expect(await project.run('generate')).toEqual({
      code: 0,
      text: 'No changes: the models match the last migration.',
    })
    expect(await project.run('lint')).toEqual({ code: 0, text: '1 table, nothing found.' })
    const live = await project.run('lint', '--database', database)
    expect(live.text).toMatch(/2 errors, 0 warnings\.$/)
  })

  it('makes generate fail for new lint errors, and lint warn of a suppression without effect', async () => {
    project.edit(file, "rule: 'monotonic-index'", "rule: 'spanner/shard-count'")
    const refused = await project.run('generate')
    expect(refused.text).toMatch(/^error log\.seen monotonic-index\n/)
    expect(refused.text).not.toContain('monotonic-first-key')
    expect(refused.code).toBe(1)
    const linted = await project.run('lint')
    expect(linted.text).toContain('warning log.log_by_seen unused-suppression')
    expect(linted.text).toMatch(/1 error, 1 warning\.$/)
  })
})

describe.each(dialects)('push to an engine without partitioned DML, in $name', (dialect) => {
  const { name } = dialect
  const ddl =
    name === 'googlesql'
      ? 'CREATE TABLE Visit (id STRING(36) NOT NULL, page STRING(80)) PRIMARY KEY (id)'
      : 'CREATE TABLE "Visit" (id varchar(36) PRIMARY KEY, page varchar(80))'

  it('fails for a renamed column whose rows must be copied, and runs no statement', async () => {
    const { ISOTHERM_DATABASE, ...environment } = await databaseWith(dialect, [ddl])
    const [, projectId, , instance, , database] = ISOTHERM_DATABASE!.split('/')
    const project = await UserProject.create(environment)
    project.write(
      'isotherm.config.mjs',
      `import { Spanner } from '@google-cloud/spanner'
      import { googlesql, spanner, spannerPostgresql } from '@isotherm/spanner'

      const dialect = [googlesql, spannerPostgresql].find(({ name }) => name === '${name}')
      const client = new Spanner({ projectId: '${projectId}' }).instance('${instance}').database('${database}')
      export default {
        dialect: dialect.name,
        schema: 'models.ts',
        database: () => ({ ...spanner(client, { dialect }), executePartitioned: undefined }),
      }`,
    )
    project.write(
      'models.ts',
      `import { defineTable } from '@isotherm/core'

export const Visit = defineTable('Visit', (t) => ({ id: t.uuidV4().key(), path: t.string({ length: 80, nullable: true }) }))
`,
    )
    const pushed = await project.run('push', '--yes', '--allow-data-loss', '--rename', 'Visit.page:path')
    expect(pushed.text).toMatch(
      /\nerror Cloud Spanner has no partitioned DML, and cannot run UPDATE [^]*\nLeave the statement out, and change its rows in transactions, a range of keys in each\.$/,
    )
    expect(pushed.text).not.toContain('done')
    expect(pushed.code).toBe(1)
  }, 300_000)
})

describe('lint of a live database', () => {
  it('rejects --live and --database together with --schema or a file', async () => {
    const project = await UserProject.create()
    for (const flags of [
      ['--live', '--schema', 'x.ts'],
      ['--database', NOWHERE, '--schema', 'x.ts'],
      ['--database', NOWHERE, 'schema.sql'],
    ]) {
      const { code, text } = await project.run('lint', ...flags)
      expect(text).toMatch(/^error Lint checks one thing, but .* were given\.\nLeave one of them out\.$/)
      expect(code).toBe(2)
    }
  })
})
