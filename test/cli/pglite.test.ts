import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { UserProject } from './support/project.js'
import { keys } from './support/terminal.js'

// A laptop with Node alone: no emulator, no Docker, no server.

const MODEL = 'src/models/access-log.ts'
const FOLDER = 'PGlite, PostgreSQL 18.x in this process, data in ./.isotherm/pglite'

describe('a project on PGlite', () => {
  let project: UserProject
  const run = async (...words: readonly string[]) => {
    const { code, text } = await project.run(...words)
    return { code, text: text.replaceAll(/PostgreSQL 18\.\d+/g, 'PostgreSQL 18.x') }
  }

  beforeAll(async () => {
    project = await UserProject.create()
  }, 300_000)

  it('is created and migrated, and check finds no difference', async () => {
    expect(await run('init', '--dialect', 'postgresql', '--yes')).toMatchObject({ code: 0 })
    expect(project.read('isotherm.config.ts')).toContain("database: 'pglite:./.isotherm/pglite'")
    expect(await run('lint')).toMatchObject({ code: 0, text: '1 table, nothing found.' })
    expect(await run('generate', 'first')).toMatchObject({ code: 0 })
    const missing = `PGlite, PostgreSQL 18.x in this process: the folder ./.isotherm/pglite does not exist yet`
    expect(await run('status')).toMatchObject({ code: 0, text: expect.stringMatching(/_first/) as string })
    expect(await run('check')).toMatchObject({
      code: 1,
      text: expect.stringMatching(
        /_first: has not run\n *Apply pending migrations: isotherm migrate\./,
      ) as string,
    })
    for (const command of ['migrate', 'push']) {
      const { code, text } = await run(command, '--dry-run')
      expect([code, text.split('\n')[0]]).toEqual([0, missing])
      expect(text).toContain('CREATE TABLE "access_log"')
    }
    expect(await run('explain', 'access_log')).toMatchObject({ code: 3 })
    expect(await run('pull')).toEqual({
      code: 3,
      text: 'error There is no database in the folder ./.isotherm/pglite.\nCreate it with isotherm migrate or isotherm push, or name another folder.',
    })
    expect(existsSync(join(project.folder, '.isotherm'))).toBe(false)
    const migrated = await run('migrate')
    expect(migrated.text).toMatch(
      /^PGlite, .*\n<stamp>_first \(1 of 1; 1 statement\)[^]*Up to date: 1 migration/,
    )
    expect(await run('check')).toEqual({
      code: 0,
      text: 'agree models and migrations\nagree migrations and history\nagree database and history',
    })
    // The lock is given free.
    expect(project.list('.isotherm')).toEqual(['pglite'])
  })

  /** The rows of a statement, which a script of the project runs on its database. */
  const query = async (text: string): Promise<unknown> => {
    const script = `
      import { PGlite } from '@electric-sql/pglite'
      const database = await PGlite.create('./.isotherm/pglite')
      const { rows } = await database.query(${JSON.stringify(text)})
      console.log(JSON.stringify(rows))
      await database.close()`
    project.write('query.mjs', script)
    const { code, text: printed } = await project.shell('node query.mjs')
    project.remove('query.mjs')
    if (code !== 0) throw new Error(printed)
    return JSON.parse(printed)
  }

  it('renames a column with --rename and keeps its values, and check finds no difference', async () => {
    const rows = "VALUES ('2026-08-01Z', 7, '/docs'), ('2026-08-02Z', 8, NULL)"
    await query(`INSERT INTO access_log (at, user_id, page) ${rows}`)
    project.edit(MODEL, 'page!', 'path!')
    expect(await run('generate', 'renamed', '--rename', 'access_log.page:path')).toMatchObject({ code: 0 })
    expect(await run('migrate')).toMatchObject({ code: 0 })
    expect(await run('check')).toMatchObject({ code: 0 })
    expect(await query('SELECT user_id, path FROM access_log ORDER BY user_id')).toEqual([
      { user_id: 7, path: '/docs' },
      { user_id: 8, path: null },
    ])
  })

  it('is changed by push, and pull writes the same models', async () => {
    project.edit(MODEL, 'nullable: true', 'length: 50, nullable: true')
    expect(await run('push')).toEqual({
      code: 0,
      text: [
        FOLDER,
        '  access_log: change the column path: string of length max becomes string of length 50',
        '  done ALTER TABLE "access_log" ALTER COLUMN "path" TYPE varchar(50) COLLATE "…',
        '1 statement.',
      ].join('\n'),
    })
    expect(await run('push')).toEqual({
      code: 0,
      text: `${FOLDER}\nNo changes: the database matches the models.`,
    })
    expect(await run('pull', '--out', 'pulled')).toMatchObject({ code: 0 })
    expect(project.read('pulled/access-log.ts')).toBe(project.read(MODEL))
  })

  it('rejects a changed key and --reshard with instructions', async () => {
    project.edit(MODEL, 'shards: 16', 'shards: 32')
    expect((await run('push')).text).toMatch(/is for development: rename the table, or drop it/)
    const reshard = await run('generate', '--reshard', 'access_log')
    expect(reshard).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^error Isotherm does not support resharding on postgresql\./),
    })
    project.edit(MODEL, 'shards: 32', 'shards: 16')
  })

  it('is served to other processes by the emulator command, until Ctrl+C', async () => {
    const session = project.start('emulator', '--port', '0')
    await session.shows('Ctrl+C stops it.')
    const [, url] = /export ISOTHERM_DATABASE=(\S+)/.exec(await session.text())!
    expect(await run('push')).toMatchObject({
      code: 3,
      text: expect.stringContaining(`Give its URL instead of the folder: ${url!}.`) as string,
    })
    session.type(keys.interrupt)
    expect(await session.exit()).toBe(0)
    // The lock is given free.
    expect(project.list('.isotherm')).toEqual(['pglite'])
  })

  it.each([
    [['--port', 'x'], '--port is "x".'],
    [['--empty', '--database', 'pglite:./new'], '--empty is for emulators that lose their data.'],
    [['--empty'], '--empty is for emulators that lose their data.'],
    [
      ['--database', 'projects/p/instances/i/databases/d'],
      '--database is of another engine than postgresql.',
    ],
    [['--database', 'postgresql://h/shop'], 'The database is on a server, and the emulator needs a folder'],
  ])('rejects isotherm emulator %s with instructions', async (options, error) => {
    expect(await run('emulator', ...options)).toMatchObject({
      code: 2,
      text: expect.stringContaining(error) as string,
    })
  })
})

describe('a project with Drizzle tables on PGlite', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create()
  }, 300_000)

  it('is created, migrated and pulled with tables that also pass lint for Spanner’s PostgreSQL dialect', async () => {
    const begun = await project.run('init', '--dialect', 'postgresql', '--style', 'drizzle', '--yes')
    expect(begun).toMatchObject({ code: 0 })
    expect(await project.run('generate', 'first')).toMatchObject({ code: 0 })
    expect(await project.run('migrate')).toMatchObject({ code: 0 })
    expect(await project.run('check')).toMatchObject({ code: 0 })
    // Production's rules and DDL for the same tables.
    expect(await project.run('lint', '--dialect', 'spanner-postgresql')).toEqual({
      code: 0,
      text: '1 table, nothing found.',
    })
    expect(await project.run('pull', '--style', 'drizzle', '--out', 'pulled')).toMatchObject({ code: 0 })
    expect(project.read('pulled/schema.ts')).toContain("pgTable('user_access_log'")
    expect(await project.run('push', '--schema', 'pulled/*.ts')).toMatchObject({
      code: 0,
      text: expect.stringContaining('No changes') as string,
    })
  })
})
