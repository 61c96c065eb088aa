import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseWith, UserProject } from './support/project.js'
import { keys } from './support/terminal.js'

const SMALL = ['--processes', '2', '--threads', '2', '--callers', '3', '--duration', '1s', '--warm-up', '0s']

describe.each([googlesql, spannerPostgresql])('isotherm bench sequences in $name', (dialect) => {
  let project: UserProject
  let database: string

  beforeAll(async () => {
    const environment = await databaseWith(dialect, [])
    database = environment['ISOTHERM_DATABASE']!
    project = await UserProject.create(environment)
    project.write('isotherm.config.json', JSON.stringify({ dialect: dialect.name }))
  }, 300_000)

  it('measures with processes and threads, and leaves no tables behind', async () => {
    const modes = ['--mode', 'async-batch', '--mode', 'native']
    const { code } = await project.shell(
      `isotherm bench sequences ${[...SMALL, ...modes].join(' ')} --json > figures.json`,
    )
    expect(code).toBe(0)
    const figures = JSON.parse(project.read('figures.json')) as { readonly results: readonly object[] }
    expect(figures).toMatchObject({
      database: expect.stringContaining(database) as string,
      processes: 2,
      threads: 2,
      callers: 3,
    })
    expect(figures.results).toMatchObject([
      { mode: 'async-batch', rate: expect.any(Number) as number },
      { mode: 'native', rate: expect.any(Number) as number },
    ])
    expect(await project.run('pull', '--out', 'pulled')).toMatchObject({
      code: 0,
      text: expect.stringMatching(/0 tables\.$/) as string,
    })
  })

  it('accepts --project, --instance and --database together, and rejects --project alone', async () => {
    const [, name, , instance, , short] = database.split('/')
    const flags = ['--project', name!, '--instance', instance!, '--database', short!]
    const { code, text } = await project.run('bench', 'sequences', ...flags, ...SMALL, '--mode', 'plain')
    expect(text).toContain('12 callers: 2 × 2 × 3 (processes × threads × callers), <duration> each.')
    expect(code).toBe(0)
    const half = await project.run('bench', 'sequences', '--project', name!, ...SMALL)
    expect(half.text).toContain('error --project, --instance and --database belong together.')
    expect(half.code).toBe(2)
  })

  it('drops its table after Ctrl+C', async () => {
    const session = project.start('bench', 'sequences', '--duration', '10m', '--mode', 'plain')
    await session.shows('% plain')
    session.type(keys.interrupt)
    expect(await session.exit()).toBe(130)
    const again = await project.run('bench', 'sequences', ...SMALL, '--mode', 'plain')
    expect(again.code).toBe(0)
  })

  it('keeps an existing table with the name of its own table, and exits with code 2', async () => {
    const ddl =
      dialect.name === 'googlesql'
        ? 'CREATE TABLE isotherm_bench_sequences (id INT64) PRIMARY KEY (id)'
        : 'CREATE TABLE isotherm_bench_sequences (id bigint PRIMARY KEY)'
    const other = await databaseWith(dialect, [ddl])
    const refused = await project.run('bench', 'sequences', '--database', other['ISOTHERM_DATABASE']!)
    expect(refused.text).toMatch(
      /error isotherm_bench_sequences already exists, and this run did not create it\.\n[^]*DROP TABLE/,
    )
    expect(refused.code).toBe(2)
    const pulled = await project.run('pull', '--out', 'kept', '--database', other['ISOTHERM_DATABASE']!)
    expect(pulled.text).toMatch(/1 table\.$/)
  })

  it('rejects --threads 0 with exit code 2', async () => {
    const { code, text } = await project.run('bench', 'sequences', '--threads', '0')
    expect(text).toBe('error --threads is "0".\nIt is a whole number from 1 on.')
    expect(code).toBe(2)
  })
})
