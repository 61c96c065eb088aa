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

describe('the command on a keyspace', () => {
  let project: CqlProject

  beforeAll(async () => {
    project = await CqlProject.create()
  }, 300_000)

  it('makes a first project, whose models lint well on either target', async () => {
    const begun = await project.run('init', '--style', 'tables', '--yes', '--database', project.url)
    expect(begun.text).toMatch(/^wrote isotherm.config.ts\nwrote src\/models\/access-log.ts\n/)
    expect(begun.text).toContain('npm install @isotherm/core cassandra-driver &&')
    expect(project.read('isotherm.config.ts')).toContain("dialect: 'cql',\n  target: 'cassandra',")
    expect(project.read('src/models/access-log.ts')).toBe(MODEL)
    const linted = await Promise.all(
      ['cassandra', 'keyspaces'].map((target) => project.run('lint', '--target', target)),
    )
    const well = { code: 0, text: '1 table, nothing found.' }
    expect(linted).toEqual([well, well])
  })

  it('writes a migration, applies it, and finds that all agree', async () => {
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

  it('plans a read bucket by bucket', async () => {
    const [{ code, text }, one] = await Promise.all([
      project.run('explain', 'access_log', '--order-by', 'at:desc', '--limit', '10'),
      project.run('explain', 'access_log', '--where', '{"userId":"7","day":"2026-11-22"}'),
    ])
    expect(text).toMatch(/^walk-buckets on access_log: /)
    expect(text).toContain('shards    16 of 16')
    expect(code).toBe(0)
    expect(one.text).toContain('shards    1 of 16')
  })

  it('lints what lies in the keyspace, and what migrations say', async () => {
    expect((await project.run('lint', '--live')).text).toBe('1 table, nothing found.')
    project.write(
      'migrations/20990101000000_by_hand/migration.sql',
      '-- isotherm: transaction\nDELETE FROM access_log WHERE page = 1 ALLOW FILTERING;\n',
    )
    const { code, text } = await project.run('lint')
    expect(text).toContain('warning access_log allow-filtering')
    expect(text).toContain('migrations/<stamp>_by_hand')
    expect(code).toBe(0)
  })

  it('lints what the dialect does not have', async () => {
    project.write(
      'unsaid/item.ts',
      "import { defineTable } from '@isotherm/core'\n" +
        "export const Item = defineTable('item', (t) => ({ id: t.uuidV4(), tags: t.set({ kind: 'string', length: 'max' }) }))\n",
    )
    const { code, text } = await project.run('lint', '--schema', './unsaid/*.ts')
    expect(text).toMatch(/(?:^|\n)error item\.tags is a set of string that is not frozen/)
    expect(code).toBe(1)
  })

  it('refuses what only Spanner has', async () => {
    const refused = [
      [['generate', '--reshard', 'access_log'], 'A new key in steps is for Spanner, and the dialect is cql.'],
      [['emulator'], 'The emulator is for Spanner, and the dialect is cql.'],
      [['lint', 'schema.cql'], 'A file of DDL is for Spanner, and the dialect is cql.'],
      [['pull', '--style', 'drizzle', '--out', 'x'], 'Drizzle is for Spanner, and the dialect is cql.'],
    ] as const
    const ended = await Promise.all(refused.map(([args]) => project.run(...args)))
    expect(ended.map(({ text }) => text)).toEqual(
      refused.map(([, message]) => expect.stringContaining(`error ${message}`) as string),
    )
    expect(ended.map(({ code }) => code)).toEqual([2, 2, 2, 2])
  })

  it('tells of rows that are no longer looked for, though nothing in the keyspace changes', async () => {
    project.write('moved/log.ts', MODEL.replace('2026-01-01', '2026-06-01'))
    const { code, text } = await project.run('generate', '--schema', './moved/*.ts')
    expect(text).toBe(
      'access_log: day begins at 2026-06-01, and no longer at 2026-01-01. Rows before that stay, and no query over a span of time ' +
        'finds them: delete them first.\nNo changes in the database.',
    )
    expect(code).toBe(0)
  })

  it('says what is wrong with an address', async () => {
    const [nobody, elsewhere, mistaken, secured, secret] = await Promise.all(
      [
        'cassandra://127.0.0.1:1/a?dc=dc1',
        project.url.replace(project.keyspace, 'no_such'),
        `${project.url}x`,
        `${project.url}&tls=true`,
        'cassandra://root:secret@host/a?dc=dc1',
      ].map((url) => project.run('status', '--database', url)),
    )
    expect(nobody!.text).toMatch(/^error a of Cassandra at <nodes> does not answer: .*ECONNREFUSED/)
    expect(nobody!.code).toBe(3)
    expect(elsewhere!.text).toMatch(
      /^error There is no such keyspace: no_such of Cassandra at <nodes>\.\nMake it: CREATE KEYSPACE "no_such" WITH replication = \{'class': 'NetworkTopologyStrategy', 'datacenter1': 3\}/,
    )
    expect(mistaken!.text).toMatch(
      /^error <keyspace> of Cassandra at <nodes> is not what the address says: .*datacenter1x/,
    )
    expect(mistaken!.code).toBe(2)
    expect(secured!.text).toMatch(/^error <keyspace> of Cassandra at <nodes> cannot be talked to over TLS: /)
    expect(secret!.text).toContain('and holds a password')
    expect(secret!.text).not.toContain('secret')
    expect(secret!.code).toBe(2)
  })
})
