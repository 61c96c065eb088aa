import { beforeAll, describe, expect, it } from 'vitest'
import { CqlProject } from './project.js'

const MODEL = `import { defineTable } from '@isotherm/core'

export const AccessLog = defineTable('access_log', (t) => ({
  day: t.timeBucket({ by: 'day', of: 'at', since: '2026-01-01' }),
  shard: t.shardKey({ shards: 16, of: ['userId'] }),
  at: t.descTimestamp({ default: 'now' }),
  userId: t.int64({ name: 'user_id' }).key(),
  page: t.string({ nullable: true }),
}))
`

describe('the isotherm command on a Cassandra keyspace', () => {
  let project: CqlProject

  beforeAll(async () => {
    project = await CqlProject.create()
  }, 300_000)

  it('init writes a project whose models have no lint findings in cql and keyspaces-cql', async () => {
    const begun = await project.run('init', '--style', 'tables', '--yes', '--database', project.url)
    expect(begun.text).toMatch(/^wrote isotherm.config.ts\nwrote src\/models\/access-log.ts\n/)
    // All of it is installed.
    expect(begun.text).toContain('Next:\n  npx isotherm lint\n')
    expect(project.read('isotherm.config.ts')).toContain("dialect: 'cql',\n  schema:")
    expect(project.read('src/models/access-log.ts')).toBe(MODEL)
    const linted = await Promise.all(
      ['cql', 'keyspaces-cql'].map((dialect) => project.run('lint', '--dialect', dialect)),
    )
    const well = { code: 0, text: '1 table, nothing found.' }
    expect(linted).toEqual([well, well])
  })

  it('generate writes a migration, migrate applies the migration, and check finds no difference', async () => {
    const generated = await project.run('generate', 'first')
    expect(generated.text).toBe('  access_log: create the table\nwrote migrations/<stamp>_first, 1 statement')
    const migrated = await project.run('migrate')
    expect(migrated.text).toMatch(
      /^<keyspace> of Cassandra at <nodes>\n<stamp>_first \(1 of 1; 1 statement\)/,
    )
    expect(migrated.text).toMatch(/Up to date: 1 migration, 1 statement in <duration>\.$/)
    expect((await project.run('status')).text).toMatch(/^<keyspace> of [^]*\napplied <stamp>_first 1\/1, /)
    expect(await project.run('check')).toEqual({
      code: 0,
      text: 'agree models and migrations\nagree migrations and history\nagree database and history',
    })
    expect((await project.run('migrate')).text).toMatch(/Up to date: nothing to run\.$/)
  })

  it('explain plans a bucket scan over all shards, and one shard for a given user and day', async () => {
    const [{ code, text }, one] = await Promise.all([
      project.run('explain', 'access_log', '--order-by', 'at:desc', '--limit', '10'),
      project.run('explain', 'access_log', '--where', '{"userId":"7","day":"2026-11-22"}'),
    ])
    expect(text).toMatch(/^bucket-scan on access_log: /)
    expect(text).toContain('shards    16 of 16')
    expect(code).toBe(0)
    expect(one.text).toContain('shards    1 of 16')
  })

  it('lint checks the tables of the live keyspace and the statements of migrations', async () => {
    expect((await project.run('lint', '--live')).text).toBe('1 table, nothing found.')
    project.write(
      'migrations/20990101000000_by_hand/migration.sql',
      '-- isotherm: transaction\nDELETE FROM access_log WHERE page = 1 ALLOW FILTERING;\n',
    )
    const { code, text } = await project.run('lint')
    expect(text).toContain('warning access_log cassandra/allow-filtering')
    expect(text).toContain('migrations/<stamp>_by_hand')
    expect(code).toBe(0)
  })

  it('lint with another dialect checks only the models, and check with another dialect exits with code 2', async () => {
    const { code, text } = await project.run('lint', '--dialect', 'keyspaces-cql')
    expect(text).toContain('The statements of the migrations are not linted: ')
    expect(text).toContain('snapshot.json is for the dialect cql, not for keyspaces-cql.')
    expect(text).not.toContain('allow-filtering')
    expect(code).toBe(0)
    const refused = await project.run('check', '--offline', '--dialect', 'keyspaces-cql')
    expect(refused.text).toContain('Give the dialect cql, or the folder of the migrations for keyspaces-cql')
    expect(refused.code).toBe(2)
  })

  it('lint reports unsupported-feature for a column type that the dialect lacks', async () => {
    project.write(
      'unsaid/item.ts',
      "import { defineTable } from '@isotherm/core'\n" +
        "export const Item = defineTable('item', (t) => ({ id: t.uuidV4(), tags: t.set({ kind: 'string', length: 'max' }) }))\n",
    )
    const { code, text } = await project.run('lint', '--schema', './unsaid/*.ts')
    expect(text).toMatch(
      /(?:^|\n)error item\.tags unsupported-feature\n {2}item\.tags is of type set of string and not frozen/,
    )
    expect(code).toBe(1)
  })

  it('generate --reshard, emulator, lint of a DDL file and pull for Drizzle exit with code 2', async () => {
    const refused = [
      [['generate', '--reshard', 'access_log'], 'A new key in steps needs SQL, which cql does not have.'],
      [['emulator'], 'The emulator needs a local engine, and isotherm cannot start one for cql.'],
      [['lint', 'schema.cql'], 'A file of DDL needs SQL, which cql does not have.'],
      [['pull', '--style', 'drizzle', '--out', 'x'], 'Drizzle has no tables for cql.'],
    ] as const
    const ended = await Promise.all(refused.map(([args]) => project.run(...args)))
    expect(ended.map(({ text }) => text)).toEqual(
      refused.map(([, message]) => expect.stringContaining(`error ${message}`) as string),
    )
    expect(ended.map(({ code }) => code)).toEqual([2, 2, 2, 2])
  })

  it('generate warns that rows before a later start of the time buckets are no longer found', async () => {
    project.write('moved/log.ts', MODEL.replace('2026-01-01', '2026-06-01'))
    const { code, text } = await project.run('generate', '--schema', './moved/*.ts')
    expect(text).toBe(
      'access_log: day begins at 2026-06-01, and no longer at 2026-01-01. Rows before that stay, and no query over a span of time ' +
        'finds them: delete them first.\nNo changes in the database.',
    )
    expect(code).toBe(0)
  })

  it.each(['generate', 'push'])('%s --yes drops no column without --allow-data-loss', async (command) => {
    project.write('less/log.ts', MODEL.replace(/\n.*page:.*\n/, '\n'))
    const refused = await project.run(command, '--yes', '--schema', './less/*.ts')
    expect(refused.text).toMatch(
      /error These changes lose data, which cannot be restored:\n {2}- access_log: drop the column page, with its data\nCQL cannot rename access_log\.page\. .*\nIf the data may be deleted, add --allow-data-loss\.$/,
    )
    expect(refused.code).toBe(2)
    const shown = await project.run('push', '--dry-run', '--schema', './less/*.ts')
    expect(shown.text).toContain('DROP "page"')
  })

  it('generate requires --allow-data-loss to make a column required in a table with expiring rows', async () => {
    const expiring = await CqlProject.create()
    const model = (page: string) =>
      expiring.write(
        'src/models/visit.ts',
        "import { defineTable } from '@isotherm/core'\n" +
          `export const Visit = defineTable('visit', (t) => ({ id: t.uuidV4(), page: t.string(${page}) }), { ttlSeconds: 60 })\n`,
      )
    const run = (...args: readonly string[]) => expiring.run(...args, '--database', expiring.url)
    const generate = (...args: readonly string[]) => expiring.run('generate', ...args, '--dialect', 'cql')
    model('{ nullable: true }')
    expect(await generate()).toMatchObject({ code: 0 })
    model('')
    const hides = 'visit: treat rows in which page is NULL as expired, which reads leave out'
    const refused = await generate('--yes')
    expect(refused.text).toContain(`error These changes lose data, which cannot be restored:\n  - ${hides}\n`)
    expect(refused.code).toBe(2)
    expect(await generate('--allow-data-loss')).toEqual({
      code: 0,
      text: `  ${hides}\nwrote migrations/<stamp>_require_column_visit_page, 0 statements`,
    })
    expect((await generate()).text).toBe('No changes: the models match the last migration.')
    expect((await run('migrate')).text).toMatch(/Up to date: 2 migrations, 1 statement in <duration>\.$/)
    expect(await run('check')).toMatchObject({ code: 0 })
  })

  it('bench sequences measures sequences and leaves no tables behind', async () => {
    const small = ['--threads', '2', '--callers', '3', '--duration', '1s', '--warm-up', '0s']
    const { code, text } = await project.run('bench', 'sequences', ...small, '--mode', 'async-batch')
    expect(text).toMatch(/6 callers: 1 × 2 × 3 [^]*\n {2}async-batch +\d/)
    expect(code).toBe(0)
    expect((await project.run('check')).text).not.toContain('isotherm_bench')
    const refused = await project.run('bench', 'sequences', '--mode', 'sync')
    expect(refused.text).toMatch(/has no mode sync\.\nIt has async, batch, async-batch, plain\.$/)
    expect(refused.code).toBe(2)
  })

  it('status explains an address with a wrong port, keyspace, data centre or TLS option, or with a password', async () => {
    const [closed, elsewhere, mistaken, secured, secret] = await Promise.all(
      [
        'cassandra://127.0.0.1:1/a?dc=dc1',
        project.url.replace(project.keyspace, 'no_such'),
        `${project.url}x`,
        `${project.url}&tls=true`,
        'cassandra://root:secret@host/a?dc=dc1',
      ].map((url) => project.run('status', '--database', url)),
    )
    expect(closed!.text).toMatch(/^error a of Cassandra at <nodes> does not answer: .*ECONNREFUSED/)
    expect(closed!.code).toBe(3)
    expect(elsewhere!.text).toMatch(
      /^error The keyspace does not exist: no_such of Cassandra at <nodes>\.\nCreate it: CREATE KEYSPACE "no_such" WITH replication = \{'class': 'NetworkTopologyStrategy', 'datacenter1': 3\}/,
    )
    expect(mistaken!.text).toMatch(
      /^error <keyspace> of Cassandra at <nodes> differs from the address: .*datacenter1x/,
    )
    expect(mistaken!.code).toBe(2)
    expect(secured!.text).toMatch(/^error <keyspace> of Cassandra at <nodes> cannot be reached over TLS: /)
    expect(secret!.text).toContain('and contains a password')
    expect(secret!.text).not.toContain('secret')
    expect(secret!.code).toBe(2)
  })

  it('pull --baseline suppresses existing lint errors in the models by rule, and generate reports errors of other rules', async () => {
    const hot = (name: string): string =>
      `CREATE TABLE ${name} (day date, at timestamp, id uuid, PRIMARY KEY (day, at, id))`
    const project = await CqlProject.create([hot('log')])
    project.write(
      'isotherm.config.ts',
      `export default { dialect: 'cql', schema: './src/models/*.ts', database: '${project.url}' }`,
    )
    const pulled = await project.run('pull', '--baseline')
    expect(pulled.text).toMatch(/1 lint error of the existing database is suppressed in the models/)
    expect(await project.run('generate')).toEqual({
      code: 0,
      text: 'No changes: the models match the last migration.',
    })
    expect((await project.run('lint')).code).toBe(0)
    expect((await project.run('lint', '--database', project.url)).text).toContain(
      'error log.day cassandra/time-partition',
    )
    // The suppression is for this one rule alone.
    const model = project.read('src/models/log.ts')
    project.write(
      'src/models/log.ts',
      model.replace("rule: 'cassandra/time-partition'", "rule: 'cassandra/unbounded-partition'"),
    )
    const refused = await project.run('generate')
    expect(refused.text).toContain('error log.day cassandra/time-partition')
    expect(refused.code).toBe(1)
  })
})
