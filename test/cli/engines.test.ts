import { beforeAll, describe, expect, it } from 'vitest'
import { UserProject } from './support/project.js'
import { keys } from './support/terminal.js'

describe('the local engine of the isotherm command', () => {
  let project: UserProject

  beforeAll(async () => {
    project = await UserProject.create()
  }, 300_000)

  it('lints a file of DDL, and reports DDL that the engine rejects', async () => {
    project.write(
      'schema.sql',
      [
        '-- a semicolon; in a comment',
        `CREATE TABLE Visit (VisitedAt TIMESTAMP NOT NULL, Page STRING(10) DEFAULT ("a;b")) PRIMARY KEY (VisitedAt);`,
        'CREATE TABLE Cool (Id STRING(36) NOT NULL DEFAULT (GENERATE_UUID())) PRIMARY KEY (Id); -- the end',
      ].join('\n'),
    )
    const { code, text } = await project.run('lint', 'schema.sql', '--dialect', 'googlesql')
    expect(text).toMatch(
      /^error Visit\.VisitedAt monotonic-first-key\n[^]*\n2 tables, 1 error, 0 warnings\.$/,
    )
    expect(code).toBe(1)
    project.write('wrong.sql', 'CREATE TABEL T (Id INT64) PRIMARY KEY (Id)')
    const refused = await project.run('lint', 'wrong.sql', '--dialect', 'googlesql')
    expect(refused.code).toBe(1)
    expect(refused.text).toMatch(/^error wrong\.sql is refused: .*TABEL/)
  })

  it('runs until Ctrl+C with the tables of the models, and prints the variables to reach the engine', async () => {
    expect(
      (await project.run('init', '--dialect', 'spanner-postgresql', '--style', 'tables', '--yes')).code,
    ).toBe(0)
    const session = project.start('emulator', '--database', 'shop')
    await session.shows('Ctrl+C stops it.')
    const text = await session.text()
    expect(text).toContain('databases/shop, spanner-postgresql, 1 statement applied')
    for (const [, name, value] of text.matchAll(/^ {2}export (\w+)=(\S+)$/gm)) project.set(name!, value!)
    const agreed = await project.run('push', '--dry-run')
    expect(agreed.text).toBe('<database>\nNo changes: the database matches the models.')
    session.type(keys.interrupt)
    expect(await session.exit()).toBe(0)
  })
})
