import { describe, expect, it } from 'vitest'
import { CqlProject } from './project.js'

describe('isotherm pull --baseline on an existing keyspace', () => {
  it('writes models and a first migration, after which check finds no difference', async () => {
    const project = await CqlProject.create([
      'CREATE TYPE address (street text, zip ascii)',
      'CREATE TABLE visit (day date, shard int, at timestamp, place frozen<address>, seen int static, PRIMARY KEY ((day, shard), at)) WITH CLUSTERING ORDER BY (at DESC)',
    ])
    project.write(
      'isotherm.config.ts',
      `export default { dialect: 'cql', schema: './src/models/*.ts', database: '${project.url}' }`,
    )
    const pulled = await project.run('pull', '--baseline')
    expect(pulled.text).toContain('1 table.')
    expect(project.list('src/models')).toEqual(['address.ts', 'index.ts', 'visit.ts'])
    expect(await project.run('check')).toEqual({
      code: 0,
      text: 'agree models and migrations\nagree migrations and history\nagree database and history',
    })
  })

  it('suppresses existing lint errors in the models by rule, and generate reports errors of other rules', async () => {
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
